package set

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// counted lists the whole points between −5 and 5 for which allowed holds.
func counted(n int, allowed func(u []float64) bool) (list [][]float64) {
	for k := range int(math.Pow(11, float64(n))) {
		u := make([]float64, n)
		for i := range u {
			u[i] = float64(k%11 - 5)
			k /= 11
		}
		if allowed(u) {
			list = append(list, u)
		}
	}
	return list
}

// A lattice projects to the nearest of its points, all of which are looked at; as near, to the lower number.
func TestLatticeIsTheNearestPoint(t *testing.T) {
	l := Lattice{Lower: []float64{-2.5, 0, -1.2}, Upper: []float64{2, 3.9, 1.7}, Whole: []bool{true, true, false}}
	points := counted(2, func(u []float64) bool { return u[0] >= -2 && u[0] <= 2 && u[1] >= 0 && u[1] <= 3 })
	for k := range 200 {
		u := normals(3, 4, string(rune('a'+k)))
		if k%4 == 0 {
			u[0] = math.Trunc(u[0]) + 0.5
		}
		got := slices.Clone(u)
		if err := l.Project(got); err != nil {
			t.Fatal(err)
		}
		want, least := []float64(nil), math.Inf(1)
		slices.SortFunc(points, slices.Compare)
		for _, p := range points {
			if far := rows.Distance(u[:2], p); far < least-1e-12 {
				want, least = p, far
			}
		}
		if !slices.Equal(got[:2], want) || got[2] != min(max(u[2], -1.2), 1.7) {
			t.Errorf("%v is moved to %v, want %v", u, got, want)
		}
		again := slices.Clone(got)
		if err := l.Project(again); err != nil || bits(again, got) != 0 {
			t.Errorf("%v is moved again, to %v", got, again)
		}
	}
	if far, sure, err := Farthest(l, 3); err != nil || !sure || far < math.Sqrt(4+9+1.7*1.7) {
		t.Errorf("the farthest point is %v away, %v", far, err)
	}
}

func TestFiniteIsTheNearestPoint(t *testing.T) {
	f := Finite{Points: [][]float64{{1, 0}, {-1, 0}, {0, 3}}}
	for _, c := range []struct{ u, want []float64 }{{[]float64{0, 0}, []float64{1, 0}}, {[]float64{-0.1, 0}, []float64{-1, 0}}, {[]float64{9, 9}, []float64{0, 3}}, {[]float64{0, 3}, []float64{0, 3}}} {
		u := slices.Clone(c.u)
		if err := f.Project(u); err != nil || !slices.Equal(u, c.want) {
			t.Errorf("%v is moved to %v, %v, want %v", c.u, u, err, c.want)
		}
	}
	if b := f.Relaxed().(Box); !slices.Equal(b.Lower, []float64{-1, 0}) || !slices.Equal(b.Upper, []float64{1, 3}) {
		t.Errorf("the box around the points is %v", b)
	}
	if far, sure, err := Farthest(f, 2); far != 3 || !sure || err != nil {
		t.Errorf("the farthest point is %v away", far)
	}
}

// The whole points of a set are those that satisfy its inequalities.
func TestWholePointsAreCountedOut(t *testing.T) {
	sum := func(u []float64) float64 { return rows.Sum(u) }
	for _, c := range []struct {
		set  kedge.Set
		want func(u []float64) bool
	}{
		{Simplex{Sum: 4}, func(u []float64) bool { return sum(u) == 4 && slices.Min(u) >= 0 }},
		{CappedSimplex{Sum: 4, Upper: 2}, func(u []float64) bool { return sum(u) == 4 && slices.Min(u) >= 0 && slices.Max(u) <= 2 }},
		{Ball{Radius: 3}, func(u []float64) bool { return rows.Dot(u, u) <= 9 }},
		{L1Ball{Radius: 3, Center: []float64{1, 0, 0}}, func(u []float64) bool { return math.Abs(u[0]-1)+math.Abs(u[1])+math.Abs(u[2]) <= 3 }},
		{Intersection{Of: []kedge.Set{HalfSpace{Normal: []float64{1, 2, 3}, Bound: 5}, Interval{-2, 3}}}, func(u []float64) bool {
			return u[0]+2*u[1]+3*u[2] <= 5 && slices.Min(u) >= -2 && slices.Max(u) <= 3
		}},
	} {
		got, err := Wholes(c.set, 3, 100_000)
		want := counted(3, c.want)
		slices.SortFunc(want, slices.Compare)
		if err != nil || !slices.EqualFunc(got.Points, want, slices.Equal[[]float64]) {
			t.Errorf("%T: %d points, %v, want %d", c.set, len(got.Points), err, len(want))
		}
	}
	if _, err := Wholes(Interval{0.2, 0.8}, 2, 10); !errors.Is(err, kedge.ErrInfeasible) {
		t.Errorf("without a whole number: %v", err)
	}
	for _, s := range []kedge.Set{Whole{}, Ball{Radius: 1e5}} {
		if _, err := Wholes(s, 2, 1000); !isTyped(err) {
			t.Errorf("%T: %v", s, err)
		}
	}
}
