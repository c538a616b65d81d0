// Package online holds decision rules that learn from a moving population. A rule is assembled, not enumerated: an estimator of
// the gradient, transforms of it, a step schedule, a feasible set and the rhythm in which decisions are deployed. The result
// is an ask/tell state machine with no loop, clock or I/O. docs/methods.md lists the known assemblies with what they need and
// where they settle.
//
// Where a rule settles depends on the estimator and the rhythm alone. Vanilla and Retrain settle at the performatively stable
// point [perdomo2020], Composite at the optimum [he2025]. Estimators that watch how the population answers (OnePoint,
// TwoPoint, DerivativeFree, Performative, PlugIn) find the optimum if every decision is held until the population has settled;
// held for one turn they find the myopic point, which counts the population's first answer and not the rest.
package online

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
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

// Schedule gives the step size of step k = 0, 1, ….
type Schedule interface{ Step(k int) float64 }

// Rhythm gives the length of deployment j = 0, 1, …, at least 1.
type Rhythm interface{ Turns(j int) int }

// Rule is the parts of a projected gradient rule u⁺ = Π(u − η_k·g) [he2025, composite update].
type Rule struct {
	Gradient   Estimator
	Transforms []Transform
	Step       Schedule
	Set        kedge.Set

	// Wait is how many turns a decision is held before its observation counts; the observations before are not looked at.
	// Nil: one turn, that is no waiting.
	Wait Rhythm
	// Inner is how many steps the iterate takes on observations of one deployed decision, the step size counted from 0 in each
	// deployment: lazy deployment [mendlerdunner2020]. Gradients are taken at the iterate. Nil: one step, that is greedy
	// deployment.
	Inner Rhythm
	// Average is the step from which on, counted from 1, iterates are averaged; the average is the Center [polyak1992]. 0: none.
	Average int
	// Deploy is where decisions must be that are deployed and recommended, if that is not all of the Set, as with whole numbers: the iterate moves
	// between them, its nearest point of Deploy is deployed, gradients are taken there, and averages are those of what was deployed. It comes to
	// swing between neighbours of the best. Nil: the iterate itself.
	Deploy kedge.Set
}

// From returns the rule started at u₀, which is projected onto the set first.
func (r Rule) From(start []float64) (*Descent, error) {
	if err := cmp.Or(r.check(), kedge.CheckFinite("start", start)); err != nil {
		return nil, err
	}
	n := len(start)
	d := &Descent{rule: r, able: r.abilities(), u: append([]float64(nil), start...), next: make([]float64, n), g: make([]float64, n)}
	if err := r.Set.Project(d.u); err != nil {
		return nil, fmt.Errorf("project the first decision: %w", err)
	}
	if r.Deploy != nil {
		if err := r.Deploy.Project(append([]float64(nil), d.u...)); err != nil {
			return nil, fmt.Errorf("deploy the first decision: %w", err)
		}
	}
	if r.Inner != nil {
		d.deployed = append([]float64(nil), d.u...)
	}
	if r.Average > 0 {
		d.mean = make([]float64, n)
	}
	for _, t := range r.Transforms {
		t.Apply(d.g) // of zeros, for those with a memory to learn its length
	}
	return d, nil
}

func (r Rule) check() error {
	if r.Gradient == nil || r.Step == nil || r.Set == nil {
		return errors.New("online: a rule needs a gradient, a step and a set")
	}
	if _, explores := r.Gradient.(Perturber); explores && r.Inner != nil {
		return fmt.Errorf("online: a %T learns from deploying, so it cannot be deployed lazily", r.Gradient)
	} else if explores && r.Deploy != nil {
		return fmt.Errorf("online: a %T tries decisions beside its own, which cannot all be moved to the nearest that may be deployed", r.Gradient)
	}
	return kedge.CheckRange("Average", r.Average, r.Average >= 0, "0 or a step ≥ 1")
}

// Descent is a Rule under way. It is a kedge.Explorer: what it deploys is its iterate, perturbed if the estimator explores.
type Descent struct {
	rule       Rule
	able       abilities
	k          int // steps taken
	deployment int // which decision is deployed
	turn       int // turns it has been
	u, next, g []float64
	deployed   []float64 // by lazy deployment, which leaves it behind the iterate; otherwise nil
	mean       []float64 // of iterates; nil when none are averaged
	live       []float64 // what is deployed, where that was told; empty: what was asked for
	missed     bool      // it is not what an Aimer asked for
	estimate   []float64 // the last gradient, before transforms: g, or where there are some a copy
	before     []float64
	eta        float64 // the last step, and where it led before the set was heeded
	stepped    []float64
}

var _ kedge.Explorer = (*Descent)(nil)

// Ask writes the decision to deploy.
func (d *Descent) Ask(dst []float64) {
	from := d.u
	if d.deployed != nil {
		from = d.deployed
	}
	copy(dst[:len(d.u)], from)
	d.place(dst[:len(d.u)])
	d.able.perturb(dst[:len(d.u)])
}

