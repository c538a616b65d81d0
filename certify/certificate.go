package certify

import (
	"math"

	"github.com/kedge-opt/kedge/dynamics"
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
