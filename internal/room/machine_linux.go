package room

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func machine() Supply { return free(os.DirFS("/")) }

// try makes a file in a folder: one without a name, so that no other process sees it and nothing is left when this one dies. Not every file
// system has such files.
func try(dir string) error {
	f, err := os.OpenFile(dir, os.O_WRONLY|unix.O_TMPFILE, 0o600)
	switch {
	case err == nil:
		return f.Close()
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EISDIR), errors.Is(err, unix.EINVAL):
		return tryNamed(dir)
	}
	return err
}
