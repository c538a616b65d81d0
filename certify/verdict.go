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
	paper, other := c.Bound("Theorem 2", Paper), c.Bound("Theorem 2", c.best())
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
	b := c.Bound("Theorem 2", c.best())
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
