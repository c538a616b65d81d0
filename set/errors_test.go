package set

import (
	"errors"
	"math"
	"slices"
	"sync"
	"testing"

	"github.com/kedge-opt/kedge"
)

// everySet returns one valid set of three entries of every type.
func everySet() []kedge.Set {
	plane, err := NewAffine([]float64{1, 1, 1}, []float64{1})
	if err != nil {
		panic(err)
	}
	return []kedge.Set{
		Whole{}, Ball{Radius: 1}, Ball{Radius: 1, Center: []float64{1, 2, 3}}, L1Ball{Radius: 1}, L1Ball{Radius: 1, Center: []float64{1, 2, 3}}, Interval{0, 1},
		Box{Lower: []float64{0, 0, 0}}, Box{Upper: []float64{1, 1, 1}}, Simplex{1}, CappedSimplex{1, 0.5},
		HalfSpace{Normal: []float64{1, -1, 1}, Bound: 1}, plane, Product{[]Part{{2, Simplex{1}}, {1, Ball{Radius: 1}}}},
		Intersection{Of: []kedge.Set{Interval{0, 1}, plane}}, Lattice{}, Lattice{Lower: []float64{0, -1.5, 0}, Whole: []bool{true, true, false}},
		Finite{[][]float64{{1, 2, 3}, {0, 0, 0}}}, Convex{Curves: []ConvexCurve{ellipse(1, 2, 3)}, Inside: []float64{0, 0, 0.1}},
	}
}

// isTyped tells whether an error is one that a caller can tell from others.
func isTyped(err error) bool {
	var dim *kedge.DimError
	var finite *kedge.NotFiniteError
	var wrong *kedge.RangeError
	var stopped *kedge.NotConvergedError
	return errors.As(err, &dim) || errors.As(err, &finite) || errors.As(err, &wrong) || errors.As(err, &stopped) ||
		errors.Is(err, kedge.ErrInfeasible) || errors.Is(err, ErrMissing)
}

// TestHostileVectors: every set refuses what is no vector, and what it accepts it makes finite.
func TestHostileVectors(t *testing.T) {
	for _, s := range everySet() {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			for i := range 3 {
				u := []float64{1, -2, 3}
				u[i] = bad
				before := slices.Clone(u)
				var finite *kedge.NotFiniteError
				if err := s.Project(u); !errors.As(err, &finite) || finite.Index != i || bits(u, before) != 0 {
					t.Errorf("%T of %v: %v, u is %v", s, before, err, u)
				}
			}
		}
		for _, odd := range []float64{math.MaxFloat64, -math.MaxFloat64, 1e150, 5e-324, -5e-324, math.Copysign(0, -1)} {
			for _, u := range [][]float64{{odd, odd, odd}, {odd, 1, -1}, {1e-150, -odd, odd}} {
				before := slices.Clone(u)
				err := s.Project(u)
				if err == nil && kedge.CheckFinite("u", u) != nil || err != nil && (bits(u, before) != 0 || !isTyped(err)) {
					t.Errorf("%T of %v: %v, u is %v", s, before, err, u)
				}
			}
		}
	}
}

// TestWrongLengths: sets with a length of their own refuse another; those without take any.
func TestWrongLengths(t *testing.T) {
	for _, s := range everySet() {
		if err := Check(s, 3); err != nil {
			t.Errorf("%T: %v", s, err)
		}
		for _, n := range []int{0, 2, 4} {
			u := normals(n, 1, "length")
			before := slices.Clone(u)
			err := s.Project(u)
			if (err == nil) != (Check(s, n) == nil) {
				t.Errorf("%T of %d entries: Project says %v, Check says %v", s, n, err, Check(s, n))
			}
			if err != nil && (!isTyped(err) || bits(u, before) != 0) {
				t.Errorf("%T of %d entries: %v, u changed by %v", s, n, err, bits(u, before))
			}
		}
	}
}

