package command

import (
	"bufio"
	"context"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	talker "github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// serving is the program kedge serve, killed and started again as somebody likes.
type serving struct {
	*testing.T
	data, address string
	where         []string // else than in data
	cmd           *exec.Cmd
}

func newServing(t *testing.T) *serving { return newServingOf(t) }

// newServingOf serves what is elsewhere than in a folder.
func newServingOf(t *testing.T, where ...string) *serving {
	t.Helper()
	ear, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &serving{T: t, data: filepath.Join(t.TempDir(), "data"), address: ear.Addr().String(), where: where}
	ear.Close()
	s.start()
	t.Cleanup(func() { s.cmd.Process.Kill(); s.cmd.Wait() })
	return s
}

func (s *serving) start() {
	s.Helper()
	where := s.where
	if where == nil {
		where = []string{"--data", s.data}
	}
	s.cmd, _ = process(s.T, append([]string{"serve", "--listen", s.address}, where...)...)
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
	t.Parallel() // it waits for others most of the time
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
				s.kill()
				s.start()
			}
		}
	}()
	dir := t.TempDir()
	for _, one := range [][]string{
		{"lq2", "--trials", "2", "--iterations", "8"}, {"../examples/constraints.yaml", "--trials", "1", "--iterations", "20"}, {"../examples/pricing.yaml", "--trials", "1", "--iterations", "20"},
		{"polarized", "--trials", "1", "--iterations", "6", "--set", "population.size=30", "--set", "population.dim=4"}, {"choice", "--trials", "1", "--iterations", "6"},
		{"../examples/learned-polarized.yaml", "--trials", "1", "--iterations", "12", "--set", "record.every=4"},
	} {
		name, args := filepath.Base(one[0]), append(one, "--set", "optimum.starts=1", "--no-check", "--quiet")
		ran, served := filepath.Join(dir, "ran", name), filepath.Join(dir, "served", name)
		for _, more := range [][]string{{"run", "--out", ran}, {"simulate", "--out", served, "--server", "http://" + s.address, "--faults", "drop=0.05,repeat=0.1,reorder"}} {
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

// A service that was restored from a backup refuses what never happened there; resumed, the run ends with the same folder.
func TestARunGoesOnAfterARestore(t *testing.T) {
	s, dir := newServing(t), t.TempDir()
	args := []string{"lq2", "--trials", "1", "--iterations", "12", "--set", "optimum.starts=1", "--no-check", "--quiet"}
	ran, served, backup := filepath.Join(dir, "ran"), filepath.Join(dir, "served"), filepath.Join(dir, "backup")
	simulate := append([]string{"simulate", "--out", served, "--server", "http://" + s.address}, args...)
	begun, complaint := process(t, append(simulate, "--period", "50ms")...)
	if err := begun.Start(); err != nil {
		t.Fatal(err)
	}
	s.until("lq2-composite", 4)
	s.kill()
	if err := os.CopyFS(backup, os.DirFS(s.data)); err != nil {
		t.Fatal(err)
	}
	s.start()
	s.until("lq2-composite", 8)
	s.kill()
	renew(t, backup)
	s.data = backup
	s.start()
	if err := begun.Wait(); err == nil || !strings.Contains(complaint.String(), "--resume goes on") {
		t.Fatalf("on a restored service: %v, %s", err, complaint)
	}
	for _, more := range [][]string{append([]string{"run", "--out", ran}, args...), append(simulate, "--resume")} {
		if got := typed(t, "", more...); got.code != 0 {
			t.Fatalf("%v: %+v", more, got)
		}
	}
	if a, b := filesOf(t, ran), filesOf(t, served); !maps.Equal(a, b) {
		t.Error("another folder")
	}
}

// kill ends the service without a word.
func (s *serving) kill() {
	s.cmd.Process.Kill()
	s.cmd.Wait()
}

// until waits until a loop has learned so often.
func (s *serving) until(loop string, turns int) {
	s.Helper()
	for ctx, l := s.Context(), talker.Open("http://"+s.address).Loop(loop); ; time.Sleep(10 * time.Millisecond) {
		if status, err := l.Status(ctx); err == nil && status.Turns >= turns {
			return
		}
		if ctx.Err() != nil {
			s.Fatal("the loop does not get there")
		}
	}
}

// renew begins another epoch of every loop of a data folder, as a restore does.
func renew(t *testing.T, data string) {
	t.Helper()
	j, err := store.Open(data)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	tips, err := j.Loops(t.Context())
	if err != nil || len(tips) == 0 {
		t.Fatal(tips, err)
	}
	fleet := session.NewFleet(j, server.Wall(), session.Standard, nil)
	for _, tip := range tips {
		if _, err := fleet.Do(t.Context(), tip.Loop, "test", session.Renew{Epoch: session.NewEpoch()}); err != nil {
			t.Fatal(err)
		}
	}
}
