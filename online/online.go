// Package online holds decision rules that learn from a moving population. A rule is assembled, not enumerated: a gradient
// estimator (Vanilla, Composite, DerivativeFree), transforms of the gradient (Clip, Momentum), a step schedule and a
// feasible set. The result is an ask/tell state machine with no loop, clock or I/O.
//
// Where a rule settles depends on the estimator alone: Vanilla at the performatively stable point [perdomo2020], Composite at
// the optimum [he2025], DerivativeFree at the optimum only if every decision is held until the population has settled; held
// for one step it finds the myopic point, which counts the population's first answer and not the rest.
package online

import (
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/rows"
)

// Estimator turns an observation into a gradient estimate of Φ̃.
type Estimator interface {
	// Estimate writes the estimate to g and changes nothing else.
	Estimate(g []float64, o kedge.Observation) error
}

// Transform changes a gradient estimate before the step is taken.
type Transform interface {
	// Apply changes g in place; what it must remember it keeps pending until Commit.
	Apply(g []float64)
}

// committer is an Estimator or Transform with memory. Commit is called once the turn is certain to succeed.
type committer interface{ Commit(o kedge.Observation) }

// perturber is an Estimator that needs a decision other than the iterate to be deployed.
type perturber interface {
	// Perturb changes the iterate u to the decision to deploy, the same until the next Commit.
	Perturb(u []float64)
}

// Schedule gives the step size of turn k = 0, 1, ….
type Schedule interface{ Step(k int) float64 }

// Rule is the parts of a projected gradient rule u⁺ = Π(u − η_k·g) [he2025, composite update].
type Rule struct {
	Gradient   Estimator
	Transforms []Transform
	Step       Schedule
	Set        kedge.Set
}

// From returns the rule started at u₀, which is projected onto the set first.
func (r Rule) From(start []float64) (*Descent, error) {
	if r.Gradient == nil || r.Step == nil || r.Set == nil {
		return nil, errors.New("online: a rule needs a gradient, a step and a set")
	}
	if err := kedge.CheckFinite("start", start); err != nil {
		return nil, err
	}
	d := &Descent{rule: r, u: append([]float64(nil), start...), next: make([]float64, len(start)), g: make([]float64, len(start))}
	if err := r.Set.Project(d.u); err != nil {
		return nil, fmt.Errorf("project the first decision: %w", err)
	}
	for _, t := range r.Transforms {
		t.Apply(d.g) // of zeros, for those with a memory to learn its length
	}
	return d, nil
}

// Descent is a Rule under way. It is a kedge.Explorer: what it deploys is its iterate, perturbed if the estimator explores.
type Descent struct {
	rule       Rule
	k          int
	u, next, g []float64
}

var _ kedge.Explorer = (*Descent)(nil)

// Ask writes the decision to deploy.
func (d *Descent) Ask(dst []float64) {
	copy(dst[:len(d.u)], d.u)
	if e, ok := d.rule.Gradient.(perturber); ok {
		e.Perturb(dst[:len(d.u)])
	}
}

// Center writes the iterate, the decision recommended so far.
func (d *Descent) Center(dst []float64) { copy(dst[:len(d.u)], d.u) }

// Tell takes one step. On an error the rule is unchanged.
func (d *Descent) Tell(o kedge.Observation) error {
	if err := d.check(o); err != nil {
		return err
	}
	if err := d.rule.Gradient.Estimate(d.g, o); err != nil {
		return fmt.Errorf("estimate the gradient of turn %d: %w", d.k, err)
	}
	for _, t := range d.rule.Transforms {
		t.Apply(d.g)
	}
	copy(d.next, d.u)
	rows.AddScaled(d.next, -d.rule.Step.Step(d.k), d.g)
	if err := d.rule.Set.Project(d.next); err != nil {
		return fmt.Errorf("project the decision of turn %d: %w", d.k, err)
	}
	d.commit(o)
	return nil
}

func (d *Descent) commit(o kedge.Observation) {
	d.u, d.next = d.next, d.u
	d.k++
	if c, ok := d.rule.Gradient.(committer); ok {
		c.Commit(o)
	}
	for _, t := range d.rule.Transforms {
		if c, ok := t.(committer); ok {
			c.Commit(o)
		}
	}
}

func (d *Descent) check(o kedge.Observation) error {
	if len(o.U) != len(d.u) || !rows.Finite(o.U) {
		return kedge.CheckVector("observation U", o.U, len(d.u))
	}
	if !rows.Finite(o.P) {
		return kedge.CheckFinite("observation P", o.P)
	}
	if !rows.Finite(o.D) {
		return kedge.CheckFinite("observation D", o.D)
	}
	if loss := [1]float64{o.Loss}; !rows.Finite(loss[:]) {
		return &kedge.NotFiniteError{Arg: "observation Loss", Value: o.Loss}
	}
	return nil
}
