package steady

import (
	"errors"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Rollout judges a decision by where the crowd is after a fixed number of steps from its start, as published benchmarks of
// settled populations have done: Φ̃ₙ(u) = mean Φ(f⁽ⁿ⁾(pᵢ, u, dᵢ), u, dᵢ). It differs from Objective by what has not settled
// yet; use it to compare with such benchmarks. Gradients are exact, by the adjoint recursion through the n steps.
type Rollout struct {
	kedge.Model // with smooth dynamics, an objective, traits and, unless they are the traits, states
	Steps       int
	Workers     int // as in Objective

	moves  kedge.Smooth
	states kedge.Rows
	sums   sums
	paths  []path // one a worker
	u      []float64
}

// path is where one worker rolls individuals out.
type path struct {
	steps          []float64 // the states on the way of one individual
	back           []float64 // ∂Φ/∂p before and after a step back
	states, traits []float64 // room to look at a chunk of individuals
	one            []float64 // a gradient before it is weighted
}

// Clone returns a Rollout of the same crowd with a workspace of its own.
func (r *Rollout) Clone() *Rollout {
	return &Rollout{Model: r.Model, Steps: r.Steps, Workers: r.Workers}
}

// Value returns Φ̃ₙ(u).
func (r *Rollout) Value(u []float64) (float64, error) { return r.eval(nil, u) }

// Gradient returns Φ̃ₙ(u) and writes its gradient to g.
func (r *Rollout) Gradient(g, u []float64) (float64, error) { return r.eval(g, u) }

func (r *Rollout) eval(g, u []float64) (float64, error) {
	dim := r.Dims()
	if err := errors.Join(checkAsk(g, u, dim), r.prepare(dim)); err != nil {
		return 0, err
	}
	hands := crew.Hands(r.Workers, r.sums.n*dim.State)
	r.furnish(dim, hands)
	r.u = u
	defer func() { r.u = nil }()
	return r.sums.mean(g, hands)
}

// prepare checks the crowd and makes room for its sums, once.
func (r *Rollout) prepare(dim kedge.Dims) error {
	if r.moves != nil {
		return nil
	}
	moves := r.Smooth()
	if moves == nil || r.Objective == nil || r.Social {
		return errors.New("steady: a rollout needs smooth dynamics of individuals that do not see their mean, and an objective")
	}
	if r.Steps < 1 {
		return &kedge.RangeError{Arg: "steps", Got: float64(r.Steps), Want: "at least 1"}
	}
	if err := errors.Join(kedge.CheckRows("traits", r.Traits, dim.Trait), kedge.CheckRows("states", r.FirstStates(), dim.State), r.CheckWeights()); err != nil {
		return err
	}
	n, _ := r.Traits.Size()
	if started, _ := r.FirstStates().Size(); started != n {
		return &kedge.DimError{Arg: "states", Got: started * dim.State, Want: n * dim.State}
	}
	r.moves, r.states = moves, r.FirstStates()
	r.sums.init(nil, n, dim.Decision, r.evalChunk)
	return nil
}

// furnish makes room for workers.
func (r *Rollout) furnish(dim kedge.Dims, workers int) {
	for len(r.paths) < workers {
		r.paths = append(r.paths, path{
			steps: make([]float64, (r.Steps+1)*dim.State), back: make([]float64, 2*dim.State),
			states: room(r.states), traits: room(r.Traits), one: make([]float64, dim.Decision),
		})
	}
}

// evalChunk adds the losses of individuals first … last−1 to part[0] and, if asked, their gradients to part[1:].
func (r *Rollout) evalChunk(part []float64, hand, first, last int) error {
	dim, w := r.Dims(), &r.paths[hand]
	p, d := r.states.View(w.states, first, last), r.Traits.View(w.traits, first, last)
	gu := gradientOf(part)
	for i := range last - first {
		one, own := kedge.Row(p, i, dim.State), kedge.Row(d, i, dim.Trait)
		if r.Weights == nil {
			part[0] += r.individual(gu, one, own, w)
			continue
		}
		g := w.one
		if gu == nil {
			g = nil
		}
		clear(g)
		part[0] += float64(r.Weights[first+i] * r.individual(g, one, own, w))
		rows.AddScaled(gu, r.Weights[first+i], g)
	}
	return nil
}

// individual rolls one individual out and returns its loss; when gu is not nil it adds the gradient by going back.
func (r *Rollout) individual(gu, p, d []float64, way *path) float64 {
	m, u := len(p), r.u
	copy(way.steps, p)
	for k := range r.Steps {
		r.moves.Next(kedge.Row(way.steps, k+1, m), kedge.Row(way.steps, k, m), u, d)
	}
	last := kedge.Row(way.steps, r.Steps, m)
	if gu == nil {
		return r.Objective.Eval(nil, nil, last, u, d)
	}
	v, w := way.back[:m], way.back[m:]
	clear(v)
	loss := r.Objective.Eval(v, gu, last, u, d)
	for k := r.Steps - 1; k >= 0; k-- {
		clear(w)
		r.moves.Pullback(w, gu, kedge.Row(way.steps, k, m), u, d, v)
		v, w = w, v
	}
	return loss
}
