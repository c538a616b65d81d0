package transport

import "math"

const (
	sign = 1 << 63 // the sign bit of a number
	unit = 0x1p-53 // the unit roundoff
)

// onePass returns what careful does, to within their errors, and tells whether it could. What is no pair of probability
// vectors, or nearly one and the same vector, it leaves to careful.
//
// Let A and B be the sums of a and b up to j, D = A − B and C = A + B, and D*, C* the same up to the end. Then
//
//	|A/A* − B/B*| = |D − CD*/C*| · 2/C*
//
// but for a part (D*/C*)² ≤ 10⁻¹⁸ of it. A correction that is smaller than every D turns no sign, so that the sum over j is
// Σ|D| − (D*/C*) Σ±C with the signs of D. The last term is 0 and left out. Swapping a and b changes the signs of D alone.
func onePass(a, b []float64) (w float64, ok bool) {
	last := len(a) - 1
	if last < 0 {
		return 0, false
	}
	sumA, sumB, area := from(1), from(1), from(2)
	tilt, least := 0.0, uint64(math.MaxUint64)
	signs := math.Float64bits(a[last]) | math.Float64bits(b[last])
	heads := b[:last]
	for i, x := range a[:last] {
		y := heads[i]
		signs |= math.Float64bits(x) | math.Float64bits(y)
		sumA, sumB = sumA.add(x), sumB.add(y)
		d := math.Float64bits(sumA.minus(sumB))
		least = min(least, d&^sign)
		area = area.add(math.Float64frombits(d &^ sign))
		tilt += math.Float64frombits(math.Float64bits((sumA.high-2)+sumB.high) ^ d&sign)
	}
	sumA, sumB = sumA.add(a[last]), sumB.add(b[last])
	massA, massB, surplus := sumA.since(1), sumB.since(1), sumA.minus(sumB)
	w, n := area.since(2), float64(len(a))
	ok = signs < sign && isOne(massA) && isOne(massB) && // probability vectors,
		math.Float64frombits(least) >= 2*math.Abs(surplus) && // no sign turned,
		w >= n*n*n*unit // and n differences with errors of n² unit² add up to a rounding of w
	return 2 * (w - float64(surplus/(massA+massB)*tilt)) / (massA + massB), ok
}

// isOne tells whether mass would not say otherwise, whatever the order it adds in.
func isOne(mass float64) bool { return math.Abs(mass-1) < 0.99*massTolerance }

// running is a running sum of numbers from 0 to below twice its start, a power of two. None is of a larger binary order than
// the sum, so that three operations tell exactly what an addition loses [knuth1997]; lost adds that up.
type running struct{ high, lost float64 }

func from(start float64) running { return running{high: start} }

func (r running) add(x float64) running {
	h := r.high + x
	return running{h, r.lost + (x - (h - r.high))}
}

func (r running) since(start float64) float64 { return (r.high - start) + r.lost }

func (r running) minus(o running) float64 { return (r.high - o.high) + (r.lost - o.lost) }
