package optimum

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Constrained is a decision that is best among those that keep constraints, with the evidence: its Residual is the largest of
// what the Karush–Kuhn–Tucker conditions leave, ‖Π(u − ∇f − Σ λⱼ∇cⱼ) − u‖, the excess cⱼ and |λⱼcⱼ|, each in its own unit.
type Constrained struct {
	Search
	Multipliers []float64 // λ
	Excess      []float64 // c(u), at most 0 where a constraint is kept
}

// SmoothedConstraint is a constraint whose gradients are those of something near it. What counts is the truth.
type SmoothedConstraint interface {
	Function
	// Smoothed tells whether the two differ.
	Smoothed() bool
	// True returns the constraint itself, at most 0 where it is kept.
	True(u []float64) (float64, error)
}

// Constrain looks for the minimum of f over the decisions of the set with all constraints c ≤ 0: from the given decisions and from
// others spread over the set, those first that keep the constraints, by augmented Lagrangians [hestenes1969, powell1969], each minimized by
// spectral projected gradients. Smoothed constraints are tightened until the truth is kept. Where no decision was found that keeps the constraints the error is a *kedge.NotConvergedError.
func Constrain(ctx context.Context, f Function, constraints []Function, set kedge.Set, starts [][]float64, o Effort) (*Constrained, error) {
	if len(starts) == 0 {
		return nil, errors.New("optimum: there is no start")
	}
	o.Screen = min(o.Screen, 256) // constraints cost as much again, each
	s := &searcher{Effort: o.filled(len(starts)), land: newLandscape(ctx, f, set, len(starts[0]))}
	s.land.fence(constraints, starts[0])
	if err := s.prepare(starts); err != nil {
		return nil, err
	}
	a := newAugmented(s.land, constraints)
	if err := a.measure(s.screened); err != nil {
		return nil, err
	}
	rough := s.Effort
	rough.Tolerance = max(rough.Tolerance, roughly)
	best, ends, failed := a.search(a.beginnings(s), rough)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if best == nil {
		return nil, a.failure(failed, s.Effort)
	}
	if fine := a.solve(best.u, s.Effort); fine.excess <= kept && fine.residual <= best.residual {
		best = fine
	}
	if best = a.tighten(best, s.Effort); best == nil {
		return nil, errors.New("optimum: no decision was found that keeps the constraints themselves, only their smoothed forms")
	}
	if err := s.land.trouble(best.place); err != nil {
		return nil, err
	}
	out := &Constrained{Search: *s.report(best.place, ends), Multipliers: best.multipliers, Excess: make([]float64, len(constraints))}
	for j := range constraints {
		out.Excess[j] = best.over[j] * a.units[j]
		out.Multipliers[j] *= s.land.slope * s.land.length / a.units[j]
	}
	return out, nil
}

// search solves from every start and returns the best that keeps the constraints, where every one that does ended, and the nearest miss.
func (a *augmented) search(starts [][]float64, o Effort) (best *settled, ends []place, failed *settled) {
	for _, from := range starts {
		p := a.solve(from, o)
		if a.land.ctx.Err() != nil {
			return nil, nil, nil
		}
		if p.excess > kept {
			if failed == nil || p.excess < failed.excess {
				failed = p
			}
			continue
		}
		ends = append(ends, p.place)
		if best == nil || p.loss < best.loss {
			best = p
		}
	}
	return best, ends, failed
}

// tighten asks more and more of smoothed constraints until what they stand for is kept, and then less again, as long as it is. It
// returns nil if that never happens.
func (a *augmented) tighten(p *settled, o Effort) *settled {
	if a.truth(p.u) <= 0 {
		return p
	}
	try := func(by float64) *settled {
		for j := range a.constraints {
			if a.smoothed(j) != nil {
				a.shifts[j] = by
			}
		}
		q, _, _ := a.search([][]float64{p.u}, o)
		if q == nil || a.truth(q.u) > 0 {
			return nil
		}
		return q
	}
	var best *settled
	low, high := 0.0, 1e-3
	for ; high < 4 && best == nil; high *= 2 {
		if best = try(high); best == nil {
			low = high
		}
	}
	if best == nil {
		return nil
	}
	for high /= 2; high-low > 1e-3*high; {
		if q := try((low + high) / 2); q != nil && q.loss <= best.loss {
			best, high = q, (low+high)/2
		} else {
			low = (low + high) / 2
		}
	}
	clear(a.shifts)
	for j := range a.constraints {
		best.over[j], _ = a.constraint(j, best.u) // it had a value there before
	}
	return best
}

// smoothed returns constraint j as one whose truth is another, nil where it is itself.
func (a *augmented) smoothed(j int) SmoothedConstraint {
	if c, ok := a.constraints[j].(SmoothedConstraint); ok && c.Smoothed() {
		return c
	}
	return nil
}

// truth is the largest excess of the smoothed constraints themselves, each in its unit.
func (a *augmented) truth(u []float64) float64 {
	worst := math.Inf(-1)
	for j := range a.constraints {
		if t := a.smoothed(j); t != nil {
			v, err := t.True(a.land.outward(u))
			if err != nil {
				return math.Inf(1)
			}
			worst = max(worst, v/a.units[j])
		}
	}
	return worst
}

