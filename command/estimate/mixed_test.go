package estimate

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/lists"
)

// A folder in which a fit could not write all of its files has no spec of the fit before beside draws and people of another: kedge run would take the
// numbers of one and the doubt of the other.
func TestFitsAreNotMixed(t *testing.T) {
	out := filepath.Join(t.TempDir(), "found")
	if _, code, err := called(t, logOf(false), "fit", "a.yaml", "--starts", "0", "--out", out); code != 0 {
		t.Fatal(err)
	}
	people, spec := filepath.Join(out, "people.csv"), filepath.Join(out, "fitted.yaml")
	for range 2 {
		if err := os.Remove(people); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(people, "in the way"), 0o755); err != nil {
			t.Fatal(err)
		}
		_, code, err := called(t, logOf(false), "fit", "a.yaml", "--starts", "0", "--seed", "2", "--out", out)
		if code == 0 || err == nil {
			t.Fatal("people.csv is a folder, and was written")
		}
		if _, err := os.Stat(spec); !os.IsNotExist(err) {
			t.Errorf("beside draws of another fit there is a spec: %v", err)
		}
		if err := os.RemoveAll(people); err != nil {
			t.Fatal(err)
		}
		if _, code, err := called(t, logOf(false), "fit", "a.yaml", "--starts", "0", "--seed", "2", "--out", out); code != 0 {
			t.Fatal(err)
		}
		if _, err := os.Stat(spec); err != nil {
			t.Error(err)
		}
	}
}

// While another process writes its files into a folder nobody else does, and afterwards nothing is left of that.
func TestOneWritesAtATime(t *testing.T) {
	out := filepath.Join(t.TempDir(), "found")
	for _, command := range []string{"fit", "backtest"} {
		args := append(quick(command), "--out", filepath.Join(out, command))
		if code, err := calledInto(t, io.Discard, logOf(false), args...); code != 0 {
			t.Fatal(err)
		}
		dir, err := disk.Disk{}.Open(filepath.Join(out, command))
		if err != nil {
			t.Fatal(err)
		}
		defer dir.Close()
		before, err := os.ReadDir(dir.Path("."))
		if err != nil {
			t.Fatal(err)
		}
		lock, err := dir.Lock(lockFile)
		if err != nil {
			t.Fatal(err)
		}
		if code, err := calledInto(t, io.Discard, logOf(false), append(args, "--seed", "2")...); code != 1 || !errors.Is(err, disk.ErrInUse) {
			t.Errorf("%s into a folder that another process writes: %d, %v", command, code, err)
		}
		lock.Release()
		after, err := os.ReadDir(dir.Path("."))
		if err != nil || !slices.Equal(lists.Of(before, whatIs), lists.Of(after, whatIs)) {
			t.Errorf("%s: before there are %v, after %v, %v", command, before, after, err)
		}
	}
}

// whatIs tells a file from another of its name.
func whatIs(f os.DirEntry) string {
	info, err := f.Info()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprint(f.Name(), info.Size(), info.ModTime())
}
