package folder

import (
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/disk"
)

// A cell that is moved to where one is already takes its place; whichever change of that the disk refuses is told, and who repeats it ends it.
func TestEveryFaultOfAMoveIsTold(t *testing.T) {
	m := &Manifest{Files: map[string]File{"a": {}, "b": {}}}
	refusal := errors.New("refused")
	for n, done := 0, false; !done; n++ {
		root := t.TempDir()
		for _, name := range []string{"old/a", "old/b", "old/kept", "old/" + manifestFile, "new/a", "new/b", "new/" + manifestFile} {
			if err := errors.Join(os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755), os.WriteFile(filepath.Join(root, name), []byte(name), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
		at := 0
		dir, err := disk.Disk{Before: func(disk.Step) error {
			if at++; at == n+1 {
				return refusal
			}
			return nil
		}}.Open(root)
		if err != nil {
			t.Fatal(err)
		}
		err = moveCell(dir, "new", "old", m)
		if done = at <= n; done != (err == nil) || !done && !errors.Is(err, refusal) {
			t.Errorf("change %d of %d: %v", n+1, at, err)
		}
		if dir.Has("new/" + manifestFile) {
			if err := moveCell(dir, "new", "old", m); err != nil {
				t.Errorf("again after change %d: %v", n+1, err)
			}
		}
		for name, want := range map[string]string{"a": "new/a", "b": "new/b", manifestFile: "new/" + manifestFile, "kept": "old/kept"} {
			if text, err := os.ReadFile(filepath.Join(root, "old", name)); err != nil || string(text) != want {
				t.Errorf("after change %d: %s is %s, %v", n+1, name, text, err)
			}
		}
		dir.Close()
	}
}

// A value that JSON has no word for, a program that is a folder, and a file that is looked into as a folder are told.
func TestWhatIsNoneIsTold(t *testing.T) {
	if err := writeList(io.Discard, "", slices.Values([]float64{1, math.NaN()})); err == nil {
		t.Error("what is no number is written")
	}
	for _, path := range []string{t.TempDir(), filepath.Join(t.TempDir(), "missing")} {
		if got := sumAt(path); got != "unknown" {
			t.Errorf("a program that cannot be read is %q", got)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, _, err := new(lister).names(root, "file"); err == nil {
		t.Error("a file has folders in it")
	}
}
