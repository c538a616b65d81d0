package certify

import (
	"fmt"
	"math"
)

// Verdict says whether an assumption holds.
type Verdict string

const (
	// Holds was shown, by proof or as far as samples show.
	Holds Verdict = "holds"
	// Fails was shown not to hold.
	Fails Verdict = "fails"
	// NotChecked is open.
	NotChecked Verdict = "not checked"
)

// Assumption is one of the paper's, with what speaks for the verdict.
type Assumption struct {
	Number   int     `json:"number"`
	Title    string  `json:"title"`
	Verdict  Verdict `json:"verdict"`
	Known    Known   `json:"known"`
	Evidence string  `json:"evidence"`
	Source   string  `json:"source"`
}

// assumptions checks all five. That the dynamics contract is known by now. The third is about a random Lipschitz constant with
// a mean, by which gradient and expectation may change places: where the expectation is a sum over a finite crowd, they always may.
func assumptions(p problem, c *Constants) []Assumption {
	n, _ := p.Traits.Size()
	return []Assumption{{
		Number: 1, Title: "dynamics contract", Verdict: Holds, Known: c.weakest(LfP, LhU), Source: "he2025, contraction",
		Evidence: fmt.Sprintf("L_f^p = %.4g < 1", c.Value(LfP)),
	}, smoothness(c), {
		Number: 3, Title: "gradient of the mean is the mean gradient", Verdict: Holds, Known: Proof, Source: "he2025, steady gradient",
		Evidence: fmt.Sprintf("the crowd is finite (%d)", n),
	}, {
		Number: 4, Title: "variance of gradients is bounded", Verdict: Holds, Known: c.weakest(M, MV), Source: "he2025, gradient variance",
		Evidence: fmt.Sprintf("M = %.4g, M_V = %.4g", c.Value(M), c.Value(MV)),
	}, {
		Number: 5, Title: "noise is sub-Gaussian", Verdict: Holds, Known: c.Get(SigmaMb).Known, Source: "he2025, sub-Gaussian noise",
		Evidence: fmt.Sprintf("σ_mb = %.4g; the noise of a finite crowd is bounded", c.Value(SigmaMb)),
	}}
}

func smoothness(c *Constants) Assumption {
	a := Assumption{
		Number: 2, Title: "objective is smooth", Verdict: Holds, Known: c.weakest(Smooth, MPhiU, MPhiP), Source: "he2025, smooth objective",
		Evidence: fmt.Sprintf("L_Φ̃ = %.4g, M_Φ^u = %.4g, M_Φ^p = %.4g", c.Value(Smooth), c.Value(MPhiU), c.Value(MPhiP)),
	}
	turning := c.Value(MhD) > 0 && math.IsInf(c.Value(LPhiP), 1)
	switch {
	case math.IsInf(c.Value(Gap), 1):
		a.Verdict, a.Evidence = Fails, "Φ̃ is not bounded below"
	case turning || math.IsInf(c.Value(MPhiU), 1) || math.IsInf(c.Value(MPhiP), 1):
		a.Verdict, a.Evidence = Fails, "∂Φ/∂p is not bounded while ∇ᵤh differs between individuals; bound the decisions"
	case c.Get(Gap).Known == Unknown:
		a.Verdict, a.Evidence = NotChecked, "smooth, but nothing is known of a lower bound of Φ̃"
	}
	return a
}
