package online

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Committer is an Estimator or Transform with memory. Commit is called once the turn is certain to succeed.
type Committer interface{ Commit(o kedge.Observation) }

// Perturber is an Estimator that needs a decision other than the iterate to be deployed.
type Perturber interface {
	// Perturb changes the iterate u to the decision to deploy, the same until the next Commit.
	Perturb(u []float64)
}

// Collector is an Estimator that needs several deployments for one estimate.
type Collector interface {
	// Collecting tells whether the deployment under way is not the last of them, so that no step follows it.
	Collecting() bool
}

// Follower is an Estimator that must know the iterate, whatever is deployed.
type Follower interface {
	// Follow gives it the iterate of the turn, before Estimate and only until then.
	Follow(u []float64)
}

// Aimer is a Perturber that takes the decision it asked for to be deployed, however it was rounded.
type Aimer interface {
	Perturber
	// Miss tells it that another one was: what it is about to see says nothing about the decision it asked for.
	Miss()
}

// Explainer is an Estimator whose estimate is the sum of what decisions do by themselves and by the answer of the population.
type Explainer interface {
	// Terms returns the two of the last estimate.
	Terms() (direct, answer []float64)
}

// abilities are the optional ones of a rule's parts, asked for once. What is missing does nothing.
type abilities struct {
	wrapped
	set        kedge.TimedSet
	perturb    func(u []float64)
	follow     func(u []float64)
	collecting func() bool
	moved      []func(o kedge.Observation) // commit the transforms
	miss       func() bool                 // false: it does not matter to the estimator
}

func (r Rule) abilities() abilities {
	a := abilities{
		wrapped: wrap(r.Gradient), set: kedge.Timed(r.Set),
		perturb: func([]float64) {}, follow: func([]float64) {}, collecting: func() bool { return false }, miss: func() bool { return false },
	}
	if e, ok := r.Gradient.(Aimer); ok {
		a.miss = func() bool { e.Miss(); return true }
	}
	if e, ok := r.Gradient.(Perturber); ok {
		a.perturb = e.Perturb
	}
	if e, ok := r.Gradient.(Follower); ok {
		a.follow = e.Follow
	}
	if e, ok := r.Gradient.(Collector); ok {
		a.collecting = e.Collecting
	}
	for _, t := range r.Transforms {
		a.moved = append(a.moved, commits(t))
	}
	return a
}

// commits returns what lets a part of a rule remember a turn.
func commits(part any) func(o kedge.Observation) {
	if c, ok := part.(Committer); ok {
		return c.Commit
	}
	return func(kedge.Observation) {}
}

// needsIterate tells whether an estimator deploys decisions around the iterate, or must know it.
func needsIterate(e Estimator) bool {
	_, perturbs := e.(Perturber)
	_, follows := e.(Follower)
	return perturbs || follows
}

// wrapped is an estimator within a rule or another estimator, which commits it and trusts as it does.
type wrapped struct {
	Estimator
	estimated func(o kedge.Observation) // commits it
	trust     func() float64            // of it
	terms     func() (direct, answer []float64)
}

func wrap(of Estimator) wrapped {
	return wrapped{Estimator: of, estimated: commits(of), trust: trustIn(of), terms: termsOf(of)}
}

// Trust is that of the estimator, NaN where it learns nothing.
func (w wrapped) Trust() float64 { return w.trust() }

// Kept is what the estimator keeps apart.
func (w wrapped) Kept() wire.State { return wire.KeptBy(w.Estimator) }

// Terms are those of the estimator.
func (w wrapped) Terms() (direct, answer []float64) { return w.terms() }

// Multipliers are those of the estimator, nil where it keeps no constraints.
func (w wrapped) Multipliers() []float64 {
	if l, ok := w.Estimator.(interface{ Multipliers() []float64 }); ok {
		return l.Multipliers()
	}
	return nil
}

// termsOf returns what tells the terms of estimates apart, which are nil where nothing does.
func termsOf(of Estimator) func() (direct, answer []float64) {
	if e, ok := of.(Explainer); ok {
		return e.Terms
	}
	return func() (direct, answer []float64) { return nil, nil }
}

// trustIn returns how far an estimator relies on what it has learned, NaN where it learns nothing.
func trustIn(of Estimator) func() float64 {
	if t, ok := of.(kedge.Truster); ok {
		return t.Trust
	}
	return math.NaN
}
