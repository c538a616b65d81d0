package estimate

import (
	"os"
	"path/filepath"
	"testing"
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
