//go:build unix

package lab_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// ordeal is a sweep that is run by the real program, killed again and again.
type ordeal struct {
	program, file, dir string
	random             *rand.Rand
}

// newOrdeal builds the program and writes a sweep of 4·steps cells. KEDGE_TORTURE_SEED repeats the moments of the kills.
func newOrdeal(t *testing.T, steps int) *ordeal {
	t.Helper()
	dir := t.TempDir()
	o := &ordeal{program: filepath.Join(dir, "kedge"), file: filepath.Join(dir, "ordeal.yaml"), dir: dir}
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", o.program, "../cmd/kedge").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	text := fmt.Sprintf("base: lq2\nset: {iterations: 2000, trials: 2}\nover:\n"+
		"  algorithms.composite.step: {from: 0.01, to: 0.3, count: %d, scale: log}\n  hold: [1, 2, 3, 4]\n", steps)
	if err := os.WriteFile(o.file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	fmt.Sscan(os.Getenv("KEDGE_TORTURE_SEED"), &seed)
	t.Logf("KEDGE_TORTURE_SEED=%d", seed)
	o.random = rand.New(rand.NewPCG(seed, 0))
	return o
}

// start begins the sweep in a folder, as the leader of a process group.
func (o *ordeal) start(t *testing.T, dir string, flags ...string) *exec.Cmd {
	t.Helper()
	c := exec.Command(o.program, append([]string{"sweep", o.file, "--quiet", "--out", dir}, flags...)...)
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	return c
}

// run runs the sweep to its end and returns how long that took.
func (o *ordeal) run(t *testing.T, dir string, flags ...string) time.Duration {
	t.Helper()
	begun := time.Now()
	if err := o.start(t, dir, flags...).Wait(); err != nil {
		t.Fatalf("sweep into %s: %v", dir, err)
	}
	return time.Since(begun)
}

// kill starts the sweep so many times and kills it after a random time up to longest. When it comes to its end before,
// it is not counted and the next time is shorter, so that finishing and finding everything finished are disturbed, too.
func (o *ordeal) kill(t *testing.T, dir string, kills int, longest time.Duration) {
	t.Helper()
	for n := 0; n < kills; {
		c := o.start(t, dir)
		time.Sleep(time.Duration(o.random.Int64N(int64(longest))))
		syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		if c.Wait() == nil {
			longest = max(longest*3/4, 20*time.Millisecond)
			continue
		}
		n++
		cells, _ := filepath.Glob(filepath.Join(dir, "cells", "[0-9a-f]*"))
		drafts, _ := filepath.Glob(filepath.Join(dir, "cells", ".*-tmp"))
		t.Logf("kill %d: %d cells finished, %d begun", n, len(cells), len(drafts))
	}
}

// size returns how large the ordeal is: small unless somebody asks for the whole of it.
func size(small, whole int) int {
	if evidence.Whole() {
		return whole
	}
	return small
}

// A sweep of 500 cells, killed -9 with its process group 30 times, ends with the bytes of one that was left alone; so do 4
// shards merged. Without KEDGE_TORTURE=1 it is 24 cells and 5 kills.
func TestSweepTorture(t *testing.T) {
	killed := evidence.For(t, evidence.Promise{Name: "sweep-kills", Text: "a sweep of 500 cells, killed -9 30 times: files that one left alone has otherwise", Short: "24 cells, 5 kills"})
	joined := evidence.For(t, evidence.Promise{Name: "sweep-shards", Text: "the same of 4 shards on 1 to 4 workers, merged", Short: "24 cells"})
	if testing.Short() {
		t.Skip("builds the program and runs it many times")
	}
	o := newOrdeal(t, size(6, 125))
	calm := filepath.Join(o.dir, "calm")
	took := o.run(t, calm)
	r, err := folder.OpenSweep(t.Context(), calm, folder.Verified)
	if err != nil || len(r.Cells) != size(24, 500) || r.Failed() > 0 {
		t.Fatalf("the undisturbed sweep: %v", err)
	}
	t.Logf("%d cells in %v, %d files to compare", len(r.Cells), took.Round(time.Millisecond), len(tree(t, calm)))
	t.Run("kills", func(t *testing.T) {
		dir, kills := filepath.Join(o.dir, "killed"), size(5, 30)
		o.kill(t, dir, kills, 4*took/time.Duration(kills))
		o.run(t, dir, "--workers", "3")
		killed.Cases(sameTree(t, "killed", dir, calm))
	})
	t.Run("shards", func(t *testing.T) { joined.Cases(o.merge(t, calm)) })
	t.Run("interrupt", o.interrupt)
}

// merge runs 4 shards on different numbers of workers and joins them.
func (o *ordeal) merge(t *testing.T, calm string) (differ, of int) {
	joined := filepath.Join(o.dir, "joined")
	args := []string{"merge", joined, "--quiet"}
	for i := range 4 {
		part := filepath.Join(o.dir, fmt.Sprint("part", i))
		o.run(t, part, "--shard", fmt.Sprintf("%d/4", i+1), "--workers", fmt.Sprint(i+1))
		args = append(args, part)
	}
	if out, err := exec.Command(o.program, args...).CombinedOutput(); err != nil {
		t.Fatalf("merge: %v: %s", err, out)
	}
	return sameTree(t, "joined", joined, calm)
}

// interrupt presses Ctrl-C: exit code 130 within a second or so, and the way to go on.
func (o *ordeal) interrupt(t *testing.T) {
	out := filepath.Join(o.dir, "out")
	c := exec.Command(o.program, "sweep", o.file, "--out", out, "--set", "iterations=10000000", "--set", "record.every=1000000") // long, on any disk
	var said strings.Builder
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		if _, err := os.Stat(filepath.Join(out, "sweep.yaml")); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	time.Sleep(100 * time.Millisecond)
	asked := time.Now()
	c.Process.Signal(syscall.SIGINT)
	c.Wait()
	if code, spent := c.ProcessState.ExitCode(), time.Since(asked); code != 130 || spent > 20*time.Second {
		t.Errorf("exit code %d after %v", code, spent)
	}
	if want := fmt.Sprintf("stopped with 0 of %d cells finished; the same command goes on from there", size(24, 500)); !strings.Contains(said.String(), want) {
		t.Errorf("it said\n%s", said.String())
	}
	if left, _ := filepath.Glob(filepath.Join(out, "cells", "*")); len(left) > 0 {
		t.Errorf("cells %v", left)
	}
}
