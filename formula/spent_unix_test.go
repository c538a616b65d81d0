//go:build unix

package formula

import (
	"syscall"
	"time"
)

// spent is the processor time of this process, which other programs on the machine do not add to.
func spent() time.Duration {
	var use syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &use); err != nil {
		panic(err)
	}
	return time.Duration(use.Utime.Nano() + use.Stime.Nano())
}
