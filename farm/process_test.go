package farm

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
)

// roleVariable makes this program a part of a sweep instead of its tests, so that a test can kill it.
const roleVariable = "KEDGE_TEST_ROLE"

func TestMain(m *testing.M) {
	role := map[string]func() error{"serve": playServer, "collect": playCollector, "work": playWorker}[os.Getenv(roleVariable)]
	if role == nil {
		os.Exit(m.Run())
	}
	if err := role(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func setting(name string) string { return os.Getenv("KEDGE_TEST_" + name) }

func duration(name string) time.Duration {
	d, _ := time.ParseDuration(setting(name))
	return d
}

func toStderr(line string) { fmt.Fprintln(os.Stderr, line) }

// playServer is a queue for as long as it lives.
func playServer() error {
	if _, err := Serve(setting("STORE"), setting("SERVE")); err != nil {
		return err
	}
	select {}
}

// playCollector sweeps a file into a folder, by the queue of an address or by its own.
func playCollector() error {
	text, err := os.ReadFile(setting("SWEEP"))
	if err != nil {
		return err
	}
	w, err := family.Parse(kind.Standard(), "grid.yaml", text, nil)
	if err != nil {
		return err
	}
	w.Cells = withEmpty(w.Cells)
	c, err := folder.KindSweep.Take(setting("DIR"))
	if err != nil {
		return err
	}
	defer c.Release()
	o := QueueOptions{Lease: duration("LEASE"), Look: duration("LOOK"), Told: toStderr, delay: duration("WAIT")}
	if setting("QUEUE") != "" {
		o.Address, err = ParseAddress(setting("QUEUE"))
	} else if o.Embedded, err = Serve(filepath.Join(c.Dir(), ".kedge", "queue"), setting("SERVE")); err == nil {
		defer func() { o.Embedded.Stop(err == nil) }()
	}
	if err != nil {
		return err
	}
	begun := time.Now()
	_, err = Sweep(context.Background(), w, c, o)
	fmt.Printf("MB %d\nseconds %.3f\n", mostMemory()>>10, time.Since(begun).Seconds())
	return err
}

// mostMemory is how many kB this process had at most; 0 where that is not known. What the system says when a process has ended counts its parent's, too.
func mostMemory() (kB int) {
	text, _ := os.ReadFile("/proc/self/status")
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	fmt.Sscan(after, &kB)
	return kB
}

// withEmpty are cells, or as many that nobody can compute as a test of the queue alone wants.
func withEmpty(cells []family.Cell) []family.Cell {
	n, err := strconv.Atoi(setting("EMPTY"))
	if err != nil {
		return cells
	}
	cells = nil
	for i := range n {
		cells = append(cells, family.Cell{ID: fmt.Sprintf("%016x", i), Values: []string{"1", "1"}, Numbers: []float64{1, 1}})
	}
	return cells
}

// playWorker computes cells until it is told to stop.
func playWorker() error {
	at, err := ParseAddress(setting("QUEUE"))
	if err != nil {
		return err
	}
	o := WorkerOptions{Kinds: kind.Standard(), Told: toStderr, delay: duration("WAIT")}
	o.Workers, _ = strconv.Atoi(setting("SLOTS"))
	if setting("EMPTY") != "" {
		o.empty = func(string) (string, []byte) { return kindError, []byte(errEmpty.Error()) }
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	n, err := Work(ctx, at, o)
	fmt.Printf("cells %d\n", n)
	return err
}

// errEmpty is what a cell without work comes to.
var errEmpty = errors.New("nothing to be computed")

// player is a process that has a role.
type player struct {
	*exec.Cmd
	out, err strings.Builder
}

func play(t testing.TB, role string, settings ...string) *player {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &player{Cmd: exec.Command(program)}
	p.Env = append(os.Environ(), append(settings, roleVariable+"="+role)...)
	p.Stdout, p.Stderr = &p.out, &p.err
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// figure is a number that an ended player has printed under a name.
func (p *player) figure(name string) float64 {
	s := bufio.NewScanner(strings.NewReader(p.out.String()))
	for s.Scan() {
		if text, ok := strings.CutPrefix(s.Text(), name+" "); ok {
			x, _ := strconv.ParseFloat(text, 64)
			return x
		}
	}
	return 0
}

// seconds is how much processor time an ended player has taken.
func (p *player) seconds() float64 {
	return (p.ProcessState.UserTime() + p.ProcessState.SystemTime()).Seconds()
}

// plainLoop has two cores compute what takes each a second if it has nothing else to do; how much longer it takes says how busy a machine is.
func plainLoop() time.Duration {
	begun := time.Now()
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			var sum [32]byte
			for range 3_300_000 {
				sum = sha256.Sum256(sum[:])
			}
		})
	}
	all.Wait()
	return time.Since(begun)
}

// A hundred workers get 100,000 cells without work, and the collector their results, in ten seconds of two cores.
func TestEmptyCells(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "hosts-empty", Text: "cells without work, handed to 100 workers and collected: processor seconds a thousand cells, of everybody (at 0.2 two cores take 10 s for 100,000); MB of the collector; cells that were not computed",
		Short: "1,000 cells and two processes instead of 100,000 and ten"})
	cells, processes := 1000, 2
	if evidence.Whole() {
		cells, processes = 100_000, 10
	}
	dir := t.TempDir()
	file, runs := filepath.Join(dir, "grid.yaml"), filepath.Join(dir, "grid")
	if err := os.WriteFile(file, []byte(gridText(2)), 0o644); err != nil {
		t.Fatal(err)
	}
	settings := []string{"KEDGE_TEST_SWEEP=" + file, "KEDGE_TEST_DIR=" + runs, "KEDGE_TEST_SERVE=127.0.0.1:0", "KEDGE_TEST_EMPTY=" + strconv.Itoa(cells), "KEDGE_TEST_SLOTS=" + strconv.Itoa(100/processes)}
	c := play(t, "collect", settings...)
	settings = append(settings, "KEDGE_TEST_QUEUE="+awaited(t, filepath.Join(runs, ".kedge", "queue", urlName)))
	var workers []*player
	for range processes {
		workers = append(workers, play(t, "work", settings...))
	}
	if err := c.Wait(); err != nil {
		t.Errorf("%v: %s", err, c.err.String())
	}
	cpu, computed := c.seconds(), 0.0
	for _, w := range workers {
		w.Process.Signal(syscall.SIGTERM)
		w.Wait()
		cpu, computed = cpu+w.seconds(), computed+w.figure("cells")
	}
	mb := c.figure("MB")
	load, _ := os.ReadFile("/proc/loadavg")
	t.Logf("%d cells in %.1f s, %.1f processor seconds, of them %.1f of the collector, which had %.0f MB; load %.5s", cells, c.figure("seconds"), cpu, c.seconds(), mb, load)
	row.AtMost("MB", mb, 200)
	if evidence.Whole() {
		t.Logf("a plain loop of a second takes %.1f s", plainLoop().Seconds())
		row.AtMost("processor seconds", cpu*1000/float64(cells), 0.2)
	}
	row.Cases(max(0, cells-int(computed)), cells)
}
