package lab

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
)

// By hand, against (2, 0).
func TestAnglesByHand(t *testing.T) {
	got := degrees([]float64{1, 0, 0, 3, -5, 0, 1, 1, 1, -math.Sqrt(3)}, []float64{2, 0})
	for i, want := range []float64{0, 90, 180, 45, 60} {
		if !(math.Abs(got[i]-want) <= 1e-13*180) {
			t.Errorf("angle %d is %v, want %v", i, got[i], want)
		}
	}
}

// By hand: along (1, 1, 1) the cosine is 3/(√3·√3), which rounds to more than 1. It is an angle all the same, either way.
func TestAnglesBeyondRounding(t *testing.T) {
	if long := math.Sqrt(3); !(3/(long*long) > 1) {
		t.Fatal("nothing is rounded beyond 1")
	}
	if got := degrees([]float64{1, 1, 1, -1, -1, -1}, []float64{1, 1, 1}); !slices.Equal(got, []float64{0, 180}) {
		t.Errorf("angles %v, want 0 and 180", got)
	}
}

// By hand, ⌈turns·(i/n)²⌉ without repeats.
func TestSnapshotsByHand(t *testing.T) {
	for _, x := range []struct {
		turns, n int
		want     []int
	}{{100, 10, []int{0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100}}, {3, 10, []int{0, 1, 2, 3}}, {7, 2, []int{0, 2, 7}}, {0, 5, []int{0}}, {9, 1, []int{0, 9}}} {
		if got := snapshots(x.turns, x.n); !slices.Equal(got, x.want) {
			t.Errorf("%d snapshots of %d turns are at %v, want %v", x.n, x.turns, got, x.want)
		}
	}
}

// runOf is a run of one trial with one column.
func runOf(name, column string, values ...float64) folder.Run {
	m := folder.NewMeasured([]kedge.Column{loop.Describe(column)}, len(values))
	for k, v := range values {
		m.Add(k, []float64{v})
	}
	return folder.Run{Name: name, Trials: []folder.Trial{{Measured: m}, {Index: 1, Measured: m}}}
}

// Turns are counted over all trials: those without a value, and those without trust among those that can have some.
func TestNotesOfTurns(t *testing.T) {
	nan := math.NaN()
	notes := unsettled(&folder.Result{Runs: []folder.Run{runOf("lost", "value", 1, nan, nan, 4), runOf("found", "value", 1, 2)}})
	if len(notes) != 1 || !strings.HasPrefix(notes[0], "lost was at decisions under which not everybody settles at 4 of 8 measured turns") {
		t.Errorf("%q", notes)
	}
	notes = mistrust(&folder.Result{Runs: []folder.Run{
		runOf("learns", "trust", 0, 0, 0.7, nan), runOf("trusts", "trust", 1, 1), runOf("never learns", "trust", nan, nan), runOf("has no answer", "trust", 0, nan),
	}})
	if len(notes) != 2 || !strings.HasPrefix(notes[0], "learns did not trust the sensitivity it had learned at 4 of 6 measured turns") || !strings.HasPrefix(notes[1], "has no answer took vanilla steps at 2 measured turns") {
		t.Errorf("%q", notes)
	}
}

// An entry is gone where nothing wakes it under the first decision, the optimum (here ½) and two beyond the first: −1 and 1 of 0, −2 and 2 of 1.
func TestWhatIsGoneIsLookedForAround(t *testing.T) {
	const spec = "iterations: 1\nmodel: {decision: q, state: \"p[2]\", trait: d, next: \"[0.5*p[0] + d - q, 0.5*p[1] + max(0, %s)]\", minimize: \"(p[0] - q)^2\", subject to: -4 <= q <= 4}\n" +
		"population: {size: 3, law: values, values: [[1], [2], [3]], states: {law: normal, mean: 1, deviation: 0.5}}\nstart: {law: values, values: [%d]}\nalgorithms: [{name: one, kind: composite, step: 0.05, batch: 2}]\n"
	for _, x := range []struct {
		wakes string
		start int
		gone  bool
	}{{"abs(q) - 1.5", 0, true}, {"q - 0.9", 0, false}, {"-q - 0.9", 0, false}, {"abs(q) - 2.5", 1, true}, {"q - 1.9", 1, false}, {"-q - 1.9", 1, false}} {
		r := &run{problem: built(t, "x", fmt.Appendf(nil, spec, x.wakes, x.start), nil), result: &folder.Result{}}
		r.meter.Optimum.Decision = []float64{0.5}
		if r.mourn(); len(r.result.Notes) > 0 != x.gone || x.gone && !strings.Contains(r.result.Notes[0], "nothing is left of entry 1, whatever is decided: that of all the people looked at is 0 under each of 4 decisions") {
			t.Errorf("%s from %d: %q", x.wakes, x.start, r.result.Notes)
		}
	}
}

// Decisions under which nobody settles are passed over; where there is no other, the last reason is told. The first is judged however short the moment.
func TestJudgingPassesOverWhatFails(t *testing.T) {
	errNo := errors.New("nobody settles")
	var asked []float64
	value := func(u []float64) (float64, error) {
		asked = append(asked, u[0])
		if u[0] == 1 {
			return 0, errNo
		}
		return 0, nil
	}
	gradient := func(_, u []float64) (float64, error) {
		if u[0] == 2 {
			return 0, errNo
		}
		time.Sleep(2 * time.Millisecond)
		return 0, nil
	}
	v, g, err := judging(value, gradient, [][]float64{{1}, {2}, {3}, {4}}, time.Hour)
	if err != nil || !(v >= 0) || !(g >= 0.002) || !(g < 1) || !slices.Equal(asked, []float64{1, 2, 3, 4}) {
		t.Errorf("%v and %v seconds of %v (%v)", v, g, asked, err)
	}
	asked = nil
	if _, _, err := judging(value, gradient, [][]float64{{3}, {4}}, time.Nanosecond); err != nil || !slices.Equal(asked, []float64{3}) {
		t.Errorf("within no time %v were judged (%v)", asked, err)
	}
	if v, g, err := judging(value, gradient, [][]float64{{1}, {2}}, time.Hour); !errors.Is(err, errNo) || v != 0 || g != 0 {
		t.Errorf("with nothing to judge: %v, %v, %v", v, g, err)
	}
}

// By hand: a value for the loss and for every constraint, a gradient where it is recorded, and four more for the theory.
func TestMeasurementsByHand(t *testing.T) {
	s := &problem.Spec{}
	is := func(want float64) {
		t.Helper()
		if got := measurement(s, 3, 100); got != want {
			t.Errorf("a measurement takes %v, want %v", got, want)
		}
	}
	is(3)
	s.Record.Gradient = true
	is(103)
	s.Record.Theory = true
	is(503)
	s.Record.Gradient = false
	is(403)
	for _, x := range []struct {
		turns, every int
		want         float64
	}{{100, 0, 102}, {100, 1, 102}, {100, 10, 12}, {99, 10, 11}} {
		s := &problem.Spec{Iterations: x.turns}
		s.Record.Every = x.every
		if got := measuredTurns(s); got != x.want {
			t.Errorf("of %d turns, every %d: %v are measured, want %v", x.turns, x.every, got, x.want)
		}
	}
}
