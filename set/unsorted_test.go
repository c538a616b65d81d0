package set

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// twins projects y in both ways, checks that they agree and that a refusal changes nothing, and tells whether unsorted could.
func twins(t *testing.T, s CappedSimplex, y []float64) bool {
	t.Helper()
	want, got := slices.Clone(y), slices.Clone(y)
	err := s.sorted(want)
	could := s.unsorted(got)
	switch {
	case !could && bits(got, y) != 0:
		t.Fatalf("%v refuses %v and makes it %v", s, y, got)
	case could && (err != nil || bits(got, want) != 0):
		t.Fatalf("%v of %v: unsorted %v, sorted %v, %v", s, y, got, want, err)
	}
	return could
}

// Source: the sorted twin, over all sizes, scales and kinds of input.
func TestUnsortedIsSorted(t *testing.T) {
	for _, s := range simplices() {
		cases, could := 0, 0
		grid(s, func(c *sample) {
			cases++
			if twins(t, asCapped(c.set), c.y) {
				could++
			}
		})
		t.Logf("%s: %d of %d unsorted", s.name, could, cases)
	}
}

// A vector that misses the sum by the bar below which it needs no sorting, and by the numbers beside the bar, is left as it is either way.
func TestUnsortedAtTheBar(t *testing.T) {
	for _, s := range []CappedSimplex{{1, math.Inf(1)}, {1, 1}, {0x1p100, math.Inf(1)}, {3, 2}} {
		bar := 0.99 * s.tolerance(4)
		for _, miss := range []float64{math.Nextafter(bar, 0), bar, math.Nextafter(bar, 1e300)} {
			y := []float64{s.Sum / 2, 0, s.Sum / 2, miss}
			if could := twins(t, s, y); could != (miss <= bar) || s.residual(y) != -miss {
				t.Errorf("%v of %v misses the sum by %v: unsorted %v", s, y, s.residual(y), could)
			}
			if err := s.Project(y); err != nil || y[3] != miss {
				t.Errorf("%v moves a point that misses it by %v: %v, %v", s, miss, y, err)
			}
		}
	}
}

// What is no set or no vector is refused, however harmless the rest of it.
func TestUnsortedRefuses(t *testing.T) {
	r := stream.New(1, "refused")
	nan, inf := math.NaN(), math.Inf(1)
	for range 1000 {
		s, y := distant(r, 20)
		for _, wrong := range []CappedSimplex{{nan, 5}, {-50, 5}, {inf, inf}, {50, nan}, {50, -5}, {50, -inf}, {101, 5}, {50, 0}} {
			if twins(t, wrong, y) {
				t.Fatalf("accepts the set %v", wrong)
			}
		}
		for _, bad := range []float64{nan, inf, -inf} {
			y[r.Intn(20)] = bad
			if twins(t, s, y) {
				t.Fatalf("accepts the vector %v", y)
			}
		}
	}
}

// hazard is a way to make problems that rounding could decide.
type hazard struct {
	name  string
	make  func(r *stream.Stream, n int) (CappedSimplex, []float64)
	share float64 // how many of them need no sorting, at least
}

func hazards() []hazard {
	return []hazard{
		{"a step from the set", stepped, 0.95},
		{"far from the set", distant, 0.95},
		{"entries at breaks", broken, 0},
		{"denormal numbers", denormals, 0},
		{"entries of all sizes", scattered, 0},
		{"wild numbers", wildly, 0},
	}
}

// Source: the sorted twin, where rounding could make a difference.
func TestUnsortedAgainstHazards(t *testing.T) {
	cases := 20_000
	if testing.Short() {
		cases = 1500
	}
	for _, h := range hazards() {
		r := stream.New(1, "hazard", h.name)
		could := 0
		for range cases {
			if s, y := h.make(r, 2+r.Intn(30)); twins(t, s, y) {
				could++
			}
		}
		t.Logf("%s: %d of %d unsorted", h.name, could, cases)
		if float64(could) < h.share*float64(cases) {
			t.Errorf("%s: %d of %d unsorted, want %.0f %%", h.name, could, cases, 100*h.share)
		}
	}
}

// stepped is a feasible point and a small step from it.
func stepped(r *stream.Stream, n int) (CappedSimplex, []float64) {
	s, y := distant(r, n)
	if err := s.sorted(y); err != nil {
		panic(err)
	}
	for i := range y {
		y[i] += 0.1 * r.Normal()
	}
	return s, y
}

// distant is a point of which some entries end at 0 and, if there is one, at the cap.
func distant(r *stream.Stream, n int) (CappedSimplex, []float64) {
	s := CappedSimplex{Sum: 2.5 * float64(n), Upper: []float64{5, math.Inf(1)}[r.Intn(2)]}
	y := make([]float64, n)
	for i := range y {
		y[i] = 5 * r.Normal()
	}
	return s, y
}