// TestWrongSets: every mistake in a set is found, by Check and by Project.
func TestWrongSets(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, s := range []kedge.Set{
		Ball{Radius: -1}, Ball{Radius: nan}, Ball{Radius: inf}, Ball{Radius: 1, Center: []float64{0}},
		Ball{Radius: 1, Center: []float64{0, nan}}, L1Ball{Radius: -1}, L1Ball{Radius: inf}, L1Ball{Radius: 1, Center: []float64{0}}, Interval{1, 0}, Interval{nan, 0}, Interval{0, nan}, Interval{inf, inf},
		Interval{-inf, -inf}, Box{Lower: []float64{0}}, Box{Upper: []float64{}}, Box{Lower: []float64{0, nan}},
		Box{Lower: []float64{0, 2}, Upper: []float64{1, 1}}, Simplex{-1}, Simplex{nan}, Simplex{inf}, CappedSimplex{1, -1},
		CappedSimplex{1, nan}, CappedSimplex{3, 1}, HalfSpace{}, HalfSpace{Normal: []float64{1, nan}},
		HalfSpace{Normal: []float64{1, 1}, Bound: inf}, HalfSpace{Normal: []float64{0, 0}, Bound: -1},
		HalfSpace{Normal: []float64{0, 1e-200}, Bound: 1e200}, HalfSpace{Normal: []float64{0, 5e-324}}, &Affine{}, Product{},
		Product{[]Part{{1, Whole{}}}}, Product{[]Part{{2, nil}}}, Product{[]Part{{3, Whole{}}, {-1, Whole{}}}},
		Product{[]Part{{2, Simplex{-1}}}}, Intersection{Of: []kedge.Set{nil}}, Intersection{Of: []kedge.Set{Simplex{-1}}},
		Lattice{Lower: []float64{0}}, Lattice{Whole: []bool{true}}, Lattice{Lower: []float64{0.2, 0}, Upper: []float64{0.8, 1}},
		Lattice{Lower: []float64{nan, 0}}, Convex{}, Convex{Inside: []float64{1, 0}, Curves: []ConvexCurve{ellipse(1, 1)}},
		Convex{Inside: []float64{0, 0}, Bounds: Box{Lower: []float64{0, 0}}}, Finite{}, Finite{[][]float64{{1}}}, Finite{[][]float64{{1, 2}, {1, nan}}},
		Intersection{Tolerance: -1}, Intersection{Tolerance: nan}, Intersection{Tolerance: 1}, Intersection{MaxSteps: -1},
	} {
		u := []float64{3, 4}
		if err := s.Project(u); !isTyped(err) || bits(u, []float64{3, 4}) != 0 {
			t.Errorf("%T %v: %v, u is %v", s, s, err, u)
		}
		if err := Check(s, 2); !isTyped(err) {
			t.Errorf("%T %v passes Check", s, s)
		}
	}
	if err := Check(nil, 2); !errors.Is(err, ErrMissing) {
		t.Errorf("no set: %v", err)
	}
}

// TestDistance: a distance is that to the nearest point, and an error where there is none.
func TestDistance(t *testing.T) {
	u := []float64{3, 4}
	if far, err := Distance(Ball{Radius: 1}, u); far != 4 || err != nil || bits(u, []float64{3, 4}) != 0 {
		t.Errorf("distance %v, %v, u is %v", far, err, u)
	}
	if _, err := Distance(CappedSimplex{3, 1}, u); !errors.Is(err, kedge.ErrInfeasible) {
		t.Errorf("distance to an empty set: %v", err)
	}
}

func TestWrongEquations(t *testing.T) {
	for _, c := range []struct{ a, b []float64 }{
		{nil, nil}, {[]float64{1}, nil}, {[]float64{1, 2, 3}, []float64{1, 2}}, {[]float64{math.NaN()}, []float64{1}},
		{[]float64{1}, []float64{math.Inf(1)}}, {[]float64{1e-200}, []float64{1e200}},
	} {
		if s, err := NewAffine(c.a, c.b); s != nil || !isTyped(err) || errors.Is(err, kedge.ErrInfeasible) {
			t.Errorf("NewAffine(%v, %v) = %v, %v", c.a, c.b, s, err)
		}
	}
}

// TestAllMistakesAtOnce: a report names everything that is wrong.
func TestAllMistakesAtOnce(t *testing.T) {
	set := Product{[]Part{{2, CappedSimplex{-1, math.NaN()}}, {-3, nil}}}
	want := "part 0: Sum is -1, want a finite number ≥ 0\nUpper is NaN, want a number ≥ 0 or +Inf\n" +
		"part 1: Size is -3, want a number ≥ 0\nParts together has -1 entries, want 2\nu[1] is NaN, want a finite number"
	if err := set.Project([]float64{0, math.NaN()}); err == nil || err.Error() != want {
		t.Errorf("got:\n%v\nwant:\n%v", err, want)
	}
}

// TestConcurrentUse shares one value of every set.
func TestConcurrentUse(t *testing.T) {
	for _, s := range everySet() {
		want := []float64{3, -4, 5}
		if err := s.Project(want); err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 100 {
					u := []float64{3, -4, 5}
					if err := s.Project(u); err != nil || bits(u, want) != 0 {
						t.Errorf("%T: %v, %v, want %v", s, u, err, want)
						return
					}
				}
			})
		}
		all.Wait()
	}
}
