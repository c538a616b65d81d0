package set

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// sumPlane is Σu = b for n entries.
func sumPlane(t *testing.T, n int, b float64) *Affine {
	t.Helper()
	s, err := NewAffine(slices.Repeat([]float64{1}, n), []float64{b})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What Inner finds lies strictly between bounds that are nowhere near 0, on the plane and below the curves: substituted.
func TestInnerBetweenBounds(t *testing.T) {
	for _, x := range []struct {
		name   string
		bounds Box
		sum    float64
		curves []ConvexCurve
	}{
		{"bounds on both sides", Box{Lower: []float64{1, 2, -5}, Upper: []float64{2, 9, -3}}, 2, nil},
		{"a corner of little room", Box{Lower: []float64{10, 10, 10}, Upper: []float64{11, 11, 11}}, 30.01, nil},
		{"no upper bounds", Box{Lower: []float64{-3, -2, -1}}, -5.5, nil},
		{"no lower bounds", Box{Upper: []float64{3, 2, 1}}, 5.5, nil},
		{"a curve besides", Box{Lower: []float64{1, 2, -5}, Upper: []float64{2, 9, -3}}, 2, []ConvexCurve{side(-4.2, 0, 0, 1)}},
	} {
		plane := sumPlane(t, 3, x.sum)
		for _, start := range [][]float64{{0, 0, 0}, {100, -50, 3}, {1.5, 4, -3.5}} {
			got, err := Inner(plane, x.bounds, x.curves, start)
			if err != nil {
				t.Errorf("%s from %v: %v", x.name, start, err)
				continue
			}
			if err := (Convex{Bounds: x.bounds, Plane: plane, Curves: x.curves, Inside: got}).Check(3); err != nil {
				t.Errorf("%s from %v: %v, %v", x.name, start, got, err)
			}
		}
	}
}

// Inner tells what is in its way.
func TestInnerTellsErrors(t *testing.T) {
	plane := sumPlane(t, 2, 1)
	var none *NoInsideError
	if _, err := Inner(plane, Box{Lower: []float64{1, 0}, Upper: []float64{1, 5}}, nil, []float64{1, 1}); !errors.Is(err, kedge.ErrInfeasible) || errors.As(err, &none) {
		t.Errorf("an entry of one value: %v", err)
	}
	var finite *kedge.NotFiniteError
	for _, v := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		endless := curve(func(g, _, _ []float64) float64 { clear(g); return v })
		if _, err := Inner(nil, Box{}, []ConvexCurve{endless}, []float64{1, 1}); !errors.As(err, &finite) {
			t.Errorf("a curve of %v: %v", v, err)
		}
	}
	if _, err := Inner(plane, Box{}, nil, []float64{math.MaxFloat64, math.MaxFloat64}); !isTyped(err) {
		t.Errorf("a sum that overflows: %v", err)
	}
	for name, x := range map[string]struct {
		plane  *Affine
		bounds Box
		start  []float64
	}{
		"a plane of another length": {plane, Box{}, []float64{1, 2, 3}}, "bounds of another length": {nil, Box{Lower: []float64{0}}, []float64{1, 2}}, "bounds of another length beside a plane": {plane, Box{Lower: []float64{0}}, []float64{1, 2}},
		"no number": {nil, Box{}, []float64{1, math.NaN()}}, "no number beside a plane": {plane, Box{}, []float64{1, math.Inf(1)}},
	} {
		if got, err := Inner(x.plane, x.bounds, nil, x.start); !isTyped(err) || got != nil {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	got, err := Inner(nil, Box{Lower: []float64{2, math.Inf(-1)}, Upper: []float64{math.Inf(1), 3}}, nil, []float64{0, 9})
	if err != nil || !slices.Equal(got, []float64{3, 2}) { // one beyond the only bound
		t.Errorf("between bounds on one side: %v, %v", got, err)
	}
}

// By hand: without room the largest of u ≥ 0.3 and u ≤ 0.1 is least, 0.1, in their middle 0.2; with bounds that leave none on the plane Σu = 3, of [0, 1]² each is ½ beyond at (1½, 1½).
func TestInnerTellsHowMuchIsMissing(t *testing.T) {
	var none *NoInsideError
	for _, unit := range []float64{1, 1e6, 1e-6, 1e-9} {
		_, err := Inner(nil, Box{Lower: []float64{-5}, Upper: []float64{5}}, []ConvexCurve{side(0.1*unit, unit), side(-0.3*unit, -unit)}, []float64{1})
		if !errors.As(err, &none) || none.What != "the constraints" || !(math.Abs(none.Least/unit-0.1) <= 1e-6) || !(math.Abs(none.At[0]-0.2) <= 1e-6) {
			t.Errorf("unit %v: %v, %+v", unit, err, none)
		}
	}
	_, err := Inner(sumPlane(t, 2, 3), Box{Lower: []float64{0, 0}, Upper: []float64{1, 1}}, nil, []float64{5, 0})
	if !errors.As(err, &none) || none.What != "the bounds" || !(math.Abs(none.Least-0.5) <= 1e-6) || rows.Distance(none.At, []float64{1.5, 1.5}) > 1e-6 {
		t.Errorf("%v, %+v", err, none)
	}
}

// From a point where a curve is just 0 a point inside is found, in all units of the curve and of the decision.
func TestInnerFromTheRim(t *testing.T) {
	for _, unit := range []float64{1e-9, 1, 1e9} {
		for _, size := range []float64{1e-3, 1, 1e3} {
			disc := curve(func(g, h, u []float64) float64 {
				v := ellipse(size, 2*size)(g, h, u)
				rows.Scale(g, unit)
				rows.Scale(h, unit)
				return unit * v
			})
			x, err := Inner(nil, Box{}, []ConvexCurve{disc}, []float64{size, 0})
			if err != nil || !(disc.Expand(nil, nil, x) < 0) {
				t.Errorf("unit %v, size %v: %v, %v", unit, size, x, err)
			}
		}
	}
}

// By hand: from its rim the inside of |u| ≤ 10⁻¹⁰ is found, however thin; of (u − 3)² ≤ 0 there is none, though from far away and by rounding u² − 6u + 9 falls below 0.
func TestInnerOfThinSets(t *testing.T) {
	x, err := Inner(nil, Box{}, []ConvexCurve{side(1e-10, 1), side(1e-10, -1)}, []float64{1e-10})
	if err != nil || !(math.Abs(x[0]) < 1e-10) {
		t.Errorf("%v, %v", x, err)
	}
	point := curve(func(g, h, u []float64) float64 {
		g[0], h[0] = 2*u[0]-6, 2
		return u[0]*u[0] - 6*u[0] + 9
	})
	var none *NoInsideError
	if x, err := Inner(nil, Box{}, []ConvexCurve{point}, []float64{1000}); !errors.As(err, &none) {
		t.Errorf("inside of a point: %v, %v", x, err)
	}
}

// Inside may miss its plane by 10⁻⁹ of its size.
func TestInsideNearItsPlane(t *testing.T) {
	plane := sumPlane(t, 2, 0)
	for _, x := range []struct {
		size, off float64
		ok        bool
	}{{1e6, 1e-5, true}, {1e6, 1e-2, false}, {1, 1e-10, true}, {1, 1e-5, false}, {0, 1e-10, true}, {0, 1e-8, false}} {
		if err := (Convex{Inside: []float64{x.size, x.off - x.size}, Plane: plane}).Check(2); (err == nil) != x.ok {
			t.Errorf("%v off at %v: %v", x.off, x.size, err)
		}
	}
}

// On a plane the ball of radius 3 around 0 is a disc around the nearest point m of the plane, of radius √(9 − ‖m‖²): its nearest points are on the way from m to the projection on the plane. They are
// found from wherever Inside is and however far away, and lie on the plane.
func TestNearestPointsOfADisc(t *testing.T) {
	plane, err := NewAffine([]float64{1, 2, -1}, []float64{0.5})
	if err != nil {
		t.Fatal(err)
	}
	middle := make([]float64, 3)
	if err := plane.Project(middle); err != nil {
		t.Fatal(err)
	}
	radius := math.Sqrt(9 - rows.Dot(middle, middle))
	for _, inside := range [][]float64{{0.5, 0, 0}, {2.5, -1, 0}, {0, 1.5, 2.5}} {
		s := Convex{Curves: []ConvexCurve{ellipse(3, 3, 3)}, Plane: plane, Inside: inside}
		for _, far := range []float64{4, 10, 100, 1e4, 1e7} {
			for k := range 10 {
				u := normals(3, far, string(rune('a'+k)))
				want, x := slices.Clone(u), slices.Clone(u)
				if err := plane.Project(want); err != nil {
					t.Fatal(err)
				}
				rows.AddScaled(want, -1, middle)
				rows.Scale(want, min(1, radius/rows.Norm(want)))
				rows.AddScaled(want, 1, middle)
				if err := s.Project(x); err != nil || apart(x, want, u) > 1e-9 || !(plane.off(x) <= 32*unit) {
					t.Errorf("%v from %v: %v, %v off the plane, %v, want %v", u, inside, x, plane.off(x), err, want)
				}
			}
		}
	}
}

// The nearest points of an ellipse satisfy y − x = λ∇c(x) with λ > 0 on its rim, wherever Inside is.
func TestNearestPointsOfAShiftedEllipse(t *testing.T) {
	disc := curve(func(g, h, u []float64) float64 {
		return ellipse(4.05, 3.02)(g, h, []float64{u[0] + 0.5, u[1]})
	})
	s := Convex{Curves: []ConvexCurve{disc}, Inside: []float64{0, 0}}
	for i := range 17 * 17 {
		y := []float64{float64(i%17 - 8), float64(i/17 - 8)}
		x, g := slices.Clone(y), make([]float64, 2)
		err := s.Project(x)
		if disc.Expand(nil, nil, y) <= 0 {
			if err != nil || bits(x, y) != 0 {
				t.Errorf("%v, inside, is moved to %v, %v", y, x, err)
			}
			continue
		}
		v := disc.Expand(g, nil, x)
		away := []float64{y[0] - x[0], y[1] - x[1]}
		across := (away[0]*g[1] - away[1]*g[0]) / rows.Norm(g)
		if err != nil || !(v <= 0 && v > -1e-8) || !(math.Abs(across) <= 1e-7) || !(rows.Dot(away, g) > 0) {
			t.Errorf("%v is moved to %v, where the curve is %v, %v across, %v", y, x, v, across, err)
		}
	}
}

// By hand: of Σu = 1 within ‖u‖ ≤ 3 the nearest points are √4.25 away from (½, ½) in both entries. They are on the plane, although Inside is beyond it by 4·10⁻¹⁰ and all steps are along it; where Inside is short of it by as much
// they stay within ‖u‖ ≤ 3, which the way to the plane would lead out of.
func TestNearestPointsComeBackToThePlane(t *testing.T) {
	plane, disc := sumPlane(t, 2, 1), ellipse(3, 3)
	want := []float64{0.5 + math.Sqrt(4.25), 0.5 - math.Sqrt(4.25)}
	for _, beyond := range []float64{4e-10, -4e-10} {
		x := []float64{10, -20}
		err := Convex{Curves: []ConvexCurve{disc}, Plane: plane, Inside: []float64{0.5 + beyond, 0.5}}.Project(x)
		if err != nil || rows.Distance(x, want) > 1e-8 || disc.Expand(nil, nil, x) > 0 || (plane.off(x) <= 64*unit) != (beyond > 0) {
			t.Errorf("%v beyond: %v (%v), off by %v, want %v", beyond, x, err, plane.off(x), want)
		}
	}
}
