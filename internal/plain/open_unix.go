//go:build unix

package plain

import (
	"os"
	"syscall"
)

// openAtOnce opens whatever is there without waiting for another end, and makes no terminal this process's own.
func openAtOnce(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
}
