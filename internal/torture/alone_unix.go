//go:build unix

package torture

import (
	"os/exec"
	"syscall"
)

// alone gives a process and all that it starts a group of their own, which ends with it.
func alone(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
