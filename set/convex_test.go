package set

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
)

// curve is a ConvexCurve of given derivatives.
type curve func(g, h, u []float64) float64

func (c curve) Expand(g, h, u []float64) float64 {
	if g == nil {
		g = make([]float64, len(u))
	}
	if h == nil {
		h = make([]float64, len(u)*len(u))
	}
	return c(g, h, u)
}

// ellipse is Σ (uᵢ/aᵢ)² ≤ 1.
func ellipse(a ...float64) curve {
	return func(g, h, u []float64) float64 {
		clear(h)
		sum := -1.0
		for i, v := range u {
			sum += v * v / (a[i] * a[i])
			g[i], h[i*len(u)+i] = 2*v/(a[i]*a[i]), 2/(a[i]*a[i])
		}
		return sum
	}
}

// side is aᵀu ≤ b.
func side(b float64, a ...float64) curve {
	return func(g, h, u []float64) float64 {
		clear(h)
		copy(g, a)
		return rows.Dot(a, u) - b
	}
}

// apart is how far apart points are, against the size of what was projected.
func apart(x, want, y []float64) float64 { return rows.Distance(x, want) / (1 + rows.Norm(y)) }

// The nearest point of an ellipse is yᵢaᵢ²/(aᵢ² + λ) for the λ that puts it on the rim, found by halving.
func TestConvexEllipses(t *testing.T) {
	for n := 1; n <= 6; n++ {
		a := []float64{1, 3, 0.2, 1, 10, 0.5}[:n]
		for k, far := range []float64{0.1, 1.3, 5, 40, 1e4} {
			y := normals(n, far, string(rune('a'+k)))
			at := func(l float64) ([]float64, float64) {
				x, sum := make([]float64, n), 0.0
				for i, v := range y {
					x[i] = v * a[i] * a[i] / (a[i]*a[i] + l)
					sum += x[i] * x[i] / (a[i] * a[i])
				}
				return x, sum
			}
			want := slices.Clone(y)
			if _, sum := at(0); sum > 1 {
				low, high := 0.0, 1e12
				for range 300 {
					mid := low + (high-low)/2
					if low > 0 {
						mid = math.Sqrt(low * high)
					}
					if _, sum := at(mid); sum > 1 {
						low = mid
					} else {
						high = mid
					}
				}
				want, _ = at(high)
			}
			x := slices.Clone(y)
			s := Convex{Curves: []ConvexCurve{ellipse(a...)}, Inside: make([]float64, n)}
			if err := s.Project(x); err != nil || apart(x, want, y) > 1e-9 {
				t.Errorf("%v from %v: %v, %v, want %v", a, y, x, err, want)
			}
			again := slices.Clone(x)
			if err := s.Project(again); err != nil || bits(again, x) != 0 {
				t.Errorf("%v is moved again, to %v", x, again)
			}
		}
	}
}

// What a ball, half-spaces and bounds have in common has the same nearest points by Dykstra's method.
func TestConvexAgainstDykstra(t *testing.T) {
	box := Box{Lower: []float64{-1, -2, -1.5}, Upper: []float64{1.5, 2, 2}}
	round := ellipse(2, 2, 2)
	other := Intersection{Of: []kedge.Set{Ball{Radius: 2}, HalfSpace{Normal: []float64{1, 2, -1}, Bound: 1}, HalfSpace{Normal: []float64{-1, 0.5, 0.5}, Bound: 0.7}, box}, Tolerance: 1e-13, MaxSteps: 200_000}
	s := Convex{Bounds: box, Curves: []ConvexCurve{round, side(1, 1, 2, -1), side(0.7, -1, 0.5, 0.5)}, Inside: []float64{0.1, 0, 0}}
	for k := range 60 {
		y := normals(3, 3, string(rune('a'+k)))
		x, want := slices.Clone(y), slices.Clone(y)
		if err := errors.Join(s.Project(x), other.Project(want)); err != nil || apart(x, want, y) > 1e-9 {
			t.Errorf("%v: %v, %v, want %v", y, x, err, want)
		}
	}
}

// On exp(u₀) + exp(u₁) = 3 the nearest point is where the way there is at right angles to the curve, found by halving.
func TestConvexCurves(t *testing.T) {
	exp := curve(func(g, h, u []float64) float64 {
		clear(h)
		a, b := math.Exp(u[0]), math.Exp(u[1])
		g[0], g[1], h[0], h[3] = a, b, a, b
		return a + b - 3
	})
	s := Convex{Bounds: Box{Lower: []float64{-9, -9}, Upper: []float64{9, 9}}, Curves: []ConvexCurve{exp}, Inside: []float64{0, 0}}
	for _, y := range [][]float64{{2, 2}, {3, 0.5}, {0.2, 5}, {-1, 2}, {0.6, 0.6}} {
		rim := func(a float64) []float64 { return []float64{a, math.Log(3 - math.Exp(a))} }
		slope := func(a float64) float64 { // of half the squared distance along the rim
			x := rim(a)
			return (a - y[0]) - (x[1]-y[1])*math.Exp(a)/(3-math.Exp(a))
		}
		low, high := -9.0, math.Log(3)-1e-9
		for range 200 {
			if mid := (low + high) / 2; slope(mid) < 0 {
				low = mid
			} else {
				high = mid
			}
		}
		x := slices.Clone(y)
		if err := s.Project(x); err != nil || apart(x, rim(low), y) > 1e-9 {
			t.Errorf("%v: %v, %v, want %v", y, x, err, rim(low))
		}
	}
}