const (
	outerRounds  = 40
	firstPenalty = 10
	mostPenalty  = 1e8
	roughly      = 1e-7 // the tolerance of all starts but the best
	kept         = 1e-8 // by how much of its unit a constraint may be exceeded and count as kept
)

// augmented is f + Σ (max(0, λⱼ + ρcⱼ)² − λⱼ²)/2ρ in the landscape's units, every constraint in a unit of its own.
type augmented struct {
	land        *landscape
	constraints []Function
	units       []float64
	shifts      []float64 // by how much more than nothing is asked of each
	penalty     float64   // ρ
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
	a := &augmented{land: l, constraints: constraints, units: make([]float64, j), shifts: make([]float64, j), multipliers: make([]float64, j), excess: make([]float64, j), g: make([]float64, n), room: make([]float64, n)}
	for i := range a.units {
		a.units[i] = 1
	}
	return a
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
		unit := power(values[len(values)*3/4] - values[0])
		if unit == 0 {
			unit = power(max(math.Abs(values[0]), math.Abs(values[len(values)-1])))
		}
		if unit > 0 {
			a.units[j] = unit
		}
	}
	return nil
}

// constraint returns constraint j at u, with its gradient in a.g, both in its unit.
func (a *augmented) constraint(j int, u []float64) (float64, error) {
	copy(a.room, u)
	rows.Scale(a.room, a.land.length)
	v, err := a.constraints[j].Gradient(a.g, a.room)
	if err == nil && (math.IsNaN(v) || !rows.Finite(a.g)) {
		err = errors.New("optimum: a constraint or its gradient is not a number")
	}
	rows.Scale(a.g, a.land.length/a.units[j])
	return v/a.units[j] + a.shifts[j], err
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

// beginnings are the given starts and, of the others, those that keep the constraints best, then those with the lowest loss.
func (a *augmented) beginnings(s *searcher) (list [][]float64) {
	type seen struct {
		place
		excess float64
	}
	var others []seen
	for i, p := range s.screened {
		worst := 0.0
		for j := range a.constraints {
			v, err := a.constraint(j, p.u)
			if err != nil {
				v = math.Inf(1)
			}
			worst = max(worst, v)
		}
		if i < s.given {
			list = append(list, p.u)
		} else if !math.IsInf(p.loss, 1) {
			others = append(others, seen{p, worst})
		}
	}
	slices.SortStableFunc(others, func(p, q seen) int { return cmp.Or(cmp.Compare(p.excess, q.excess), cmp.Compare(p.loss, q.loss)) })
	for i := 0; i < len(others) && len(list) < s.Starts; i++ {
		list = append(list, others[i].u)
	}
	return list
}

// solve goes from one start to where the conditions hold.
func (a *augmented) solve(start []float64, o Effort) *settled {
	clear(a.multipliers)
	a.penalty = firstPenalty
	inner := newLandscape(a.land.ctx, a, a, len(start))
	var best *settled
	u, before, steepest, steps := start, math.Inf(1), 0.0, 0
	for range outerRounds {
		w := inner.descend(u, steepest, o.Tolerance*finely, o.MaxSteps)
		u, steps, steepest = w.u, steps+w.steps, w.steepest
		p := a.judge(u, w.steepest)
		p.steps = steps
		if best == nil || better(p, best) {
			best = p
		}
		if best.still(o.Tolerance/100) || math.IsInf(w.loss, 1) || a.land.ctx.Err() != nil {
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
	moved := append([]float64(nil), u...)
	rows.AddScaled(moved, -1, g)
	if a.land.project(moved) != nil {
		p.residual = math.Inf(1)
		return p
	}
	p.residual = max(p.residual, rows.Distance(moved, u))
	return p
}

// inside moves a place that exceeds constraints by a little to where it keeps them all, along their gradients.
func (a *augmented) inside(p *settled) *settled {
	for range 20 {
		if p.excess <= 0 || p.excess > 1e-3 {
			break
		}
		u := append([]float64(nil), p.u...)
		for j := range a.constraints {
			v, err := a.constraint(j, u)
			if square := rows.Dot(a.g, a.g); err == nil && v > 0 && square > 0 {
				rows.AddScaled(u, -(v+1e-12)/square, a.g)
			}
		}
		if a.land.project(u) != nil {
			break
		}
		q := a.judge(u, p.steepest)
		if !(q.excess < p.excess) {
			break
		}
		q.multipliers, q.steps = p.multipliers, p.steps
		q.residual = max(p.residual, rows.Distance(q.u, p.u))
		p = q
	}
	return p
}

// failure says what is missing.
func (a *augmented) failure(p *settled, o Effort) error {
	if p == nil || math.IsInf(p.excess, 1) {
		return cmp.Or(a.land.refused, errors.New("optimum: the constraints have no value at any start"))
	}
	return &kedge.NotConvergedError{What: "a decision that keeps the constraints", Residual: p.excess, Tolerance: kept, Steps: p.steps}
}
