package set

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Simplex is {u ≥ 0 : Σuᵢ = Sum}.
type Simplex struct{ Sum float64 }

// CappedSimplex is {u : Σuᵢ = Sum, 0 ≤ uᵢ ≤ Upper}, the budget set of the recommender [he2025, gain and entropy]. Upper may
// be +Inf.
type CappedSimplex struct{ Sum, Upper float64 }

// Check tells whether n numbers ≥ 0 can add up to Sum.
func (s Simplex) Check(n int) error { return s.capped().Check(n) }

// Project moves u to the nearest point of the simplex, xᵢ = max(uᵢ − t, 0) with t such that Σxᵢ = Sum [held1974].
func (s Simplex) Project(u []float64) error { return s.capped().Project(u) }

func (s Simplex) capped() CappedSimplex { return CappedSimplex{Sum: s.Sum, Upper: math.Inf(1)} }

// Check tells whether n numbers between 0 and Upper can add up to Sum.
func (s CappedSimplex) Check(n int) error {
	err := errors.Join(checkSize("Sum", s.Sum), kedge.CheckRange("Upper", s.Upper, s.Upper >= 0, "a number ≥ 0 or +Inf"))
	if err == nil && s.Sum > float64(n)*s.top() {
		err = fmt.Errorf("sum %v is more than %d entries up to %v can add up to: %w", s.Sum, n, s.Upper, kedge.ErrInfeasible)
	}
	return err
}

// Project moves u to the nearest point of the set, xᵢ = min(max(uᵢ − t, 0), Upper) with t such that Σxᵢ = Sum.
//
// The sum as a function of t is piecewise linear with breaks at uᵢ and uᵢ − Upper [brucker1984]. Its piece at Sum gives the
// entries at 0 and at Upper. The smallest entry between follows from the sum, the others from their differences to it: so
// every error is a rounding of an xᵢ, small against Sum however large u is, and there is nothing left to correct.
//
// The piece is found by Newton's method. Where its answer is not beyond doubt, a binary search over the sorted entries finds
// it; both ways lead to the same bits.
func (s CappedSimplex) Project(u []float64) error {
	if s.unsorted(u) {
		return nil
	}
	return s.sorted(u)
}

