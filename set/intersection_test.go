package set

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// TestIntersectionCorners has projections with closed forms.
func TestIntersectionCorners(t *testing.T) {
	right := HalfSpace{Normal: []float64{1, 0}, Bound: 0.5}
	steep := HalfSpace{Normal: []float64{0.1, 1}, Bound: 0}
	for _, c := range []struct {
		name    string
		of      []kedge.Set
		y, want []float64
	}{
		{"nothing", nil, []float64{3, 4}, []float64{3, 4}},
		{"one set", []kedge.Set{Ball{Radius: 1}}, []float64{3, 4}, []float64{0.6, 0.8}},
		{"a ball cut off", []kedge.Set{right, Ball{Radius: 1}}, []float64{2, 2}, []float64{0.5, math.Sqrt(0.75)}},
		{"two half-spaces", []kedge.Set{right, steep}, []float64{10, 20}, []float64{0.5, -0.05}},
		{"only one matters", []kedge.Set{right, Ball{Radius: 9}}, []float64{2, 2}, []float64{0.5, 2}},
		{"crossing lines", []kedge.Set{line(1, 1), line(1, 0.5)}, []float64{5, 3}, []float64{0, 0}},
		{"one common point", []kedge.Set{Ball{Radius: 1}, Interval{1, 2}}, []float64{7}, []float64{1}},
	} {
		x := slices.Clone(c.y)
		if err := (Intersection{Of: c.of}).Project(x); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if far := rows.Distance(x, c.want); !(far <= 1e-11*rows.Norm(c.y)) {
			t.Errorf("%s: got %v, want %v", c.name, x, c.want)
		}
	}
}

func line(a, b float64) kedge.Set {
	s, err := NewAffine([]float64{a, b}, []float64{0})
	if err != nil {
		panic(err)
	}
	return s
}

// TestIntersectionIsCapped puts the capped simplex together from a plane and a box, which is an independent way to the
// same projection, and asks for what an intersection promises at any scale of u.
func TestIntersectionIsCapped(t *testing.T) {
	const n = 20
	want := CappedSimplex{Sum: 7, Upper: 0.7}
	plane, err := NewAffine(slices.Repeat([]float64{1}, n), []float64{want.Sum})
	if err != nil {
		t.Fatal(err)
	}
	box := Interval{0, want.Upper}
	set := Intersection{Of: []kedge.Set{plane, box}}
	for _, scale := range []float64{0.01, 1, 10, 1e3} {
		x, exact := normals(n, scale, "point"), normals(n, scale, "point")
		if err := errors.Join(set.Project(x), want.Project(exact)); err != nil {
			t.Fatal(err)
		}
		if far := rows.Distance(x, exact); far > 1e-10*max(1, scale) {
			t.Errorf("scale %v: the two differ by %v", scale, far)
		}
		if ratio, _ := missesBox(box, x); ratio != barNever {
			t.Errorf("scale %v: the last member is missed in %v entries", scale, ratio)
		}
		if far, err := Distance(plane, x); err != nil || far > 1e-12*rows.MaxAbs(x) {
			t.Errorf("scale %v: the plane is missed by %v, %v", scale, far, err)
		}
		again := slices.Clone(x)
		if err := set.Project(again); err != nil || bits(x, again) != 0 {
			t.Errorf("scale %v: projecting twice changed %v entries, %v", scale, bits(x, again), err)
		}
	}
}

// TestIntersectionStalls starts so far off that the point stands still at the corner (1, 1) for about ninety rounds, until
// what the square took off is used up, and only then moves on.
func TestIntersectionStalls(t *testing.T) {
	budget, err := NewAffine([]float64{1, 1}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{100, 90}
	if err := (Intersection{Of: []kedge.Set{budget, Interval{0, 1}}}).Project(x); err != nil {
		t.Fatal(err)
	}
	if far := rows.Distance(x, []float64{1, 0}); far > 1e-10 {
		t.Errorf("stopped at %v, want (1, 0)", x)
	}
}

// TestIntersectionEmpty: sets without a common point, and a step limit, are an error that leaves u alone.
func TestIntersectionEmpty(t *testing.T) {
	var stopped *kedge.NotConvergedError
	for _, s := range []Intersection{
		{Of: []kedge.Set{Interval{0, 1}, Interval{2, 3}}},
		{Of: []kedge.Set{Simplex{1}, Interval{0, 0.1}}},
		{Of: []kedge.Set{line(1, 1), line(1, 1.01)}, MaxSteps: 5},
	} {
		u := []float64{3, -4}
		if err := s.Project(u); !errors.As(err, &stopped) || bits(u, []float64{3, -4}) != 0 {
			t.Errorf("%v: %v, u is %v", s, err, u)
		}
	}
	if stopped.Steps != 5 || !(stopped.Residual > stopped.Tolerance) {
		t.Errorf("the last error is %v", stopped)
	}
}

// tired refuses after a number of projections, and spoils u as a careless set might before.
type tired struct{ left int }

func (s *tired) Project(u []float64) error {
	if s.left--; s.left < 0 {
		return errors.ErrUnsupported
	}
	u[0]++
	return nil
}

// TestFailingMember: whatever a member does before it fails, u is restored.
func TestFailingMember(t *testing.T) {
	u := []float64{1, 2, 3}
	for left := range 4 {
		for _, s := range []kedge.Set{
			Intersection{Of: []kedge.Set{Ball{Radius: 1}, &tired{left}}},
			Product{Parts: []Part{{1, Interval{0, 0.5}}, {1, &tired{left}}, {1, &tired{0}}}},
		} {
			if err := s.Project(u); !errors.Is(err, errors.ErrUnsupported) || bits(u, []float64{1, 2, 3}) != 0 {
				t.Errorf("%T after %d: %v, u is %v", s, left, err, u)
			}
		}
	}
}
