package steady

import (
	"errors"

	"github.com/kedge-opt/kedge"
)

// Rollout judges a decision by where the crowd is after a fixed number of steps from its start, as published benchmarks of
// settled populations have done: Φ̃ₙ(u) = mean Φ(f⁽ⁿ⁾(pᵢ, u, dᵢ), u, dᵢ). It differs from Objective by what has not settled
// yet; use it to compare with such benchmarks. Gradients are exact, by the adjoint recursion through the n steps.
type Rollout struct {
	Dynamics  kedge.Smooth
	Objective kedge.Objective
	Steps     int
	States    []float64 // where the individuals start, one a row
	Traits    []float64

	path, back, parts []float64
}

// Dims returns the lengths of the decision, state and trait.
func (r *Rollout) Dims() kedge.Dims { return r.Dynamics.Dims() }

// Clone returns a Rollout of the same crowd with a workspace of its own.
func (r *Rollout) Clone() *Rollout {
	return &Rollout{Dynamics: r.Dynamics, Objective: r.Objective, Steps: r.Steps, States: r.States, Traits: r.Traits}
}

// Value returns Φ̃ₙ(u).
func (r *Rollout) Value(u []float64) (float64, error) { return r.eval(nil, u) }

// Gradient returns Φ̃ₙ(u) and writes its gradient to g.
func (r *Rollout) Gradient(g, u []float64) (float64, error) { return r.eval(g, u) }

func (r *Rollout) eval(g, u []float64) (float64, error) {
	dim := r.Dims()
	if err := errors.Join(kedge.CheckVector("u", u, dim.Decision), r.prepare(dim)); err != nil {
		return 0, err
	}
	n, width := len(r.Traits)/dim.Trait, 1+dim.Decision
	for i := range n {
		part := kedge.Row(r.parts, i/chunk, width)
		var gu []float64
		if g != nil {
			gu = part[1:]
		}
		part[0] += r.individual(gu, u, kedge.Row(r.States, i, dim.State), kedge.Row(r.Traits, i, dim.Trait))
	}
	return mean(g, r.parts, width, n)
}

func (r *Rollout) prepare(dim kedge.Dims) error {
	n, err := countTraits(r.Traits, dim)
	if err != nil {
		return err
	}
	if r.Steps < 1 {
		return &kedge.RangeError{Arg: "steps", Got: float64(r.Steps), Want: "at least 1"}
	}
	if r.parts == nil {
		r.path = make([]float64, (r.Steps+1)*dim.State)
		r.back = make([]float64, 2*dim.State)
		r.parts = make([]float64, (n+chunk-1)/chunk*(1+dim.Decision))
	}
	clear(r.parts)
	return kedge.CheckLen("states", r.States, n*dim.State)
}

// individual rolls one individual out and returns its loss; when gu is not nil it adds the gradient by going back.
func (r *Rollout) individual(gu, u, p, d []float64) float64 {
	m := len(p)
	copy(r.path, p)
	for k := range r.Steps {
		r.Dynamics.Next(kedge.Row(r.path, k+1, m), kedge.Row(r.path, k, m), u, d)
	}
	last := kedge.Row(r.path, r.Steps, m)
	if gu == nil {
		return r.Objective.Eval(nil, nil, last, u, d)
	}
	v, w := r.back[:m], r.back[m:]
	clear(v)
	loss := r.Objective.Eval(v, gu, last, u, d)
	for k := r.Steps - 1; k >= 0; k-- {
		clear(w)
		r.Dynamics.Pullback(w, gu, kedge.Row(r.path, k, m), u, d, v)
		v, w = w, v
	}
	return loss
}
