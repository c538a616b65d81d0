package folder

import (
	"errors"
	"io/fs"
	"maps"
	"path"
	"slices"

	"github.com/kedge-opt/kedge/internal/disk"
)

// moveWaiting moves cells to their places that the committed manifest lists and that were waiting for it. It can be stopped and repeated.
func moveWaiting(dir *disk.Dir, m *Manifest) error {
	waiting, err := dir.List(waitingFolder)
	if err != nil {
		return err
	}
	for _, e := range waiting {
		from, place := path.Join(waitingFolder, e.Name()), path.Join(cellsFolder, e.Name())
		want, listed := m.Files[path.Join(place, manifestFile)]
		name := path.Join(from, manifestFile)
		text, err := readAll(dir, name, largestManifest)
		if !listed || errors.Is(err, fs.ErrNotExist) || err == nil && want != sumOfText(text) {
			continue // it has been moved, or is of another sweep
		}
		if err != nil {
			return err
		}
		cell, err := manifestIn(dir, name, text)
		if err != nil {
			return err
		}
		if err := errors.Join(moveCell(dir, from, place, cell), dir.Sync(cellsFolder)); err != nil {
			return err
		}
	}
	return nil
}

// moveCell moves the folder of a cell to its place. One that is there gives up its files first, its manifest before the others; what else
// is in it stays.
func moveCell(dir *disk.Dir, from, place string, m *Manifest) error {
	if !dir.Has(place) {
		return dir.Rename(from, place)
	}
	if err := errors.Join(removePlain(dir, path.Join(place, manifestFile)), dir.Sync(place)); err != nil {
		return err
	}
	for _, name := range append(slices.Sorted(maps.Keys(m.Files)), manifestFile) {
		if name == manifestFile {
			if err := dir.Sync(place); err != nil {
				return err
			}
		}
		if !dir.Has(path.Join(from, name)) {
			continue // it was moved before a stop
		}
		if err := dir.Rename(path.Join(from, name), path.Join(place, name)); err != nil {
			return err
		}
	}
	return errors.Join(dir.Sync(place), dir.Remove(from))
}

// clearWaiting removes cells that were waiting, all or only what is left of those that were moved.
func clearWaiting(dir *disk.Dir, all bool) error {
	waiting, err := dir.List(waitingFolder)
	left := 0
	for _, e := range waiting {
		name := path.Join(waitingFolder, e.Name())
		if all || !dir.Has(path.Join(name, manifestFile)) {
			err = errors.Join(err, clearFolder(dir, name))
		} else {
			left++
		}
	}
	if left > 0 {
		return err
	}
	return errors.Join(err, dir.Remove(waitingFolder))
}

// clearFolder removes a folder of kedge's own with the files in it.
func clearFolder(dir *disk.Dir, name string) error {
	entries, err := dir.List(name)
	for _, e := range entries {
		err = errors.Join(err, dir.Remove(path.Join(name, e.Name())))
	}
	return errors.Join(err, dir.Remove(name))
}

// removePlain removes a file, unless somebody has put something else in its place.
func removePlain(dir *disk.Dir, name string) error {
	if info, err := dir.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return dir.Remove(name)
}
