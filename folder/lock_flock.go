//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package folder

import (
	"os"
	"syscall"
)

// tryLock tells whether nobody else has the file, and takes it then.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
