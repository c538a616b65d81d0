package evidence

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// AsRecorded compares lines with those of a file, which KEDGE_UPDATE=1 writes. It shows that something changed, not what is right. Last digits are
// those of amd64; elsewhere the test is skipped.
func AsRecorded(t testing.TB, path string, got []string) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("recorded on amd64")
	}
	if os.Getenv("KEDGE_UPDATE") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	for i, line := range got {
		if i >= len(want) || line != want[i] {
			t.Fatalf("%s:%d: got  %s\nwant %s", path, i+1, line, append(want, "nothing")[min(i, len(want))])
		}
	}
	if len(want) != len(got) {
		t.Errorf("%d lines, %s has %d", len(got), path, len(want))
	}
}
