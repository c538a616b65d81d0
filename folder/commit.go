package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/disk"
)

// Commit writes a result: the files, and the manifest that lists them and those that are kept. It is all written and on disk beside its place
// before the first file moves there, and one rename decides: after whatever stop the folder holds the old result or the new one. Files of the
// old one that the new one has not are removed, and nothing else is.
func (c *Taken) Commit(m Manifest, data Contents, kept map[string]File) error {
	if err := c.free(data.names()); err != nil {
		return err
	}
	if err := c.stage(&m, data, kept); err != nil {
		return fmt.Errorf("write %s: %w", c.dir.Path("."), err)
	}
	if err := errors.Join(c.dir.Rename(stageFolder, commitFolder), c.dir.Sync(ownFolder)); err != nil {
		return fmt.Errorf("write %s: %w", c.dir.Path("."), err)
	}
	if err := settle(c.dir); err != nil {
		return fmt.Errorf("write %s: %w", c.dir.Path("."), err)
	}
	c.old, c.made = &m, nil
	return nil
}

// free wants names for kedge: nobody else may have files there.
func (c *Taken) free(names []string) error {
	for _, name := range names {
		info, err := c.dir.Lstat(name)
		if err == nil && (!c.owns(name) || !info.Mode().IsRegular()) {
			return fmt.Errorf("%s is there and kedge has not written it: move it away, or choose another folder with --out", c.dir.Path(name))
		}
	}
	return nil
}

// owns tells whether the sealed list of the folder names a file.
func (c *Taken) owns(name string) bool { return c.old != nil && c.old.covers(name) }

// Renew writes files of the result that the folder holds anew, or adds them; the others stay.
func (c *Taken) Renew(files map[string][]byte) error {
	if c.old == nil {
		return fmt.Errorf("%s: %w", c.dir.Path("."), ErrUnfinished)
	}
	kept := maps.Clone(c.old.Files)
	if _, ok := kept[timesFile]; ok && c.old.IsBare() { // then times.json has no checksum of its own
		f, err := c.dir.Open(timesFile)
		if err != nil {
			return err
		}
		defer f.Close()
		if kept[timesFile], err = sumOf(f); err != nil {
			return err
		}
	}
	return c.Commit(*c.old, Contents{}.With(files), kept)
}

// stage writes everything beside its place and puts it on disk.
func (c *Taken) stage(m *Manifest, data Contents, kept map[string]File) error {
	if err := errors.Join(c.dir.Make(stageFolder), c.dir.Sync(".")); err != nil {
		return err
	}
	m.Format, m.Kind, m.Files = manifestFormat, c.kind, maps.Clone(kept)
	if m.Inputs == nil {
		m.Inputs = map[string]string{}
	}
	return seal(c.dir, stageFolder, m, data)
}

// seal fills a folder: the files, then the manifest with their checksums, all of it on disk.
func seal(dir *disk.Dir, place string, m *Manifest, data Contents) error {
	if m.Files == nil {
		m.Files = map[string]File{}
	}
	for _, name := range data.names() {
		sum, err := fill(dir, path.Join(place, name), data[name])
		if err != nil {
			return err
		}
		if name == timesFile {
			sum = File{}
		}
		m.Files[name] = sum
	}
	text, err := m.text()
	if err != nil {
		return err
	}
	if err := dir.Fill(path.Join(place, manifestFile), asBytes(text)); err != nil {
		return err
	}
	return dir.Sync(place)
}

// fill writes a file and returns the checksum of what was written.
func fill(dir *disk.Dir, name string, write func(io.Writer) error) (sum File, err error) {
	err = dir.Fill(name, func(w io.Writer) (err error) {
		h := newSummer()
		err = write(io.MultiWriter(w, h))
		sum = h.file()
		return err
	})
	return sum, err
}

// settle moves what was committed to its place, whoever has committed it, and the manifest last. It can be stopped and repeated.
func settle(dir *disk.Dir) error {
	m, err := readManifest(dir, path.Join(commitFolder, manifestFile))
	switch {
	case errors.Is(err, fs.ErrNotExist): // nothing was committed, or everything is there
		return finish(dir)
	case err != nil:
		return err
	}
	if err := errors.Join(removeOld(dir, m), moveWaiting(dir, m)); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(m.Files)) {
		if from := path.Join(commitFolder, name); dir.Has(from) {
			if err := dir.Rename(from, name); err != nil {
				return err
			}
		}
	}
	if err := dir.Sync("."); err != nil {
		return err
	}
	if err := errors.Join(dir.Rename(path.Join(commitFolder, manifestFile), manifestFile), dir.Sync(".")); err != nil {
		return err
	}
	return finish(dir)
}

// removeOld removes the files of the result that is there, but those of the new one and cells.
func removeOld(dir *disk.Dir, m *Manifest) error {
	old, err := readManifest(dir, manifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for name := range old.Files {
		if _, stays := m.Files[name]; !stays && !strings.Contains(name, "/") {
			if err := removePlain(dir, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// finish removes what is needed no longer once a result is in its place.
func finish(dir *disk.Dir) error {
	err := dir.Remove(commitFolder)
	if err == nil && dir.Has(unfinishedFile) && dir.Has(manifestFile) {
		err = errors.Join(dir.Remove(unfinishedFile), dir.Sync("."))
	}
	return err
}

// clearOwn removes what a writer has left that did not come to its end. What was committed stays.
func clearOwn(dir *disk.Dir) {
	entries, _ := dir.List(ownFolder)
	for _, e := range entries {
		name := path.Join(ownFolder, e.Name())
		if name == stageFolder || strings.HasPrefix(name, draftFolder) {
			clearFolder(dir, name)
		}
	}
	clearWaiting(dir, false)
}
