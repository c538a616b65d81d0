package online

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/scratch"
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
	judge(v.Objective, nil, g, o)
	rows.Scale(g, 1/o.Total(n))
	return nil
}

// judge writes Σ wᵢ∂Φᵢ/∂u over a sample to g and, unless it is nil, the rows wᵢ∂Φᵢ/∂p to pull, and returns Σ wᵢΦᵢ.
func judge(of kedge.RowObjective, pull, g []float64, o kedge.Observation) float64 {
	clear(g)
	if o.W == nil {
		return kedge.EvalWeighted(of, pull, g, o.P, o.U, o.D, nil, nil)
	}
	room := scratch.Borrow(len(g))
	defer room.Return()
	return kedge.EvalWeighted(of, pull, g, o.P, o.U, o.D, o.W, room.X)
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

	direct, whole []float64 // Σ wᵢ∂Φᵢ/∂u of the last sample, and the last estimate
	share         float64   // that scales the one as the other is
	lost          bool      // the sensitivity had no answer last
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
	pull := scratch.Borrow(len(o.P))
	defer pull.Return()
	judge(c.Objective, pull.X, g, o)
	c.direct = append(c.direct[:0], g...)
	err = c.Sensitivity.PullRows(g, o.P, o.U, o.D, pull.X)
	if c.lost = errors.Is(err, kedge.ErrSingular); c.lost {
		copy(g, c.direct)
	} else if err != nil {
		return err
	}
	c.share = 1 / o.Total(n)
	rows.Scale(g, c.share)
	c.whole = append(c.whole[:0], g...)
	return nil
}

// vanilla estimates as Vanilla does.
func (c *Composite) vanilla(g []float64, o kedge.Observation) error {
	if err := (Vanilla{Objective: c.Objective, Dims: c.Dims}).Estimate(g, o); err != nil {
		return err
	}
	c.direct, c.whole, c.share = append(c.direct[:0], g...), append(c.whole[:0], g...), 1
	return nil
}

// Terms returns mean ∂Φ/∂u and mean ∇ᵤh ∂Φ/∂p of the last estimate. They are told apart here, since few turns are asked for them.
func (c *Composite) Terms() (direct, answer []float64) {
	direct, answer = slices.Clone(c.direct), slices.Clone(c.whole)
	rows.Scale(direct, c.share)
	rows.AddScaled(answer, -1, direct)
	return direct, answer
}

// Recursive reduces the variance of an estimator by recursive momentum on a panel (STORM) [cutkosky2019]:
//
//	gₖ = ĝ(uₖ, pₖᴮ) + (1−a)(gₖ₋₁ − ĝ(uₖ₋₁, pₖ₋₁ᴮ)),
//
// with the same people B observed in both turns, so that what they differ by from the rest cancels. A sample must be a rotating
// panel: its first half are those who were the second half of the sample before, in the same order unless it is told who they are
// (population.Rotating).
// The estimator must not have a memory of its own.
type Recursive struct {
	of     Estimator
	dims   kedge.Dims
	weight float64

	began       bool
	average     []float64 // gₖ₋₁
	before      []float64 // ĝ of the second half of the sample before
	who         []float64 // their traits
	ids         []uint64  // who they are, if that was told
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
	} else if !r.knows(again) {
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

// knows tells whether people were the second half of the sample before: by who they are, in any order, where that is told, else by their traits.
func (r *Recursive) knows(again kedge.Observation) bool {
	if again.Who == nil && len(r.ids) == 0 {
		return slices.Equal(again.D, r.who)
	}
	return slices.Equal(slices.Sorted(slices.Values(again.Who)), slices.Sorted(slices.Values(r.ids)))
}

// halves splits a sample after the first n individuals.
func halves(o kedge.Observation, n int, dims kedge.Dims) (first, second kedge.Observation) {
	first, second = o, o
	first.P, second.P = o.P[:n*dims.State], o.P[n*dims.State:]
	first.D, second.D = o.D[:n*dims.Trait], o.D[n*dims.Trait:]
	if o.W != nil {
		first.W, second.W = o.W[:n], o.W[n:]
	}
	if o.Who != nil {
		first.Who, second.Who = o.Who[:n], o.Who[n:]
	}
	return first, second
}

// Commit keeps the estimate, and who will be seen again.
func (r *Recursive) Commit(o kedge.Observation) {
	r.began = true
	r.average, r.next = r.next, r.average
	r.before, r.newer = r.newer, r.before
	r.who = append(r.who[:0], o.D[len(o.D)/2:]...)
	r.ids = append(r.ids[:0], o.Who[len(o.Who)/2:]...)
}

// Describe gives the estimate, and who will be seen again.
func (r *Recursive) Describe(f *wire.Fields) {
	f.Bool(&r.began)
	f.Fixed(r.average, r.before)
	f.Floats(&r.who)
	wire.List(f, &r.ids, 8, f.Uint64)
	f.Finite("what is remembered", r.average, r.before, r.who)
}
