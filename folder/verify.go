package folder

import (
	"context"
	"errors"
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/plain"
)

// Checked is what Verify says of one file.
type Checked struct {
	File    string `json:"file"`              // with slashes, from the folder on
	Problem string `json:"problem,omitempty"` // empty when the file is what was written
	Note    string `json:"note,omitempty"`    // why nobody can know that; empty when it was checked
}

// Inspection is what Verify finds in a folder.
type Inspection struct {
	Files   []Checked `json:"files"`   // in the order of their names
	Strange []string  `json:"strange"` // what else is there and kedge has not written: it is never touched
}

// Verify compares the files of a sealed folder, and of its cells, with their checksums. The error is about the folder as a whole; a file
// that differs is no error but has a Problem. Once the context is done, the error is its own.
func Verify(ctx context.Context, dir string) (*Inspection, error) {
	s, err := OpenSealed(ctx, dir, Verified)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	found := &Inspection{Files: s.check(), Strange: []string{}}
	if s.IsBare() {
		found.Files = append(found.Files, Checked{File: manifestFile, Note: "kedge wrote no checksum of it yet"})
	}
	if s.dir.Has(tagsFile) {
		found.Files = append(found.Files, s.checkTags())
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	entries, err := s.dir.List(".")
	for _, e := range entries {
		if name := e.Name(); !s.covers(name) && !isTags(name) && !isWork(s.dir, name) && !(s.Kind == KindSweep && name == cellsFolder) {
			found.Strange = append(found.Strange, name)
		}
	}
	return found, err
}

// check looks at every file that the manifest lists, and into cells.
func (s *Sealed) check() (list []Checked) {
	for _, name := range slices.Sorted(maps.Keys(s.Files)) {
		list = append(list, s.checkFile(name))
		if inner := path.Dir(name); inner != "." && s.at == "." {
			list = append(list, s.checkCell(path.Base(inner))...)
		}
	}
	return list
}

// checkCell looks at the files of a cell.
func (s *Sealed) checkCell(id string) []Checked {
	inner := path.Join(cellsFolder, id)
	cell, err := sealedIn(s.ctx, s.dir, inner, s.trust)
	if err != nil {
		return nil // as checkFile says
	}
	list := cell.check()
	for i := range list {
		list[i].File = path.Join(inner, list[i].File)
	}
	return list
}

// checkFile says in what a file differs from what was written.
func (s *Sealed) checkFile(name string) Checked {
	full := path.Join(s.at, name)
	f, err := s.dir.Open(full)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return Checked{File: name, Problem: "missing"}
	case err != nil:
		return Checked{File: name, Problem: strings.TrimPrefix(err.Error(), s.dir.Path(full)+" ")}
	}
	defer f.Close()
	c := Checked{File: name}
	if c.Problem, err = s.differs(plain.Until(s.ctx, f), name, s.Files[name]); err != nil {
		c.Problem = err.Error()
	}
	if s.IsBare() && s.Files[name].SHA256 == "" {
		c.Note = "kedge wrote no checksum of it yet"
	}
	return c
}

// checkTags says whether the tags are what was written.
func (s *Sealed) checkTags() Checked {
	c := Checked{File: tagsFile}
	if _, err := readTags(s.dir); err != nil {
		c.Problem = strings.TrimPrefix(err.Error(), s.dir.Path(tagsFile)+": ")
	}
	return c
}

// intact tells whether the folder and its cells have the bytes that were written.
func (s *Sealed) intact() bool {
	return !slices.ContainsFunc(s.check(), func(c Checked) bool { return c.Problem != "" })
}
