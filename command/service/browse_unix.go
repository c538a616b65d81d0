//go:build unix

package service

import (
	"os/exec"
	"syscall"
)

// detach keeps what a terminal sends to its foreground from a command.
func detach(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
