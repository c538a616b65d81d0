package certify

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

// addStart puts what the first decision says: V₀, Δ and ‖∇Φ̃(u₀)‖².
func (c *Constants) addStart(p problem, f *steady.Objective) error {
	v, err := c.coupling(p, f)
	if err != nil {
		return err
	}
	c.put(V0, v, Proof, "mean of ‖p₀ − h(u₀, d)‖_P over the crowd")
	g := make([]float64, len(p.Start))
	loss, err := f.Gradient(g, p.Start)
	if err != nil {
		return err
	}
	c.put(Slope0, rows.Dot(g, g), Proof, "mean over the crowd")
	switch gap, known, how := gapOf(p, g); {
	case known != Unknown:
		c.put(Gap, gap, known, how)
	case p.Optimum != nil:
		best, err := f.Value(p.Optimum)
		c.put(Gap, max(0, loss-best), Estimate, "Φ̃★ is the best that a search found")
		return err
	}
	return nil
}

// coupling returns V = mean ‖p − h(u, d)‖_P at the start [he2025, coupling bound].
func (c *Constants) coupling(p problem, f *steady.Objective) (float64, error) {
	n, width := p.States.Size()
	sum, away := 0.0, make([]float64, n*width)
	if err := f.Settle(away, p.Start); err != nil {
		return 0, err
	}
	eachChunk(p.States, func(first int, states []float64) {
		rows.AddScaled(away[first*width:][:len(states)], -1, states)
	})
	for i := range n {
		sum += c.Length(kedge.Row(away, i, width))
	}
	return sum / float64(n), nil
}

// Length returns ‖x‖_P.
func (c *Constants) Length(x []float64) float64 { return dense.Weighted(c.Metric, x) }

// gapOf returns Δ of a linear-quadratic problem without constraints: with the Hessian H of Φ̃ it is ½gᵀH⁻¹g.
func gapOf(p problem, g []float64) (gap float64, known Known, how string) {
	h, ok := curvature(p)
	if !ok || !is[set.Whole](p.Set) {
		return math.NaN(), Unknown, ""
	}
	n := len(g)
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(n, h)) {
		return math.Inf(1), Proof, "Φ̃ has no lower bound"
	}
	var x mat.VecDense
	if err := chol.SolveVecTo(&x, mat.NewVecDense(n, g)); err != nil {
		return math.Inf(1), Proof, "Φ̃ has no lower bound to working precision"
	}
	return mat.Dot(&x, mat.NewVecDense(n, g)) / 2, Proof, "½∇Φ̃(u₀)ᵀH⁻¹∇Φ̃(u₀)"
}
