package risk

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/scratch"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Constraint is ρ(ℓ(pᵢ, u, dᵢ)) ≤ Bound over the individuals of a population, or over those of a group.
type Constraint struct {
	Name    string
	Loss    kedge.Objective // ℓ
	Measure Measure         // ρ
	Bound   float64
	Among   func(d []float64) bool // who counts, by the trait; nil: everybody
	Member  func(who uint64) bool  // who of them counts, by the number that a sample must tell; nil: everybody

	Sensitivity kedge.Sensitivity // how settled states answer the decision; nil: a gradient takes them for given
	Dims        kedge.Dims
}

func (c *Constraint) check() error {
	if c.Loss == nil || c.Measure == nil {
		return errors.New("risk: a constraint needs a loss and a measure")
	}
	if c.Dims.Decision < 1 || c.Dims.State < 1 {
		return errors.New("risk: a constraint needs the dimensions of individuals")
	}
	return errors.Join(c.Measure.Check(), finite("Bound", c.Bound))
}

// Gauge judges a sample by a constraint. Of CVaR it remembers the quantile from turn to turn. It owns its workspace.
type Gauge struct {
	Constraint
	losses, weights, sorted, gu []float64
	alone                       []float64 // the gradient without the answer
	who                         []int     // rows that count
	given, shares               []float64 // how much everybody counts, nil: alike; and what part of those who count each is
	exact                       bool      // the sensitivity must have an answer

	level, next quantile // of CVaR, and pending
}

// quantile is what is remembered of the losses of CVaR.
type quantile struct {
	count     int     // turns
	t, spread float64 // the quantile, and the mean of |ℓ − t|
}

var _ wire.Described = (*Gauge)(nil)

// NewGauge returns a gauge of the constraint.
func NewGauge(c Constraint) (*Gauge, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	return &Gauge{Constraint: c, gu: make([]float64, c.Dims.Decision)}, nil
}

// Assess returns by how much the sample's risk exceeds the bound and writes the composite gradient of that,
// Σ wᵢ[∂ℓᵢ/∂u + ∇ᵤh ∂ℓᵢ/∂p] with w = ∂ρ/∂ℓ, to g. A sample with nobody who counts exceeds nothing.
func (a *Gauge) Assess(g []float64, o kedge.Observation) (float64, error) {
	n, err := o.Sample(a.Dims)
	if err != nil {
		return 0, err
	}
	if err := a.weighable(o.W); err != nil {
		return 0, err
	}
	if a.Member != nil && o.Who == nil {
		return 0, fmt.Errorf("risk: constraint %s is on a group of known people, but the sample does not tell who they are", a.Name)
	}
	clear(g)
	a.next, a.given = a.level, o.W
	room, who := scratch.Borrow(4*n), scratch.BorrowInts(n)
	defer room.Return()
	defer who.Return()
	a.lend(room.X, who.X)
	defer a.takeBack()
	a.judge(o.P, o.U, o.D, func(i int) uint64 { return o.Who[i] })
	if len(a.losses) == 0 {
		return 0, nil
	}
	if !rows.Finite(a.losses) {
		return 0, kedge.CheckFinite("the losses of constraint "+a.Name, a.losses)
	}
	risk := a.weigh()
	return risk - a.Bound, a.pullBack(g, o.P, o.U, o.D)
}

// weighable returns an error where people have weights and the measure can only take everybody alike.
func (a *Gauge) weighable(weights []float64) error {
	if _, ok := a.Measure.(ShareMeasure); !ok && weights != nil {
		return fmt.Errorf("risk: constraint %s has a measure that takes everybody alike, so people cannot have weights", a.Name)
	}
	return nil
}

// lend gives the gauge room for individuals: between samples it keeps none of it.
func (a *Gauge) lend(room []float64, who []int) {
	n := len(who)
	a.losses, a.weights, a.sorted, a.shares, a.who = room[:0:n], room[n:n:2*n], room[2*n:2*n:3*n], room[3*n:3*n:4*n], who[:0]
}

// takeBack leaves the gauge without room.
func (a *Gauge) takeBack() {
	a.losses, a.weights, a.sorted, a.shares, a.who, a.given = nil, nil, nil, nil, nil, nil
}

