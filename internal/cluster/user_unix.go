//go:build unix

package cluster

import (
	"os/exec"
	"syscall"
)

// demote has nobody run a program.
func demote(p *exec.Cmd) {
	p.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
}
