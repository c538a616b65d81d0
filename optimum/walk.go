package optimum

import (
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
)

const (
	memory   = 10   // losses the line search looks back on
	armijo   = 1e-4 // share of the predicted decrease that must be had
	minScale = 1e-12
	maxScale = 1e12

	patience = 40 // steps without progress after which a walk has come as far as rounding lets it
)

// walk is one search by spectral projected gradients [birgin2000] with adaptive steps [frassoldati2008].
type walk struct {
	place
	land *landscape

	g, next, gn []float64
	direction   []float64
	scale       float64 // spectral step
	recent      [memory]float64
	short       [6]float64 // short Barzilai–Borwein steps of late
	turn        int

	lowest, calmest float64 // loss and residual that were progress
	since           int     // steps without any
}

// descend goes downhill from a start of the set until the residual is a part of the steepest on the way, that before included, or nothing is to be had
// any more: at a minimum to the last bit, or at a kink or a jump, where the residual is far from small.
func (l *landscape) descend(start []float64, steepest, part float64, most int) place {
	n := len(start)
	w := &walk{land: l, g: make([]float64, n), next: make([]float64, n), gn: make([]float64, n), direction: make([]float64, n)}
	w.u, w.steepest = append([]float64(nil), start...), max(steepest, 1)
	w.begin()
	for !w.still(part) && w.since < patience && w.steps < most && !l.over() {
		if !w.advance() {
			break
		}
	}
	return w.place
}

// begin takes the first gradient.
func (w *walk) begin() {
	for i := range w.recent {
		w.recent[i] = math.Inf(-1)
	}
	w.loss = w.eval(w.g, w.u)
	w.recent[0], w.lowest, w.calmest = w.loss, w.loss, math.Inf(1)
	if math.IsInf(w.loss, 1) {
		w.residual, w.since = math.Inf(1), patience
		return
	}
	w.measure()
	w.scale = min(1, 0.1/max(rows.MaxAbs(w.direction), 1e-300)) // at most a tenth of the length
}

func (w *walk) eval(g, u []float64) float64 {
	w.steps++
	return w.land.eval(g, u)
}

// measure sets direction = Π(u − ∇) − u and residual to its norm.
func (w *walk) measure() {
	w.aim(1)
	w.residual = rows.Norm(w.direction)
	w.steepest = max(w.steepest, w.residual)
	w.since++
	if w.loss < w.lowest-float64(1e-15*math.Abs(w.lowest)) || w.residual < w.calmest/2 {
		w.since = 0
	}
	w.lowest, w.calmest = min(w.lowest, w.loss), min(w.calmest, w.residual)
}

// aim sets direction = Π(u − scale·∇) − u.
func (w *walk) aim(scale float64) {
	if w.land.stepped(w.direction, w.u, -scale, w.g) != nil {
		copy(w.direction, w.u) // a step too far to be projected is no step
	}
	rows.AddScaled(w.direction, -1, w.u)
}

// advance takes one step along the spectral direction, shortened until the loss falls enough below the recent worst. It tells
// whether there was such a step.
func (w *walk) advance() bool {
	w.aim(w.scale)
	slope := rows.Dot(w.g, w.direction)
	worst := slices.Max(w.recent[:])
	// Near the answer the decrease to be seen is below the rounding of the loss itself.
	slack := float64(4e-16 * math.Abs(w.loss))
	for t := 1.0; t > 1e-16; {
		copy(w.next, w.u)
		rows.AddScaled(w.next, t, w.direction)
		loss := w.eval(w.gn, w.next)
		if loss <= worst+float64(armijo*t*slope)+slack {
			w.accept(loss)
			return true
		}
		t = shorten(t, w.loss, loss, slope)
	}
	return false
}

// shorten picks the next trial step by the parabola through what is known, kept within a tenth and a half of the last.
func shorten(t, loss, tried, slope float64) float64 {
	best := -slope * t * t / (2 * (tried - loss - float64(t*slope)))
	if !(best >= 0.1*t && best <= 0.5*t) {
		return 0.5 * t
	}
	return best
}

// accept moves to next, picks the spectral step from the change of point and gradient, and measures.
func (w *walk) accept(loss float64) {
	ss, sy, yy := 0.0, 0.0, 0.0
	for i, v := range w.next {
		s, y := v-w.u[i], w.gn[i]-w.g[i]
		ss += float64(s * s)
		sy += float64(s * y)
		yy += float64(y * y)
	}
	w.u, w.next = w.next, w.u
	w.g, w.gn = w.gn, w.g
	w.loss = loss
	w.turn++
	w.recent[w.turn%memory] = loss
	w.scale = min(maxScale, 10*w.scale)
	if sy > 0 {
		w.scale = min(maxScale, max(minScale, w.spectral(ss/sy, sy/yy)))
	}
	w.measure()
}

// spectral chooses between the two Barzilai–Borwein steps: the long one, unless the short one is much shorter, which says
// that a steep direction is about to take over; then the shortest of late [frassoldati2008]. On ill-conditioned problems this
// takes a tenth of the steps or less.
func (w *walk) spectral(long, short float64) float64 {
	w.short[w.turn%len(w.short)] = short
	if short >= 0.8*long {
		return long
	}
	for _, s := range w.short {
		if s > 0 {
			short = min(short, s)
		}
	}
	return short
}

// loose is the part of the steepest gradient below which a place is taken for stationary where rounding forbids more.
const loose = 1e-5

// trouble is why a place is no answer: the context ended, nothing has a value, or everything has and there is no end.
func (l *landscape) trouble(p place) error {
	switch {
	case l.ctx.Err() != nil:
		return l.ctx.Err()
	case math.IsInf(p.loss, 1) && l.refused != nil:
		return l.refused
	case math.IsInf(p.loss, 0) || math.IsNaN(p.loss):
		return errors.New("optimum: the loss is not finite")
	case endless(p):
		return &Unbounded{Decision: l.outward(p.u), Loss: p.loss * l.length * l.slope}
	}
	return nil
}

// endless tells whether a walk ran away: far beyond any length of the landscape, and still going.
func endless(p place) bool {
	far := rows.MaxAbs(p.u)
	return far > 1e12 || far > 1e7 && !p.still(loose)
}
