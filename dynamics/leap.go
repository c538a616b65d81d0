package dynamics

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
)

const (
	mostLeaps   = 20 // steps of Newton's method
	mostLeaping = 32 // entries of a state of which all slopes are worked out
)

// leap finds where an individual comes to rest that walks slowly and has come as far as w.p: by Newton's method on f(h) − h, with the Jacobian of f. It leaves the
// state in w.h, or says that there is none to be relied on: f must not move h by more than walking would, all eigenvalues of the Jacobian there must be below 1, and the
// individual, walking on, must approach h as it must approach what acceleration finds.
func (w *walk) leap(f kedge.Smooth) (r kedge.Residual, ok bool) {
	copy(w.h, w.p)
	n, least := len(w.h), math.Inf(1)
	slopes, rest := make([]float64, n*n), make([]float64, n)
	for ; r.Steps < mostLeaps; r.Steps++ {
		f.Next(w.next, w.h, w.u, w.d)
		off := rows.Farthest(w.next, w.h) / max(1, rows.MaxAbs(w.h))
		if !(off < least/2) { // nor will the next be better
			copy(w.h, w.image)
			break
		}
		least = off
		if copy(w.image, w.h); off <= unit { // the best so far, or ever
			break
		}
		rows.Sub(rest, w.next, w.h)
		w.jacobian(slopes, f)
		complement(slopes, n)
		if pivot := dense.Eliminate(slopes, rest, n, dense.Last); !(pivot > 0) || !rows.Finite(rest) {
			return r, false
		}
		rows.AddScaled(w.h, 1, rest)
	}
	if r.Norm = least; !(least <= restful) {
		return r, false
	}
	w.jacobian(slopes, f)
	if !(dense.SpectralRadius(slopes, n) < 1-clearlyBelow) {
		return r, false
	}
	return r, w.approached() == nil
}

// jacobian writes ∂f/∂p at h, a row for every entry of f.
func (w *walk) jacobian(dst []float64, f kedge.Smooth) {
	clear(dst)
	for i := range w.h {
		clear(w.nudge)
		w.nudge[i] = 1
		f.Pullback(kedge.Row(dst, i, len(w.h)), nil, w.h, w.u, w.d, w.nudge)
	}
}