// judge finds who counts and their losses; nobody does whose weight is 0. Row i is that of who(i).
func (a *Gauge) judge(p, u, d []float64, who func(i int) uint64) {
	n, dim := len(p)/a.Dims.State, a.Dims
	if cap(a.losses) < n { // of a settled population, which has room of its own
		a.losses, a.weights, a.who = make([]float64, n), make([]float64, n), make([]int, n)
	}
	a.losses, a.who = a.losses[:0], a.who[:0]
	for i := range n {
		trait := d[i*dim.Trait : (i+1)*dim.Trait]
		if a.Among != nil && !a.Among(trait) || a.Member != nil && !a.Member(who(i)) || a.given != nil && a.given[i] == 0 {
			continue
		}
		a.who = append(a.who, i)
		a.losses = append(a.losses, a.Loss.Eval(nil, nil, kedge.Row(p, i, dim.State), u, trait))
	}
	a.weights = a.weights[:len(a.losses)]
	if a.given != nil {
		a.shares = sharesOf(a.shares, a.given, a.who)
	}
}

// measure returns the risk of the losses and sets their weights in its gradient.
func (a *Gauge) measure() float64 {
	if a.given == nil {
		return a.Measure.Weigh(a.weights, a.losses)
	}
	return a.Measure.(ShareMeasure).WeighShares(a.weights, a.losses, a.shares)
}

// leastGain is how far, as a share of the spread of losses, the quantile moves at least.
const leastGain = 0.01

// weigh returns the risk and sets the weights. The quantile t of CVaR follows the samples by
//
//	t⁺ = t − γs(1 − mean 1{ℓ > t}/(1 − Level)),
//
// which comes to rest at the quantile however small they are; s is a running mean of |ℓ − t|, so that γ has no unit. An error of
// t counts only by its square and makes the constraint a little safer.
func (a *Gauge) weigh() float64 {
	c, ok := a.Measure.(CVaR)
	if !ok {
		return a.measure()
	}
	if a.level.count == 0 {
		a.next.t = a.first(c)
	}
	t, gain := a.next.t, max(leastGain, 1/float64(a.level.count+2))
	risk, beyond := a.above(c, t)
	a.next.spread += float64(gain * (a.distance(t) - a.next.spread))
	a.next.t -= float64(gain * a.next.spread * (1 - beyond))
	a.next.count++
	return risk
}

// first returns the quantile of the losses.
func (a *Gauge) first(c CVaR) float64 {
	if a.given != nil {
		return c.quantileShares(a.losses, a.shares)
	}
	a.sorted = append(a.sorted[:0], a.losses...)
	return c.quantile(a.sorted)
}

// above returns the risk for a given quantile t, and the sum of the weights in its gradient, which it sets.
func (a *Gauge) above(c CVaR, t float64) (risk, beyond float64) {
	if a.given != nil {
		return c.aboveShares(a.weights, a.losses, a.shares, t)
	}
	return c.above(a.weights, a.losses, t)
}

// distance returns the mean of |ℓ − t|.
func (a *Gauge) distance(t float64) float64 {
	sum := 0.0
	for j, l := range a.losses {
		if a.given != nil {
			sum += float64(a.shares[j] * math.Abs(l-t))
		} else {
			sum += math.Abs(l - t)
		}
	}
	if a.given != nil {
		return sum
	}
	return sum / float64(len(a.losses))
}

// pullBack adds the gradient of the weighted losses to g. Where a sample is so far from settled that the formulas of the sensitivity have no
// answer, states are taken for given, as online.Composite takes them.
func (a *Gauge) pullBack(g, p, u, d []float64) error {
	dim := a.Dims
	pull := scratch.Borrow(len(p))
	defer pull.Return()
	for j, i := range a.who {
		if a.weights[j] == 0 {
			continue
		}
		clear(a.gu)
		v := kedge.Row(pull.X, i, dim.State)
		a.Loss.Eval(v, a.gu, kedge.Row(p, i, dim.State), u, d[i*dim.Trait:(i+1)*dim.Trait])
		rows.Scale(v, a.weights[j])
		rows.AddScaled(g, a.weights[j], a.gu)
	}
	if a.Sensitivity == nil {
		return nil
	}
	a.alone = append(a.alone[:0], g...)
	err := a.Sensitivity.PullRows(g, p, u, d, pull.X)
	if errors.Is(err, kedge.ErrSingular) && !a.exact {
		copy(g, a.alone)
		return nil
	}
	return err
}

// Commit accepts what the last sample showed.
func (a *Gauge) Commit(kedge.Observation) { a.level = a.next }

// Describe gives what is remembered from turn to turn.
func (a *Gauge) Describe(f *wire.Fields) {
	q := &a.level
	f.Int(&q.count, 1<<53)
	f.Float(&q.t)
	f.Float(&q.spread)
	f.Finite("the quantile or its spread", []float64{q.t, q.spread})
}