// broken has many entries at a break or a few units in some late place from it.
func broken(r *stream.Stream, n int) (CappedSimplex, []float64) {
	s := CappedSimplex{Upper: 1 + r.Float64()}
	t, spread := math.Ldexp(r.Normal(), r.Intn(8)-4), -40-r.Intn(18)
	y := make([]float64, n)
	for i := range y {
		x := []float64{0, s.Upper, s.Upper * r.Float64()}[r.Intn(3)]
		s.Sum += x
		y[i] = t + x + math.Ldexp(float64(r.Intn(9)-4), spread)
		switch {
		case x == 0 && r.Intn(2) == 0:
			y[i] -= 10 * r.Float64()
		case x == s.Upper && r.Intn(2) == 0:
			y[i] += 10 * r.Float64()
		}
	}
	return s, y
}

// denormals are a few of the smallest numbers off a feasible point.
func denormals(r *stream.Stream, n int) (CappedSimplex, []float64) {
	y := make([]float64, n)
	total := float64(r.Intn(9) - 4)
	for i := range y {
		y[i] = float64(r.Intn(2000))
		total += y[i]
	}
	rows.Scale(y, 0x1p-1074)
	return CappedSimplex{Sum: max(total, 0) * 0x1p-1074, Upper: 2000 * 0x1p-1074}, y
}

// scattered has a sum half-way between two numbers but for entries so small that compensated sums lose them in some orders.
func scattered(r *stream.Stream, n int) (CappedSimplex, []float64) {
	y := make([]float64, n)
	for i := range y {
		size := []int{0, 50, 99 + r.Intn(6)}[r.Intn(3)]
		y[i] = math.Ldexp(1, -size)
	}
	return CappedSimplex{Sum: 2 * float64(n), Upper: 5}, y
}

func wildly(r *stream.Stream, n int) (CappedSimplex, []float64) {
	y := make([]float64, n)
	fillWild(y, r)
	total := math.Abs(wild(r))
	return CappedSimplex{Sum: total, Upper: total / float64(1+r.Intn(n)) * (1 + r.Float64())}, y
}

// choices returns prices of the choice case: points of the set and small steps from them.
func choices(upper float64) (s CappedSimplex, points [][]float64) {
	r := stream.New(1, "choices")
	s = CappedSimplex{Sum: 250, Upper: upper}
	for range 1000 {
		y := make([]float64, 100)
		for i := range y {
			y[i] = 2.5 + 0.8*r.Normal()
		}
		if err := s.sorted(y); err != nil {
			panic(err)
		}
		for i := range y {
			y[i] += 0.05 * r.Normal()
		}
		points = append(points, y)
	}
	return s, points
}

// BenchmarkChoice is a turn of the choice case, by both twins.
func BenchmarkChoice(b *testing.B) {
	for _, upper := range []float64{5, math.Inf(1)} {
		s, points := choices(upper)
		for _, way := range []struct {
			name    string
			project func([]float64) error
		}{{"Project", s.Project}, {"sorted", s.sorted}} {
			b.Run(fmt.Sprintf("%s/upper=%v", way.name, upper), func(b *testing.B) {
				u := make([]float64, 100)
				b.ReportAllocs()
				for k := 0; b.Loop(); k++ {
					copy(u, points[k%len(points)])
					if err := way.project(u); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// By hand, where nothing is in doubt: what sorting would find is found without it.
func TestTheQuickWayIsTaken(t *testing.T) {
	for _, x := range []struct {
		name    string
		set     CappedSimplex
		u, want []float64
	}{
		{"all free", CappedSimplex{Sum: 4, Upper: 3}, []float64{3, 2.5, 1.5, 2}, []float64{1.75, 1.25, 0.25, 0.75}}, {"one at the top, one at 0", CappedSimplex{Sum: 4, Upper: 2}, []float64{5, 2.5, 1.5, -2}, []float64{2, 1.5, 0.5, 0}},
		{"two at the top", CappedSimplex{Sum: 5, Upper: 2}, []float64{5, 4.75, 3, 2.75}, []float64{2, 2, 0.625, 0.375}}, {"no top", CappedSimplex{Sum: 1, Upper: 9}, []float64{1.5, 1, -3}, []float64{0.75, 0.25, 0}},
		{"some below 0", CappedSimplex{Sum: 4, Upper: 3}, []float64{-1, 0, 0.5, -0.5}, []float64{0.25, 1.25, 1.75, 0.75}}, {"from below, one at the top", CappedSimplex{Sum: 6, Upper: 3}, []float64{2.5, 0, 0, 0}, []float64{3, 1, 1, 1}},
		{"there already", CappedSimplex{Sum: 3, Upper: 2}, []float64{0.5, 1.5, 1}, []float64{0.5, 1.5, 1}},
	} {
		if quick := x.set.unsorted(x.u); !quick || !slices.Equal(x.u, x.want) {
			t.Errorf("%s: %v, quickly %v, want %v", x.name, x.u, quick, x.want)
		}
	}
}
