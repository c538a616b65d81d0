package report

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// The picture of many dimensions is an orthogonal projection: the optimum lies on the horizontal axis, optimum and first
// decision keep their lengths, and nothing becomes longer.
func TestProjectionKeepsTheOptimumAndTheFirstDecision(t *testing.T) {
	for _, n := range []int{3, 20, 100} {
		r := walked(polarizedEvery(2000), 5, n, false)
		r.Optimum.Decision = direction(stream.New(9), n, 1, false)
		p := lastPath(r.Runs[0])
		l := viewOf(r, p).tracks(p)
		if at := l.Optimum[0]; math.Abs(at.X-1) > 1e-12 || math.Abs(at.Y) > 1e-12 {
			t.Errorf("%d dimensions: the optimum lies at %v", n, at)
		}
		if at := l.Decision[0]; math.Abs(math.Hypot(at.X, at.Y)-rows.Norm(p.Decisions[:n])) > 1e-12 || at.Y < 0 {
			t.Errorf("%d dimensions: the first decision lies at %v", n, at)
		}
		for i, track := range l.People {
			for s, at := range track {
				if long := rows.Norm(kedge.Row(p.States, s*5+i, n)); math.Hypot(at.X, at.Y) > long+1e-12 {
					t.Errorf("%d dimensions: a state of length %g lies at %v", n, long, at)
				}
			}
		}
	}
}

// A direction across another is at a right angle to it, also of decisions that have none.
func TestAcrossIsARightAngle(t *testing.T) {
	for _, c := range [][2][]float64{{{1, 0, 0}, {1, 0, 0}}, {{0, 1, 0}, {0, 0, 0}}, {{0.6, 0.8, 0}, {5, 1, 2}}, {{1, 0, 0}, {math.NaN(), 0, 0}}} {
		side := across(c[0], c[1])
		if dot := rows.Dot(side, c[0]); math.Abs(dot) > 1e-12 || math.Abs(rows.Norm(side)-1) > 1e-12 {
			t.Errorf("across %v, of %v: %v", c[0], c[1], side)
		}
	}
}

// The picture suits the shapes: a number over the turns, a plane as it is, shares item by item, everything else projected.
func TestViewsSuitTheShapes(t *testing.T) {
	for _, c := range []struct {
		n      int
		shares bool
		want   string
		tracks int
	}{
		{1, false, "turn k", 4}, {2, false, "first entry", 4}, {2, true, "first entry", 4}, {9, true, "decision for the item", 9},
		{9, false, "along the optimum, pᵀu*/‖u*‖", 4},
	} {
		r := walked(polarizedEvery(2000), 4, c.n, c.shares)
		r.Optimum.Decision = make([]float64, c.n)
		p := lastPath(r.Runs[0])
		v := viewOf(r, p)
		if l := v.tracks(p); v.across != c.want || len(l.People) != c.tracks || len(l.People[0]) != len(p.K) {
			t.Errorf("%d entries, shares %v: %d tracks over %q", c.n, c.shares, len(l.People), v.across)
		}
	}
}

// Axes that show entries of a state go by their names and units.
func TestPathsGoByTheNamesOfStates(t *testing.T) {
	for _, c := range []struct {
		n          int
		across, up string
	}{{1, "turn k", "rides, in km"}, {2, "rides, in km", "tired"}, {3, "along the optimum, pᵀu*/‖u*‖", "across it, towards the first decision"}} {
		r := walked(polarizedEvery(2000), 4, c.n, false)
		r.Optimum.Decision = make([]float64, c.n)
		r.Names.State = []kedge.Called{{Name: "rides", Unit: "km"}, {Name: "tired"}, {}}[:c.n]
		if v := viewOf(r, lastPath(r.Runs[0])); v.across != c.across || v.up != c.up {
			t.Errorf("%d entries: axes %q and %q, want %q and %q", c.n, v.across, v.up, c.across, c.up)
		}
	}
}

// Paths whose numbers do not fit together are not drawn.
func TestBrokenPathsAreNotDrawn(t *testing.T) {
	for _, p := range []*folder.Path{nil, {}, {K: []int{0}}, {K: []int{0}, People: []int{1, 2}, States: []float64{1}}, {K: []int{0, 1}, People: []int{1}, States: []float64{1, 2}, Decisions: []float64{1}}} {
		run := folder.Run{Trials: []folder.Trial{{Path: p}}}
		if lastPath(run) != nil {
			t.Errorf("%+v is taken for a path", p)
		}
	}
}

// Runs of other shapes than the first have no place in its picture.
func TestPathsOfOtherShapesAreLeftOut(t *testing.T) {
	runs := []labelled{{label: "long", Result: walked(polarizedEvery(2000), 4, 9, false)}, {label: "short", Result: walked(polarizedEvery(2000), 4, 1, false)}}
	s := pathFigure(together(runs))
	if len(s.Panels) != len(runs[0].Runs) || s.Panels[0].Title != runs[0].named(runs[0].Runs[0]) {
		t.Errorf("%d panels, want those of the first %d runs", len(s.Panels), len(runs[0].Runs))
	}
}
