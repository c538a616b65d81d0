package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// LockFile is in a folder as long as a process works on it.
const LockFile = ".lock"

// ErrInUse says that another process works on a folder.
var ErrInUse = errors.New("in use by another kedge")

// Lock keeps other processes out of a folder. The system takes it from a process that dies.
type Lock struct{ file *os.File }

// Acquire takes a folder for this process.
func Acquire(dir string) (*Lock, error) {
	path := filepath.Join(dir, LockFile)
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
		if err != nil {
			return nil, err
		}
		if !tryLock(f) {
			f.Close()
			return nil, inUse(dir)
		}
		if l := (&Lock{f}); l.current(path) {
			f.Truncate(0)
			f.WriteString(strconv.Itoa(os.Getpid()) + "\n")
			return l, nil
		}
		f.Close() // of a process that has removed it by now
	}
}

// inUse says who has a folder.
func inUse(dir string) error {
	owner, _ := os.ReadFile(filepath.Join(dir, LockFile))
	return fmt.Errorf("%s is %w (process %s): wait until it has ended", dir, ErrInUse, strings.TrimSpace(string(owner)))
}

// Free tells whether nobody works on a folder, without touching it.
func Free(dir string) error {
	f, err := os.OpenFile(filepath.Join(dir, LockFile), os.O_RDWR, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if !tryLock(f) {
		return inUse(dir)
	}
	return nil
}

// current tells whether the file that is locked is still the one of its name.
func (l *Lock) current(path string) bool {
	mine, err := l.file.Stat()
	there, err2 := os.Stat(path)
	return err == nil && err2 == nil && os.SameFile(mine, there)
}

// Release gives the folder free.
func (l *Lock) Release() {
	os.Remove(l.file.Name())
	l.file.Close()
}
