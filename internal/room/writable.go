package room

import (
	"fmt"
	"os"
	"path/filepath"
)

// UnwritableError says that nothing can be written where something should be.
type UnwritableError struct {
	Dir string
	Err error
}

func (e *UnwritableError) Error() string {
	return fmt.Sprintf("nothing can be written to %s: %v; choose another folder with --out", e.Dir, e.Err)
}

func (e *UnwritableError) Unwrap() error { return e.Err }

// Writable tells whether files can be written to a folder that is there or could be made, by trying. It leaves nothing behind.
func Writable(dir string) error {
	at := existing(dir)
	info, err := os.Stat(at)
	switch {
	case err == nil && !info.IsDir():
		err = fmt.Errorf("%s is no folder", at)
	case err == nil:
		err = try(at)
	}
	if err != nil {
		return &UnwritableError{dir, err}
	}
	return nil
}

// existing is the folder, or the nearest above it that is there.
func existing(dir string) string {
	dir = filepath.Clean(dir)
	for {
		above := filepath.Dir(dir)
		if _, err := os.Lstat(dir); err == nil || above == dir {
			return dir
		}
		dir = above
	}
}
