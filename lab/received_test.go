package lab_test

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/family"
	"github.com/kedge-opt/kedge/problem/kind"
)

// tiny is a sweep of three cells that take no time.
const tiny = `base: scalar-pricing
set: {iterations: 4, record.every: 2}
over:
  hold: [1, 2, 3]
`

// elsewhere computes a cell as another process would, and returns its files.
func elsewhere(t *testing.T, w *family.Sweep, place int) map[string][]byte {
	t.Helper()
	c := w.Cells[place]
	r, err := lab.RunCell(t.Context(), lab.CellJob{Sweep: w.Name, Cell: c, Spec: w.Spec(c), Workers: 1, Progress: new(lab.Progress)})
	if err != nil {
		t.Fatal(err)
	}
	files, err := r.CellFiles()
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// Cells that others have computed make the folder of a sweep that was run here. What cells die of is noted once, is taken back by whoever forgives it or computes them, and two who do not
// agree about a cell are told apart.
func TestCellsAreReceived(t *testing.T) {
	dir, w := t.TempDir(), parseSweep(t, tiny)
	here, there := filepath.Join(dir, "here"), filepath.Join(dir, "there")
	sweep(t, tiny, here, lab.SweepOptions{Workers: 1})
	c, err := folder.KindSweep.Take(there)
	if err != nil {
		t.Fatal(err)
	}
	progress, told := new(lab.SweepProgress), 0
	r, err := lab.BeginSweep(t.Context(), w, c, lab.SweepOptions{Progress: progress, Before: func(left []family.Cell) error { told = len(left); return nil }})
	if err != nil || told != 3 || len(r.Left()) != 3 || r.Left()[1].ID != w.Cells[1].ID {
		t.Fatalf("%d cells, %v", told, err)
	}
	stands := func(when string, done, failed, last int) {
		t.Helper()
		s := progress.State()
		if d, f := r.Count(); d != done || f != failed || s.Done != done || s.Failed != failed || len(s.Last) != last || s.Total != 3 || s.Kept != 0 {
			t.Errorf("%s: %d received and %d failed; %+v", when, d, f, s)
		}
	}
	fate := func(place int, finished bool, died string) {
		t.Helper()
		if f, d := r.Fate(w.Cells[place].ID); f != finished || d != died {
			t.Errorf("cell %d: %v, %q", place, f, d)
		}
	}
	differs := func(err error, what string) {
		t.Helper()
		var two *folder.DiffersError
		if !errors.As(err, &two) || two.Cell != w.Cells[0].ID || two.What != what {
			t.Errorf("%v, want %q", err, what)
		}
	}
	fate(0, false, "")
	if err := errors.Join(r.Fail(0, "it fell"), r.Fail(0, "it fell")); err != nil {
		t.Error(err)
	}
	stands("failed twice alike", 0, 1, 1)
	fate(0, false, "it fell")
	differs(r.Fail(0, "it broke"), "failed in two ways: it fell; it broke")
	first := elsewhere(t, w, 0)
	fine := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Error(err)
		}
	}
	fine(r.Receive(0, first), r.Receive(0, first))
	stands("received twice", 1, 0, 2)
	fate(0, true, "")
	differs(r.Fail(0, "late"), "failed once: late")
	if err := r.Receive(1, first); err == nil {
		t.Error("a cell is taken for another")
	}
	fine(r.Fail(1, "a host"), r.Fail(2, "a model"))
	stands("two failed", 1, 2, 4)
	if ids := r.Forgive(func(died string) bool { return died == "a host" }); !slices.Equal(ids, []string{w.Cells[1].ID}) {
		t.Errorf("forgiven are %v", ids)
	}
	stands("one forgiven", 1, 1, 4)
	fate(1, false, "")
	progress.Elsewhere([]lab.RunningCell{{ID: w.Cells[1].ID, Host: "h"}, {ID: w.Cells[2].ID, Host: "i"}})
	fine(r.Receive(1, elsewhere(t, w, 1)))
	if s := progress.State(); len(s.Running) != 1 || s.Running[0].Host != "i" || s.Last[4].Summary == nil || s.Last[4].ID != w.Cells[1].ID {
		t.Errorf("at work are %+v", s)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := r.Conclude(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	fine(r.Receive(2, elsewhere(t, w, 2)))
	stands("all received", 3, 0, 6)
	if _, err := r.Conclude(t.Context()); err != nil {
		t.Fatal(err)
	}
	c.Release()
	sameTree(t, "received", there, here)
}

// What is left of a sweep is what is not finished, of a shard what is its own; nothing is left without an error where another sweep would be lost, or where it is stopped before.
func TestWhatIsLeftOfASweep(t *testing.T) {
	dir, w := t.TempDir(), parseSweep(t, tiny)
	whole, part, none := filepath.Join(dir, "whole"), filepath.Join(dir, "part"), filepath.Join(dir, "none")
	sweep(t, tiny, whole, lab.SweepOptions{})
	sweep(t, tiny, part, lab.SweepOptions{Shard: lab.Shard{Index: 2, Of: 2}})
	for name, x := range map[string]struct {
		dir  string
		o    lab.SweepOptions
		want []int
	}{
		"finished": {whole, lab.SweepOptions{}, nil}, "anew": {whole, lab.SweepOptions{Anew: true}, []int{0, 1, 2}}, "part": {part, lab.SweepOptions{}, []int{0, 2}}, "none": {none, lab.SweepOptions{}, []int{0, 1, 2}},
		"a shard of none": {none, lab.SweepOptions{Shard: lab.Shard{Index: 2, Of: 2}}, []int{1}}, "another": {none, lab.SweepOptions{Shard: lab.Shard{Index: 1, Of: 2}}, []int{0, 2}},
	} {
		left, err := lab.LeftOfSweep(t.Context(), w, x.dir, x.o)
		var got []int
		for _, c := range left {
			got = append(got, slices.IndexFunc(w.Cells, func(o family.Cell) bool { return o.ID == c.ID }))
		}
		if err != nil || !slices.Equal(got, x.want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, x.want)
		}
	}
	other := parseSweep(t, strings.Replace(tiny, "[1, 2, 3]", "[7, 8]", 1))
	var held *folder.HeldError
	if _, err := lab.LeftOfSweep(t.Context(), other, whole, lab.SweepOptions{}); !errors.As(err, &held) {
		t.Errorf("another sweep: %v", err)
	}
	if left, err := lab.LeftOfSweep(t.Context(), other, whole, lab.SweepOptions{Replace: true}); err != nil || len(left) != 2 {
		t.Errorf("which may replace it: %v, %v", left, err)
	}
	enough := errors.New("enough")
	if _, err := sweepIn(t.Context(), w, none, lab.SweepOptions{Before: func([]family.Cell) error { return enough }}); !errors.Is(err, enough) {
		t.Errorf("stopped before: %v", err)
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a sweep that was stopped before has left something")
	}
}

