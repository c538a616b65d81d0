package certify

import (
	"context"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

// Certificate is what the theory says about a problem and the rule that is to solve it.
type Certificate struct {
	Horizon int      `json:"T"`
	Tau     float64  `json:"tau"`     // of the bounds with probability 1−τ
	Verdict []string `json:"verdict"` // sentences, the most important first
	*Constants
	Assumptions    []Assumption    `json:"assumptions"`
	Beyond         []string        `json:"beyond,omitempty"` // what the run does that the theorems do not cover
	Steps          []Step          `json:"steps"`
	Bounds         []Bound         `json:"bounds"`
	Generalization *Generalization `json:"generalization,omitempty"` // nil where traits are no sample
}

// Certify derives all constants of a model, checks the assumptions and evaluates steps and bounds of a run. It needs all that
// Derive does, steady states, their sensitivity and the first decision. What it computes is bounded by counts, never by a clock,
// and the same problem gives the same certificate.
func Certify(ctx context.Context, m kedge.Model, run Premises) (*Certificate, error) {
	c, err := Derive(m, run.Seed)
	if err != nil {
		return nil, err
	}
	return c.Certify(ctx, m, run)
}

// Certify goes on from constants that Derive found for the same model, to which it adds.
func (c *Constants) Certify(ctx context.Context, m kedge.Model, run Premises) (*Certificate, error) {
	p, err := problem{m, run}.ready()
	if err != nil {
		return nil, err
	}
	f, err := steady.New(p.Model)
	if err != nil {
		return nil, err
	}
	for _, add := range []func(problem, *steady.Objective) error{c.addTransient, c.addSmooth, c.addStart, c.addNoise} {
		if err := add(p, f); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.derive(Kappa, c.Value(MV)/float64(p.Batch)+1, "M_V/n_mb + 1", MV)
	out := &Certificate{Constants: c, Horizon: p.Horizon, Tau: p.Tau, Beyond: beyond(p, c)}
	out.Assumptions = assumptions(p, c)
	out.addBounds(p)
	if out.Generalization, err = generalize(ctx, p, c); err != nil {
		return nil, err
	}
	out.Verdict = out.judge(p)
	return out, nil
}

// beyond lists what the theorems do not cover.
func beyond(p problem, c *Constants) []string {
	list := append([]string(nil), p.Beyond...)
	if !is[set.Whole](p.Set) {
		list = append(list, "decisions are projected onto a set; the theorems are about descent without constraints")
	}
	if c.biasByV() == LPsi {
		list = append(list, "the sensitivity is taken at sampled states; the theorems take it at settled ones, and L_Ψ stands in for L_p")
	}
	return list
}

// Shift returns the coefficients of ΣW₁² ≤ a + b Σ‖uₖ − uₖ₋₁‖² [he2025, distribution shift].
func (c *Certificate) Shift() (a, b float64) {
	return Theory{Rho1: c.Value(Rho1), Rho2: c.Value(Rho2), Start: c.Value(V0), Turns: 1}.Shift()
}

// theory collects the constants for bounds by W₁, or by V when coupled.
func (c *Certificate) theory(p problem, coupled bool) (Theory, Known) {
	bias := L
	if coupled {
		bias = c.biasByV()
	}
	known := c.weakest(bias, Smooth, Rho1, Rho2, V0, Gap, M, MV)
	if len(c.Beyond) > 0 {
		known = max(known, Estimate)
	}
	return Theory{
		Bias: c.Value(bias), Smooth: c.Value(Smooth), Rho1: c.Value(Rho1), Rho2: c.Value(Rho2), Start: c.Value(V0),
		Gap: c.Value(Gap), Noise: c.Value(M), Growth: c.Value(MV), Sigma: c.Value(SigmaMb),
		Batch: float64(p.Batch), Turns: float64(p.Horizon),
	}, known
}

// biasByV names the constant of the gradient's bias by V, which is another where the sensitivity is taken at sampled states.
func (c *Constants) biasByV() Key {
	if c.Get(LPsi).Known != Unknown {
		return LPsi
	}
	return Lp
}

// widest returns how far apart two states of one individual can be at most in ‖·‖_P, NaN when nothing bounds it.
func (c *Constants) widest(p problem) float64 {
	if cone := c.Get(Cone); cone.Known != Unknown {
		return 2 * math.Sin(cone.Value*math.Pi/180)
	}
	if is[dynamics.Choice](p.Dynamics) {
		return math.Sqrt2
	}
	return math.NaN()
}
