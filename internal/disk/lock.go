package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// ErrInUse says that another process works on a folder.
var ErrInUse = errors.New("in use by another kedge")

// Lock keeps other processes out of a folder. Where the system can, it takes the lock from a process that dies.
type Lock struct {
	dir  *Dir
	name string
	file *os.File
}

// Lock takes a folder for this process, by a file of the given name in it.
func (d *Dir) Lock(name string) (*Lock, error) {
	for {
		f, err := d.root.OpenFile(name, os.O_RDWR|os.O_CREATE|exclusively, 0o644)
		if exclusively != 0 && errors.Is(err, fs.ErrExist) {
			return nil, d.inUse(name)
		}
		if err != nil {
			return nil, err
		}
		if !tryLock(f) {
			f.Close()
			return nil, d.inUse(name)
		}
		if l := (&Lock{d, name, f}); l.current() {
			f.Truncate(0)
			f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
			return l, nil
		}
		f.Close() // of a process that has removed it by now
	}
}

// inUse says who has a folder.
func (d *Dir) inUse(name string) error {
	owner := "unknown"
	if f, err := d.Open(name); err == nil {
		text, _ := io.ReadAll(io.LimitReader(f, 20))
		f.Close()
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			owner = strconv.Itoa(n)
		}
	}
	return fmt.Errorf("%s is %w (process %s): wait until it has ended%s", d.path, ErrInUse, owner, hint(d.Path(name)))
}

// Locked tells whether another process has the folder, without touching it.
func (d *Dir) Locked(name string) error {
	f, err := d.root.OpenFile(name, os.O_RDWR, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	defer f.Close()
	if exclusively != 0 || !tryLock(f) {
		return d.inUse(name)
	}
	return nil
}

// current tells whether the file that is locked is still the one of its name.
func (l *Lock) current() bool {
	mine, err := l.file.Stat()
	there, err2 := l.dir.Lstat(l.name)
	return err == nil && err2 == nil && os.SameFile(mine, there)
}

// Release gives the folder free.
func (l *Lock) Release() {
	if removesFirst {
		l.dir.root.Remove(l.name)
		l.file.Close()
		return
	}
	l.file.Close()
	l.dir.root.Remove(l.name)
}
