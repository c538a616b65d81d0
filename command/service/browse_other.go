//go:build !unix

package service

import "os/exec"

// detach has nothing to do where terminals send nothing to their foreground.
func detach(*exec.Cmd) {}
