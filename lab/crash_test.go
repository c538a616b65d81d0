package lab_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/internal/disk/disktest"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
)

// savedRun are the steps of a run with a checkpoint that is stopped twice and then comes to its end.
type savedRun struct {
	*disktest.Tape
	problem *problem.Problem
	calm    map[string]string // the folder of a run that was left alone
	ends    []int             // steps after which the run had ended, stopped or not
}

// breaker stops a run at its n-th measured turn and measures nothing.
type breaker struct {
	left *int
	stop func()
}

func (b breaker) Columns() []kedge.Column { return nil }

func (b breaker) Measure(context.Context, []float64, *kedge.Turn) error {
	if *b.left--; *b.left == 0 {
		b.stop()
		time.Sleep(5 * time.Millisecond) // until the others know
	}
	return nil
}

// process runs the problem in a folder on a disk until its n-th measured turn, or to its end and into the folder if n is 0.
func (s *savedRun) process(t *testing.T, d disk.Disk, dir string, n int, say func(string)) error {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	c, err := folder.KindRun.TakeOn(d, dir)
	if err != nil {
		return err
	}
	defer c.Release()
	r, err := lab.Execute(ctx, s.problem, lab.Options{
		Workers: 1, Checkpoint: lab.Checkpoint{In: c, Every: time.Hour, Say: say},
		Instruments: func() []kedge.Instrument { return []kedge.Instrument{breaker{&n, stop}} },
	})
	if d.Before != nil { // it is recorded
		s.ends = append(s.ends, s.Len())
	}
	if err != nil || r.Partial {
		return err
	}
	if err := r.Save(c, nil); err != nil {
		return err
	}
	return lab.RemoveCheckpoint(c)
}

