package set

import (
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
)

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
	dst := room[:]
	if len(u) > len(dst) {
		dst = make([]float64, len(u))
	}
	p := s.newton(dst, u, t)
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
