//go:build !unix

package torture

import "os/exec"

// alone does nothing where there are no groups of processes.
func alone(*exec.Cmd) {}