// sorted is Project by sorting and nothing else.
func (s CappedSimplex) sorted(u []float64) error {
	if err := errors.Join(s.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	var room [onStack]float64
	v := append(room[:0], u...)
	slices.Sort(v) // one order for all sums, so that permuted entries give permuted results
	switch {
	case s.holds(v):
	case s.top() == 0:
		clear(u)
	default:
		newCut(v, s.Sum, s.top()).apply(u)
	}
	return nil
}

// holds tells whether the sorted vector v is feasible.
func (s CappedSimplex) holds(v []float64) bool {
	n := len(v)
	return n == 0 || v[0] >= 0 && v[n-1] <= s.top() && math.Abs(s.residual(v)) <= s.tolerance(n)
}

// cut is the map y ↦ min(max(y − t, 0), top) for the t that gives the wanted sum.
type cut struct {
	low, high float64 // below low all are 0, from high on all are top
	atLow     float64 // the value at low
	top       float64
}

// newCut finds the cut of the sorted vector v.
func newCut(v []float64, total, top float64) cut {
	n := len(v)
	first := sort.Search(n, func(i int) bool { return positiveAt(v, v[i], total, top) })
	full := first + sort.Search(n-first, func(i int) bool { return fullAt(v, v[first+i], total, top) })
	c := cut{low: v[first], high: math.Inf(1), top: top}
	if full < n {
		c.high = v[full]
	}
	if first < full {
		left := rows.Total{High: total}
		left = left.AddProduct(-float64(n-full), top)
		for _, y := range v[first:full] {
			left = left.Add(c.low - y)
		}
		c.atLow = clamp(left.Value()/float64(full-first), 0, top)
	}
	return c
}

// positiveAt tells whether an entry y ends above 0: whether t < y, that is Σ min(max(vᵢ − y, 0), top) < total.
func positiveAt(v []float64, y, total, top float64) bool {
	s := rows.Total{High: -total}
	for i := len(v) - 1; i >= 0 && v[i] > y; i-- {
		if s = s.Add(min(v[i]-y, top)); s.Value() >= 0 {
			return false
		}
	}
	return true
}

// fullAt tells whether an entry y ends at top: whether t ≤ y − top, that is Σ min(max(vᵢ − y + top, 0), top) ≤ total.
func fullAt(v []float64, y, total, top float64) bool {
	s := rows.Total{High: -total}
	for i := len(v) - 1; i >= 0 && y-v[i] < top; i-- {
		if s = s.Add(top - max(y-v[i], 0)); s.Value() > 0 {
			return false
		}
	}
	return true
}

func (c cut) apply(x []float64) {
	for i, y := range x {
		switch {
		case y < c.low:
			x[i] = 0
		case y >= c.high:
			x[i] = c.top
		default:
			x[i] = min((y-c.low)+c.atLow, c.top)
		}
	}
}

// unsorted does what sorted does, to the same bits, in a few passes over u in its own order. It tells whether it could: what
// rounding might decide, such as an entry at a break, and what is no vector or no set, it leaves to sorted as it came.
func (s CappedSimplex) unsorted(u []float64) bool {
	n, top := float64(len(u)), s.top()
	// Beyond these sums the bars below would underflow or overflow.
	if !(s.Sum >= 0x1p-900 && s.Sum <= 0x1p900 && s.Sum <= n*top) {
		return false
	}
	total, least, most := rows.Extent(u)
	excess := total - s.Sum
	t := excess / n // the threshold if all entries are free
	switch {
	case !(math.Abs(excess) <= math.MaxFloat64): // an entry is not finite, or all are but large
		return false
	case least >= 0 && most <= top && math.Abs(excess) <= 4*n*unit*s.Sum:
		return math.Abs(s.residual(u)) <= 0.99*s.tolerance(len(u))
	case least > t && most-t < top:
		return s.finish(u, piece{free: u, low: least}, []float64{least, most})
	case s.Upper >= s.Sum:
		t = max(t, most-s.Sum) // no entry ends above Sum
	}
	return s.search(u, t)
}

// piece is a piece of the sum as a function of the threshold t.
type piece struct {
	free []float64 // the entries that end between 0 and top
	low  float64   // the smallest of them
	full int       // how many end at top; the others end at 0
}

// search projects u with the piece that Newton's method finds from t.
func (s CappedSimplex) search(u []float64, t float64) bool {
	var room [onStack]float64
	p := s.newton(slices.Grow(room[:0], len(u))[:len(u)], u, t)
	_, p.low, _ = rows.Extent(p.free)
	return len(p.free) > 0 && s.finish(u, p, u)
}

// newton follows the tangent of the sum to where it is Sum, until it is or the piece stays the same. It returns the piece
// with its free entries in dst, or one without any where the sum is flat or the method runs in circles.
func (s CappedSimplex) newton(dst, v []float64, t float64) piece {
	var last piece
	for range 16 {
		p, total := pieceAt(dst, v, t, s.top())
		excess := total - s.Sum
		if len(p.free) == 0 || math.Abs(excess) <= 0x1p-40*s.Sum || len(p.free) == len(last.free) && p.full == last.full {
			return p
		}
		t += excess / float64(len(p.free))
		last = p
	}
	return piece{}
}

// pieceAt returns the piece at t, its free entries in dst, and the sum there. As numbers that are not negative are ordered
// as their bits are, and the others have the sign bit, it needs no branches, which would be hard to predict.
func pieceAt(dst, v []float64, t, top float64) (p piece, total float64) {
	topBits := math.Float64bits(top)
	free := 0
	for _, y := range v {
		b := math.Float64bits(y - t)
		dst[free] = y
		if b < topBits {
			free++
		}
		if int64(b) >= int64(topBits) {
			p.full++
		}
		total += clampBits(b, topBits)
	}
	p.free = dst[:free]
	return p, total
}

// clampBits returns the number with the bits b, clamped to 0 and the one with the bits topBits.
func clampBits(b, topBits uint64) float64 {
	return math.Float64frombits(uint64(min(max(int64(b), 0), int64(topBits))))
}

// finish projects u if p is beyond doubt the piece that sorted finds, and tells whether it is. The ends are entries of u: all
// of them, or only the smallest and the largest if all are free.
//
// There is no doubt if no entry ends within the margin of 0 or top, because that is more than the rounding errors in the
// comparisons of sorted, and in the search before, can add up to. The sum that the result follows from has the same bits in
// any order: its terms are multiples of the last place of some number from bar on, 2⁻⁵³ bar or more, and what its additions
// lose is together below bar, so that twice the working precision holds all of it exactly.
func (s CappedSimplex) finish(u []float64, p piece, ends []float64) bool {
	n, top := float64(len(u)), s.top()
	bar, margin := 8*(n+4)*unit*s.Sum, 32*n*unit*top
	if !(top >= bar && p.coarse(bar)) {
		return false
	}
	atLow := p.left(s.Sum, top) / float64(len(p.free))
	if !p.apart(ends, len(u)-len(p.free), atLow, top, margin) {
		return false
	}
	rows.Cut(u, p.low, atLow, top)
	return true
}

// coarse tells whether no free entry lies between 0 and ±bar.
func (p piece) coarse(bar float64) bool {
	if p.low >= bar {
		return true
	}
	for _, y := range p.free {
		if y != 0 && math.Abs(y) < bar {
			return false
		}
	}
	return true
}

// left returns what is left of total for the free entries together when each has been taken down to the lowest.
func (p piece) left(total, top float64) float64 {
	above, lost := rows.Above(p.free, p.low, top) // exact, as no difference is above top
	s := rows.Total{High: total, Low: -((lost[0] + lost[2]) + (lost[1] + lost[3]))}
	s = s.AddProduct(float64(len(above)-p.full), top)
	for _, high := range above {
		s = s.Add(-high)
	}
	return s.Value()
}

// apart tells whether of the ends all but outer are free, as many as p says at top, and all by more than the margin.
func (p piece) apart(ends []float64, outer int, atLow, top, margin float64) bool {
	topBits, nearest := math.Float64bits(top), uint64(math.MaxUint64)
	free, full := 0, 0
	for _, y := range ends {
		x := (y - p.low) + atLow
		b := math.Float64bits(x)
		nearest = min(nearest, b<<1, math.Float64bits(x-top)<<1)
		if b < topBits {
			free++
		}
		if int64(b) >= int64(topBits) {
			full++
		}
	}
	return free == len(ends)-outer && full == p.full && math.Float64frombits(nearest>>1) > margin
}

// top is the largest value an entry can take: none exceeds the sum.
func (s CappedSimplex) top() float64 { return min(s.Upper, s.Sum) }

// residual returns Sum − Σvᵢ.
func (s CappedSimplex) residual(v []float64) float64 {
	r := rows.Total{High: s.Sum}
	for _, x := range v {
		r = r.Add(-x)
	}
	return r.Value()
}

// tolerance is what n rounded entries may miss the sum by; the smallest normal number stands in for a smaller sum.
func (s CappedSimplex) tolerance(n int) float64 {
	return float64(n) * unit * max(s.Sum, 0x1p-1022)
}
