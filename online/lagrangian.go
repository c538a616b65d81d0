package online

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Restriction judges samples by a constraint c ≤ 0 on the settled population, as *risk.Gauge does.
type Restriction interface {
	// Assess returns an estimate of c and writes one of its gradient to g. What it must remember it keeps pending until Commit.
	Assess(g []float64, o kedge.Observation) (excess float64, err error)
	Commit(o kedge.Observation)
}

// Lagrangian makes a rule keep constraints on the settled population by primal–dual updates [arrow1958]. It estimates
//
//	g = (∇Φ̃ + Σ λⱼ∇cⱼ) / max(1, Σ λⱼ),   λⱼ⁺ = min(most, max(0, λⱼ + η(cⱼ − ελⱼ))).
//
// The division changes no point of rest, but keeps steps as long as those of single gradients however large multipliers grow.
// They grow without end where no decision keeps the constraints, up to most.
type Lagrangian struct {
	wrapped
	restrictions []Restriction
	options      Dual
	k            int // multipliers' steps

	multipliers, pending, g []float64
}

// Dual says how multipliers move.
type Dual struct {
	Step Schedule  // η
	Leak float64   // ε: above 0 multipliers forget, which damps them and lets constraints be broken a little
	Most []float64 // the largest multiplier of every restriction
}

// NewLagrangian returns the estimator of a loss for decisions of n entries under restrictions. It takes no estimator that
// deploys decisions of its own choice.
func NewLagrangian(n int, of Estimator, restrictions []Restriction, o Dual) (*Lagrangian, error) {
	if of == nil || len(restrictions) == 0 || o.Step == nil {
		return nil, errors.New("online: a Lagrangian needs an estimator, restrictions and a step")
	}
	if needsIterate(of) {
		return nil, fmt.Errorf("online: a %T cannot be made to keep constraints", of)
	}
	j := len(restrictions)
	if err := o.check(j); err != nil {
		return nil, err
	}
	return &Lagrangian{
		wrapped: wrap(of), restrictions: restrictions, options: o,
		multipliers: make([]float64, j), pending: make([]float64, j), g: make([]float64, n),
	}, nil
}

func (o *Dual) check(n int) error {
	err := kedge.CheckRange("Leak", o.Leak, o.Leak >= 0, "a number ≥ 0")
	for _, most := range o.Most {
		err = cmp.Or(err, kedge.CheckRange("Most", most, most > 0, "a number above 0"))
	}
	return cmp.Or(err, kedge.CheckVector("Most", o.Most, n))
}

// Multipliers returns λ, which is only to be read, and until the next turn.
func (l *Lagrangian) Multipliers() []float64 { return l.multipliers }

// Estimate writes the scaled gradient of the Lagrangian.
func (l *Lagrangian) Estimate(g []float64, o kedge.Observation) error {
	if err := l.Estimator.Estimate(g, o); err != nil {
		return err
	}
	total, step := 0.0, l.options.Step.Step(l.k)
	for j, r := range l.restrictions {
		excess, err := r.Assess(l.g, o)
		if err != nil {
			return err
		}
		was := l.multipliers[j]
		rows.AddScaled(g, was, l.g)
		total += was
		l.pending[j] = min(l.options.Most[j], max(0, was+float64(step*(excess-float64(l.options.Leak*was)))))
	}
	rows.Scale(g, 1/max(1, total))
	return nil
}

// Commit moves the multipliers.
func (l *Lagrangian) Commit(o kedge.Observation) {
	l.estimated(o)
	for _, r := range l.restrictions {
		r.Commit(o)
	}
	l.multipliers, l.pending = l.pending, l.multipliers
	l.k++
}

// Multipliers returns those of a rule that keeps constraints, nil of another.
func (d *Descent) Multipliers() []float64 { return d.able.Multipliers() }

// Describe gives the multipliers and what the parts remember.
func (l *Lagrangian) Describe(f *wire.Fields) {
	f.Int(&l.k, mostTurns)
	f.Fixed(l.multipliers)
	f.Finite("a multiplier", l.multipliers)
	if remembers(l.Estimator) {
		f.Part("estimator", l.Estimator)
	}
	for _, r := range l.restrictions {
		f.Part("restriction", r)
	}
}
