package command

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// Two runs of one spec, on one and on several workers, make the same folder: the manifests vouch for every byte but those of
// times.json.
func TestRunsMakeTheSameFolder(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "same-folder", Text: "two runs make the same folder, manifest and all, but for `times.json`"})
	var manifests [2]string
	for i, workers := range []string{"1", "5"} {
		dir := filepath.Join(t.TempDir(), "out")
		if out, code := command(t, append([]string{"run", "polarized", "--quiet", "--workers", workers, "--out", dir}, tiny...)...); code != 0 {
			t.Fatalf("exit code %d: %s", code, out)
		}
		text, err := os.ReadFile(filepath.Join(dir, "manifest.json"))
		if err != nil {
			t.Fatal(err)
		}
		manifests[i] = string(text)
	}
	same.Case(manifests[0] == manifests[1], "one worker writes\n%s\nand five\n%s", manifests[0], manifests[1])
}
