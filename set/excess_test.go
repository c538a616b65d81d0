package set

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// judged is every kind of set, of its own parameters and put together, for n entries at a scale.
func judged(n int, scale float64) map[string]kedge.Set {
	all := map[string]kedge.Set{"whole": Whole{}}
	for _, s := range subjects() {
		all[s.name] = s.of(n, scale)
	}
	half := n / 2
	all["product"] = Product{Parts: []Part{{half, Ball{Radius: scale}}, {n - half, CappedSimplex{Sum: scale * float64(n-half) / 3, Upper: scale}}}}
	all["intersection"] = Intersection{Of: []kedge.Set{Ball{Radius: 2 * scale}, Interval{-scale, scale}, HalfSpace{Normal: slices.Repeat([]float64{1}, n), Bound: scale}}}
	all["whole numbers"] = Lattice{Lower: slices.Repeat([]float64{-3}, n), Upper: slices.Repeat([]float64{3.5}, n)}
	all["some whole numbers"] = Lattice{Lower: slices.Repeat([]float64{-0.5}, n), Whole: slices.Concat([]bool{true}, make([]bool, n-1))}
	all["points"] = Finite{Points: [][]float64{normals(n, scale, "first"), normals(n, 2*scale, "second"), make([]float64, n)}}
	all["changing"] = Changing{{0, Interval{-scale, scale}}, {5, Ball{Radius: scale}}}
	all["rate limit"] = RateLimit{Of: Interval{-scale, scale}, Most: scale}
	return all
}

// The excess of a projection is rounding; outside it is above 0, and at most the distance to the projection; inside, where projecting moves nothing, it is rounding.
func TestExcessTellsWhoIsOutside(t *testing.T) {
	r := stream.New(1, "excess")
	for _, n := range []int{1, 2, 3, 7, 40} {
		for _, scale := range []float64{1e-150, 1e-3, 1, 1e4, 1e150} {
			for name, s := range judged(n, scale) {
				for _, far := range []float64{0, 0.01, 0.3, 1, 3, 1000} {
					u := make([]float64, n)
					r.Normals(u)
					rows.Scale(u, scale*far)
					checkExcess(t, name, s, u, scale)
				}
			}
		}
	}
}

// rounding is what a few roundings of every entry, and the tolerance of intersections, make of an excess.
func rounding(u, p []float64, scale float64) float64 {
	return 1e-11 * max(scale, rows.MaxAbs(u), rows.MaxAbs(p))
}

func checkExcess(t *testing.T, name string, s kedge.Set, u []float64, scale float64) {
	t.Helper()
	p := slices.Clone(u)
	if open := (*kedge.NotConvergedError)(nil); errors.As(s.Project(p), &open) {
		return // of an intersection, from far away
	}
	moved, excess, little := rows.Distance(u, p), Excess(s, u), rounding(p, p, scale)
	if left := Excess(s, p); !(left <= little) {
		t.Errorf("%s of %d at %g: the excess of a projection is %v", name, len(u), scale, left)
	}
	if !(excess >= 0) || excess > moved*(1+1e-9)+little {
		t.Errorf("%s of %d at %g: the excess is %v, the set %v away", name, len(u), scale, excess, moved)
	}
	if most := rounding(u, p, scale); moved > most && !(excess > 0) || moved == 0 && excess > little {
		t.Errorf("%s of %d at %g: projecting moves by %v, the excess is %v", name, len(u), scale, moved, excess)
	}
}

// Excesses that are known: distances to faces, planes and circles.
func TestExcessIsInTheUnitOfTheDecision(t *testing.T) {
	plane, err := NewAffine([]float64{3, 4}, []float64{10})
	if err != nil {
		t.Fatal(err)
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		s    kedge.Set
		u    []float64
		want float64
	}{
		{Whole{}, []float64{1e9}, 0},
		{Box{Lower: []float64{0, 0}, Upper: []float64{1, 1}}, []float64{-0.25, 3}, 2},
		{Interval{-1, inf}, []float64{-3, 7}, 2},
		{Ball{Radius: 1}, []float64{3, 4}, 4},
		{Ball{Radius: 1, Center: []float64{3, 0}}, []float64{3, 4}, 3},
		{L1Ball{Radius: 1}, []float64{1, -1}, 1 / math.Sqrt2},
		{Simplex{Sum: 1}, []float64{1, 1}, 1 / math.Sqrt2},
		{Simplex{Sum: 1}, []float64{-1, 2}, 1},
		{CappedSimplex{Sum: 2, Upper: 1}, []float64{3, -1}, 2},
		{HalfSpace{Normal: []float64{30, 40}, Bound: 100}, []float64{6, 8}, 8},
		{HalfSpace{Normal: []float64{30, 40}, Bound: 100}, []float64{0, 0}, 0},
		{HalfSpace{Normal: []float64{0, 0}, Bound: 1}, []float64{5, 5}, 0},
		{plane, []float64{0, 0}, 2},
		{Product{Parts: []Part{{1, Interval{0, 1}}, {1, Interval{0, 2}}}}, []float64{3, 5}, 3},
		{Intersection{Of: []kedge.Set{Interval{0, 1}, Ball{Radius: 1}}}, []float64{3, 4}, 4},
		{Changing{{0, Interval{0, 1}}, {3, Interval{0, 2}}}, []float64{2}, 1},
		{RateLimit{Of: Interval{0, 1}, Most: 0.1}, []float64{2}, 1},
		{unnamed{}, []float64{3}, 2},
		{Lattice{Lower: []float64{0, 0}, Whole: []bool{true, false}}, []float64{1.25, 0.5}, 0.25},
		{Lattice{Lower: []float64{0, 0}}, []float64{-2, 0.5}, 2},
		{Finite{Points: [][]float64{{0, 0}, {3, 4}}}, []float64{3, 3}, 1},
		{Ball{Radius: 1}, []float64{math.NaN()}, inf},
		{Ball{Radius: 1}, []float64{inf}, inf},
		{Ball{Radius: -1}, []float64{0}, inf},
		{Box{Lower: []float64{0, 0}}, []float64{0}, inf},
		{nil, []float64{0}, inf},
	} {
		if got := Excess(c.s, c.u); got != c.want && !(math.Abs(got-c.want) <= 1e-15*min(c.want, 1e9)) {
			t.Errorf("%#v: the excess of %v is %v, want %v", c.s, c.u, got, c.want)
		}
	}
	changing := Changing{{0, Interval{0, 1}}, {3, RateLimit{Of: Interval{0, 9}, Most: 0.5}}}
	for _, c := range []struct {
		u    float64
		turn int
		last []float64
		want float64
	}{{4, 2, []float64{4}, 3}, {4, 3, []float64{4}, 0}, {4, 3, []float64{2}, 1.5}, {11, 3, []float64{11}, 2}, {4, 3, nil, inf}} {
		if got := ExcessAt(changing, []float64{c.u}, c.turn, c.last); got != c.want {
			t.Errorf("in turn %d after %v the excess of %v is %v, want %v", c.turn, c.last, c.u, got, c.want)
		}
	}
	if ExcessAt(Ball{Radius: 1}, []float64{2}, 7, nil) != 1 {
		t.Error("a set that is the same at any time is not")
	}
}

