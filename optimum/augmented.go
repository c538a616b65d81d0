package optimum

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
)

// SmoothedConstraint is a constraint whose gradients are those of something near it. What counts is the truth.
type SmoothedConstraint interface {
	Function
	// Smoothed tells whether the two differ.
	Smoothed() bool
	// Even is another form of the smoothed constraint, kept where it is, that is nowhere flat for being far from kept.
	Even(g, u []float64) (float64, error)
	// Sharp is at most 0 exactly where the truth is kept, and continuous. It may have kinks.
	Sharp(g, u []float64) (float64, error)
}

const (
	outerRounds  = 40
	firstPenalty = 10.0
	mostPenalty  = 1e8
	roughly      = 1e-7 // the tolerance of all starts but the best
	kept         = 1e-8 // by how much of its unit a constraint may be exceeded and count as kept
)

// augmented is f + Σ (max(0, λⱼ + ρcⱼ)² − λⱼ²)/2ρ in the landscape's units, every constraint in a unit of its own.
type augmented struct {
	land        *landscape
	constraints []Function
	units       []float64
	sharp       bool    // smoothed constraints are taken as they truly are
	penalty     float64 // ρ
	multipliers []float64
	excess      []float64
	g, room     []float64
}

// settled is where a search under constraints ended.
type settled struct {
	place
	multipliers, over []float64
	excess            float64 // the largest of over
}

func newAugmented(l *landscape, constraints []Function) *augmented {
	j, n := len(constraints), len(l.room)
	return &augmented{
		land: l, constraints: constraints, units: slices.Repeat([]float64{1}, j), multipliers: make([]float64, j), excess: make([]float64, j),
		g: make([]float64, n), room: make([]float64, n),
	}
}

// measure makes what most values of a constraint differ by its unit.
func (a *augmented) measure(screened []place) error {
	for j := range a.constraints {
		var values []float64
		for _, p := range screened {
			if v, err := a.constraint(j, p.u); err == nil {
				values = append(values, v)
			}
		}
		if len(values) == 0 {
			if a.land.ctx.Err() != nil {
				return a.land.ctx.Err()
			}
			_, err := a.constraint(j, screened[0].u)
			return err
		}
		slices.Sort(values)
		first, last := values[0], values[len(values)-1]
		a.units[j] = cmp.Or(power(values[len(values)*3/4]-first), power(max(math.Abs(first), math.Abs(last))), 1)
	}
	return nil
}

// constraint returns constraint j at u, with its gradient in a.g, both in its unit.
func (a *augmented) constraint(j int, u []float64) (float64, error) {
	return a.form(j, a.sharp, a.g, u)
}

// form returns constraint j at u as it truly is, or evened out, and writes its gradient to g, both in its unit.
func (a *augmented) form(j int, sharp bool, g, u []float64) (float64, error) {
	copy(a.room, u)
	rows.Scale(a.room, a.land.length)
	of := a.constraints[j].Gradient
	if t := smoothed(a.constraints[j]); t != nil && sharp {
		of = t.Sharp
	} else if t != nil {
		of = t.Even
	}
	v, err := of(g, a.room)
	if err == nil && (math.IsNaN(v) || !rows.Finite(g)) {
		err = errors.New("optimum: a constraint or its gradient is not a number")
	}
	rows.Scale(g, a.land.length/a.units[j])
	return v / a.units[j], err
}

// smoothed returns a constraint as one whose truth is another, nil where it is itself.
func smoothed(c Function) SmoothedConstraint {
	if t, ok := c.(SmoothedConstraint); ok && t.Smoothed() {
		return t
	}
	return nil
}

// anySmoothed tells whether there is a constraint whose truth is another.
func (a *augmented) anySmoothed() bool {
	return slices.ContainsFunc(a.constraints, func(c Function) bool { return smoothed(c) != nil })
}

// truly is the largest excess of the constraints as they truly are, each in its unit; +Inf where one has no value.
func (a *augmented) truly(u []float64) float64 {
	worst := math.Inf(-1)
	for j := range a.constraints {
		v, err := a.form(j, true, a.g, u)
		if err != nil {
			return math.Inf(1)
		}
		worst = max(worst, v)
	}
	return worst
}

// admits tells whether a decision keeps the constraints: to the last bit those whose truth a smoothed form stands for, the others up to rounding.
func (a *augmented) admits(u []float64) bool {
	for j := range a.constraints {
		most := kept
		if smoothed(a.constraints[j]) != nil {
			most = 0
		}
		if v, err := a.form(j, true, a.g, u); err != nil || !(v <= most) {
			return false
		}
	}
	return true
}

