package certify

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/set"
)

// StepSums are the step sizes of a run whose steps never grow: the first, and sums over all turns.
type StepSums struct{ First, Sum, Squares, Cubes float64 }

// SumSteps adds up the steps of so many turns.
func SumSteps(turns int, step func(k int) float64) StepSums {
	s := StepSums{First: step(0)}
	for k := range turns {
		x := step(k)
		s.Sum, s.Squares, s.Cubes = s.Sum+x, s.Squares+float64(x*x), s.Cubes+float64(x*x*x)
	}
	return s
}

// Weighted bounds Σηₖ E‖∇Φ̃(uₖ)‖²/Σηₖ for steps that never grow and begin with LargestStep at most. The proof is that of
// [he2025, gradient bound] with every turn multiplied by its step: ηₖ ≤ ηₖ₋₁ lets ηₖVₖ² ≤ ρ₁ηₖ₋₁Vₖ₋₁² + ρ₂ηₖ₋₁³‖ĝₖ₋₁‖². With
// constant steps it is Gradient.
func (t Theory) Weighted(s StepSums) float64 {
	noise := t.Noise / t.Batch
	lag := (float64(s.First*t.Start*t.Start) + float64(t.Rho2*noise*s.Cubes)) / (1 - t.Rho1)
	return (float64(8*t.Gap) + float64(4*t.Smooth*noise*s.Squares) + float64(7*t.Bias*t.Bias*lag)) / s.Sum
}

// LargestStepProjected returns the largest step of Projected.
func (t Theory) LargestStepProjected() float64 {
	return min(1/(2*t.Smooth), math.Sqrt((1-t.Rho1)/(4*t.Rho2))/t.Bias)
}

// Projected bounds the mean of E‖G(uₖ)‖² of descent that is projected onto a convex set, G(u) = (u − Π(u − η∇Φ̃(u)))/η being what takes
// the place of the gradient there, for a step up to LargestStepProjected and noise that does not grow with the gradient. With g̃ the
// step that is made over η and δ the error of the gradient, the projection gives Φ̃⁺ ≤ Φ̃ − η(1 − L_Φ̃η)‖g̃‖²/2 + η‖δ‖²/2 and
// ‖G‖² ≤ 2‖g̃‖² + 2‖δ‖², the crowd E‖δ‖² ≤ L²V² + M/n, and V² the recursion of [he2025, distribution shift] with the
// step η‖g̃‖. Its term 12M/n does not fall with the horizon, only with the batch, as it is for projected descent without a
// crowd [ghadimi2016].
func (t Theory) Projected(step float64) float64 {
	return 20*t.Gap/(step*t.Turns) + 12*t.Noise/t.Batch + float64(12*t.Bias*t.Bias*t.opening())
}

// Extension is a bound for runs that the paper's theorems do not cover, or why there is none.
type Extension struct {
	For     string  // what the run does
	Of      string  // what is bounded
	Value   float64 // NaN where there is no bound
	Largest float64 // the largest (first) step that it allows
	Used    float64
	Known   Known
	Why     string // why there is none, empty where there is one
}

// MarshalJSON writes the numbers; those that there are none of are null.
func (e Extension) MarshalJSON() ([]byte, error) {
	return object("for", e.For, "of", e.Of, "value", figure(e.Value), "largest", figure(e.Largest), "used", figure(e.Used), "known", e.Known, "why", e.Why)
}

// extend evaluates what is known of runs with steps that diminish and with projections, by V as in the coupled form.
func (c *Certificate) extend(p problem) (list []Extension) {
	t, _ := c.theory(p, true)
	known := c.weakest(boundedBy(c.biasByV())...)
	missing := c.missing(c.biasByV())
	varies, bounded := p.Steps != StepSums{}, !is[set.Whole](p.Set)
	if varies {
		e := Extension{For: "steps that diminish", Of: "Σηₖ E‖∇Φ̃(uₖ)‖²/Σηₖ", Largest: t.LargestStep(), Used: p.Steps.First, Known: known, Why: missing}
		if bounded {
			e.Why = "no bound is known of steps that diminish and are projected"
		}
		list = append(list, e.filled(t.Weighted(p.Steps)))
	}
	if bounded {
		e := Extension{For: "projected steps", Of: "mean E‖G‖²", Largest: t.LargestStepProjected(), Used: p.Step, Known: known, Why: missing}
		switch {
		case varies:
			e.Why = "the bound of projected steps is of constant ones"
		case t.Growth > 0:
			e.Why = fmt.Sprintf("the noise grows with the gradient (M_V = %.3g), and a projected step says nothing of that", t.Growth)
		}
		list = append(list, e.filled(t.Projected(p.Step)))
	}
	return list
}

// filled puts the value, unless there is none.
func (e Extension) filled(value float64) Extension {
	if e.Why == "" && !(e.Used <= e.Largest) {
		e.Why = fmt.Sprintf("the step %.3g is %s the largest, %.3g", e.Used, Times(e.Used/e.Largest), e.Largest)
	}
	if e.Value = value; e.Why != "" {
		e.Value, e.Known = math.NaN(), Unknown
	}
	return e
}