// Of curves too the excess is above 0 outside and at most the distance. On an axis of an ellipse it is c/|c'| = (x² − 1)/2x for the half-axis 1.
func TestExcessOfCurves(t *testing.T) {
	s := Convex{Bounds: Box{Lower: []float64{-5, -5}, Upper: []float64{5, 0.5}}, Curves: []ConvexCurve{ellipse(1, 2)}, Inside: []float64{0, 0}}
	if got := s.Excess([]float64{2, 0}); !(math.Abs(got-0.75) <= 1e-15) {
		t.Errorf("on an axis the excess is %v, want 3/4", got)
	}
	if got := s.Excess([]float64{0, 3}); !(math.Abs(got-2.5) <= 1e-15) {
		t.Errorf("beyond a bound the excess is %v, want 5/2", got)
	}
	// Of the plane 3x + 4y = 0 too: by hand, with ‖(3, 4)‖ = 5.
	plane, err := NewAffine([]float64{3, 4}, []float64{0})
	if err != nil {
		t.Fatal(err)
	}
	on := Convex{Bounds: s.Bounds, Curves: s.Curves, Inside: s.Inside, Plane: plane}
	for _, c := range []struct{ x, y, want float64 }{{0.3, 0.4, 0.5}, {2, 0, 1.2}, {0.4, -0.3, 0}, {-1.5, 0.5, 0.5}, {2, -1.4, s.Excess([]float64{2, -1.4})}} {
		if got := on.Excess([]float64{c.x, c.y}); !(math.Abs(got-c.want) <= 1e-15) {
			t.Errorf("beside a plane the excess of (%v, %v) is %v, want %v", c.x, c.y, got, c.want)
		}
	}
	gap := Convex{Curves: []ConvexCurve{curve(func(_, _, u []float64) float64 { return math.Log(-u[0]) })}, Inside: []float64{-0.5}}
	if got := gap.Excess([]float64{1}); !math.IsInf(got, 1) {
		t.Errorf("where a curve has no value the excess is %v", got)
	}
	if gap.Bounds.Upper = []float64{0}; gap.Excess([]float64{2}) != 2 {
		t.Errorf("beyond a bound where a curve has no value the excess is %v, want 2", gap.Excess([]float64{2}))
	}
	r := stream.New(3, "curves")
	for range 300 {
		checkExcess(t, "curves", s, []float64{2 * r.Normal(), 2 * r.Normal()}, 1)
	}
}

// unnamed is somebody's own set, [−1, 1].
type unnamed struct{}

func (unnamed) Project(u []float64) error {
	u[0] = min(max(u[0], -1), 1)
	return nil
}

// What a rate limit lets through is within it.
func TestRateLimitsLeaveNoExcess(t *testing.T) {
	r := stream.New(2, "excess")
	s := RateLimit{Of: Ball{Radius: 1}, Most: 0.1}
	last := make([]float64, 3)
	for turn := range 200 {
		u := make([]float64, 3)
		r.Normals(u)
		before := ExcessAt(s, u, turn, last)
		p := slices.Clone(u)
		if err := s.ProjectAt(p, turn, last); err != nil {
			t.Fatal(err)
		}
		if moved := rows.Distance(u, p); (moved > 0) != (before > 0) || before > moved+1e-12 || ExcessAt(s, p, turn, last) > 1e-12 {
			t.Errorf("turn %d: moved by %v, excess %v, then %v", turn, moved, before, ExcessAt(s, p, turn, last))
		}
		last = p
	}
}
