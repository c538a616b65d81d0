package online

import (
	"cmp"
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Learning is Composite with a sensitivity that learns from every turn [he2025, composite update]. While the sensitivity is not
// trusted it estimates as Vanilla does.
//
// A turn is learned from once it is certain to succeed, so an estimate relies on the turns before it. What package sensitivity learns by cannot fail
// then; a learner that does ends the rule, which stays so when it is saved.
type Learning struct {
	composite Composite
	learner   kedge.Learner
	fault     error
}

// NewLearning returns the estimator. The learner must be a wire.State for the rule to be saved.
func NewLearning(objective kedge.RowObjective, learner kedge.Learner, dim kedge.Dims) *Learning {
	return &Learning{composite: Composite{Objective: objective, Sensitivity: learner, Dims: dim}, learner: learner}
}

// Estimate writes the mean of ∂Φ/∂u + ∇ᵤh ∂Φ/∂p over the sample, without the second term while ∇ᵤh is not trusted.
func (l *Learning) Estimate(g []float64, o kedge.Observation) error {
	if l.fault != nil {
		return fmt.Errorf("learn from the turn before: %w", l.fault)
	}
	if l.learner.Trust() == 0 {
		return l.composite.vanilla(g, o)
	}
	return l.composite.Estimate(g, o)
}

// Terms returns mean ∂Φ/∂u and mean ∇ᵤh ∂Φ/∂p of the last estimate, the second 0 while ∇ᵤh is not trusted.
func (l *Learning) Terms() (direct, answer []float64) { return l.composite.Terms() }

// Commit learns from the turn.
func (l *Learning) Commit(o kedge.Observation) { l.fault = l.learner.Observe(o) }

// Trust is that of the learner.
func (l *Learning) Trust() float64 { return l.learner.Trust() }

// Kept is what the learner keeps apart.
func (l *Learning) Kept() wire.State { return wire.KeptBy(l.learner) }

// Dithering says how decisions are perturbed so that there is something to learn from.
type Dithering struct {
	Size     float64 // length of the perturbation, > 0
	HalfLife float64 // turns after which it is half as long; 0: it stays
	Hold     int     // turns that a perturbation stays; 0 means 1
}

// Dither deploys decisions beside the iterate: a perturbation in a random direction for some turns, then the opposite one for as
// many, so that whatever is even in the perturbation cancels. What is deployed is feasible; where the nearest feasible decision
// cannot be found it is the iterate.
type Dither struct {
	wrapped
	direction
	config Dithering
	set    kedge.Set
	turn   int
	room   []float64
}

// NewDither makes an estimator for decisions of n entries explore the set.
func NewDither(of Estimator, n int, c Dithering, set kedge.Set, source Normals) (*Dither, error) {
	err := cmp.Or(
		kedge.CheckRange("Size", c.Size, c.Size > 0 && !math.IsInf(c.Size, 0), "a positive number"),
		kedge.CheckRange("HalfLife and Hold", min(c.HalfLife, float64(c.Hold)), c.HalfLife >= 0 && c.Hold >= 0, "numbers ≥ 0"),
	)
	if err != nil {
		return nil, err
	}
	c.Hold, c.HalfLife = max(1, c.Hold), cmp.Or(c.HalfLife, math.Inf(1))
	d := direction{delta: c.Size, source: source, v: make([]float64, n)}
	return &Dither{wrapped: wrap(of), direction: d, config: c, set: set, room: make([]float64, n)}, nil
}

// Perturb moves u to the decision to deploy.
func (d *Dither) Perturb(u []float64) {
	part := portable.Exp2(-float64(d.turn) / d.config.HalfLife)
	if d.turn/d.config.Hold%2 == 1 {
		part = -part
	}
	copy(d.room, u)
	d.add(d.room, part)
	if d.set.Project(d.room) == nil {
		copy(u, d.room)
	}
}

// Commit goes on to the next turn.
func (d *Dither) Commit(o kedge.Observation) {
	d.draw()
	if d.turn++; d.turn%(2*d.config.Hold) == 0 {
		d.renew()
	}
	d.estimated(o)
}

// Describe gives why the learner failed, if it did, and its state.
func (l *Learning) Describe(f *wire.Fields) {
	fault := ""
	if l.fault != nil {
		fault = l.fault.Error()
	}
	f.Text(&fault)
	f.Part("learner", l.learner)
	f.Then(func() {
		if l.fault = nil; fault != "" {
			l.fault = errors.New(fault)
		}
	})
}

// Describe gives the turn, the direction, the source and the estimator.
func (d *Dither) Describe(f *wire.Fields) {
	f.Int(&d.turn, math.MaxInt)
	d.direction.Describe(f)
	if _, commits := d.Estimator.(Committer); commits {
		f.Part("estimator", d.Estimator)
	}
}
