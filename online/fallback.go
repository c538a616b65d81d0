package online

import (
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/scratch"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Fallback is an estimator with another to fall back on while the first is not trusted by whoever watches it: Composite, and Vanilla while people are
// seen to answer otherwise than its model says. Which of the two is at work is saved. The idle one goes on remembering turns, unless one fails it.
//
// A rule that runs for a live population switches it; nothing does in a simulated one.
type Fallback struct {
	of, other part
	distrust  bool
}

// part is an estimator of a Fallback.
type part struct {
	wrapped
	remembers bool
	failed    bool // in the turn under way
}

// NewFallback returns the estimator, which begins with the first. Neither may deploy decisions of its own choice.
func NewFallback(of, other Estimator) (*Fallback, error) {
	if of == nil || other == nil {
		return nil, errors.New("online: a Fallback needs two estimators")
	}
	f := &Fallback{}
	for i, e := range []Estimator{of, other} {
		if needsIterate(e) {
			return nil, fmt.Errorf("online: a %T cannot be fallen back on or from", e)
		}
		_, remembers := e.(Committer)
		*[]*part{&f.of, &f.other}[i] = part{wrapped: wrap(e), remembers: remembers}
	}
	return f, nil
}

// Distrust says whether to fall back from the next turn on.
func (f *Fallback) Distrust(on bool) { f.distrust = on }

// Distrusted tells whether the second estimator is at work.
func (f *Fallback) Distrusted() bool { return f.distrust }

// turns returns the estimator at work and the idle one.
func (f *Fallback) turns() (active, idle *part) {
	if f.distrust {
		return &f.other, &f.of
	}
	return &f.of, &f.other
}

// Estimate writes the estimate of the one at work.
func (f *Fallback) Estimate(g []float64, o kedge.Observation) error {
	active, idle := f.turns()
	active.failed = false
	if idle.remembers {
		room := scratch.Borrow(len(g))
		defer room.Return()
		idle.failed = idle.Estimator.Estimate(room.X, o) != nil
	}
	return active.Estimator.Estimate(g, o)
}

// Commit lets both remember the turn.
func (f *Fallback) Commit(o kedge.Observation) {
	for _, p := range []*part{&f.of, &f.other} {
		if !p.failed {
			p.estimated(o)
		}
	}
}

// Trust is that of the first, 0 while it is fallen back from.
func (f *Fallback) Trust() float64 {
	if f.distrust {
		return 0
	}
	return f.of.Trust()
}

// Terms are those of the one at work.
func (f *Fallback) Terms() (direct, answer []float64) {
	active, _ := f.turns()
	return active.Terms()
}

// Kept is what the first keeps apart.
func (f *Fallback) Kept() wire.State { return f.of.Kept() }

// Describe gives which is at work, and what both remember.
func (f *Fallback) Describe(w *wire.Fields) {
	w.Bool(&f.distrust)
	for _, p := range []*part{&f.of, &f.other} {
		if remembers(p.Estimator) {
			w.Part("estimator", p.Estimator)
		}
	}
}
