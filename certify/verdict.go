package certify

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// judge puts the certificate in words: the step first, then what is bounded, then what stands apart.
func (c *Certificate) judge(p problem) []string {
	list := []string{c.judgeStep()}
	list = append(list, c.judgeBounds(), c.judgeKnown())
	for _, a := range c.Assumptions {
		if a.Verdict != Holds {
			list = append(list, fmt.Sprintf("Assumption %d %s: %s.", a.Number, a.Verdict, a.Evidence))
		}
	}
	if p.Step == 0 {
		list[0] = "No step was given."
	}
	return list
}

// Step returns the largest step of a form for bounds in expectation.
func (c *Certificate) Step(form Form) Step { return c.LargestStep(form, false) }

// LargestStep returns the largest step of a form for bounds in expectation or in probability.
func (c *Certificate) LargestStep(form Form, probable bool) Step {
	for _, s := range c.Steps {
		if s.Form == form && s.Probable == probable {
			return s
		}
	}
	return Step{Largest: math.NaN(), Known: Unknown}
}

// Bound returns the bound of a theorem in a form.
func (c *Certificate) Bound(theorem string, form Form) Bound {
	for _, b := range c.Bounds {
		if b.Theorem == theorem && b.Form == form {
			return b
		}
	}
	return Bound{Value: math.NaN(), Known: Unknown}
}

// best returns the form with the largest step; with the sensitivity at sampled states only the coupled one has it covered.
func (c *Certificate) best() Form {
	if c.biasByV() == LPsi {
		return Coupled
	}
	best := Paper
	for _, form := range []Form{Tight, Coupled} {
		if c.Step(form).Largest > c.Step(best).Largest {
			best = form
		}
	}
	return best
}

func (c *Certificate) judgeStep() string {
	paper, other := c.Step(Paper), c.Step(c.best())
	return fmt.Sprintf("The step %.3g is %s the paper's largest for T = %d (%.2g) and %s the %s form's (%.2g).",
		paper.Used, times(paper.Excess()), c.Horizon, paper.Largest, times(other.Excess()), other.Form, other.Largest)
}

// times says how a number compares with what is allowed.
func times(x float64) string {
	if x <= 1 {
		return "within"
	}
	return Times(x)
}

// Times writes a ratio as people say it, as in "6935 times".
func Times(x float64) string {
	switch {
	case x < 10:
		return fmt.Sprintf("%.1f times", x)
	case x < 1e6:
		return fmt.Sprintf("%.0f times", x)
	default:
		return fmt.Sprintf("%.2g times", x)
	}
}

func (c *Certificate) judgeBounds() string {
	paper, other := c.Bound("Theorem 5", Paper), c.Bound("Theorem 5", c.best())
	if math.IsNaN(paper.Value) && math.IsNaN(other.Value) {
		return fmt.Sprintf("What the mean of ‖∇Φ̃‖² is at most cannot be told, as %s; it begins at %.3g.", c.missing(L), c.Value(Slope0))
	}
	return fmt.Sprintf("At the certified steps the mean of ‖∇Φ̃‖² is at most %.3g (paper, %s) and %.3g (%s, %s); it begins at %.3g.",
		paper.Value, worth(paper), other.Value, other.Form, worth(other), c.Value(Slope0))
}

func worth(b Bound) string {
	if b.Vacuous() {
		return "vacuous"
	}
	return "not vacuous"
}

func (c *Certificate) judgeKnown() string {
	b := c.Bound("Theorem 5", c.best())
	if b.Known == Proof {
		return "This is a proof: every constant in it is."
	}
	var weak []string
	for _, x := range c.List {
		if x.Known == Estimate {
			weak = append(weak, x.Symbol())
		}
	}
	text := "This is an estimate, not a proof"
	if len(weak) > 10 {
		text += fmt.Sprintf(": %d of %d constants are estimates", len(weak), len(c.List))
	} else if len(weak) > 0 {
		text += ": " + phrase.Enumerate(weak) + " are estimates"
	}
	if len(c.Beyond) > 0 {
		text += "; and the run goes beyond the theorems"
	}
	return text + "."
}

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
