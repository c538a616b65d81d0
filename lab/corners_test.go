package lab

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

// Nobody who asks for as many workers as there are cores changes how many the process uses.
func TestWorkersLeaveTheProcessAlone(t *testing.T) {
	before := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(before)
	r, err := execute(t.Context(), of(t, "lq2", "iterations=1", "optimum.starts=1"), Options{}, nil)
	if err != nil || runtime.GOMAXPROCS(0) != 4 || r.Workers != 4 {
		t.Errorf("%d cores, %d workers, %v", runtime.GOMAXPROCS(0), r.Workers, err)
	}
}

// A model that nobody can settle is refused before anything is searched.
func TestModelsThatNobodySettlesAreRefused(t *testing.T) {
	p := of(t, "lq2", "iterations=1", "optimum.starts=1")
	p.Model.Objective = nil
	if _, err := Execute(t.Context(), p, Options{Workers: 1}); err == nil || !strings.Contains(err.Error(), "objective") {
		t.Errorf("%v", err)
	}
}

// Rounding refutes no optimum: what counts as better is measured by how losses differ over the set, which the search has seen.
func TestSearchesSayHowLossesDiffer(t *testing.T) {
	r, err := execute(t.Context(), of(t, "lq2", "iterations=1", "optimum.starts=2"), Options{Workers: 1}, nil)
	if err != nil || !(r.scale > 0) {
		t.Fatalf("losses differ by %v (%v)", r.scale, err)
	}
	best := r.meter.Optimum.Loss
	if r.watchFor([]float64{best - surprising*r.scale/2}, []float64{0, 0}, nil); r.passed != nil {
		t.Errorf("half of what surprises refutes %v: %+v", best, r.passed)
	}
	if r.watchFor([]float64{best - 2*surprising*r.scale}, []float64{0, 0}, nil); r.passed == nil {
		t.Error("twice what surprises does not")
	}
}

// By hand: a step of 2 takes ½‖u − 2‖² from 1 to 3, where there is a narrow hole that no walk downhill from 1 meets: the search is told, goes on from there, and finds 3 − 100 at the bottom.
func TestSearchesGoOnFromWhatRunsPass(t *testing.T) {
	const spec = `
iterations: 4
model: {decision: "u[6]", state: p, trait: d, next: 0.5*p + 0.5*d, minimize: "0.5*dot(u - 2, u - 2) - 100*exp(-1e4*dot(u - 3, u - 3)) + 0*p", subject to: -10 <= u <= 10}
population: {size: 2, dim: 1, law: values, values: [[1], [2]]}
start: {law: values, values: [1, 1, 1, 1, 1, 1]}
algorithms: [{name: one, kind: composite, step: 2, batch: 2}]
record: {every: 1}
optimum: {starts: 1}
`
	p := built(t, "x", []byte(spec), nil)
	if r, err := execute(t.Context(), p, Options{Workers: 1}, nil); err != nil || !(r.result.Optimum.Value > -1e-9) || r.passed == nil {
		t.Fatalf("the search by itself: %+v, %v", r, err)
	}
	r, err := Execute(t.Context(), p, Options{Workers: 1})
	if err != nil || !(math.Abs(r.Optimum.Value+97) < 1e-5) || len(r.Notes) != 1 || !strings.HasPrefix(r.Notes[0], "The search over the set had missed a decision") {
		t.Errorf("%+v, %q, %v", r.Optimum, r.Notes, err)
	}
}

// By hand: people settle at √(2 − u), and the slope of p + u² is 2u − 1/(2√(2 − u)). Where a step to the right ends beyond 2, the curvature is that to the left.
func TestCurvatureOfOneSide(t *testing.T) {
	const spec = "iterations: 1\nmodel: {decision: u, state: p, trait: d, next: 0.5*p + 0.5*sqrt(2 - u) + 0*d, minimize: p + u^2, subject to: 0 <= u <= 1.9}\npopulation: {size: 1, dim: 1, law: values, values: [[1]]}\n" +
		"start: {law: values, values: [1]}\nalgorithms: [{name: composite, step: 0.05}]\n"
	f, err := built(t, "x", []byte(spec), nil).Steady()
	if err != nil {
		t.Fatal(err)
	}
	by := func(u float64) float64 { return 2*u - 1/(2*math.Sqrt(2-u)) }
	for _, x := range []struct{ at, side float64 }{{1, 1e-4}, {1.9999, -1.9999e-4}} {
		_, curve, err := bentAt(f, []float64{x.at})
		if want := (by(x.at+x.side) - by(x.at)) / x.side; err != nil || !(math.Abs(curve[0]-want) <= 1e-7*math.Abs(want)) {
			t.Errorf("at %v: curvature %v, want %v (%v)", x.at, curve, want, err)
		}
	}
}

// Paths of long states are looked at less often, so that they stay small.
func TestPathsOfLongStates(t *testing.T) {
	p := of(t, "polarized", "population.size=3", "population.dim=9000", "record.paths=2", "iterations=1000")
	r := &run{problem: p, result: newResult(p)}
	a := &attempt{slot: new(folder.Trial)}
	w := r.walk(a, true)
	most := mostPath / (2*9000 + 9000)
	if want := snapshots(1000, most); most >= mostSnapshots || !slices.Equal(w.due, want) || len(a.slot.Path.People) != 2 {
		t.Errorf("%d snapshots of %v, want %d", len(w.due), a.slot.Path.People, len(want))
	}
	if w := r.walk(&attempt{slot: new(folder.Trial)}, false); len(w.due) != 0 {
		t.Error("the path of a trial that is not the last is kept")
	}
}
