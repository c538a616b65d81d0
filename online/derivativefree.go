package online

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/rows"
)

// Normals fills dst with standard normal numbers; *stream.Stream and *stream.NumPy do.
type Normals interface{ Normals(dst []float64) }

// DerivativeFree estimates the gradient from observed losses alone, by one-point residual feedback
// [zhang2022]: it deploys u + δv with v uniform on the unit sphere and takes g = (n/δ)(Φ̂ₖ − Φ̂ₖ₋₁)v. Without a loss from
// the turn before, the first turn only observes.
//
// The population answers the perturbed decision, and with one step a decision it has not settled when the loss is taken:
// the estimate then follows the first answer of the population only. Hold each decision for several steps to approach the
// optimum.
type DerivativeFree struct {
	delta     float64
	source    Normals
	direction []float64
	drawn     bool
	previous  float64 // NaN while unknown
}

// NewDerivativeFree returns the estimator for decisions of length n with smoothing radius δ > 0.
func NewDerivativeFree(n int, delta float64, source Normals) (*DerivativeFree, error) {
	if !(delta > 0) || math.IsInf(delta, 0) {
		return nil, &kedge.RangeError{Arg: "delta", Got: delta, Want: "a positive number"}
	}
	return &DerivativeFree{delta: delta, source: source, direction: make([]float64, n), previous: math.NaN()}, nil
}

// Resume sets the loss of the turn before the first.
func (e *DerivativeFree) Resume(previous float64) { e.previous = previous }

// Previous returns the last loss taken, NaN before the first.
func (e *DerivativeFree) Previous() float64 { return e.previous }

// Perturb adds δv to u.
func (e *DerivativeFree) Perturb(u []float64) {
	e.draw()
	rows.AddScaled(u, e.delta, e.direction)
}

// draw makes the direction of this turn, once.
func (e *DerivativeFree) draw() {
	for !e.drawn {
		e.source.Normals(e.direction)
		norm := rows.Norm(e.direction)
		e.drawn = norm > 0 || len(e.direction) == 0
		rows.Scale(e.direction, 1/norm)
	}
}

// Estimate writes (n/δ)(Φ̂ₖ − Φ̂ₖ₋₁)v.
func (e *DerivativeFree) Estimate(g []float64, o kedge.Observation) error {
	e.draw()
	clear(g)
	if !math.IsNaN(e.previous) {
		rows.AddScaled(g, float64(len(g))/e.delta*(o.Loss-e.previous), e.direction)
	}
	return nil
}

// Commit keeps the loss of the turn and asks for a new direction.
func (e *DerivativeFree) Commit(o kedge.Observation) { e.previous, e.drawn = o.Loss, false }
