package lab_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// teller keeps what a run says.
type teller struct {
	mu    sync.Mutex
	lines []string
}

func (t *teller) say(line string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
}

func (t *teller) has(part string) bool {
	return slices.ContainsFunc(t.lines, func(l string) bool { return strings.Contains(l, part) })
}

// stopAt runs a problem with a checkpoint until so many turns are done.
func stopAt(t *testing.T, p *problem.Problem, dir string, turns int64, workers int) *teller {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	said, progress, done := new(teller), new(lab.Progress), make(chan struct{})
	go func() {
		defer close(done)
		for progress.Done.Load() < turns && ctx.Err() == nil {
			time.Sleep(50 * time.Microsecond)
		}
		stop()
	}()
	o := lab.Options{Workers: workers, Progress: progress, Checkpoint: lab.Checkpoint{Every: time.Millisecond, Say: said.say}}
	if _, err := executeIn(ctx, p, o, dir); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	stop()
	<-done
	return said
}

var carrying = []string{"population.dim=9", "iterations=600", "trials=4", "set.sum=20", "optimum.starts=2",
	"algorithms=[{name: derivative-free, step: 0.1, batch: 1, delta: 2, carry: true, momentum: 0.3}]"}

var wandering = []string{"population.size=200", "population.dim=5", "iterations=300", "trials=3", "optimum.starts=2", "hold=3",
	"record.paths=5", "record.rollout=3", "population.storage=float32", "population.sampling=without-replacement"}

func resumable() map[string][]string {
	compared := []string{"iterations=300", "trials=3", "record.every=7", "record.theory=true", "record.transport=50"}
	return map[string][]string{"choice": carrying, "polarized": wandering, "lq2": compared}
}

// finish runs a problem to its end and seals it.
func finish(t *testing.T, p *problem.Problem, dir string, workers int) *teller {
	t.Helper()
	said := new(teller)
	r, err := executeIn(context.Background(), p, lab.Options{Workers: workers, Checkpoint: lab.Checkpoint{Every: time.Millisecond, Say: said.say}}, dir)
	if err != nil {
		t.Fatal(err)
	}
	seal(t, r, dir)
	if err := removeCheckpoint(dir); err != nil {
		t.Fatal(err)
	}
	return said
}

// Stopped anywhere, any number of times, on any workers: the folder is that of a run that was left alone.
func TestStoppedRunsGoOn(t *testing.T) {
	for name, sets := range resumable() {
		p := build(t, name, sets...)
		_, calm := saved(t, name, 2, sets...)
		dir := filepath.Join(t.TempDir(), "out")
		for i, turns := range []int64{0, 1, 150, 700, 701, 1100} {
			said := stopAt(t, p, dir, turns, 1+i%3)
			if i > 0 && !said.has("resumed at") {
				t.Errorf("%s: stop %d was not resumed: %q", name, i, said.lines)
			}
		}
		if said := finish(t, p, dir, 2); !said.has("resumed at") || said.has("resumed at 0 %") || len(said.lines) != 1 {
			t.Errorf("%s: said %q", name, said.lines)
		}
		if got, want := contents(t, dir), contents(t, calm); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the folder differs from that of an undisturbed run", name)
		}
	}
}

// Every turn that was taken before a stop is saved, however rarely saves are due.
func TestStopsLoseNothing(t *testing.T) {
	p := build(t, "polarized", append(wandering, "iterations=200000", "record.every=1000")...) // more than there is time for
	dir := filepath.Join(t.TempDir(), "out")
	checkpoint := lab.Checkpoint{Every: time.Hour}
	for _, turns := range []int64{40, 350, 2000} {
		ctx, stop := context.WithCancel(context.Background())
		taken := new(lab.Progress)
		var wg sync.WaitGroup
		wg.Go(func() {
			for taken.Done.Load() < turns {
				time.Sleep(50 * time.Microsecond)
			}
			stop()
		})
		_, err := executeIn(ctx, p, lab.Options{Workers: 2, Progress: taken, Checkpoint: checkpoint}, dir)
		wg.Wait()
		resumed := new(lab.Progress)
		_, again := executeIn(ctx, p, lab.Options{Progress: resumed, Checkpoint: checkpoint}, dir)
		if got, want := resumed.Done.Load(), taken.Done.Load(); err != nil || again != nil || got != want || want < turns || want >= 200000 {
			t.Errorf("stopped after %d turns (%v), resumed after %d (%v)", want, err, got, again)
		}
	}
}

// Damaged files cost time, not bits: each is named, and what it held is computed again.
func TestDamagedCheckpointsAreComputedAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: it waits for the disk")
	}
	for name, sets := range resumable() {
		p := build(t, name, sets...)
		_, calm := saved(t, name, 2, sets...)
		for _, part := range []string{"answer-", "done-", "trial-"} {
			dir := stopWith(t, p, part)
			for _, path := range found(dir, part) {
				damage(t, path)
			}
			if said := finish(t, p, dir, 2); !said.has("cannot be used") {
				t.Errorf("%s, %s: damage was not named: %q", name, part, said.lines)
			}
			if !reflect.DeepEqual(contents(t, dir), contents(t, calm)) {
				t.Errorf("%s, %s: damage left traces in the result", name, part)
			}
		}
	}
}

// damage turns a bit near the end of a file.
func damage(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)*9/10] ^= 8
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
}

