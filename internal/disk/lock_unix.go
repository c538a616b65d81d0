//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package disk

import (
	"os"
	"syscall"
)

const (
	exclusively  = 0
	removesFirst = true // while it is locked: nobody else can take what is about to go
)

// tryLock tells whether nobody else has the file, and takes it then.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

func hint(string) string { return "" }
