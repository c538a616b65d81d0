package set

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

func TestSimplexSpecialCases(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		name    string
		set     kedge.Set
		y, want []float64
	}{
		{"sum 0", CappedSimplex{0, 5}, []float64{3, -1, 0}, []float64{0, 0, 0}},
		{"upper 0", CappedSimplex{0, 0}, []float64{3, -1, 1e-300}, []float64{0, 0, 0}},
		{"all at the cap", CappedSimplex{15, 5}, []float64{-1, 0, 9}, []float64{5, 5, 5}},
		{"all at a cap that rounds", CappedSimplex{7, 0.7}, make([]float64, 10), slices.Repeat([]float64{0.7}, 10)},
		{"no entries", CappedSimplex{0, 1}, nil, nil},
		{"one entry", CappedSimplex{0.3, 1}, []float64{-1e150}, []float64{0.3}},
		{"one entry at its cap", CappedSimplex{0.3, 0.3}, []float64{1e150}, []float64{0.3}},
		{"one vertex", Simplex{1}, []float64{1e150, 0, 1e149}, []float64{1, 0, 0}},
		{"far below", Simplex{1}, []float64{-1e150, -1e150}, []float64{0.5, 0.5}},
		{"ties at the threshold", Simplex{2}, []float64{3, 1, 1, 1}, []float64{2, 0, 0, 0}},
		{"a flat piece", CappedSimplex{2, 1}, []float64{5, 5, 1, 1}, []float64{1, 1, 0, 0}},
		{"a cap far above the rest", CappedSimplex{2, 1}, []float64{1e16, 0.75, 0.5, -7}, []float64{1, 0.625, 0.375, 0}},
		{"no cap", CappedSimplex{6, inf}, []float64{1, 2, 3}, []float64{1, 2, 3}},
		{"no cap, moved", CappedSimplex{3, inf}, []float64{1, 2, 3}, []float64{0, 1, 2}},
	} {
		x := slices.Clone(c.y)
		if err := c.set.Project(x); err != nil || bits(x, c.want) != 0 {
			t.Errorf("%s: got %v, %v, want %v", c.name, x, err, c.want)
		}
	}
}

// TestSimplexNearCap has entries whose projections lie so near the cap that their sum of differences rounds above it.
func TestSimplexNearCap(t *testing.T) {
	for _, c := range []struct {
		set CappedSimplex
		y   []float64
	}{
		{CappedSimplex{2.305578790094073, 0.8202427095305082}, []float64{0.42014248869192045, 0.38084396730713244, 0.30429167157925696}},
		{CappedSimplex{3.3710643102016555, 0.9868921718058273},
			[]float64{1.9737818800265494, 0.41038533119906834, 0.9868897082207219, 0.9868897082207218}},
	} {
		x := slices.Clone(c.y)
		if err := c.set.Project(x); err != nil {
			t.Fatal(err)
		}
		if ratio, bar := missesSimplex(c.set, x); ratio > bar {
			t.Errorf("%v of %v gives %v: ratio %v", c.set, c.y, x, ratio)
		}
	}
}

// TestZeroKeepsItsSign: −0 is feasible where 0 is, and a feasible point is returned as it came.
func TestZeroKeepsItsSign(t *testing.T) {
	for _, set := range []kedge.Set{Interval{0, 1}, Interval{-1, 0}, Box{Lower: []float64{0, 0}}, Simplex{1}, Ball{Radius: 1}} {
		u := []float64{math.Copysign(0, -1), 1}
		if _, ok := set.(Interval); ok {
			u[1] = 0
		}
		before := slices.Clone(u)
		if err := set.Project(u); err != nil || bits(u, before) != 0 {
			t.Errorf("%T%v: %v became %v, %v", set, set, before, u, err)
		}
	}
}

func TestSimplexEmpty(t *testing.T) {
	for _, c := range []struct {
		name string
		set  kedge.Set
		n    int
	}{
		{"sum above n times upper", CappedSimplex{10.1, 1}, 10},
		{"upper 0", CappedSimplex{1, 0}, 10},
		{"no entries", Simplex{1}, 0},
	} {
		u := normals(c.n, 1, "empty")
		before := slices.Clone(u)
		if err := c.set.Project(u); !errors.Is(err, kedge.ErrInfeasible) || bits(u, before) != 0 {
			t.Errorf("%s: %v, u changed by %v", c.name, err, bits(u, before))
		}
	}
}

// TestSimplexIsCapped: an infinite cap, and one above the sum, change nothing.
func TestSimplexIsCapped(t *testing.T) {
	for _, set := range []kedge.Set{CappedSimplex{1, math.Inf(1)}, CappedSimplex{1, 1}, CappedSimplex{1, 1e300}} {
		x, y := normals(50, 1, "simplex"), normals(50, 1, "simplex")
		if err := errors.Join(set.Project(x), Simplex{1}.Project(y)); err != nil || bits(x, y) != 0 {
			t.Errorf("%v differs from the simplex in %v entries, %v", set, bits(x, y), err)
		}
	}
}