// told returns the excess and the multiplier of constraint j at the answer, as whoever stated the constraint counts them.
func (a *augmented) told(j int, p *settled) (excess, multiplier float64) {
	multiplier = p.multipliers[j] * a.land.slope * a.land.length / a.units[j]
	if smoothed(a.constraints[j]) == nil {
		return p.over[j] * a.units[j], multiplier
	}
	steep := 0.0
	if _, err := a.form(j, true, a.g, p.u); err == nil {
		steep = rows.Norm(a.g) * a.units[j] / a.land.length
	}
	u := a.land.outward(p.u)
	excess, err := a.constraints[j].Gradient(a.g, u)
	if err != nil {
		return math.NaN(), multiplier
	}
	if own := rows.Norm(a.g); multiplier > 0 {
		multiplier *= steep / own // +Inf where the smoothed share is flat: nothing of it would be enough
	}
	return excess, multiplier
}

// Project implements kedge.Set in the landscape's units.
func (a *augmented) Project(u []float64) error { return a.land.project(u) }

// Gradient implements Function in the landscape's units.
func (a *augmented) Gradient(g, u []float64) (float64, error) {
	loss := a.land.eval(g, u)
	if math.IsInf(loss, 1) {
		return 0, errors.New("optimum: no value")
	}
	for j := range a.constraints {
		var err error
		if a.excess[j], err = a.constraint(j, u); err != nil {
			return 0, err
		}
		was := a.multipliers[j]
		pressed := max(0, was+float64(a.penalty*a.excess[j]))
		rows.AddScaled(g, pressed, a.g)
		loss += (float64(pressed*pressed) - float64(was*was)) / (2 * a.penalty)
	}
	return loss, nil
}

// solve goes from one start to where the conditions hold, with at most so many evaluations.
func (a *augmented) solve(start []float64, o Effort, most int) *settled {
	clear(a.multipliers)
	a.penalty = firstPenalty
	return a.approach(start, o, most)
}

// approach is solve from the multipliers and the penalty that are set.
func (a *augmented) approach(start []float64, o Effort, most int) *settled {
	inner := newLandscape(a.land.ctx, a, a, len(start))
	var best *settled
	u, before, steepest, steps := start, math.Inf(1), 0.0, 0
	inner.most = min(most, a.land.left())
	for range outerRounds {
		w := inner.descend(u, steepest, o.Tolerance*finely, o.MaxSteps)
		u, steps, steepest = w.u, steps+w.steps, w.steepest
		p := a.judge(u, w.steepest)
		p.steps = steps
		if best == nil || better(p, best) {
			best = p
		}
		if best.still(o.Tolerance/100) || math.IsInf(w.loss, 1) || inner.over() {
			break
		}
		for j, e := range p.over {
			a.multipliers[j] = max(0, a.multipliers[j]+float64(a.penalty*e))
		}
		if p.excess > before/4 {
			a.penalty = min(mostPenalty, a.penalty*10)
		}
		before = p.excess
	}
	return a.inside(best)
}

// better tells whether p is nearer to the answer: by the residual among those that keep the constraints, else by the excess.
func better(p, q *settled) bool {
	if p.excess <= kept && q.excess <= kept {
		return p.residual < q.residual
	}
	return p.excess < q.excess
}

// judge works out how well u and the multipliers that it speaks for meet the conditions.
func (a *augmented) judge(u []float64, steepest float64) *settled {
	n := len(a.constraints)
	p := &settled{place: place{u: append([]float64(nil), u...), steepest: max(steepest, 1e-300)}, multipliers: make([]float64, n), over: make([]float64, n)}
	g := make([]float64, len(u))
	p.loss = a.land.eval(g, u)
	for j := range a.constraints {
		v, err := a.constraint(j, u)
		if err != nil {
			v = math.Inf(1)
		}
		p.over[j], p.multipliers[j] = v, max(0, a.multipliers[j]+float64(a.penalty*v))
		rows.AddScaled(g, p.multipliers[j], a.g)
		p.excess = max(p.excess, v)
		p.residual = max(p.residual, v, math.Abs(p.multipliers[j]*v))
	}
	moved := make([]float64, len(u))
	if a.land.stepped(moved, u, -1, g) != nil {
		p.residual = math.Inf(1)
		return p
	}
	p.residual = max(p.residual, rows.Distance(moved, u))
	return p
}

// inside moves a place that exceeds constraints by a little to where it keeps them all, along their gradients.
func (a *augmented) inside(p *settled) *settled {
	for margin := 1e-12; margin < 1e-6; margin *= 2 {
		if p.excess <= 0 || p.excess > 1e-3 {
			break
		}
		u := append([]float64(nil), p.u...)
		for j := range a.constraints {
			v, err := a.constraint(j, u)
			if square := rows.Dot(a.g, a.g); err == nil && v > 0 && square > 0 {
				rows.AddScaled(u, -(v+margin)/square, a.g)
			}
		}
		if a.land.project(u) != nil {
			break
		}
		q := a.judge(u, p.steepest)
		if !(q.excess < p.excess) {
			break
		}
		q.multipliers, q.steps, q.kink, q.radius = p.multipliers, p.steps, p.kink, p.radius
		q.residual = max(p.residual, rows.Distance(q.u, p.u))
		p = q
	}
	return p
}