// place moves a decision to the nearest that may be deployed. There is one: there was for the first decision, and iterates are finite.
func (d *Descent) place(u []float64) {
	if d.rule.Deploy != nil {
		_ = d.rule.Deploy.Project(u)
	}
}

// Center writes the iterate, or the average of the iterates: the decision recommended so far.
func (d *Descent) Center(dst []float64) {
	from := d.u
	if d.rule.Average > 0 && d.k >= d.rule.Average {
		from = d.mean
	}
	copy(dst[:len(d.u)], from)
	d.place(dst[:len(d.u)])
}

// Steps returns how many steps the iterate has taken, and Deployments how many decisions were deployed before the present one.
func (d *Descent) Steps() int { return d.k }

// Deployments returns how many decisions were deployed before the present one.
func (d *Descent) Deployments() int { return d.deployment }

// Tell takes what was observed, and a step when one is due. On an error the rule is unchanged.
func (d *Descent) Tell(o kedge.Observation) error {
	if err := d.check(o); err != nil {
		return err
	}
	if d.turn+1 < lasts(d.rule.Wait, d.deployment) {
		d.turn++
		return nil
	}
	o.W, _ = kedge.ScaleWeights(o.W, len(o.W)) // checked; so that no unit of weights makes anybody more certain
	if d.missed {
		d.missed, d.turn, d.live = false, 0, d.live[:0]
		return nil
	}
	d.able.follow(d.u)
	if d.deployed != nil {
		o.U = d.u
	}
	if err := d.rule.Gradient.Estimate(d.g, o); err != nil {
		return fmt.Errorf("estimate the gradient of turn %d: %w", o.Round, err)
	}
	d.estimate = d.g
	if len(d.rule.Transforms) > 0 {
		d.before = append(d.before[:0], d.g...)
		d.estimate = d.before
	}
	if d.able.collecting() {
		d.live = d.live[:0]
		d.redeploy()
		d.able.estimated(o)
		return nil
	}
	if err := d.step(o); err != nil {
		return err
	}
	d.commit(o)
	return nil
}

// step writes Π(u − η·g) to next.
func (d *Descent) step(o kedge.Observation) error {
	for _, t := range d.rule.Transforms {
		t.Apply(d.g)
	}
	copy(d.next, d.u)
	d.eta = d.rule.Step.Step(d.counted())
	rows.AddScaled(d.next, -d.eta, d.g)
	d.stepped = append(d.stepped[:0], d.next...)
	last := d.u
	switch {
	case d.deployed != nil:
		last = d.deployed
	case len(d.live) > 0:
		last = d.live
	}
	if err := d.able.set.ProjectAt(d.next, o.Round+1, last); err != nil {
		return fmt.Errorf("project the decision of turn %d: %w", o.Round, err)
	}
	return nil
}

// inner returns which step of its deployment is taken.
func (d *Descent) inner() int { return d.turn + 1 - lasts(d.rule.Wait, d.deployment) }

// counted returns the number that the schedule knows the step by.
func (d *Descent) counted() int {
	if d.rule.Inner != nil {
		return d.inner()
	}
	return d.k
}

func (d *Descent) commit(o kedge.Observation) {
	d.able.estimated(o)
	for _, commit := range d.able.moved {
		commit(o)
	}
	d.u, d.next, d.live = d.next, d.u, d.live[:0]
	d.k++
	if weight := d.k - d.rule.Average + 1; d.mean != nil && weight >= 1 {
		copy(d.next, d.u)
		d.place(d.next)
		for i, v := range d.next {
			d.mean[i] += (v - d.mean[i]) / float64(weight)
		}
	}
	if d.inner()+1 < lasts(d.rule.Inner, d.deployment) {
		d.turn++
		return
	}
	copy(d.deployed, d.u)
	d.redeploy()
}

func (d *Descent) redeploy() { d.deployment, d.turn = d.deployment+1, 0 }

// lasts returns the turns of deployment j in a rhythm, 1 without one.
func lasts(r Rhythm, j int) int {
	if r == nil {
		return 1
	}
	return max(1, r.Turns(j))
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
	if o.W != nil || o.Who != nil { // which most turns have not
		if err := o.CheckPeople(people(o)); err != nil {
			return err
		}
	}
	if loss := [1]float64{o.Loss}; !rows.Finite(loss[:]) {
		return &kedge.NotFiniteError{Arg: "observation Loss", Value: o.Loss}
	}
	return nil
}

// people is how many individuals the states of a sample can be of, as far as weights and numbers tell; estimators know how long a state is.
func people(o kedge.Observation) int {
	n := max(len(o.W), len(o.Who))
	if n == 0 || len(o.P)%n != 0 {
		return len(o.P)
	}
	return n
}

// Trust tells how far the rule relies on what it has learned, from 0, not at all, to 1; NaN where it learns nothing.
func (d *Descent) Trust() float64 { return d.able.Trust() }
