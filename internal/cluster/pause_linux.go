package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Pause stops all its processes where they are, until Resume.
func (c *Cluster) Pause() error {
	first, err := c.first()
	if err == nil {
		err = syscall.Kill(first, syscall.SIGSTOP) // so that it starts no other
	}
	if err != nil {
		return err
	}
	return each(first, syscall.SIGSTOP)
}

// Resume lets them go on.
func (c *Cluster) Resume() error {
	first, err := c.first()
	if err != nil {
		return err
	}
	return errors.Join(each(first, syscall.SIGCONT), syscall.Kill(first, syscall.SIGCONT))
}

// Crash ends all its processes once cut has returned, as a machine that loses its power does: none of them writes anything after that.
func (c *Cluster) Crash(cut func() error) error {
	first, err := c.first()
	if err == nil {
		err = cut()
	}
	if err != nil {
		return err
	}
	err = syscall.Kill(first, syscall.SIGSTOP) // so that it starts no other
	return errors.Join(err, each(first, syscall.SIGKILL), syscall.Kill(first, syscall.SIGKILL))
}

// Revive starts it after Crash. Nobody is left of those whom its lock files name.
func (c *Cluster) Revive() error {
	for _, lock := range []string{filepath.Join(c.data(), "postmaster.pid"), filepath.Join(c.dir, fmt.Sprintf(".s.PGSQL.%d.lock", c.port))} {
		if err := os.Remove(lock); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return c.Begin()
}

// first is the process that started all others.
func (c *Cluster) first() (pid int, err error) {
	text, err := os.ReadFile(filepath.Join(c.data(), "postmaster.pid"))
	if err == nil {
		_, err = fmt.Sscan(string(text), &pid)
	}
	return pid, err
}

// each sends a signal to the processes that one started.
func each(parent int, s syscall.Signal) error {
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range all {
		text, gone := os.ReadFile(file)
		if gone != nil {
			continue
		}
		var pid, of int
		var state string
		fmt.Sscan(string(text), &pid)
		if _, rest, ok := bytes.Cut(text, []byte(") ")); ok { // after its name
			fmt.Sscan(string(rest), &state, &of)
		}
		if of == parent {
			if failed := syscall.Kill(pid, s); failed != nil && !errors.Is(failed, syscall.ESRCH) {
				err = errors.Join(err, failed)
			}
		}
	}
	return err
}