// A point inside is found from one outside, and where there is none that is said.
func TestInner(t *testing.T) {
	box := Box{Lower: []float64{-5, -5}, Upper: []float64{5, 5}}
	moved := curve(func(g, h, u []float64) float64 {
		return ellipse(0.1, 0.2)(g, h, []float64{u[0] - 4, u[1] - 1})
	})
	x, err := Inner(nil, box, []ConvexCurve{moved, side(4, 1, 0)}, []float64{-5, 9})
	if err != nil || (Convex{Bounds: box, Curves: []ConvexCurve{moved, side(4, 1, 0)}, Inside: x}).Check(2) != nil {
		t.Errorf("%v, %v", x, err)
	}
	for _, curves := range [][]ConvexCurve{{moved, side(3, 1, 0)}, {side(0, 1, 0), side(0, -1, 0)}} {
		if x, err := Inner(nil, box, curves, []float64{0, 0}); !errors.Is(err, kedge.ErrInfeasible) {
			t.Errorf("nothing is inside, but %v is found, %v", x, err)
		}
	}
	if _, err := Inner(nil, Box{Lower: []float64{1}, Upper: []float64{1}}, nil, []float64{1}); !errors.Is(err, kedge.ErrInfeasible) {
		t.Errorf("a point has an inside: %v", err)
	}
}

// A simplex and the part of one in a ball have the same nearest points by the exact projection and by Dykstra's method.
func TestConvexOnAPlane(t *testing.T) {
	const n = 5
	plane, err := NewAffine(slices.Repeat([]float64{1}, n), []float64{2})
	if err != nil {
		t.Fatal(err)
	}
	bounds := Box{Lower: make([]float64, n)}
	for _, c := range []struct {
		curves []ConvexCurve
		other  kedge.Set
	}{
		{nil, Simplex{Sum: 2}},
		{[]ConvexCurve{ellipse(1, 1, 1, 1, 1)}, Intersection{Of: []kedge.Set{Ball{Radius: 1}, Simplex{Sum: 2}}, Tolerance: 1e-13, MaxSteps: 200_000}},
	} {
		inside, err := Inner(plane, bounds, c.curves, []float64{-3, 7, 0, 0, 0})
		if err != nil {
			t.Fatal(err)
		}
		s := Convex{Bounds: bounds, Curves: c.curves, Inside: inside, Plane: plane}
		for k := range 40 {
			y := normals(n, 3, string(rune('a'+k)))
			x, want := slices.Clone(y), slices.Clone(y)
			if err := errors.Join(s.Project(x), c.other.Project(want)); err != nil || apart(x, want, y) > 1e-9 {
				t.Errorf("%v: %v, %v, want %v", y, x, err, want)
			}
			again := slices.Clone(x)
			if err := s.Project(again); err != nil || bits(again, x) != 0 {
				t.Errorf("%v is moved again, to %v, %v", x, again, err)
			}
			if far := s.Excess(x); far > 1e-14 {
				t.Errorf("%v is outside by %v", x, far)
			}
		}
	}
	if x, err := Inner(plane, bounds, []ConvexCurve{ellipse(0.5, 0.5, 0.5, 0.5, 0.5)}, make([]float64, n)); !errors.Is(err, kedge.ErrInfeasible) {
		t.Errorf("nobody with Σu = 2 is within 0.5 of 0, but %v is found, %v", x, err)
	}
	if x, err := Inner(plane, Box{Upper: []float64{0, 0, 0, 0, 0}}, nil, make([]float64, n)); !errors.Is(err, kedge.ErrInfeasible) {
		t.Errorf("Σu = 2 below 0 is found, %v, %v", x, err)
	}
}

// Where the nearest point of a plane through 0 is a corner, the result is that corner to the bit. By hand.
func TestConvexEndsInCorners(t *testing.T) {
	plane, err := NewAffine([]float64{1, -1}, []float64{0})
	if err != nil {
		t.Fatal(err)
	}
	s := Convex{Bounds: Box{Lower: []float64{0, 0}, Upper: []float64{4, 4}}, Plane: plane, Inside: []float64{1, 1}}
	for _, c := range []struct{ u, want []float64 }{{[]float64{-3, -3}, []float64{0, 0}}, {[]float64{-3, 1}, []float64{0, 0}}, {[]float64{5, 9}, []float64{4, 4}}, {[]float64{0, 0}, []float64{0, 0}}} {
		x := slices.Clone(c.u)
		if err := s.Project(x); err != nil || !slices.Equal(x, c.want) {
			t.Errorf("%v is moved to %v, %v, want %v", c.u, x, err, c.want)
		}
	}
}