// stopWith stops a run when its checkpoint has files whose names begin so, and returns its folder.
func stopWith(t *testing.T, p *problem.Problem, part string) string {
	t.Helper()
	for {
		dir := filepath.Join(t.TempDir(), "out")
		if stopAt(t, p, dir, 700, 2); len(found(dir, part)) > 0 {
			return dir
		}
	}
}

// found lists the files of a checkpoint whose names begin so.
func found(dir, prefix string) []string {
	list, _ := filepath.Glob(filepath.Join(dir, "checkpoint", prefix+"*"))
	return list
}

// The checkpoint of another run is refused and stays as it is.
func TestOtherCheckpointsAreRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	stopAt(t, build(t, "polarized", wandering...), dir, 100, 1)
	other := build(t, "polarized", append(wandering, "seed=2")...)
	refused := func(want string) {
		t.Helper()
		_, err := executeIn(context.Background(), other, lab.Options{}, dir)
		var e *lab.CheckpointError
		if !errors.As(err, &e) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "--fresh") {
			t.Errorf("error %v, want one that says %q", err, want)
		}
	}
	refused(`the spec had "seed: 1", now it has "seed: 2"`)
	run := filepath.Join(dir, "checkpoint", "run.json")
	for _, broken := range []string{"", "x", strings.Repeat("x", 500)} {
		if err := os.WriteFile(run, []byte(broken), 0o644); err != nil {
			t.Fatal(err)
		}
		refused("cannot be read")
	}
	if err := removeCheckpoint(dir); err != nil {
		t.Errorf("not removed: %v", err)
	}
	if err := usable(dir); err != nil {
		t.Error(err)
	}
}

// Of individuals that come from a file the spec knows the name only.
func TestChangedFilesAreRefused(t *testing.T) {
	data, dir := t.TempDir(), filepath.Join(t.TempDir(), "out")
	read := func(rows string) *problem.Problem {
		put(t, data, "people.csv", rows)
		src, _ := problem.Case("polarized")
		s, err := problem.Parse(kind.Standard(), "polarized", src, problem.Assign("population={size: 2, dim: 2, law: file, file: people.csv}"), problem.Assign("trials=1"))
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.Build("polarized", s, os.DirFS(data))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	stopAt(t, read("1,0\n0,1\n"), dir, 5, 1)
	_, err := executeIn(context.Background(), read("1,0\n0,-1\n"), lab.Options{}, dir)
	if err == nil || !strings.Contains(err.Error(), "people.csv held other bytes") {
		t.Errorf("error %v", err)
	}
}

// One folder, one process.
func TestCheckpointsAreLocked(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	p := build(t, "polarized", append(wandering, "iterations=1000000")...)
	ctx, stop := context.WithCancel(context.Background())
	o := lab.Options{Workers: 1, Progress: new(lab.Progress)}
	var wg sync.WaitGroup
	wg.Go(func() { executeIn(ctx, p, o, dir) })
	for o.Progress.Done.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if _, err := executeIn(ctx, p, lab.Options{}, dir); !errors.Is(err, disk.ErrInUse) {
		t.Errorf("a second run in the same folder: %v", err)
	}
	if err := removeCheckpoint(dir); !errors.Is(err, disk.ErrInUse) {
		t.Errorf("removed under a running run: %v", err)
	}
	stop()
	wg.Wait()
}

// A checkpoint that cannot be written is said once; the run goes on to its end.
func TestRunsOutliveTheirCheckpoint(t *testing.T) {
	p := build(t, "polarized", wandering...)
	t.Run("in the way", func(t *testing.T) {
		_, dir := saved(t, "lq2", 1, "iterations=5", "trials=1")
		put(t, dir, "checkpoint", "a file of someone")
		outlives(t, p, dir)
	})
	t.Run("gone", func(t *testing.T) {
		dir := filepath.Join(t.TempDir(), "out")
		var wg sync.WaitGroup
		wg.Go(func() {
			for len(found(dir, "run.json")) == 0 {
				time.Sleep(50 * time.Microsecond)
			}
			if err := os.Rename(filepath.Join(dir, "checkpoint"), filepath.Join(dir, "elsewhere")); err != nil {
				t.Error(err)
			}
		})
		outlives(t, p, dir)
		wg.Wait()
	})
}

// outlives runs a problem to its end, which must say once that its checkpoint cannot be written.
func outlives(t *testing.T, p *problem.Problem, dir string) {
	t.Helper()
	said := new(teller)
	r, err := executeIn(context.Background(), p, lab.Options{Workers: 2, Checkpoint: lab.Checkpoint{Every: time.Millisecond, Say: said.say}}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Partial || len(said.lines) != 1 || !said.has("cannot save a checkpoint") || !said.has("the run goes on") {
		t.Errorf("partial %v, said %q", r.Partial, said.lines)
	}
}

// A folder called checkpoint that is not one is nobody's to touch.
func TestForeignCheckpointFoldersAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "checkpoint"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "checkpoint/weights.bin", "years of training")
	if err := usable(dir); !errors.Is(err, folder.ErrNotOurs) {
		t.Errorf("a folder with another's checkpoint gives %v", err)
	}
	if err := removeCheckpoint(dir); !errors.Is(err, folder.ErrNotOurs) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "checkpoint", "weights.bin")); errors.Is(err, fs.ErrNotExist) {
		t.Error("removed")
	}
}
