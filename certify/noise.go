package certify

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

const (
	crowd   = 1000 // individuals whose gradients are looked at; of more, some at equal distances
	probed  = 60   // turns of the rule that are followed
	batches = 400  // batches drawn to see how their gradients scatter
)

// addNoise puts M and M_V of [he2025, gradient variance] and σ_mb of [he2025, sub-Gaussian noise].
//
// The variance over the crowd is computed, not sampled, along a few turns of the rule without its noise, with steps that
// cannot make it diverge, and where the crowd settles under the first, the last and the best decision. M and M_V are the
// least squares fit, with M raised until the bound holds wherever somebody looked. σ_mb solves mean exp(‖ξ‖²/σ²) = e over
// batches drawn there.
func (c *Constants) addNoise(p problem, _ *steady.Objective) error {
	n, _ := p.Traits.Size()
	if n == 1 || p.Everybody && p.Batch >= n {
		for _, k := range []Key{M, MV, SigmaMb} {
			c.put(k, 0, Proof, "every batch is everybody")
		}
		return nil
	}
	seen, err := follow(p, min(p.Step, c.safeStep()))
	if err != nil {
		return err
	}
	noise, growth := fitVariance(seen)
	known, how := Estimate, fmt.Sprintf("variance over the crowd at %d turns, and settled", probed)
	if x, ok := asLinearQuadratic(p); ok && n <= crowd {
		noise, growth, known, how = x.spread(p.States, p.Traits, c.Metric), 0, Proof, "largest of tr K Cov(pₖ) Kᵀ over all turns"
	}
	c.put(M, noise, known, how)
	c.put(MV, growth, known, how)
	c.put(SigmaMb, scatter(seen, p), Estimate, fmt.Sprintf("mean exp(‖ξ‖²/σ²) = e over %d batches, largest of %d turns", batches, len(marks(seen))))
	return nil
}

// safeStep returns a step that cannot make the rule diverge. A step that suits Φ̃ alone is not enough: the crowd lags behind, and
// the slower it is the shorter the step must be.
func (c *Constants) safeStep() float64 {
	return Theory{Bias: c.Value(c.biasByV()), Smooth: c.Value(Smooth), Rho1: c.Value(Rho1), Rho2: c.Value(Rho2), Batch: 1}.LargestStep()
}

// glimpse is the gradients of a crowd's individuals under one decision.
type glimpse struct {
	each     []float64 // one a row
	mean     []float64
	variance float64 // E‖g − E g‖²
}

// follow takes the rule's steps without its noise, and looks.
func follow(p problem, step float64) ([]glimpse, error) {
	traits, states := some(p.Traits, crowd), some(p.States, crowd)
	next, move := make([]float64, len(states)), kedge.Batched(p.Dynamics)
	u := append([]float64(nil), p.Start...)
	var seen []glimpse
	look := func(at []float64, states []float64) error {
		g, err := p.look(at, states, traits)
		seen = append(seen, g)
		return err
	}
	for range probed {
		move.NextRows(next, states, u, traits)
		states, next = next, states
		if err := look(u, states); err != nil {
			return nil, err
		}
		rows.AddScaled(u, -step, seen[len(seen)-1].mean)
		if err := p.Set.Project(u); err != nil {
			return nil, err
		}
	}
	for _, at := range [][]float64{p.Start, u, p.Optimum} {
		if at == nil {
			continue
		}
		if _, err := p.RowSettler().SettleRows(states, at, traits); err != nil {
			return nil, err
		}
		if err := look(at, states); err != nil {
			return nil, err
		}
	}
	return seen, nil
}

