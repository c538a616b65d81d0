package proof

import (
	"context"
	"math"

	"github.com/kedge-opt/kedge/set"
)

// Found is a decision that a search has found, with its value.
type Found struct {
	Decision []float64
	Loss     float64
}

// Slices tells whether no decision of a lattice, some entries of which are not whole, has a value below loss by more than counts, and what value none is
// below: one decision was found for every choice of the whole entries, and each is proven to be the best of its slice or the slice to hold none that is
// better than loss.
func Slices(ctx context.Context, f Function, l set.Lattice, loss float64, points []Found, b Budget) (lower float64, ok bool) {
	if !allSlices(l, f.Decisions(), len(points)) {
		return 0, false
	}
	b = b.filled()
	b.Work /= len(points)
	lower = math.Inf(1)
	for _, q := range points {
		slice := set.Box{Lower: make([]float64, len(q.Decision)), Upper: make([]float64, len(q.Decision))}
		for i, v := range q.Decision {
			if slice.Lower[i], slice.Upper[i] = l.Bounds(i); l.IsWhole(i) {
				slice.Lower[i], slice.Upper[i] = v, v
			}
		}
		p, err := Prove(ctx, f, slice, q.Decision, q.Loss, b)
		if err != nil || p.Lower < loss-p.Tolerance {
			return 0, false
		}
		lower = min(lower, p.Lower)
	}
	return lower, true
}

// allSlices tells whether there are n choices of the whole entries.
func allSlices(l set.Lattice, entries, n int) bool {
	count := 1.0
	for i := range entries {
		if l.IsWhole(i) {
			lower, upper := l.Bounds(i)
			count *= upper - lower + 1
		}
	}
	return count == float64(n)
}
