package command

import (
	"os/exec"
	"syscall"
)

// peakOf is the most memory that a process had.
func peakOf(c *exec.Cmd) float64 {
	return 1024 * float64(c.ProcessState.SysUsage().(*syscall.Rusage).Maxrss)
}