// By hand: demand settles at d − u, so a sensitivity scaled by s has the gradient off by (s − 1)u at u, and Φ̃ = u² − u(2 − u) is curved by 4 everywhere, with its minimum at ½.
func TestWrongSensitivitiesByHand(t *testing.T) {
	r := execute(t, build(t, "scalar-pricing", "iterations=6", "record.every=3", `algorithms=[{name: right, kind: composite, step: 0.1, batch: 2},
		{name: half, kind: composite, step: 0.1, batch: 1, trials: 3, wrong: {scale: 0.5}}, {name: double, kind: composite, step: 0.05, batch: 2, trials: 1, wrong: {scale: 2}}]`), lab.Options{Workers: 1})
	atBound := execute(t, build(t, "scalar-pricing", "iterations=2", "record.every=1", "set.upper=0.4", `algorithms=[{name: half, kind: composite, step: 0.01, batch: 2, trials: 1, wrong: {scale: 0.5}}]`), lab.Options{Workers: 1})
	if row := atBound.Sections[0].Rows[0]; row[6] != "4" { // the slope does not end at the bound, and its curvature is the same
		t.Errorf("with a bound in the way: %q", row)
	}
	if len(r.Sections) != 1 || r.Sections[0].ID != "wrong-sensitivity" || len(r.Sections[0].Rows) != 2 {
		t.Fatalf("sections %+v", r.Sections)
	}
	for i, scale := range []float64{0.5, 2} {
		one, u := r.Runs[1+i], 0.0
		for _, trial := range one.Trials {
			u += trial.Decision[0] / float64(len(one.Trials))
		}
		size := math.Abs(scale-1) * u
		want := []string{one.Name, []string{"0.5", "2"}[i], "0", folder.Brief(math.Abs(u - 0.5)), folder.Brief(size / 4), folder.Brief(size), "4"}
		if got := r.Sections[0].Rows[i]; !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// People who settle at 2b are best met by u = 2b, and each turn shows b with errors of the standard deviation σ, whatever is set. With b = 1 in the spec and 40 draws of 0.9 and 1.1 not
// knowing costs the mean of 4(b − 1)², 0.04, and b is worth 4C with C = 40·0.01/39; T turns of N people leave 1/(1/C + TN/σ²) of C.
func TestTeachingByHand(t *testing.T) {
	const taught = `
iterations: 5
model: {decision: u, state: p, trait: d, let: {b: 1}, next: 0.5*p + b + 0*d, minimize: (u - p)^2, subject to: -9 <= u <= 9}
population: {size: 4, dim: 1, law: values, values: [[1], [2], [3], [4]]}
start: {law: values, values: [1]}
algorithms: [{name: one, kind: composite, step: 0.1, batch: 1}]
draws: draws.csv
uncertain: 40
`
	dir := t.TempDir()
	put(t, dir, "draws.csv", "b\n"+strings.Repeat("0.9\n1.1\n", 20))
	made := func(text string) *problem.Problem {
		s, err := problem.Parse(kind.Standard(), "a.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		p, err := problem.Build("a", s, os.DirFS(dir))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	c := 40 * 0.01 / 39
	for _, o := range []lab.Tuition{{Turns: 2, Noise: 0.3, Workers: 1}, {Turns: 3, Noise: 0.3, People: 9, Workers: 2}, {Turns: 2, Noise: 0.2, Change: 0.25, Budget: 0.5}} {
		got, err := lab.Teach(t.Context(), made(taught), o)
		if err != nil {
			t.Fatal(err)
		}
		people, change, budget := 4.0, 0.1, 0.1*0.04*float64(o.Turns)
		if o.People > 0 {
			people = float64(o.People)
		}
		if o.Change > 0 {
			change, budget = o.Change, o.Budget
		}
		left := 1 / (1/c + float64(o.Turns)*people/(o.Noise*o.Noise))
		for _, v := range [][2]float64{
			{got.Regret, 0.04}, {got.Before, 4 * c}, {got.Worth[0], 4 * c}, {got.After, 4 * left}, {got.Left[0], math.Sqrt(left)}, {got.Errors[0], math.Sqrt(c)}, {got.Base[0], 2}, {got.Change, change}, {got.Budget, budget},
		} {
			if !(math.Abs(v[0]-v[1]) <= 1e-5*math.Abs(v[1])) {
				t.Errorf("%+v: %v, want %v in %+v", o, v[0], v[1], got)
			}
		}
		if got.Draws != 40 || got.Missing != 0 || !slices.Equal(got.Names, []string{"b"}) || len(got.Decisions) != o.Turns || got.Lost > budget+1e-12 {
			t.Errorf("%+v: %+v", o, got)
		}
		last := got.Base
		for _, u := range got.Decisions {
			if rows.Distance(u, last) > change+1e-12 {
				t.Errorf("%v after %v", u, last)
			}
			last = u
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := lab.Teach(ended, made(taught), lab.Tuition{Turns: 2, Noise: 0.3}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	for want, text := range map[string]string{
		"no small changes":     strings.Replace(taught, "u <= 9}", "u <= 9, integer: true}", 1),
		"uncertain is missing": strings.Replace(strings.Replace(taught, "draws: draws.csv\n", "", 1), "uncertain: 40\n", "", 1),
	} {
		if _, err := lab.Teach(t.Context(), made(text), lab.Tuition{Turns: 2, Noise: 0.3}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A cell that was finished before a sweep goes on is received again without being counted, and cannot die.
func TestCellsOfBeforeAreReceivedAgain(t *testing.T) {
	dir, w := filepath.Join(t.TempDir(), "out"), parseSweep(t, tiny)
	sweep(t, tiny, dir, lab.SweepOptions{Shard: lab.Shard{Index: 2, Of: 2}}) // the one in the middle
	c, err := folder.KindSweep.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	r, err := lab.BeginSweep(t.Context(), w, c, lab.SweepOptions{Progress: new(lab.SweepProgress)})
	if err != nil {
		t.Fatal(err)
	}
	if finished, died := r.Fate(w.Cells[1].ID); !finished || died != "" {
		t.Errorf("finished %v, died of %q", finished, died)
	}
	err = r.Receive(1, elsewhere(t, w, 1))
	if done, failed := r.Count(); err != nil || done != 0 || failed != 0 {
		t.Errorf("received again: %v, %d done, %d failed", err, done, failed)
	}
	var two *folder.DiffersError
	if err := r.Fail(1, "late"); !errors.As(err, &two) {
		t.Errorf("dead after all: %v", err)
	}
	if done, failed := r.Count(); done != 0 || failed != 0 {
		t.Errorf("%d done, %d failed", done, failed)
	}
}

// Whatever the workers, a cell dies of what one worker meets first: here of the first method, which runs away more slowly than the second.
func TestCellsDieOfTheSame(t *testing.T) {
	p := build(t, "lq2", "iterations=4000", "optimum.starts=1", "algorithms=[{name: slow, kind: composite, step: 0.6}, {name: fast, kind: composite, step: 1e200}]")
	for _, workers := range []int{0, 1, 2, 4} {
		_, err := lab.RunCell(t.Context(), lab.CellJob{Sweep: "x", Spec: p.Spec, Workers: workers, Progress: new(lab.Progress)})
		if err == nil || !strings.HasPrefix(err.Error(), "slow, trial 0: ") {
			t.Errorf("%d workers: %v", workers, err)
		}
	}
}