// look computes everybody's gradient ∂Φ/∂u + ∇ᵤh ∂Φ/∂p.
func (p problem) look(u, states, traits []float64) (glimpse, error) {
	dim := p.Dynamics.Dims()
	n := kedge.Count(states, dim.State)
	answer := p.applied()
	g := glimpse{each: make([]float64, n*len(u)), mean: make([]float64, len(u))}
	gp := make([]float64, dim.State)
	for i := range n {
		x, d, gu := kedge.Row(states, i, dim.State), kedge.Row(traits, i, dim.Trait), kedge.Row(g.each, i, len(u))
		clear(gp)
		p.Objective.Eval(gp, gu, x, u, d)
		if err := answer.PullRows(gu, x, u, d, gp); err != nil {
			return g, err
		}
		rows.AddScaled(g.mean, 1/float64(n), gu)
	}
	for i := range n {
		off := rows.Distance(kedge.Row(g.each, i, len(u)), g.mean)
		g.variance += off * off / float64(n)
	}
	return g, nil
}

// applied returns the sensitivity as the rule takes it: at sampled states, or at settled ones.
func (p problem) applied() kedge.Sensitivity {
	if p.AtState {
		return p.Sensitivity
	}
	return &sensitivity.Settled{Of: p.Sensitivity, Settler: p.RowSettler()}
}

// some copies rows, at equal distances where there are more than asked for.
func some(r kedge.Rows, most int) []float64 {
	n, _ := r.Size()
	return kedge.Pick(r, kedge.Some(n, most)).Data
}

// fitVariance returns M and M_V ≥ 0 with variance ≤ M + M_V‖mean‖² everywhere.
func fitVariance(seen []glimpse) (noise, growth float64) {
	var x, y, xx, xy float64
	n := float64(len(seen))
	for _, g := range seen {
		s := rows.Dot(g.mean, g.mean)
		x, y, xx, xy = x+s/n, y+g.variance/n, xx+s*s/n, xy+s*g.variance/n
	}
	if var2 := xx - float64(x*x); var2 > 1e-12*xx {
		growth = max(0, (xy-float64(x*y))/var2)
	}
	if y-float64(growth*x) < 0 { // then the line through the origin fits best
		growth = xy / xx
	}
	for _, g := range seen {
		noise = max(noise, g.variance-float64(growth*rows.Dot(g.mean, g.mean)))
	}
	return noise, growth
}

// marks are the glimpses at which batches are drawn: the first, the middle, the last.
func marks(seen []glimpse) []glimpse {
	return []glimpse{seen[0], seen[len(seen)/2], seen[len(seen)-1]}
}

// scatter returns the largest σ_mb of the marked turns.
func scatter(seen []glimpse, p problem) float64 {
	r := stream.New(p.Seed, "certify", "batches")
	most := 0.0
	for _, g := range marks(seen) {
		most = max(most, subGaussian(g.errors(r, p.Batch)))
	}
	return most
}

// errors draws batches, with replacement, and returns ‖ξ‖² of their mean gradients.
func (g glimpse) errors(r *stream.Stream, batch int) []float64 {
	m := len(g.mean)
	n := kedge.Count(g.each, m)
	out, mean := make([]float64, batches), make([]float64, m)
	for b := range out {
		clear(mean)
		for range batch {
			rows.AddScaled(mean, 1/float64(batch), kedge.Row(g.each, r.Intn(n), m))
		}
		off := rows.Distance(mean, g.mean)
		out[b] = off * off
	}
	return out
}

// subGaussian returns the σ with mean exp(xᵢ/σ²) = e, by bisection, for xᵢ ≥ 0.
func subGaussian(x []float64) float64 {
	_, _, top := rows.Extent(x)
	if top == 0 {
		return 0
	}
	lo, hi := portable.Log(top)-portable.Log(float64(len(x)))-1, portable.Log(top) // of σ²; at hi no term is above e
	for range 60 {
		mid := (lo + hi) / 2
		sum := 0.0
		for _, v := range x {
			sum += portable.Exp(v / portable.Exp(mid))
		}
		if sum/float64(len(x)) > math.E {
			lo = mid
		} else {
			hi = mid
		}
	}
	return portable.Exp(hi / 2)
}
