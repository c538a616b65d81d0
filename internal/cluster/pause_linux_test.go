package cluster

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// states are those of processes as the system has them: T where one is stopped, Z or nothing where it has ended.
func states(pids ...int) (list string) {
	for _, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if _, rest, ok := bytes.Cut(text, []byte(") ")); ok {
			list += string(rest[:1])
		}
	}
	return list
}

// Who is paused stands still with all whom it started until it is resumed; who crashes is gone with them once the power is cut, and stays where it cannot be cut.
func TestPause(t *testing.T) {
	c := &Cluster{dir: t.TempDir()}
	p := exec.Command("/bin/sh", "-c", "sleep 60 & echo $!; wait")
	out, err := p.StdoutPipe()
	if err == nil {
		err = p.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer p.Wait()
	defer p.Process.Kill()
	var child int
	if _, err := fmt.Fscan(out, &child); err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(child, syscall.SIGKILL)
	if err := errors.Join(os.MkdirAll(c.data(), 0o700), os.WriteFile(filepath.Join(c.data(), "postmaster.pid"), fmt.Appendf(nil, "%d\n/somewhere\n", p.Process.Pid), 0o600)); err != nil {
		t.Fatal(err)
	}
	become := func(what string, want ...string) {
		t.Helper()
		is := ""
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if is = states(p.Process.Pid, child); slices.Contains(want, is) {
				return
			}
		}
		t.Fatalf("%s: %q, want %q", what, is, want)
	}
	become("begun", "SS")
	for range 2 {
		if err := c.Pause(); err != nil {
			t.Fatal(err)
		}
		become("paused", "TT")
		if err := c.Resume(); err != nil {
			t.Fatal(err)
		}
		become("resumed", "SS")
	}
	dark := errors.New("no switch")
	if err := c.Crash(func() error { return dark }); !errors.Is(err, dark) || states(p.Process.Pid, child) != "SS" {
		t.Fatalf("%v, %q", err, states(p.Process.Pid, child))
	}
	if err := c.Crash(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	become("crashed", "Z", "ZZ")
}
