// Package steady evaluates a decision by the population it leads to: Φ̃(u) = mean Φ(h(u, dᵢ), u, dᵢ) over a crowd, exactly,
// with its exact gradient. Sums run over fixed chunks of individuals and one fixed tree, so the bits do not depend on who
// computes which chunk.
package steady

import (
	"context"
	"errors"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Objective is Φ̃ over a finite crowd [he2025, reduced objective]. It owns its workspace: one goroutine at a time.
type Objective struct {
	// Workers is how many goroutines an evaluation may use; 0 means 1. It uses one for every crew.Grain entries of the states,
	// so a small crowd stays on the caller's core. With more than one the model's parts must be safe for concurrent use, as
	// those of kedge are. Results do not depend on it.
	Workers int

	// Until, unless it is nil, ends evaluations with its error, within a thousand individuals. Clones have none.
	Until context.Context

	// Engine, unless it is nil, is asked for values before they are worked out here. Clones have the same.
	Engine Engine

	// Crowd, unless it is nil, is asked for where people settle before that is worked out here: a crowd of the model's people, which are moved in the same
	// pass. It is for one Objective. Clones have none.
	Crowd kedge.ForesightedCrowd

	model   kedge.Model
	dim     kedge.Dims
	settler kedge.RowSettler
	judge   kedge.RowObjective
	aligner kedge.Aligner // with aligned, judges without working the states out; nil when either is missing
	aligned kedge.AlignedObjective
	planes  planes // gradients without states
	sums    sums
	desks   []desk // one a worker
	task    task
	social  *social // of a crowd that sees its mean
}

// Engine sums losses elsewhere, with the bits of this package. One that is of a single goroutine is for one Objective.
type Engine interface {
	// Sum returns the sum of the losses of everybody, settled under u, and the worst residual. It is false where it cannot tell.
	Sum(u []float64) (sum float64, worst kedge.Residual, ok bool)
}

// GradientEngine is an Engine that sums gradients too.
type GradientEngine interface {
	Engine
	// SumGradients writes the sum of the losses and then those of the gradients to total: with the answer of the crowd, or as if that were given. Rest judges those behind the
	// last whole chunk, from the first of them on, into a part as long as total. It returns the worst residual of all others, and false where it cannot tell.
	SumGradients(total, u []float64, answered bool, rest func(part []float64, first int) bool) (worst kedge.Residual, ok bool)
}

// desk is where one worker judges a chunk.
type desk struct {
	states []float64 // settled
	pull   []float64 // ∂Φ/∂p
	traits []float64 // room to look at traits
	one    []float64 // a gradient before it is weighted
	planes []float64 // numbers of settled individuals that gradients are taken from without their states
	worst  kedge.Residual
	_      [64]byte // keeps the next worker's residual off this one's cache line
}

// task is the evaluation under way.
type task struct {
	u      []float64
	total  bool      // the answer of the crowd is wanted with ∂Φ/∂u
	states []float64 // where to leave the settled states, nil for nowhere
	settle bool      // and nothing is judged
	ahead  bool      // the crowd is asked
}

// New checks a model with a settler, an objective and traits and returns its Φ̃; gradients need its sensitivity. Traits that are
// no block are not read before they are needed; a number among them that is not finite fails the evaluation.
func New(m kedge.Model) (*Objective, error) {
	if m.RowSettler() == nil || m.Objective == nil {
		return nil, errors.New("steady: the model needs a settler and an objective")
	}
	if err := kedge.CheckRows("traits", m.Traits, m.Dims().Trait); err != nil {
		return nil, err
	}
	if m.Social && m.Weights != nil {
		return nil, errors.New("steady: individuals who see the mean of the crowd see all alike, so they cannot have weights")
	}
	if err := errors.Join(m.CheckWeights(), checkFirst(m)); err != nil {
		return nil, err
	}
	return newObjective(m), nil
}

// checkFirst says whether everybody who has traits has a first state, where there are any.
func checkFirst(m kedge.Model) error {
	if m.States == nil {
		return nil
	}
	n, _ := m.Traits.Size()
	if count, width := m.States.Size(); count != n || width != m.Dims().State {
		return &kedge.DimError{Arg: "States, the first states of those with traits,", Got: count * width, Want: n * m.Dims().State}
	}
	return nil
}

// newObjective makes the Objective of a model that has been checked.
func newObjective(m kedge.Model) *Objective {
	s := &Objective{model: m, dim: m.Dims(), settler: m.RowSettler(), judge: m.RowObjective()}
	s.aligner, s.aligned = m.Aligned()
	s.planes.init(m)
	n, _ := m.Traits.Size()
	s.sums.init(&s.Until, n, s.dim.Decision, s.evalChunk)
	s.furnish(1)
	if m.Social {
		s.social = newSocial(s)
	}
	return s
}

// furnish makes room for workers.
func (s *Objective) furnish(workers int) {
	entries := min(s.sums.n, chunk) * s.Dims().State
	for len(s.desks) < workers {
		w := desk{states: make([]float64, entries), pull: make([]float64, entries), traits: room(s.model.Traits)}
		if s.model.Weights != nil {
			w.one = make([]float64, s.dim.Decision)
		}
		if s.planes.settler != nil {
			w.planes = make([]float64, 4*min(s.sums.n, chunk))
		}
		s.desks = append(s.desks, w)
	}
}

// Clone returns an Objective of the same model with a workspace of its own.
func (s *Objective) Clone() *Objective {
	c := newObjective(s.model)
	c.Workers, c.Engine = s.Workers, s.Engine
	return c
}

// Dims returns the lengths of the decision, state and trait.
func (s *Objective) Dims() kedge.Dims { return s.dim }

// Residual returns the worst steady-state residual of the last evaluation.
func (s *Objective) Residual() kedge.Residual {
	var worst kedge.Residual
	for i := range s.desks {
		worst = worst.Worst(s.desks[i].worst)
	}
	return worst
}

// Value returns Φ̃(u).
func (s *Objective) Value(u []float64) (float64, error) {
	return s.eval(nil, task{u: u})
}

// Settled is Value and Settle in one: it returns Φ̃(u), the same bits, and writes the settled population to dst.
func (s *Objective) Settled(dst, u []float64) (float64, error) {
	if s.aligner != nil { // Value then works no states out
		if err := s.Settle(dst, u); err != nil {
			return 0, err
		}
		return s.Value(u)
	}
	if err := kedge.CheckLen("dst", dst, s.sums.n*s.Dims().State); err != nil {
		return 0, err
	}
	return s.eval(nil, task{u: u, states: dst})
}

// Gradient returns Φ̃(u) and writes ∇Φ̃(u) = mean[∂Φ/∂u + ∇ᵤh ∂Φ/∂p] to g [he2025, steady gradient].
func (s *Objective) Gradient(g, u []float64) (float64, error) {
	if s.model.Sensitivity == nil {
		return 0, errors.New("steady: a gradient needs a sensitivity")
	}
	return s.eval(g, task{u: u, total: g != nil})
}

// Partial returns Φ̃(u) and writes mean ∂Φ/∂u at the settled population to g: the gradient of a decision-maker who takes
// the settled population for given. It vanishes, up to the set, at performatively stable points [perdomo2020].
func (s *Objective) Partial(g, u []float64) (float64, error) {
	return s.eval(g, task{u: u})
}

// Settle writes the population settled under u to dst, one individual a row.
func (s *Objective) Settle(dst, u []float64) error {
	dim, n := s.Dims(), s.sums.n
	if err := errors.Join(kedge.CheckVector("u", u, dim.Decision), kedge.CheckLen("dst", dst, n*dim.State)); err != nil {
		return err
	}
	_, err := s.eval(nil, task{u: u, states: dst, settle: true})
	return err
}

// forget drops the residuals of the last evaluation.
func (s *Objective) forget() {
	for i := range s.desks {
		s.desks[i].worst = kedge.Residual{}
	}
}

func (s *Objective) eval(g []float64, t task) (float64, error) {
	dim := s.Dims()
	if err := checkAsk(g, t.u, dim); err != nil {
		return 0, err
	}
	if s.social != nil {
		return s.social.eval(g, t)
	}
	s.forget()
	s.task = t
	defer func() { s.task = task{} }()
	if s.Engine != nil && t.states == nil && (s.Until == nil || s.Until.Err() == nil) {
		if mean, ok := s.elsewhere(g); ok {
			return mean, nil
		}
		s.forget()
	}
	s.task.ahead = s.Crowd != nil && s.aligner != nil && g == nil && !t.settle && s.Crowd.Foresee(t.u)
	hands := crew.Hands(s.Workers, s.sums.n*dim.State)
	s.furnish(hands)
	return s.sums.mean(g, hands)
}

// elsewhere lets the engine do the task, and tells whether it did.
func (s *Objective) elsewhere(g []float64) (mean float64, ok bool) {
	u := s.task.u
	if g == nil {
		sum, worst, ok := s.Engine.Sum(u)
		s.desks[0].worst = worst
		return sum / float64(s.sums.n), ok
	}
	e, ok := s.Engine.(GradientEngine)
	if !ok || s.planes.settler == nil || s.task.total && s.planes.answer == nil {
		return 0, false
	}
	total := s.sums.parts[:1+len(g)]
	worst, ok := e.SumGradients(total, u, s.task.total, s.rest)
	if !ok || !rows.Finite(total) {
		return 0, false
	}
	s.desks[0].worst = s.desks[0].worst.Worst(worst)
	return s.sums.divide(g, total), true
}

// rest judges those behind the last whole chunk, if they can be judged by where they settle in a plane.
func (s *Objective) rest(part []float64, first int) bool {
	w := &s.desks[0]
	clear(part)
	return s.planeChunk(part, s.model.Traits.View(w.traits, first, s.sums.n), w, first, s.sums.n)
}

// evalChunk adds the losses of individuals first … last−1 to part[0] and, if asked, their gradients to part[1:].
func (s *Objective) evalChunk(part []float64, hand, first, last int) error {
	w, u := &s.desks[hand], s.task.u
	p, d := s.room(w, first, last), s.model.Traits.View(w.traits, first, last)
	if s.aligner != nil && len(part) == 1 && !s.task.settle {
		return s.alignChunk(part, p[:last-first], d, w, first)
	}
	if s.planes.settler != nil && len(part) > 1 && s.task.states == nil && s.planeChunk(part, d, w, first, last) {
		return nil
	}
	res, err := s.settle(p, u, d, first, last)
	w.worst = w.worst.Worst(res)
	if err != nil || s.task.settle {
		return err
	}
	pull := w.pull[:len(p)]
	s.losses(part, pull, p, d, first, w.one)
	if !s.task.total {
		return nil
	}
	return s.model.Sensitivity.PullRows(part[1:], p, u, d, pull)
}

// settle settles individuals first … last−1 under u, from their first states where the model has any.
func (s *Objective) settle(p, u, d []float64, first, last int) (kedge.Residual, error) {
	return settleFrom(s.settler, s.model.States, p, u, d, first, last)
}

// settleFrom settles individuals first … last−1, from their first states if there are any.
func settleFrom(settler kedge.RowSettler, states kedge.Rows, p, u, d []float64, first, last int) (kedge.Residual, error) {
	from, depends := settler.(kedge.StartedSettler)
	if states == nil || !depends {
		return settler.SettleRows(p, u, d)
	}
	if at := states.View(p, first, last); &at[0] != &p[0] {
		copy(p, at)
	}
	return from.SettleFrom(p, u, d)
}

// losses puts the losses of settled individuals from the given one on into part[0], their ∂Φ/∂u into part[1:] and ∂Φ/∂p into pull, if asked.
func (s *Objective) losses(part, pull, p, d []float64, first int, room []float64) {
	if !s.task.total {
		pull = nil
	}
	var weights []float64
	if s.model.Weights != nil {
		weights = s.model.Weights[first : first+len(p)/s.dim.State]
	}
	part[0] = kedge.EvalWeighted(s.judge, pull, gradientOf(part), p, s.task.u, d, weights, room)
}

// room returns where the states of individuals first … last−1 are to be settled.
func (s *Objective) room(w *desk, first, last int) []float64 {
	width := s.Dims().State
	if s.task.states != nil {
		return s.task.states[first*width : last*width]
	}
	return w.states[:(last-first)*width]
}