// recordRun records a run in a folder where files of the checkpoint of another run are left, but not what it was of.
func recordRun(t *testing.T) *savedRun {
	t.Helper()
	sets := []string{"iterations=60", "trials=3", "record.every=1", "optimum.starts=1", "algorithms=[{name: vanilla, step: 0.05, batch: 1}]"}
	s, root := &savedRun{problem: build(t, "lq2", append(sets, "seed=2")...)}, t.TempDir()
	dir := filepath.Join(root, "out")
	if err := s.process(t, disk.Disk{}, dir, 90, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "checkpoint", "run.json")); err != nil {
		t.Fatal(err)
	}
	_, calm := saved(t, "lq2", 1, sets...)
	s.problem, s.calm = build(t, "lq2", sets...), contents(t, calm)
	var err error
	if s.Tape, err = disktest.Record(root); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{80, 50, 0} {
		if err := s.process(t, s.Disk(), dir, n, nil); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// goOn runs the problem to its end from what a stop has left: "" if it ends with the bytes of a run that was left alone.
func (s *savedRun) goOn(t *testing.T, left disktest.Tree) string {
	t.Helper()
	root, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(root)
	if err := left.Write(root); err != nil {
		t.Fatal(err)
	}
	said, dir := new(teller), filepath.Join(root, "out")
	if err := s.process(t, disk.Disk{}, dir, 0, said.say); err != nil {
		return "refused: " + err.Error()
	}
	if said.has("cannot") {
		return fmt.Sprintf("said %q", said.lines)
	}
	if !reflect.DeepEqual(contents(t, dir), s.calm) {
		return "other bytes than those of a run that was left alone"
	}
	return ""
}

// lost is a file of the checkpoint that was there before step n and that a cut of the power takes.
func (s *savedRun) lost(n, skip int) string {
	cut := s.Cut(n, skip)
	for name, text := range s.Killed(n) {
		if dir, base := filepath.Split(name); dir == "out/checkpoint/" && base != "" && !strings.HasPrefix(base, ".") && cut[name] != text {
			return name
		}
	}
	return ""
}

// promises are the steps before which everything that was saved must be on disk: the run has ended, or begins the next file.
func (s *savedRun) promises() []int {
	list := slices.Clone(s.ends)
	for i := range s.Len() {
		if call, path := s.Call(i); call == disk.Create && strings.HasPrefix(path, "out/checkpoint/") {
			list = append(list, i)
		}
	}
	return list
}

// stops are the trees that a stop before step n can leave.
func (s *savedRun) stops(n, skip int, random *rand.Rand) map[string]disktest.Tree {
	left := map[string]disktest.Tree{"cut": s.Cut(n, skip), "eager": s.Eager(n, skip)}
	for i := range 4 {
		left[fmt.Sprint("scrambled ", i)] = s.Scrambled(n, skip, random)
	}
	return left
}

// Killed, or without power, before any step of a run with a checkpoint: going on ends with the bytes of a run that was left alone,
// nothing is refused, and what was saved is there.
func TestCheckpointsSurviveAnyStop(t *testing.T) {
	whole := evidence.For(t, evidence.Promise{Name: "stops-checkpoint", Text: "killed, or without power, before any step of a run with a checkpoint: going on is refused, or ends with other bytes"})
	if testing.Short() {
		t.Skip("skipped: hundreds of runs")
	}
	s, random, stops := recordRun(t), rand.New(rand.NewPCG(7, 8)), 0
	seen := []disktest.Tree{}
	for n := range s.Len() + 1 {
		left := s.stops(n, -1, random)
		left["killed"] = s.Killed(n)
		for how, tree := range left {
			stops++
			tree = withoutLocks(tree)
			if slices.ContainsFunc(seen, func(one disktest.Tree) bool { return maps.Equal(one, tree) }) {
				continue
			}
			seen = append(seen, tree)
			wrong := s.goOn(t, tree)
			whole.Case(wrong == "", "%s before step %d: %s", how, n, wrong)
		}
	}
	for _, n := range s.promises() {
		if name := s.lost(n, -1); name != "" {
			t.Errorf("a cut before step %d takes %s", n, name)
		}
	}
	t.Logf("%d steps, %d stops, %d of them different", s.Len(), stops, len(seen))
}

// withoutLocks leaves out who had the folder, which a stop does not keep.
func withoutLocks(t disktest.Tree) disktest.Tree {
	maps.DeleteFunc(t, func(name, _ string) bool { return strings.HasSuffix(name, ".kedge/lock") })
	return t
}

// Without any one of the calls that put a checkpoint on disk, something that was saved is lost, another run's files are taken for its
// own, or the checkpoint is back after the end.
func TestEverySyncOfACheckpointIsNeeded(t *testing.T) {
	needed := evidence.For(t, evidence.Promise{Name: "syncs-checkpoint", Text: "the same of a checkpoint"})
	if testing.Short() {
		t.Skip("skipped: many runs")
	}
	s, random := recordRun(t), rand.New(rand.NewPCG(9, 10))
	for i := 1; i < s.Len(); i++ {
		call, path := s.Call(i)
		_, before := s.Call(i - 1)
		isOurs := strings.HasPrefix(path, "out/checkpoint") || path == "out" && before == "out/checkpoint"
		if call != disk.SyncFile && call != disk.SyncDir || !isOurs {
			continue
		}
		needed.Case(s.harms(t, i, random), "without step %d, %s %s, nothing is lost", i, call, path)
	}
}

// harms tells whether some cut of the power does harm when a step was not taken.
func (s *savedRun) harms(t *testing.T, skip int, random *rand.Rand) bool {
	for _, n := range s.promises() {
		if n > skip && s.lost(n, skip) != "" {
			return true
		}
	}
	if _, back := s.Cut(s.Len(), skip)["out/checkpoint/run.json"]; back {
		return true
	}
	for n := skip + 1; n <= min(skip+12, s.Len()); n++ {
		for _, tree := range s.stops(n, skip, random) {
			if s.goOn(t, tree) != "" {
				return true
			}
		}
	}
	return false
}
