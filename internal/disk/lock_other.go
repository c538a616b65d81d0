//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package disk

import "os"

// On systems without locks the file itself is the lock: it stays behind when a process dies.
const (
	exclusively  = os.O_EXCL
	removesFirst = false
)

func tryLock(*os.File) bool { return true }

func hint(path string) string { return ", or remove " + path + " if it has died" }
