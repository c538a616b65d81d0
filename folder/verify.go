package folder

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// Checked is what Verify says of one file.
type Checked struct {
	File    string `json:"file"`              // with slashes, from the folder on
	Problem string `json:"problem,omitempty"` // empty when the file is what was written
}

// Verify compares the files of a sealed folder, and of sealed folders inside it, with their checksums, in the order of their
// names. The error is about the folder as a whole; a file that differs is no error but has a Problem.
func Verify(dir string) ([]Checked, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	var list []Checked
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		list = append(list, Checked{name, compare(filepath.Join(dir, filepath.FromSlash(name)), m.Files[name])})
		if inner := path.Dir(name); inner != "." && path.Base(name) == manifestFile {
			list = append(list, verifyInside(dir, inner)...)
		}
	}
	return list, nil
}

// verifyInside verifies a folder in a folder.
func verifyInside(dir, inner string) []Checked {
	list, err := Verify(filepath.Join(dir, filepath.FromSlash(inner)))
	for i := range list {
		list[i].File = path.Join(inner, list[i].File)
	}
	if err != nil {
		list = append(list, Checked{path.Join(inner, manifestFile), err.Error()})
	}
	return list
}

// compare says in what a file differs from what was written.
func compare(name string, want File) string {
	if want.SHA256 == "" {
		if _, err := os.Stat(name); err != nil {
			return "missing"
		}
		return ""
	}
	got, err := sumOf(name)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "missing"
	case err != nil:
		return err.Error()
	case got.Bytes != want.Bytes:
		return fmt.Sprintf("%d bytes, written were %d", got.Bytes, want.Bytes)
	case got != want:
		return "other bytes than were written"
	}
	return ""
}
