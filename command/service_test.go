package command

import (
	"bufio"
	"context"
	"maps"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// serving is the program kedge serve, killed and started again as somebody likes.
type serving struct {
	*testing.T
	data, address string
	cmd           *exec.Cmd
}

func newServing(t *testing.T) *serving {
	t.Helper()
	ear, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &serving{T: t, data: filepath.Join(t.TempDir(), "data"), address: ear.Addr().String()}
	ear.Close()
	s.start()
	t.Cleanup(func() { s.cmd.Process.Kill(); s.cmd.Wait() })
	return s
}

func (s *serving) start() {
	s.Helper()
	s.cmd, _ = process(s.T, "serve", "--data", s.data, "--listen", s.address)
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		s.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || !strings.Contains(line, s.address) {
		s.Fatalf("kedge serve said %q, %v", line, err)
	}
}

// A service decides as a run does: the folders are the same but for their times, also if it is killed again and again.
func TestServedRunsLeaveTheSameFolder(t *testing.T) {
	s := newServing(t)
	ctx, stop := context.WithCancel(t.Context())
	killed := make(chan struct{})
	go func() {
		defer close(killed)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(300 * time.Millisecond):
				s.cmd.Process.Kill()
				s.cmd.Wait()
				s.start()
			}
		}
	}()
	dir := t.TempDir()
	for _, name := range []string{"lq2", "../examples/constraints.yaml", "../examples/pricing.yaml"} {
		args := []string{name, "--trials", "1", "--iterations", "40", "--set", "optimum.starts=1", "--no-check", "--quiet"}
		ran, served := filepath.Join(dir, "ran", filepath.Base(name)), filepath.Join(dir, "served", filepath.Base(name))
		for _, more := range [][]string{{"run", "--out", ran}, {"simulate", "--out", served, "--server", "http://" + s.address}} {
			c, said := process(t, append(more, args...)...)
			if err := c.Run(); err != nil {
				t.Fatalf("%s: %v: %s", more[0], err, said)
			}
		}
		if a, b := filesOf(t, ran), filesOf(t, served); !maps.Equal(a, b) {
			t.Errorf("%s: another folder", name)
		}
	}
	stop()
	<-killed
}
