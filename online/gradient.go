package online

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Vanilla estimates the gradient as if the sampled population were given: g = mean ∂Φ/∂u [he2025, vanilla update]. Rules
// built on it settle at the performatively stable point.
type Vanilla struct {
	Objective kedge.RowObjective
	Dims      kedge.Dims
}

// Estimate writes the mean of ∂Φ/∂u over the sample.
func (v Vanilla) Estimate(g []float64, o kedge.Observation) error {
	n, err := o.Sample(v.Dims)
	if err != nil {
		return err
	}
	clear(g)
	v.Objective.EvalRows(nil, g, o.P, o.U, o.D)
	rows.Scale(g, 1/float64(n))
	return nil
}

// Composite adds the term that Vanilla leaves out, how the settled population answers the decision:
// g = mean [∂Φ/∂u + ∇ᵤh ∂Φ/∂p] [he2025, composite update]. Rules built on it settle at the optimum.
//
// Formulas of a sensitivity are those of a settled population. Where a sampled one is so far from it that they have no answer, which is an
// error that wraps kedge.ErrSingular, the gradient of that turn is Vanilla's, and Trust is 0.
type Composite struct {
	Objective   kedge.RowObjective
	Sensitivity kedge.Sensitivity
	Dims        kedge.Dims

	pull  []float64
	alone []float64 // the mean of ∂Φ/∂u
	lost  bool      // the sensitivity had no answer last
}

// Trust is 0 after a turn in which the sensitivity had no answer, else NaN.
func (c *Composite) Trust() float64 {
	if c.lost {
		return 0
	}
	return math.NaN()
}

// Estimate writes the mean of ∂Φ/∂u + ∇ᵤh ∂Φ/∂p over the sample.
func (c *Composite) Estimate(g []float64, o kedge.Observation) error {
	n, err := o.Sample(c.Dims)
	if err != nil {
		return err
	}
	if len(c.pull) < len(o.P) {
		c.pull = make([]float64, len(o.P))
	}
	pull := c.pull[:len(o.P)]
	clear(pull)
	clear(g)
	c.Objective.EvalRows(pull, g, o.P, o.U, o.D)
	c.alone = append(c.alone[:0], g...)
	err = c.Sensitivity.PullRows(g, o.P, o.U, o.D, pull)
	if c.lost = errors.Is(err, kedge.ErrSingular); c.lost {
		copy(g, c.alone)
	} else if err != nil {
		return err
	}
	rows.Scale(g, 1/float64(n))
	return nil
}

// Recursive reduces the variance of an estimator by recursive momentum on a panel (STORM) [cutkosky2019]:
//
//	gₖ = ĝ(uₖ, pₖᴮ) + (1−a)(gₖ₋₁ − ĝ(uₖ₋₁, pₖ₋₁ᴮ)),
//
// with the same people B observed in both turns, so that what they differ by from the rest cancels. A sample must be a rotating
// panel: its first half are those who were the second half of the sample before, in the same order (population.Rotating).
// The estimator must not have a memory of its own.
type Recursive struct {
	of     Estimator
	dims   kedge.Dims
	weight float64

	began       bool
	average     []float64 // gₖ₋₁
	before      []float64 // ĝ of the second half of the sample before
	who         []float64 // their traits
	next, newer []float64 // pending
}

// NewRecursive returns recursive momentum of weight 0 < a ≤ 1; 1 is no memory.
func NewRecursive(of Estimator, dims kedge.Dims, weight float64) (*Recursive, error) {
	if !(weight > 0 && weight <= 1) {
		return nil, &kedge.RangeError{Arg: "weight", Got: weight, Want: "0 < a ≤ 1"}
	}
	if _, remembers := of.(Committer); remembers {
		return nil, fmt.Errorf("online: a %T remembers turns, want an estimator of single observations", of)
	}
	n := dims.Decision
	return &Recursive{
		of: of, dims: dims, weight: weight, average: make([]float64, n), before: make([]float64, n),
		next: make([]float64, n), newer: make([]float64, n),
	}, nil
}

// Estimate writes the estimate. A sample that is no rotating panel is an error.
func (r *Recursive) Estimate(g []float64, o kedge.Observation) error {
	n, err := o.Sample(r.dims)
	if err != nil {
		return err
	}
	if n%2 != 0 {
		return fmt.Errorf("observation P has %d individuals, want two halves of a rotating panel", n)
	}
	again, fresh := halves(o, n/2, r.dims)
	if !r.began {
		again = o
	} else if !slices.Equal(again.D, r.who) {
		return fmt.Errorf("the first %d individuals of the sample are not the last of the sample before: want a rotating panel", n/2)
	}
	if err := r.of.Estimate(r.next, again); err != nil {
		return err
	}
	if err := r.of.Estimate(r.newer, fresh); err != nil {
		return err
	}
	if r.began {
		rows.AddScaled(r.next, 1-r.weight, r.average)
		rows.AddScaled(r.next, r.weight-1, r.before)
	}
	copy(g, r.next)
	return nil
}

// halves splits a sample after the first n individuals.
func halves(o kedge.Observation, n int, dims kedge.Dims) (first, second kedge.Observation) {
	first, second = o, o
	first.P, second.P = o.P[:n*dims.State], o.P[n*dims.State:]
	first.D, second.D = o.D[:n*dims.Trait], o.D[n*dims.Trait:]
	return first, second
}

// Commit keeps the estimate, and who will be seen again.
func (r *Recursive) Commit(o kedge.Observation) {
	r.began = true
	r.average, r.next = r.next, r.average
	r.before, r.newer = r.newer, r.before
	r.who = append(r.who[:0], o.D[len(o.D)/2:]...)
}

// Describe gives the estimate, and who will be seen again.
func (r *Recursive) Describe(f *wire.Fields) {
	f.Bool(&r.began)
	f.Fixed(r.average, r.before)
	f.Floats(&r.who)
	f.Finite("what is remembered", r.average, r.before, r.who)
}
