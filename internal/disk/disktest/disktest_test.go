package disktest

import (
	"maps"
	"path/filepath"
	"testing"
)

// A tree that was written is read as it is, also into a folder that has to be made, and over files that are there; where there is no folder nothing is read.
func TestTreesComeBack(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x", "y")
	if got, err := Read(dir); err != nil || len(got) > 0 {
		t.Errorf("of no folder: %q, %v", got, err)
	}
	want := Tree{"a": "one", "b/": "", "c/": "", "c/d": "two", "c/e/": "", "f/": "", "f/g": ""}
	given := maps.Clone(want)
	delete(given, "f/") // which is made for its file
	for range 2 {
		if err := given.Write(dir); err != nil {
			t.Fatal(err)
		}
		if got, err := Read(dir); err != nil || !maps.Equal(got, want) {
			t.Errorf("%q, %v, want %q", got, err, want)
		}
	}
}

// What of a tree cannot be written is told, also where what comes after it can be.
func TestTreesThatCannotBeWritten(t *testing.T) {
	for name, c := range map[string]struct {
		tree Tree
		at   string
	}{
		"a file below a file":     {Tree{"a": "", "a/b": "", "c": ""}, "new"},
		"a folder below a file":   {Tree{"a": "", "a/b/": "", "c": ""}, "new"},
		"a file for a folder":     {Tree{"there": "", "z": ""}, "."},
		"a folder for a file":     {Tree{"file/": "", "z": ""}, "."},
		"a file in place of all":  {Tree{}, "file"},
		"a file above everything": {Tree{}, "file/inner"},
	} {
		dir := t.TempDir()
		if err := (Tree{"there/": "", "file": ""}).Write(dir); err != nil {
			t.Fatal(err)
		}
		if err := c.tree.Write(filepath.Join(dir, c.at)); err == nil {
			t.Errorf("%s: nobody says so", name)
		}
	}
}
