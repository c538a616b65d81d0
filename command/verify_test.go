package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

func TestVerify(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	if out, code := command(t, append([]string{"run", "polarized", "--quiet", "--out", dir}, tiny...)...); code != 0 {
		t.Fatalf("exit code %d: %s", code, out)
	}
	for _, name := range []string{"summary.json", "gap.svg", "report.html"} {
		if out, code := command(t, "verify", dir); code != 0 || !strings.Contains(out, "✓ "+name+"\n") {
			t.Errorf("exit code %d: %s", code, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "gap.svg"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, code := command(t, "verify", dir); code != exitFailed || !strings.Contains(out, "✗ gap.svg: 0 bytes") {
		t.Errorf("exit code %d: %s", code, out)
	}
	out, code := command(t, "verify", "--json", dir)
	var found map[string]*folder.Inspection
	if err := json.NewDecoder(strings.NewReader(out)).Decode(&found); err != nil || code != exitFailed || len(found[dir].Files) < 8 {
		t.Errorf("exit code %d, %v: %s", code, err, out)
	}
	if out, code := command(t, "verify", t.TempDir()); code != exitUsage || !strings.Contains(out, "manifest.json") {
		t.Errorf("exit code %d: %s", code, out)
	}
}
