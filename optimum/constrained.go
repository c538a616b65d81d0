package optimum

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Constrained is a decision that is best among those that keep constraints, with the evidence: its Residual is the largest of
// what the Karush–Kuhn–Tucker conditions leave, ‖Π(u − ∇f − Σ λⱼ∇cⱼ) − u‖, the excess cⱼ and |λⱼcⱼ|, each in its own unit. At a kink, of the
// loss or of a constraint, it is that of the smallest mean of what the gradients nearby leave.
type Constrained struct {
	Search
	Multipliers []float64 // λ; nil where the set has gaps
	Excess      []float64 // c(u), at most 0 where a constraint is kept
}

// constrainSmoothly is Constrain over a set without gaps.
func constrainSmoothly(ctx context.Context, f Function, constraints []Function, set kedge.Set, starts [][]float64, o Effort) (*Constrained, error) {
	o.Screen /= 1 + len(constraints) // which cost as much again, each
	first := o
	first.Starts, first.Screen = 0, 0
	c, err := confine(ctx, f, constraints, set, starts, first)
	if err != nil {
		return nil, err
	}
	if near := c.homeward(); near != nil {
		starts = append([][]float64{near}, starts...)
	}
	if c, err = confine(ctx, f, constraints, set, starts, o); err != nil {
		return nil, err
	}
	return c.answer()
}

// confined is a search under constraints.
type confined struct {
	*searcher
	augmented *augmented
	ends      []*settled
	missed    *settled // the end that is nearest to keeping the constraints, where none does
}

const (
	walkWork   = 1_500  // evaluations from one start, before the best are gone on with
	finishWork = 40_000 // evaluations to go on with the best
)

// confine finds the units and looks at decisions all over the set.
func confine(ctx context.Context, f Function, constraints []Function, set kedge.Set, starts [][]float64, o Effort) (*confined, error) {
	s := &searcher{Effort: o.filled(len(starts)), land: newLandscape(ctx, f, set, len(starts[0]))}
	a := newAugmented(s.land, constraints)
	s.land.fence(a, starts[0])
	if err := s.prepare(starts); err != nil {
		return nil, err
	}
	s.land.most = s.land.evaluations + s.Starts*walkWork + finishWork
	return &confined{searcher: s, augmented: a}, a.measure(s.screened)
}

// homeward returns a decision that keeps the constraints where the first start does not and the set has no end: from far away one does not see
// how long the lengths are that count. It is nil where there is no need of it, or none is found.
func (c *confined) homeward() []float64 {
	if c.extent.bounded() || c.land.lack == 0 {
		return nil
	}
	var best *settled
	for _, p := range c.screened[:c.given] {
		if q := c.augmented.solve(p.u, c.rough(), walkWork); best == nil || better(q, best) {
			best = q
		}
	}
	if best.excess > roughly || endless(best.place) {
		return nil
	}
	return c.land.outward(best.u)
}

// rough is the effort for all starts but the best.
func (c *confined) rough() Effort {
	o := c.Effort
	o.Tolerance = max(o.Tolerance, roughly)
	return o
}

// answer walks from all starts, goes on from the best ends, and says what was found.
func (c *confined) answer() (*Constrained, error) {
	a := c.augmented
	c.walk()
	best := c.finest()
	switch {
	case c.land.ctx.Err() != nil:
		return nil, c.land.ctx.Err()
	case best == nil:
		return nil, c.nothingKept()
	}
	if err := c.land.trouble(best.place); err != nil {
		return nil, err
	}
	best.jump = c.jumps(best.place)
	ends := lists.Of(c.ends, func(p *settled) place { return p.place })
	out := &Constrained{Search: *c.report(best.place, ends), Multipliers: best.multipliers, Excess: make([]float64, len(a.constraints))}
	for j := range a.constraints {
		out.Excess[j], out.Multipliers[j] = a.told(j, best)
	}
	return out, nil
}

// nothingKept tells by how much the constraints are missed where that is least.
func (c *confined) nothingKept() error {
	if c.missed == nil && len(c.ends) == 0 {
		return cmp.Or(c.land.refused, errors.New("optimum: the constraints have no value at any start"))
	}
	e := &kedge.NotConvergedError{What: "a decision that keeps the constraints", Residual: math.Inf(1), Tolerance: kept}
	if c.missed != nil {
		e.Residual, e.Steps = c.missed.excess, c.missed.steps
	}
	for _, p := range c.ends { // which keep them roughly
		if far := max(0, c.augmented.truly(p.u)); far < e.Residual {
			e.Residual, e.Steps = far, p.steps
		}
	}
	return e
}

// walk goes from every start to where the conditions hold, roughly: along an exact penalty to the bottom of the hollow, and on by augmented Lagrangians.
func (c *confined) walk() {
	a := c.augmented
	hollows := *c.searcher
	hollows.screened = nil
	for _, p := range c.screened {
		p.loss += float64(heavyPenalty * max(0, a.truly(p.u)))
		hollows.screened = append(hollows.screened, p)
	}
	for _, from := range hollows.beginnings() {
		if c.land.over() {
			return
		}
		near := c.stumble(from)
		p := a.solve(near.u, c.rough(), walkWork)
		if q := a.judge(near.u, p.steepest); a.admits(q.u) && (q.loss < p.loss || p.excess > kept) {
			q.residual, q.steps = math.Inf(1), near.steps
			p = q
		}
		c.keep(p)
	}
}

