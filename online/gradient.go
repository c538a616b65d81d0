package online

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Vanilla estimates the gradient as if the sampled population were given: g = mean ∂Φ/∂u [he2025, vanilla update]. Rules
// built on it settle at the performatively stable point.
type Vanilla struct {
	Objective kedge.RowObjective
	Dims      kedge.Dims
}

// Estimate writes the mean of ∂Φ/∂u over the sample.
func (v Vanilla) Estimate(g []float64, o kedge.Observation) error {
	n, err := o.Sample(v.Dims)
	if err != nil {
		return err
	}
	clear(g)
	v.Objective.EvalRows(nil, g, o.P, o.U, o.D)
	rows.Scale(g, 1/float64(n))
	return nil
}

// Composite adds the term that Vanilla leaves out, how the settled population answers the decision:
// g = mean [∂Φ/∂u + ∇ᵤh ∂Φ/∂p] [he2025, composite update]. Rules built on it settle at the optimum.
type Composite struct {
	Objective   kedge.RowObjective
	Sensitivity kedge.Sensitivity
	Dims        kedge.Dims

	pull []float64
}

// Estimate writes the mean of ∂Φ/∂u + ∇ᵤh ∂Φ/∂p over the sample.
func (c *Composite) Estimate(g []float64, o kedge.Observation) error {
	n, err := o.Sample(c.Dims)
	if err != nil {
		return err
	}
	if len(c.pull) < len(o.P) {
		c.pull = make([]float64, len(o.P))
	}
	pull := c.pull[:len(o.P)]
	clear(pull)
	clear(g)
	c.Objective.EvalRows(pull, g, o.P, o.U, o.D)
	if err := c.Sensitivity.PullRows(g, o.P, o.U, o.D, pull); err != nil {
		return err
	}
	rows.Scale(g, 1/float64(n))
	return nil
}
