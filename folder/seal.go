package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Make makes the folder of a result: its data, the pages about them, and the manifest last.
func (m Manifest) Make(dir string, data Contents, pages func(dir string) (names []string, err error)) error {
	if err := m.Kind.Begin(dir); err != nil {
		return err
	}
	if err := data.Write(dir); err != nil {
		return err
	}
	if _, err := pages(dir); err != nil {
		return err
	}
	return m.Seal(dir)
}

// Seal writes the manifest of a run's folder, the last step of making it.
func (r *Result) Seal(dir string) error {
	return Manifest{Kind: KindRun, Case: r.Case, Seed: r.Seed, Spec: specFile, Build: r.Build}.Seal(dir)
}

// Seal fills in the files of a folder and writes the manifest into it: everything is on disk before the manifest is.
func (m Manifest) Seal(dir string) error {
	var err error
	m.Format = manifestFormat
	if m.Files, err = inventory(dir); err != nil {
		return fmt.Errorf("seal %s: %w", dir, err)
	}
	if err := Flush(dir); err != nil {
		return fmt.Errorf("seal %s: %w", dir, err)
	}
	if err := (Contents{manifestFile: AsJSON(m)}).Write(dir); err != nil {
		return err
	}
	return errors.Join(Remove(dir, unfinishedFile), Flush(dir))
}

// inventory lists and hashes the files of a folder, but not those that were there before it was begun, nor hidden ones, nor a checkpoint. Of a
// sealed folder inside it lists the manifest alone, which vouches for the rest.
func inventory(dir string) (map[string]File, error) {
	foreign, err := readUnfinished(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	files := map[string]File{}
	err = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		return take(files, dir, filepath.ToSlash(name), e, foreign.holds(name))
	})
	return files, err
}

// take adds one entry of a folder to its files.
func take(files map[string]File, dir, name string, e fs.DirEntry, foreign bool) error {
	skip := foreign || strings.HasPrefix(e.Name(), ".") || slices.Contains([]string{manifestFile, unfinishedFile, CheckpointDir}, name)
	switch {
	case skip && e.IsDir():
		return filepath.SkipDir
	case skip:
		return nil
	case e.IsDir():
		sealed := name + "/" + manifestFile
		sum, err := settled(filepath.Join(dir, sealed))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		files[sealed] = sum
		return filepath.SkipDir
	case e.Name() == timesFile:
		files[name] = File{}
		return nil
	}
	var err error
	files[name], err = settled(filepath.Join(dir, name))
	return err
}

// Reseal renews what the manifest of a finished folder says of some of its files, which were written anew or added. The
// other files are left as the manifest has them.
func Reseal(dir string, names ...string) error {
	m, err := ReadManifest(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		if m.Files[name], err = settled(filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			return fmt.Errorf("seal %s: %w", dir, err)
		}
	}
	return Contents{manifestFile: AsJSON(m)}.Write(dir)
}