// stumble goes downhill from a start along the lightest of some exact penalties that leads to where the constraints are kept.
func (c *confined) stumble(from []float64) (p place) {
	for weight := firstPenalty; weight <= 10*heavyPenalty; weight *= 10 {
		if p = c.augmented.penalized(weight).descend(from, 0, coarsely, walkWork/8); c.augmented.admits(p.u) {
			break
		}
	}
	return p
}

// keep counts an end that keeps the constraints in their smoothed form or as they are.
func (c *confined) keep(p *settled) {
	if min(p.excess, c.augmented.truly(p.u)) <= roughly {
		c.ends = append(c.ends, p)
		return
	}
	if c.missed == nil || p.excess < c.missed.excess {
		c.missed = p
	}
}

// finest goes on from the best ends until each is as good as it gets, and returns the best that truly keeps the constraints, nil if none does. Where one was stuck, the
// lowest of the decisions looked at are tried by values alone as well.
func (c *confined) finest() (best *settled) {
	a := c.augmented
	height := a.penalized(c.weight()).height
	order := sortedBy(c.ends, func(p *settled) float64 { return height(p.u) })
	var tried []place
	stuck := len(order) == 0
	try := func(p *settled) {
		tried = append(tried, p.place)
		p = c.settle(p)
		stuck = stuck || p.kink || !p.still(loose)
		if a.admits(p.u) && (best == nil || p.loss < best.loss) {
			best = p
		}
	}
	for _, p := range order {
		if len(tried) == finalists || c.land.over() && len(tried) > 0 {
			break
		}
		if !slices.ContainsFunc(tried, func(q place) bool { return c.same(p.place, q) }) {
			try(p)
		}
	}
	if !stuck && best != nil {
		return best
	}
	looked := c.screened
	if !c.land.over() {
		looked = sortedBy(looked, func(p place) float64 { return height(p.u) })
	}
	land := a.penalized(largePenalty)
	for _, p := range looked[:min(len(looked), 2*finalists)] {
		if c.land.over() {
			break
		}
		land.most = land.evaluations + c.land.left()
		p.loss = land.height(p.u)
		if q := land.poll(p, .1); best == nil || q.loss < land.height(best.u) {
			try(a.judge(q.u, max(p.steepest, 1)))
		}
	}
	return best
}

// weight is a penalty that is larger than the multipliers at all ends.
func (c *confined) weight() float64 {
	most := firstPenalty / 4
	for _, p := range c.ends {
		most = max(most, rows.MaxAbs(p.multipliers))
	}
	return min(4*most, largePenalty)
}

// settle makes an end as good as it gets: by the conditions where all is smooth, else by the exact penalty.
func (c *confined) settle(p *settled) *settled {
	a := c.augmented
	a.sharp = true
	defer func() { a.sharp = false }()
	if p.still(loose) {
		fine := a.solve(p.u, c.Effort, c.MaxSteps)
		if p.excess <= kept && p.residual < fine.residual && !a.anySmoothed() {
			fine = p
		}
		if c.stands(fine) {
			return fine
		}
	}
	best := c.sharpened(p)
	copy(a.multipliers, best.multipliers)
	a.penalty = max(100, 10*rows.MaxAbs(best.multipliers))
	if fine := a.approach(best.u, c.Effort, c.MaxSteps); c.stands(fine) && fine.loss <= best.loss+float64(1e-9*max(c.worst, math.Abs(best.loss))) {
		return fine
	}
	return best
}

// stands tells whether the conditions hold at a place, and nothing nearby is lower.
func (c *confined) stands(p *settled) bool {
	return p.excess <= kept && c.augmented.admits(p.u) && p.still(loose) && !c.lowerNearby(p)
}

// lowerNearby tells whether a decision nearby that keeps the constraints is lower, so that one that looks like a minimum is none.
func (c *confined) lowerNearby(p *settled) bool {
	land := c.augmented.penalized(max(firstPenalty, 4*rows.MaxAbs(p.multipliers)))
	at := p.place
	at.loss = land.height(p.u)
	return land.glance(at).loss < at.loss-float64(1e-9*max(c.worst, math.Abs(at.loss)*1e-3))
}

// sharpened goes on by an exact penalty that grows until the constraints are kept.
func (c *confined) sharpened(p *settled) *settled {
	a := c.augmented
	best := p
	for weight := max(firstPenalty, 4*rows.MaxAbs(p.multipliers)); ; weight *= 10 {
		land := a.penalized(weight)
		land.most = (c.land.left() + 1) / 2
		s := &searcher{Effort: c.Effort, land: land, extent: c.extent, worst: c.worst}
		s.MaxSteps = min(s.MaxSteps, walkWork/4) // plain walks along a kink are soon stuck
		at := place{u: best.u, loss: land.height(best.u), residual: math.Inf(1), steepest: max(p.steepest, 1)}
		q := s.finish(at, c.Tolerance)
		best = a.judge(q.u, q.steepest)
		best.steps, best.residual, best.kink, best.radius = p.steps+q.steps, q.residual, q.kink, q.radius
		best.multipliers = a.pressures(best.u, max(q.radius, 1e-8), weight)
		if best = a.inside(best); best.excess <= kept && a.admits(best.u) || weight >= largePenalty || c.land.over() {
			return best
		}
	}
}
