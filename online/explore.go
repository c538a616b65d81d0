package online

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Normals fills dst with standard normal numbers; *stream.Stream and *stream.NumPy do.
type Normals interface{ Normals(dst []float64) }

// direction is δv with v uniform on the unit sphere, drawn anew for every deployment that asks for one.
type direction struct {
	delta  float64
	source Normals
	v      []float64
	drawn  bool
}

func newDirection(n int, delta float64, source Normals) (direction, error) {
	err := kedge.CheckRange("delta", delta, delta > 0 && !math.IsInf(delta, 0), "a positive number")
	return direction{delta: delta, source: source, v: make([]float64, n)}, err
}

// Perturb adds δv to u.
func (e *direction) Perturb(u []float64) { e.add(u, 1) }

// add adds sign·δv to u.
func (e *direction) add(u []float64, sign float64) {
	e.draw()
	rows.AddScaled(u, sign*e.delta, e.v)
}

// slope writes rise·(n/δ)v to g: averaged over directions, the gradient of what rises so much along δv.
func (e *direction) slope(g []float64, rise float64) {
	e.draw()
	clear(g)
	rows.AddScaled(g, float64(len(g))/e.delta*rise, e.v)
}

// draw makes the direction, once.
func (e *direction) draw() {
	for !e.drawn {
		e.source.Normals(e.v)
		norm := rows.Norm(e.v)
		e.drawn = norm > 0 || len(e.v) == 0
		rows.Scale(e.v, 1/norm)
	}
}

// renew asks for another direction.
func (e *direction) renew() { e.drawn = false }

// Describe gives the direction, if there is one already, and the source.
func (e *direction) Describe(f *wire.Fields) {
	if f.Bool(&e.drawn); e.drawn {
		f.Fixed(e.v)
		f.Finite("the direction", e.v)
	}
	f.Part("source of directions", e.source)
}

// DerivativeFree estimates the gradient from observed losses alone, by one-point residual feedback
// [zhang2022]: it deploys u + δv with v uniform on the unit sphere and takes g = (n/δ)(Φ̂ₖ − Φ̂ₖ₋₁)v. Without a loss from
// the turn before, the first turn only observes.
//
// The population answers the perturbed decision, and with one step a decision it has not settled when the loss is taken:
// the estimate then follows the first answer of the population only. Hold each decision for several steps to approach the
// optimum. A rule over a set that is δ smaller keeps what is deployed feasible.
type DerivativeFree struct {
	direction
	previous float64 // NaN while unknown
}

// NewDerivativeFree returns the estimator for decisions of length n with smoothing radius δ > 0.
func NewDerivativeFree(n int, delta float64, source Normals) (*DerivativeFree, error) {
	d, err := newDirection(n, delta, source)
	if err != nil {
		return nil, err
	}
	return &DerivativeFree{direction: d, previous: math.NaN()}, nil
}

// Resume sets the loss of the turn before the first.
func (e *DerivativeFree) Resume(previous float64) { e.previous = previous }

// Previous returns the last loss taken, NaN before the first.
func (e *DerivativeFree) Previous() float64 { return e.previous }

// Estimate writes (n/δ)(Φ̂ₖ − Φ̂ₖ₋₁)v.
func (e *DerivativeFree) Estimate(g []float64, o kedge.Observation) error {
	rise := o.Loss - e.previous
	if math.IsNaN(e.previous) {
		rise = 0
	}
	e.slope(g, rise)
	return nil
}

// Commit keeps the loss of the turn and asks for a new direction.
func (e *DerivativeFree) Commit(o kedge.Observation) {
	e.previous = o.Loss
	e.renew()
}

// Miss forgets the loss of the turn before and asks for a new direction: the iterate may be elsewhere now.
func (e *DerivativeFree) Miss() {
	e.previous = math.NaN()
	e.renew()
}

// OnePoint estimates the gradient from one loss: it deploys u + δv and takes g = (n/δ)Φ̂v [flaxman2005]. Where losses are far
// from 0 the estimate is as noisy as they are large; DerivativeFree and TwoPoint subtract that.
type OnePoint struct{ direction }

// NewOnePoint returns the estimator for decisions of length n with smoothing radius δ > 0.
func NewOnePoint(n int, delta float64, source Normals) (*OnePoint, error) {
	d, err := newDirection(n, delta, source)
	if err != nil {
		return nil, err
	}
	return &OnePoint{d}, nil
}

// Estimate writes (n/δ)Φ̂v.
func (e *OnePoint) Estimate(g []float64, o kedge.Observation) error {
	e.slope(g, o.Loss)
	return nil
}

// Miss asks for a new direction.
func (e *OnePoint) Miss() { e.renew() }

// Commit asks for a new direction.
func (e *OnePoint) Commit(kedge.Observation) { e.renew() }

// TwoPoint estimates the gradient from two losses: it deploys u + δv, then u − δv, and takes g = (n/2δ)(Φ̂₊ − Φ̂₋)v
// [agarwal2010].
//
// The second decision meets a population that still remembers the first. Under affine dynamics with decisions held for h
// turns the estimate therefore follows the part (I − ½Aʰ)(I − Aʰ) of the settled answer, less than the part I − Aʰ that
// DerivativeFree follows; both tend to all of it as h grows.
type TwoPoint struct {
	direction
	above float64 // Φ̂₊
	below bool    // the second decision is deployed
}

// NewTwoPoint returns the estimator for decisions of length n with smoothing radius δ > 0.
func NewTwoPoint(n int, delta float64, source Normals) (*TwoPoint, error) {
	d, err := newDirection(n, delta, source)
	if err != nil {
		return nil, err
	}
	return &TwoPoint{direction: d}, nil
}

// Perturb adds δv to u, or subtracts it.
func (e *TwoPoint) Perturb(u []float64) {
	if e.below {
		e.add(u, -1)
		return
	}
	e.direction.Perturb(u)
}

// Collecting tells whether the first of the two decisions is deployed.
func (e *TwoPoint) Collecting() bool { return !e.below }

// Estimate writes (n/2δ)(Φ̂₊ − Φ̂₋)v, or nothing for the first of the two decisions.
func (e *TwoPoint) Estimate(g []float64, o kedge.Observation) error {
	clear(g)
	if e.below {
		e.slope(g, (e.above-o.Loss)/2)
	}
	return nil
}

// Commit keeps the first loss, or asks for a new direction.
func (e *TwoPoint) Commit(o kedge.Observation) {
	if e.below {
		e.renew()
	}
	e.above, e.below = o.Loss, !e.below
}

// Miss begins again with another direction: two losses around different iterates cannot be compared.
func (e *TwoPoint) Miss() {
	e.below = false
	e.renew()
}

// Describe gives the last loss, this turn's direction if there is one already, and the source's state.
func (e *DerivativeFree) Describe(f *wire.Fields) {
	if f.Float(&e.previous); math.IsInf(e.previous, 0) { // NaN where there is none yet
		f.Fail("the last loss is %v", e.previous)
	}
	e.direction.Describe(f)
}

// Describe gives which decision is deployed, the first loss, the direction and the source's state.
func (e *TwoPoint) Describe(f *wire.Fields) {
	f.Bool(&e.below)
	if f.Float(&e.above); e.below {
		f.Finite("the first loss", []float64{e.above})
	}
	e.direction.Describe(f)
}
