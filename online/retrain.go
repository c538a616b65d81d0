package online

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Retrain is repeated risk minimization [perdomo2020]: with the step size 1 the next decision is the best one for the sampled
// population as it stands, u⁺ = argmin over the set of mean Φ(p, ·). A smaller step goes only part of the way there, which
// tames a population that answers too strongly.
//
// It settles at the stable point if the population answers less than the loss curves, εβ < γ; otherwise it may swing between
// decisions or diverge. Held until the population has settled it is delayed retraining [brown2022].
type Retrain struct {
	objective kedge.RowObjective
	dims      kedge.Dims
	minimizer
	seen  kedge.Observation // during Estimate
	scale float64
}

// NewRetrain returns the estimator for a loss over a set, the set of the rule.
func NewRetrain(objective kedge.RowObjective, dims kedge.Dims, set kedge.Set) *Retrain {
	return &Retrain{
		objective: objective, dims: dims,
		minimizer: newMinimizer(dims.Decision, set, "the decision that is best for the sample", 1e-12),
	}
}

// Estimate writes u − argmin mean Φ(p, ·). A minimum that is not found is a *kedge.NotConvergedError.
func (e *Retrain) Estimate(g []float64, o kedge.Observation) error {
	n, err := o.Sample(e.dims)
	if err != nil {
		return err
	}
	e.seen, e.scale = o, 1/float64(n)
	err = e.step(g, e)
	e.seen = kedge.Observation{}
	return err
}

// eval is the mean loss of the sample under u.
func (e *Retrain) eval(g, u []float64) float64 {
	clear(g)
	sum := e.objective.EvalRows(nil, g, e.seen.P, u, e.seen.D)
	rows.Scale(g, e.scale)
	return sum * e.scale
}
