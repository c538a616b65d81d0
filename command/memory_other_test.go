//go:build !linux

package command

import "os/exec"

func runPeak(c *exec.Cmd) (float64, error) { return 0, c.Run() }
