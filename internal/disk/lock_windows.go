package disk

import (
	"os"

	"golang.org/x/sys/windows"
)

const (
	exclusively  = 0
	removesFirst = false // an open file cannot be removed
)

// lockedAt is a byte far behind what the file says, so that others can read that.
const lockedAt = 1 << 20

// tryLock tells whether nobody else has the file, and takes it then.
func tryLock(f *os.File) bool {
	at := windows.Overlapped{Offset: lockedAt}
	return windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at) == nil
}

func hint(string) string { return "" }
