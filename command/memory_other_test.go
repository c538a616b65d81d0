//go:build !linux

package command

import "os/exec"

func peakOf(*exec.Cmd) float64 { return 0 }
