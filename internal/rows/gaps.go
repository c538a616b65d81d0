package rows

import "math"

// Gaps are running sums over a, b and c from both ends at once, for what lies between their distribution functions. Lanes 0
// and 1 go up from the first entry, lanes 2 and 3 down from the last; lanes 0 and 2 compare a with b, lanes 1 and 3 a with c.
// Sums start at a power of two that is larger than any term, so that three operations tell what an addition loses
// [knuth1997].
type Gaps struct {
	A, LostA, B, LostB [4]float64 // 1 + the sum of a, and of b or c, and what their additions lost
	Area, LostArea     [4]float64 // 2 + Σ|A−B|
	Tilt               [4]float64 // Σ ±(sum of a + sum of b) with the signs of A−B
	Least              [4]float64 // the smallest |A−B|
	Signs              [4]float64 // has a sign if an entry has one
}

// NewGaps returns the sums of nothing.
func NewGaps() Gaps {
	return Gaps{A: filled(1), B: filled(1), Area: filled(2), Least: filled(math.Inf(1))}
}

// Walk takes the given number of entries from either end of a, b and c, which have one length.
func (g *Gaps) Walk(a, b, c []float64, steps int) {
	mustCover(b, a)
	mustCover(c, a)
	if !hasAVX2() || steps == 0 {
		g.walkPlain(a, b, c, steps)
		return
	}
	last := len(a) - 1
	_ = a[steps-1 : last] // as far as it goes
	gapsAVX2(&g.A[0], &a[0], &b[0], &c[0], steps, last)
}

func (g *Gaps) walkPlain(a, b, c []float64, steps int) {
	for i := range steps {
		up, down := i, len(a)-1-i
		g.Step(0, a[up], b[up])
		g.Step(1, a[up], c[up])
		g.Step(2, a[down], b[down])
		g.Step(3, a[down], c[down])
	}
}

// Step takes an entry x of a and y of b or c in one lane.
func (g *Gaps) Step(lane int, x, y float64) {
	g.Signs[lane] = math.Float64frombits(math.Float64bits(g.Signs[lane]) | math.Float64bits(x) | math.Float64bits(y))
	run(&g.A[lane], &g.LostA[lane], x)
	run(&g.B[lane], &g.LostB[lane], y)
	d := (g.A[lane] - g.B[lane]) + (g.LostA[lane] - g.LostB[lane])
	size := math.Abs(d)
	g.Least[lane] = lesser(size, g.Least[lane])
	run(&g.Area[lane], &g.LostArea[lane], size)
	tilt := (g.A[lane] - 2) + g.B[lane]
	g.Tilt[lane] += math.Float64frombits(math.Float64bits(tilt) ^ math.Float64bits(d)&(1<<63))
}
