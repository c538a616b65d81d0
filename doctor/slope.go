package doctor

import (
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// estimate is a derivative by differences, with how far it may be off.
type estimate struct{ value, off float64 }

// slope returns φ′(0) by central differences with steps that halve, extrapolated to step 0 [ridders1982]. Steps at which φ is
// not finite are left out; an estimate without any is NaN.
func slope(phi func(t float64) float64, h float64) estimate {
	const halvings = 16
	best := estimate{math.NaN(), math.Inf(1)}
	var previous []float64
	for range halvings {
		above, below := phi(h), phi(-h)
		row := []float64{(above - below) / (2 * h)}
		if rows.Finite(row) {
			rounding := 0x1p-52 * (math.Abs(above) + math.Abs(below)) / h
			best = best.better(extrapolate(&row, previous, rounding))
		} else {
			row = nil
		}
		if best.off <= 1e-11*math.Abs(best.value) {
			break
		}
		previous, h = row, h/2
	}
	return best
}

// extrapolate goes on with a row of the table of differences and returns its best entry.
func extrapolate(row *[]float64, previous []float64, rounding float64) estimate {
	best, factor := estimate{(*row)[0], math.Inf(1)}, 1.0
	for j := range previous {
		factor *= 4
		finer, coarser := (*row)[j], previous[j]
		next := finer + (finer-coarser)/(factor-1)
		off := max(math.Abs(next-finer), math.Abs(next-coarser)) + rounding
		best = best.better(estimate{next, off})
		*row = append(*row, next)
	}
	return best
}

func (a estimate) better(b estimate) estimate {
	if b.off < a.off || math.IsNaN(a.value) {
		return b
	}
	return a
}

// firstStep is the share of its own size by which a point is moved first to see a function change.
const firstStep = 1.0 / 16

// direction returns a random direction in which every entry of x changes in proportion to its size, those that are 0 in
// proportion to the others.
func direction(x []float64, r *stream.Stream) []float64 {
	w := make([]float64, len(x))
	r.Normals(w)
	usual := 0.0
	for _, v := range x {
		usual += math.Abs(v) / float64(len(x))
	}
	if usual == 0 {
		usual = 1
	}
	for i, v := range x {
		if v == 0 {
			v = usual
		}
		w[i] *= math.Abs(v)
	}
	return w
}

// mismatch compares a gradient with a slope along w. It returns their difference relative to the terms of the product, and
// how much of it the slope itself may be off, +∞ when there is none.
func mismatch(gradient, w []float64, s estimate) (relative, off float64) {
	if math.IsNaN(s.value) {
		return 0, math.Inf(1)
	}
	product, size := 0.0, 0.0
	for i, g := range gradient {
		product += float64(g * w[i])
		size += math.Abs(float64(g * w[i]))
	}
	size = max(size, math.Abs(s.value))
	if size == 0 {
		return 0, 0
	}
	return math.Abs(product-s.value) / size, s.off / size
}