// TestWildNumbers draws numbers and sets from all bit patterns, from the ends of the range and from near ties.
func TestWildNumbers(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "projections-wild", Text: "the same of numbers from all bit patterns, the ends of the range and near ties"})
	b := newBoard(t)
	r := stream.New(1, "wild")
	for range 4_000 {
		n := 1 + r.Intn(8)
		c := &sample{subject: subject{name: "wild"}, n: n, y: make([]float64, n)}
		fillWild(c.y, r)
		checkWildSimplex(b, c, CappedSimplex{Sum: math.Abs(wild(r)), Upper: math.Abs(wild(r))})
		checkWildSimplex(b, c, Simplex{Sum: math.Abs(wild(r))}.capped())
		total := math.Abs(wild(r))
		checkWildSimplex(b, c, CappedSimplex{Sum: total, Upper: total / float64(1+r.Intn(n)) * (1 + r.Float64())})
		checkWildBall(b, c, r)
		checkWildHalfSpace(b, c, r)
	}
	b.tell(row)
}

func checkWildSimplex(b *board, c *sample, set CappedSimplex) {
	if set.Check(c.n) != nil || set.top() == 0 {
		return
	}
	c.set = set
	x := c.project(c.y)
	ratio, _ := missesSimplex(set, x)
	b.put("simplex feasible", ratio, barDenormal, c)
	checkIdempotent(b, c, x)
	checkPermuted(b, c, x)
	checkForward(b, c, x)
}

func checkWildBall(b *board, c *sample, r *stream.Stream) {
	ball := Ball{Radius: math.Abs(wild(r))}
	if r.Intn(2) == 0 {
		ball.Center = make([]float64, c.n)
		fillWild(ball.Center, r)
	}
	c.set = ball
	x := c.project(c.y)
	ratio, bar := missesBall(ball, x)
	b.put("ball feasible", ratio, bar, c)
	checkIdempotent(b, c, x)
	switch was := overRadius(ball, c.y); {
	case was < 0:
		b.put("ball inside, changed", bits(x, c.y), barNever, c)
	case was > 0 && ball.Center == nil && ball.Radius > 1e-290:
		b.put("ball short of its edge", 1-rows.Norm(x)/ball.Radius, 1e-13, c)
	}
}

// overRadius tells whether y is outside the ball (1) or inside it (−1); 0 if it is too close to the edge for that. Source: exact squares.
func overRadius(b Ball, y []float64) int {
	square := bigOf(b.Radius).mul(bigOf(b.Radius))
	over := bigOf(0).sub(square)
	for i, v := range y {
		gap := bigOf(v).sub(bigOf(b.center(i)))
		over = over.add(gap.mul(gap))
	}
	if size := bigOf(0); size.Abs(&over.Float).Cmp(&square.mul(bigOf(1e-13)).Float) <= 0 {
		return 0
	}
	return over.Sign()
}

// checkWildHalfSpace lets a refusal pass if it is one: what overflows is not projected.
func checkWildHalfSpace(b *board, c *sample, r *stream.Stream) {
	h := HalfSpace{Normal: make([]float64, c.n), Bound: wild(r)}
	fillWild(h.Normal, r)
	x := slices.Clone(c.y)
	if err := h.Project(x); err != nil {
		b.put("half-space refused, changed", bits(x, c.y), barNever, c)
		return
	}
	c.set = h
	ratio, bar := missesHalfSpace(h, x)
	b.put("half-space feasible", ratio, bar, c)
	checkIdempotent(b, c, x)
}

func fillWild(x []float64, r *stream.Stream) {
	for i := range x {
		x[i] = wild(r)
	}
	if base := wild(r); r.Intn(3) == 0 && math.Abs(base) < 1e300 {
		for i := range x {
			x[i] = base * (1 + float64(r.Intn(4))*1e-3)
		}
	}
}

func wild(r *stream.Stream) float64 {
	switch r.Intn(6) {
	case 0:
		return math.Ldexp(float64(r.Intn(7)-3), r.Intn(10)-1074)
	case 1:
		return float64(r.Intn(9) - 4)
	case 2:
		return r.Normal()
	case 3:
		return math.MaxFloat64 * (1 - float64(r.Intn(3))*2*unit) * float64(r.Intn(3)-1)
	case 4:
		return math.Ldexp(1+r.Float64()*1e-14, r.Intn(120)-60)
	}
	if x := math.Float64frombits(r.Uint64()); x-x == 0 {
		return x
	}
	return wild(r)
}