// From far away an entry may come so near a bound that it is taken for one that is on it; a point that would leave the plane by that is left as it is.
func TestConvexFromFarAwayStaysOnItsPlane(t *testing.T) {
	const n = 5
	plane, err := NewAffine(slices.Repeat([]float64{1}, n), []float64{2})
	if err != nil {
		t.Fatal(err)
	}
	s := Convex{Bounds: Box{Lower: make([]float64, n)}, Inside: slices.Repeat([]float64{0.4}, n), Plane: plane}
	for k := range 40 {
		x := normals(n, 1e6, string(rune('a'+k)))
		if err := s.Project(x); err != nil || math.Abs(rows.Sum(x)-2) > 1e-12 || slices.Min(x) < 0 {
			t.Errorf("%d: %v, whose sum is off by %v, %v", k, x, rows.Sum(x)-2, err)
		}
	}
}

// Who is inside already stays.
func TestInnerOfInside(t *testing.T) {
	start := []float64{0.3, -0.4}
	x, err := Inner(nil, Box{Lower: []float64{-5, -5}, Upper: []float64{5, 5}}, []ConvexCurve{ellipse(1, 2)}, start)
	if err != nil || !slices.Equal(x, start) {
		t.Errorf("%v, %v", x, err)
	}
}

// Nearest points and points inside of curved sets are to the last bit what they were when this was recorded; other tests say that they are right. Sums are those of one kind of processor.
func TestCurvedSetsAreAsRecorded(t *testing.T) {
	plane, err := NewAffine([]float64{1, 2, -1}, []float64{0.5})
	if err != nil {
		t.Fatal(err)
	}
	off := curve(func(g, h, u []float64) float64 {
		return ellipse(0.5, 1, 2)(g, h, []float64{u[0] - 1, u[1] - 0.5, u[2]})
	})
	var got []string
	for k, s := range []Convex{
		{Curves: []ConvexCurve{ellipse(1, 2, 3)}, Inside: []float64{0.1, 0, 0}}, {Curves: []ConvexCurve{ellipse(1, 2, 3), off}, Bounds: Box{Lower: []float64{-0.5, -0.5, -0.5}, Upper: []float64{0.9, 0.4, 2}}},
		{Curves: []ConvexCurve{ellipse(1, 2, 3)}, Plane: plane}, {Curves: []ConvexCurve{off}, Plane: plane, Bounds: Box{Lower: []float64{0, 0, 0}}}, {Bounds: Box{Upper: []float64{1, 1, 1}}, Plane: plane, Inside: []float64{0.5, 0, 0}},
	} {
		if s.Inside == nil {
			if s.Inside, err = Inner(s.Plane, s.Bounds, s.Curves, []float64{4, -3, 2}); err != nil {
				t.Fatal(k, err)
			}
			got = append(got, fmt.Sprintf("%d inside %v", k, s.Inside))
		}
		for _, u := range [][]float64{{3, 1, 2}, {-1, 0.2, 40}, {1e6, -1e6, 5}, {0.2, 0.1, -0.1}} {
			x := slices.Clone(u)
			err := s.Project(x)
			got = append(got, fmt.Sprintf("%d of %v: %v %v", k, u, x, err))
		}
	}
	evidence.AsRecorded(t, "testdata/curved.txt", got)
}

// A unit that is a power of two changes no digit of a nearest point: whatever is small or large is so beside the distance. The disc is looked at from near its rim, and from far away.
func TestConvexHasNoUnit(t *testing.T) {
	in := func(unit float64, x ...float64) []float64 {
		rows.Scale(x, unit)
		return x
	}
	for name, s := range map[string]func(unit float64) Convex{
		"between bounds": func(unit float64) Convex {
			return Convex{Bounds: Box{Lower: in(unit, -0.5, -9, -1), Upper: in(unit, 2, 1, 9)}, Curves: []ConvexCurve{ellipse(in(unit, 1, 3, 0.5)...)}, Inside: in(unit, 0.1, -0.2, 0.05)}
		},
		"a disc": func(unit float64) Convex {
			plane, err := NewAffine([]float64{1, 2, -1}, []float64{0.5 * unit})
			if err != nil {
				t.Fatal(err)
			}
			return Convex{Curves: []ConvexCurve{ellipse(in(unit, 3, 3, 3)...)}, Plane: plane, Inside: in(unit, 0, 1.5, 2.5)}
		},
	} {
		for k := range 10 {
			y := normals(3, []float64{4, 100}[k%2], string(rune('a'+k)))
			want := slices.Clone(y)
			if err := s(1).Project(want); err != nil {
				t.Fatal(name, y, err)
			}
			for _, unit := range []float64{0x1p-30, 0x1p-8, 0x1p8, 0x1p30} {
				x := in(unit, slices.Clone(y)...)
				err := s(unit).Project(x)
				if rows.Scale(x, 1/unit); err != nil || bits(x, want) != 0 {
					t.Errorf("%s: %v in a unit of %v: %v, %v, want %v", name, y, unit, x, err, want)
				}
			}
		}
	}
}
