// Package optimum finds exact answers offline: the decision whose settled population is best, and the stable point where
// retraining comes to rest. Every answer carries its evidence, the residual of the projected gradient and the spread over
// many starts.
package optimum

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Function is a smooth objective of the decision, as steady.Objective and steady.Rollout are.
type Function interface {
	// Gradient returns the value at u and writes the gradient to g.
	Gradient(g, u []float64) (float64, error)
}

// Effort says how far a search goes; the zero value works.
type Effort struct {
	Tolerance float64 // on the residual ‖Π(u − ∇) − u‖; 0 means 1e-10
	MaxSteps  int     // gradient evaluations from one start; 0 means 5000
}

func (o Effort) filled() Effort {
	if o.Tolerance == 0 {
		o.Tolerance = 1e-10
	}
	if o.MaxSteps == 0 {
		o.MaxSteps = 5000
	}
	return o
}

// Point is a decision with the evidence that it is what was sought.
type Point struct {
	Decision []float64
	Loss     float64
	Residual float64 // ‖Π(u − ∇) − u‖
	Steps    int     // gradient evaluations
}

// Search is the outcome from many starts.
type Search struct {
	Point           // the best
	Found   []Point // from each start, in order
	Spread  float64 // largest difference in loss between starts, relative to max(1, |loss|)
	Residue float64 // largest residual over starts
}

// Find minimizes f over the set from every start and returns the best point. A start that does not reach the tolerance is
// an error: its residual is evidence against the answer.
func Find(ctx context.Context, f Function, set kedge.Set, starts [][]float64, o Effort) (*Search, error) {
	if len(starts) == 0 {
		return nil, errors.New("optimum: there is no start")
	}
	s := &Search{}
	for i, start := range starts {
		p, err := Minimize(ctx, f, set, start, o)
		if err != nil {
			return nil, fmt.Errorf("optimum from start %d: %w", i, err)
		}
		s.Found = append(s.Found, *p)
	}
	s.Point = s.Found[0]
	worst := s.Found[0].Loss
	for _, p := range s.Found {
		s.Residue = max(s.Residue, p.Residual)
		worst = max(worst, p.Loss)
		if p.Loss < s.Loss {
			s.Point = p
		}
	}
	s.Spread = (worst - s.Loss) / max(1, math.Abs(s.Loss))
	return s, nil
}

// Minimize goes downhill from one start by the non-monotone spectral projected gradient method [birgin2000]
// with adaptive steps [frassoldati2008].
func Minimize(ctx context.Context, f Function, set kedge.Set, start []float64, o Effort) (*Point, error) {
	w := newWalk(f, set, o.filled(), start)
	if err := w.begin(); err != nil {
		return nil, err
	}
	for w.residual > w.Tolerance {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if w.steps >= w.MaxSteps {
			return nil, &kedge.NotConvergedError{What: "optimum", Residual: w.residual, Tolerance: w.Tolerance, Steps: w.steps}
		}
		if err := w.advance(); err != nil {
			return nil, err
		}
	}
	return &Point{Decision: w.u, Loss: w.loss, Residual: w.residual, Steps: w.steps}, nil
}

const (
	memory   = 10   // losses the line search looks back on
	armijo   = 1e-4 // share of the predicted decrease that must be had
	minScale = 1e-12
	maxScale = 1e12
)

// walk is the state of one spectral projected gradient search.
type walk struct {
	Effort
	f     Function
	set   kedge.Set
	steps int

	u, g      []float64
	next, gn  []float64
	direction []float64
	loss      float64
	residual  float64
	scale     float64 // spectral step
	recent    [memory]float64
	short     [6]float64 // short Barzilai–Borwein steps of late
	turn      int
}

func newWalk(f Function, set kedge.Set, o Effort, start []float64) *walk {
	n := len(start)
	w := &walk{Effort: o, f: f, set: set, u: append([]float64(nil), start...)}
	w.g, w.next, w.gn, w.direction = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range w.recent {
		w.recent[i] = math.Inf(-1)
	}
	return w
}

// begin projects the start and takes the first gradient.
func (w *walk) begin() error {
	if err := w.set.Project(w.u); err != nil {
		return fmt.Errorf("project the start: %w", err)
	}
	var err error
	if w.loss, err = w.eval(w.g, w.u); err != nil {
		return err
	}
	w.recent[0] = w.loss
	if err := w.measure(); err != nil {
		return err
	}
	w.scale = 1 / max(rows.MaxAbs(w.direction), 1e-8)
	return nil
}

func (w *walk) eval(g, u []float64) (float64, error) {
	w.steps++
	return w.f.Gradient(g, u)
}

// measure sets direction = Π(u − ∇) − u and residual to its norm.
func (w *walk) measure() error {
	if err := w.aim(1); err != nil {
		return err
	}
	w.residual = rows.Norm(w.direction)
	return nil
}

// aim sets direction = Π(u − scale·∇) − u.
func (w *walk) aim(scale float64) error {
	copy(w.direction, w.u)
	rows.AddScaled(w.direction, -scale, w.g)
	if err := w.set.Project(w.direction); err != nil {
		return fmt.Errorf("project a step: %w", err)
	}
	rows.AddScaled(w.direction, -1, w.u)
	return nil
}

// advance takes one step along the spectral direction, shortened until the loss falls enough below the recent worst.
func (w *walk) advance() error {
	if err := w.aim(w.scale); err != nil {
		return err
	}
	slope := rows.Dot(w.g, w.direction)
	worst := w.recent[0]
	for _, l := range w.recent[1:] {
		worst = max(worst, l)
	}
	// Near the answer the decrease to be seen is below the rounding of the loss itself.
	slack := 4e-16 * math.Abs(w.loss)
	for t := 1.0; ; {
		copy(w.next, w.u)
		rows.AddScaled(w.next, t, w.direction)
		loss, err := w.eval(w.gn, w.next)
		if err != nil {
			return err
		}
		if loss <= worst+float64(armijo*t*slope)+slack || w.steps >= w.MaxSteps {
			return w.accept(loss)
		}
		t = shorten(t, w.loss, loss, slope)
	}
}

// shorten picks the next trial step by the parabola through what is known, kept within a tenth and a half of the last.
func shorten(t, loss, tried, slope float64) float64 {
	best := -slope * t * t / (2 * (tried - loss - t*slope))
	if !(best >= 0.1*t && best <= 0.5*t) {
		return 0.5 * t
	}
	return best
}

// accept moves to next, picks the spectral step from the change of point and gradient, and measures.
func (w *walk) accept(loss float64) error {
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
	w.scale = maxScale
	if sy > 0 {
		w.scale = min(maxScale, max(minScale, w.spectral(ss/sy, sy/yy)))
	}
	return w.measure()
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
