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

// TestSlice projects on what boxes have in common with equations and half-spaces, from near and far, and asks for the conditions of Karush,
// Kuhn and Tucker: x in the box to the bit, on the plane to rounding, and u − x = θq but where a bound holds x back.
func TestSlice(t *testing.T) {
	r := stream.New(1, "slices")
	for i := range 2000 {
		n, scale := 1+r.Intn(30), math.Exp(20*r.Float64()-5)
		box, a, inside := Box{make([]float64, n), make([]float64, n)}, make([]float64, n), make([]float64, n)
		for j := range n {
			box.Lower[j] = 3 * r.Normal()
			box.Upper[j] = box.Lower[j] + 2*r.Float64()
			a[j] = float64(r.Intn(5)) - 1.5 + 0.1*r.Normal()
			inside[j] = box.Lower[j] + r.Float64()*(box.Upper[j]-box.Lower[j])
		}
		if i%3 == 0 {
			box.Upper = nil
		}
		b := rows.Dot(a, inside)
		plane, err := NewAffine(a, []float64{b})
		if err != nil {
			t.Fatal(err)
		}
		u := normals(n, scale, "point")
		x := slices.Clone(u)
		of := []kedge.Set{plane, box}
		half := i%5 == 0
		if half {
			of[0] = HalfSpace{Normal: a, Bound: b}
		}
		if i%2 == 0 {
			slices.Reverse(of)
		}
		if err := (Intersection{Of: of, MaxSteps: 1}).Project(x); err != nil {
			t.Fatalf("case %d: %v", i, err)
		}
		if clamped := slices.Clone(u); half && box.Project(clamped) == nil && rows.Dot(a, clamped) <= b {
			if !slices.Equal(x, clamped) {
				t.Errorf("case %d: %v, though the nearest point of the box is in the half-space", i, x)
			}
			continue
		}
		checkSlice(t, i, box, a, b, u, x)
	}
}

func checkSlice(t *testing.T, i int, box Box, a []float64, b float64, u, x []float64) {
	theta := math.NaN()
	for j := range x {
		lower, upper := box.bounds(j)
		if x[j] < lower || x[j] > upper {
			t.Errorf("case %d: entry %d is %v, outside [%v, %v]", i, j, x[j], lower, upper)
		}
		if lower < x[j] && x[j] < upper && a[j] != 0 {
			theta = (u[j] - x[j]) / a[j]
		}
	}
	if off := math.Abs(rows.Dot(a, x) - b); off > 1e-12*rows.Norm(a)*rows.MaxAbs(x) {
		t.Errorf("case %d: %v off the plane", i, off)
	}
	bar := 1e-11 * (rows.MaxAbs(u) + rows.MaxAbs(x))
	for j := range x {
		lower, upper := box.bounds(j)
		pull := u[j] - float64(theta*a[j]) - x[j] // what is left when the equation has had its way
		if !math.IsNaN(theta) && (pull > bar && x[j] < upper || pull < -bar && x[j] > lower) {
			t.Errorf("case %d: entry %d is pulled by %v but not held", i, j, pull)
		}
	}
}

// Prices between bounds with a given mean, from a decision far off: the projection that Dykstra's method takes too long for.
func TestSliceFromFarAway(t *testing.T) {
	mean, err := NewAffine(slices.Repeat([]float64{1. / 24}, 24), []float64{20})
	if err != nil {
		t.Fatal(err)
	}
	prices := Intersection{Of: []kedge.Set{mean, Interval{5, 40}}}
	x := normals(24, 1e6, "far")
	if err := prices.Project(x); err != nil {
		t.Fatal(err)
	}
	again := slices.Clone(x)
	if err := prices.Project(again); err != nil || !slices.Equal(again, x) {
		t.Errorf("projected again %v, %v; before %v", again, err, x)
	}
	empty := Intersection{Of: []kedge.Set{mean, Interval{21, 40}}}
	if err := empty.Project(x); !errors.Is(err, kedge.ErrInfeasible) || !slices.Equal(again, x) {
		t.Errorf("a mean below the least bound: %v", err)
	}
}

// By hand: where a plane or a half-space meets the unit square in its side at 1, that is where the first entry goes, at once; the second, of which they say nothing, stays where it is.
func TestSlicesAlongASide(t *testing.T) {
	plane, err := NewAffine([]float64{1, 0}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		of kedge.Set
		at float64
	}{{plane, 5}, {plane, -5}, {HalfSpace{Normal: []float64{-1, 0}, Bound: -1}, -5}} {
		x := []float64{c.at, 0.5}
		s := Intersection{Of: []kedge.Set{c.of, Box{Lower: []float64{0, 0}, Upper: []float64{1, 1}}}, MaxSteps: 1}
		if err := s.Project(x); err != nil || !slices.Equal(x, []float64{1, 0.5}) {
			t.Errorf("%v from %v: %v, %v", c.of, c.at, x, err)
		}
	}
}

// By hand: over a box qᵀx goes from the sum of its lower ends to that of its upper ones, where those of entries with a negative weight are swapped; a margin of 8n units of rounding of all that is added is beyond, so that
// nothing is empty by rounding. Where an end is missing it has none.
func TestReachesOfSlices(t *testing.T) {
	s, ok := sliceOf([]kedge.Set{Box{Lower: []float64{0.5, -1, 2}, Upper: []float64{3, 4, 2}}, HalfSpace{Normal: []float64{1, -2, 0}, Bound: 5}})
	if !ok {
		t.Fatal("no slice")
	}
	for _, c := range []struct{ theta, first, second float64 }{{1, 0.5, 4}, {7, 0.5, 4}, {-1, 3, -1}} {
		a, b := s.q[0]*c.first, s.q[1]*c.second
		margin := 8 * 0x1p-53 * 3 * (math.Abs(s.offset) + math.Abs(a) + math.Abs(b))
		if got := (a + b - s.reach(c.theta)) * math.Copysign(1, c.theta); !(got > 0.9*margin && got < 1.1*margin) {
			t.Errorf("towards %v it goes to %v, %v beyond %v, want %v", c.theta, s.reach(c.theta), got, a+b, margin)
		}
	}
	s, _ = sliceOf([]kedge.Set{Box{Lower: []float64{0, 0}}, HalfSpace{Normal: []float64{1, 1}, Bound: 5}})
	if !math.IsInf(s.reach(-1), 1) || math.IsInf(s.reach(1), 0) {
		t.Errorf("without upper ends it goes from %v to %v", s.reach(1), s.reach(-1))
	}
	s, _ = sliceOf([]kedge.Set{Box{Upper: []float64{0, 0}}, HalfSpace{Normal: []float64{1, 1}, Bound: 5}})
	if !math.IsInf(s.reach(1), -1) || math.IsInf(s.reach(-1), 0) {
		t.Errorf("without lower ends it goes from %v to %v", s.reach(1), s.reach(-1))
	}
}
