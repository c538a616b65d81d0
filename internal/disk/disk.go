// Package disk changes folders so that nothing is lost and nothing outside is touched: names stay inside their folder whatever links there
// are, files are there whole or not at all, and what must be on disk before something else is. Every change is a Step, and a test can have
// it fail or stop for good at any of them.
package disk

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
)

// Call is what a step does.
type Call string

// The calls that change a disk.
const (
	Make     Call = "make"      // a folder
	Create   Call = "create"    // an empty file
	Fill     Call = "fill"      // all that a file holds was written; it may not be on disk
	SyncFile Call = "sync-file" // what a file holds gets on disk
	SyncDir  Call = "sync-dir"  // the names in a folder get on disk
	Rename   Call = "rename"
	Remove   Call = "remove" // a file or an empty folder
)

// Step is one change of a disk.
type Step struct {
	Call     Call
	Path, To string // To is the new name of what is renamed
}

// Disk is where folders are. The zero value is that of the system.
type Disk struct {
	Before func(Step) error // called before every change, which an error prevents; may be nil
}

func (d Disk) before(call Call, path, to string) error {
	if d.Before == nil {
		return nil
	}
	return d.Before(Step{call, path, to})
}

// Dir is an open folder. Names in it have slashes.
type Dir struct {
	disk Disk
	path string
	root *os.Root
}

// Open opens a folder that is there.
func (d Disk) Open(path string) (*Dir, error) {
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{d, path, root}, nil
}

// MakeAll makes a folder and those above it that are not there, and returns what it made, the outermost first.
func (d Disk) MakeAll(path string) (made []string, err error) {
	if info, err := os.Stat(path); err == nil {
		if !info.IsDir() {
			return nil, fmt.Errorf("%s is no folder", path)
		}
		return nil, nil
	}
	above := filepath.Dir(path)
	if above != path {
		if made, err = d.MakeAll(above); err != nil {
			return made, err
		}
	}
	if err := d.before(Make, path, ""); err != nil {
		return made, err
	}
	switch err := os.Mkdir(path, 0o755); {
	case errors.Is(err, fs.ErrExist): // somebody else was quicker
		return made, nil
	case err != nil:
		return made, err
	}
	return append(made, path), d.SyncDir(above)
}

// RemoveEmpty removes folders as MakeAll made them, the innermost first, as long as they are empty.
func (d Disk) RemoveEmpty(made []string) {
	for i := len(made) - 1; i >= 0; i-- {
		if d.before(Remove, made[i], "") != nil || os.Remove(made[i]) != nil {
			return
		}
	}
}

// WriteFile writes a file anywhere, whole or not at all.
func (d Disk) WriteFile(path string, write func(io.Writer) error) error {
	dir, err := d.Open(filepath.Dir(path))
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer dir.Close()
	if err := dir.Replace(filepath.Base(path), write); err != nil {
		return err
	}
	return dir.Sync(".")
}

// Close closes the folder.
func (d *Dir) Close() error { return d.root.Close() }

// Path is where a name in the folder is.
func (d *Dir) Path(name string) string { return filepath.Join(d.path, filepath.FromSlash(name)) }

// Fill writes a new file and puts what it holds on disk. What was there under the name is lost.
func (d *Dir) Fill(name string, write func(io.Writer) error) error {
	if err := d.fill(name, write); err != nil {
		return fmt.Errorf("write %s: %w", d.Path(name), err)
	}
	return nil
}

func (d *Dir) fill(name string, write func(io.Writer) error) error {
	if err := errors.Join(d.Remove(name), d.disk.before(Create, d.Path(name), "")); err != nil {
		return err
	}
	f, err := d.root.OpenFile(filepath.FromSlash(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	b := bufio.NewWriterSize(f, 1<<16)
	if err := errors.Join(write(b), b.Flush(), d.disk.before(Fill, d.Path(name), "")); err != nil {
		return err
	}
	if err := d.disk.before(SyncFile, d.Path(name), ""); err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// Replace writes a file that is there whole or not at all: what it held before, or what it is to hold.
func (d *Dir) Replace(name string, write func(io.Writer) error) error {
	draft := path.Join(path.Dir(name), Draft(path.Base(name)))
	err := d.Fill(draft, write)
	if err == nil {
		err = d.Rename(draft, name)
	}
	if err != nil {
		d.Remove(draft)
	}
	return err
}

// Draft is the name under which Replace prepares a file.
func Draft(name string) string { return "." + name + "-draft" }

// Rename moves a file or a folder to another name in the folder.
func (d *Dir) Rename(from, to string) error {
	if err := d.disk.before(Rename, d.Path(from), d.Path(to)); err != nil {
		return err
	}
	return d.root.Rename(filepath.FromSlash(from), filepath.FromSlash(to))
}

// Remove removes plain files and empty folders. What is not there is no error.
func (d *Dir) Remove(names ...string) error {
	var errs []error
	for _, name := range names {
		if _, err := d.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		err := d.disk.before(Remove, d.Path(name), "")
		if err == nil {
			err = d.root.Remove(filepath.FromSlash(name))
		}
		if !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Make makes a folder in the folder, unless it is there.
func (d *Dir) Make(name string) error {
	if info, err := d.Lstat(name); err == nil && info.IsDir() {
		return nil
	}
	if err := d.disk.before(Make, d.Path(name), ""); err != nil {
		return err
	}
	return d.root.Mkdir(filepath.FromSlash(name), 0o755)
}

// Sync puts the names in a folder on disk; "." is the folder itself.
func (d *Dir) Sync(name string) error {
	if err := d.disk.before(SyncDir, d.Path(name), ""); err != nil || !syncsFolders {
		return err
	}
	f, err := d.root.Open(filepath.FromSlash(name))
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

const syncsFolders = runtime.GOOS != "windows" // which puts names on disk by itself and has no call for it

// SyncDir puts the names in a folder on disk.
func (d Disk) SyncDir(path string) error {
	dir, err := d.Open(cmp.Or(path, "."))
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync(".")
}

// Lstat looks at a name without following a link.
func (d *Dir) Lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(filepath.FromSlash(name)) }

// Has tells whether something of this name is there.
func (d *Dir) Has(name string) bool {
	_, err := d.Lstat(name)
	return err == nil
}

// List returns the entries of a folder, in the order of their names; of one that is not there none.
func (d *Dir) List(name string) ([]fs.DirEntry, error) {
	info, err := d.root.Stat(filepath.FromSlash(name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder", d.Path(name))
	}
	return fs.ReadDir(d.root.FS(), name)
}

// Open opens a plain file to be read. Pipes, devices and folders are refused, without waiting for them.
func (d *Dir) Open(name string) (*os.File, error) {
	local := filepath.FromSlash(name)
	info, err := d.root.Stat(local)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no plain file", d.Path(name))
	}
	return d.root.Open(local)
}
