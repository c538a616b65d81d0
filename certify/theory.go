package certify

import (
	"math"

	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/portable"
)

// Theory is what steps and bounds are computed from: constants of a problem, of a rule and of how long it runs. Every
// method is a right-hand side with all its terms, those that the paper writes as O(1/T) included; they are in its proofs.
//
// Two constants are kept apart that the paper calls L: that of the gradient's bias, Bias, and that of the smoothness of Φ̃,
// Smooth. With one letter for both, a bound would change when P is scaled, which changes nothing.
//
// Bias is L when distances are W₁. It may be L_p, which is smaller, when they are V: V couples everybody with itself, so
// that traits do not differ.
type Theory struct {
	Bias, Smooth  float64 // L or L_p, and L_Φ̃
	Rho1, Rho2    float64
	Start         float64 // V₀
	Gap           float64 // Δ = Φ̃(u₀) − Φ̃★
	Noise, Growth float64 // M and M_V of one individual's gradient
	Sigma         float64 // σ_mb of the batch's gradient
	Batch         float64 // n_mb
	Turns         float64 // T
}

// kappa is M_V/n_mb + 1.
func (t Theory) kappa() float64 { return t.Growth/t.Batch + 1 }

// LargestStep returns the largest step of the tight bounds in expectation, for any horizon. That of the paper is smaller by
// √T [he2025, step size in expectation]: its proof needs the factor only to hide a term in O(1/T).
func (t Theory) LargestStep() float64 {
	k := t.kappa()
	return min(1/(4*t.Smooth*k), math.Sqrt((1-t.Rho1)/(14*t.Rho2*t.Bias*t.Bias*k)))
}

// LargestStepPaper returns the largest step for the horizon [he2025, step size in expectation].
func (t Theory) LargestStepPaper() float64 { return t.LargestStep() / math.Sqrt(t.Turns) }

// LargestStepProbable returns the largest step for the horizon of the bounds with high probability
// [he2025, step bound in probability].
func (t Theory) LargestStepProbable() float64 {
	return min(1/(6*t.Smooth), math.Sqrt((1-t.Rho1)/(21*t.Rho2*t.Bias*t.Bias))) / math.Sqrt(t.Turns)
}

// opening is the share of the start, V₀²/(1−ρ₁)T.
func (t Theory) opening() float64 { return t.Start * t.Start / ((1 - t.Rho1) * t.Turns) }

// Shift returns the two coefficients of ΣW₁² ≤ a + b Σ‖uₖ − uₖ₋₁‖² [he2025, distribution shift]. The first is V₀²/(1−ρ₁); the
// theorem as printed says V₀, which is false: one state that shrinks by 0.9 from V₀ = 10 under a constant decision adds up
// to 526, and 10/0.095 is 105.
func (t Theory) Shift() (a, b float64) { return t.opening() * t.Turns, t.Rho2 / (1 - t.Rho1) }

// GradientPaper bounds the mean of E‖∇Φ̃(uₖ)‖² over a run with a step up to LargestStepPaper [he2025, gradient bound].
func (t Theory) GradientPaper(step float64) float64 {
	return t.descent(step) + float64(7*t.Bias*t.Bias*t.opening()) + t.Noise/(2*t.Turns*(t.Growth+t.Batch))
}

// descent is what every bound in expectation begins with, 8Δ/ηT + 4L_Φ̃Mη/n.
func (t Theory) descent(step float64) float64 {
	return 8*t.Gap/(step*t.Turns) + 4*t.Smooth*t.Noise*step/t.Batch
}

// Gradient bounds the same for a step up to LargestStep: the proof of [he2025, gradient bound] with nothing thrown away.
func (t Theory) Gradient(step float64) float64 {
	return t.descent(step) + float64(7*t.Bias*t.Bias*(t.opening()+t.kicks(step)))
}

// kicks is what noise adds to V² in a turn, in the long run: η²ρ₂M/(1−ρ₁)n.
func (t Theory) kicks(step float64) float64 {
	return step * step * t.Rho2 * t.Noise / ((1 - t.Rho1) * t.Batch)
}

// TransientPaper bounds the mean of E‖∇̂Φ̃(uₖ)‖², of the gradient of the crowd as it is [he2025, transient gradient bound].
func (t Theory) TransientPaper(step float64) float64 { return t.TransientBy(t.GradientPaper(step)) }

// TransientBy bounds the same by the mean of E‖∇Φ̃(uₖ)‖², or by what bounds that.
func (t Theory) TransientBy(gradient float64) float64 {
	return float64(7./3*gradient) + float64(7./3*t.Bias*t.Bias*t.opening()) + t.Noise/(6*(t.Growth+t.Batch)*t.Turns)
}

// Transient bounds the same for a step up to LargestStep.
func (t Theory) Transient(step float64) float64 {
	return 2*t.Gradient(step) + float64(2*t.Bias*t.Bias*t.squared(step))
}

// DistancePaper bounds the mean of E W₁ [he2025, distance bound]; it shrinks like T^−¼.
func (t Theory) DistancePaper(step float64) float64 {
	l2 := t.Bias * t.Bias
	return math.Sqrt(t.GradientPaper(step)/(6*l2) + float64(7./6*t.opening()) + t.Noise/(12*l2*(t.Growth+t.Batch)*t.Turns))
}

// Distance bounds the same, and the root of the mean of E W₁², for a step up to LargestStep; with a step like T^−½ it shrinks
// like T^−½.
func (t Theory) Distance(step float64) float64 { return math.Sqrt(t.squared(step)) }

// squared bounds the mean of E W₁².
func (t Theory) squared(step float64) float64 {
	share := 2 * step * step * t.Rho2 * t.kappa() / (1 - t.Rho1)
	return 7. / 6 * (t.opening() + t.kicks(step) + product(share, t.Gradient(step)))
}

// GradientProbable bounds the mean of ‖∇Φ̃(uₖ)‖² with probability 1−τ for a step up to LargestStepProbable
// [he2025, gradient bound in probability].
func (t Theory) GradientProbable(step, tau float64) float64 {
	s2, log := float64(t.Sigma*t.Sigma), portable.Log(2/tau)
	return 16*t.Gap/(step*t.Turns) + float64(24*step*t.Smooth*s2*(1+log)) + (2*s2+float64(194*s2*log))/t.Turns + float64(14*t.Bias*t.Bias*t.opening())
}

// DistanceProbable bounds the mean of W₁ with probability 1−τ [he2025, distance bound in probability]. Half of τ goes to the
// gradients, so that the logarithm in their part is that of 4/τ, as in the proof; the theorem as printed says 2/τ.
func (t Theory) DistanceProbable(step, tau float64) float64 {
	l2 := t.Bias * t.Bias
	noise := t.Sigma * t.Sigma * (1 + portable.Log(2/tau)) / (6 * l2 * t.Turns)
	return math.Sqrt(t.GradientProbable(step, tau/2)/(6*l2) + float64(7./6*t.opening()) + noise)
}

// Form says which version of a theorem a number belongs to.
type Form string

const (
	// Paper is the theorem as published, with its misprints corrected.
	Paper Form = "paper"
	// Tight is the same proof with nothing thrown away; its step does not shrink with the horizon.
	Tight Form = "tight"
	// Coupled is Tight with V in place of W₁ and L_p in place of L.
	Coupled Form = "coupled"
)

// Step is the largest step size that a theorem allows.
type Step struct {
	Form     Form
	Probable bool // of the bounds with high probability, not of those in expectation
	Largest  float64
	Used     float64 // the step of the run
	Known    Known
	Source   string
}

// Excess returns by how much the run's step exceeds the certified one; it is certified when that is at most 1.
func (s Step) Excess() float64 { return s.Used / s.Largest }

// Bound is the right-hand side of a theorem.
type Bound struct {
	Of       string // what is bounded, as in "mean E‖∇Φ̃‖²"
	Theorem  string
	Form     Form
	Probable bool // holds with probability 1−τ, not in expectation
	Value    float64
	Step     float64 // at which it was evaluated: the run's where that is certified, the largest certified one elsewhere
	Compare  float64 // what a bound should be below to say much: of a gradient its square at the start, which bounds nothing; of W₁ the most it can be, NaN where that is unbounded
	Known    Known
	Source   string
}

// Vacuous tells whether the bound is no better than what it is compared with.
func (b Bound) Vacuous() bool { return !(b.Value < math.Inf(1)) || b.Value >= b.Compare }

// addBounds evaluates every theorem in every form.
func (c *Certificate) addBounds(p problem) {
	slope, apart := c.Value(Slope0), c.widest(p)
	for _, form := range []Form{Paper, Tight, Coupled} {
		c.expected(p, form, slope, apart)
	}
	for _, form := range []Form{Paper, Coupled} {
		c.probable(p, form, slope, apart)
	}
}

// expected evaluates what holds in expectation.
func (c *Certificate) expected(p problem, form Form, slope, apart float64) {
	t, known := c.theory(p, form == Coupled)
	largest, gradient, transient, distance := t.LargestStep(), t.Gradient, t.Transient, t.Distance
	if form == Paper {
		largest, gradient, transient, distance = t.LargestStepPaper(), t.GradientPaper, t.TransientPaper, t.DistancePaper
	}
	at := min(p.Step, largest)
	c.add(Step{Form: form, Largest: largest, Used: p.Step, Known: known, Source: "he2025, step size in expectation"},
		Bound{Of: "mean E‖∇Φ̃‖²", Theorem: "Theorem 5", Value: gradient(at), Compare: slope, Source: "he2025, gradient bound"},
		Bound{Of: "mean E‖∇̂Φ̃‖²", Theorem: "Corollary 6", Value: transient(at), Compare: slope, Source: "he2025, transient gradient bound"},
		Bound{Of: "mean E W₁", Theorem: "Theorem 7", Value: distance(at), Compare: apart, Source: "he2025, distance bound"})
}

// probable evaluates what holds with probability 1−τ.
func (c *Certificate) probable(p problem, form Form, slope, apart float64) {
	t, known := c.theory(p, form == Coupled)
	known = max(known, c.Get(SigmaMb).Known)
	largest := t.LargestStepProbable()
	at := min(p.Step, largest)
	c.add(Step{Form: form, Probable: true, Largest: largest, Used: p.Step, Known: known, Source: "he2025, step bound in probability"},
		Bound{Of: "mean ‖∇Φ̃‖²", Theorem: "Theorem 8", Value: t.GradientProbable(at, p.Tau), Compare: slope, Source: "he2025, gradient bound in probability"},
		Bound{Of: "mean W₁", Theorem: "Theorem 9", Value: t.DistanceProbable(at, p.Tau), Compare: apart, Source: "he2025, distance bound in probability"})
}

// add puts a largest step and the bounds there, or at the run's step where that is smaller.
func (c *Certificate) add(s Step, bounds ...Bound) {
	c.Steps = append(c.Steps, s)
	for _, b := range bounds {
		b.Form, b.Probable, b.Step, b.Known = s.Form, s.Probable, min(s.Used, s.Largest), s.Known
		c.Bounds = append(c.Bounds, b)
	}
}

// theory collects the constants for bounds by W₁, or by V when coupled.
func (c *Certificate) theory(p problem, coupled bool) (Theory, Known) {
	bias := L
	if coupled {
		bias = c.biasByV()
	}
	known := c.weakest(boundedBy(bias)...)
	if len(c.Beyond) > 0 {
		known = max(known, Estimate)
	}
	return c.Theory(bias, p.Batch, p.Horizon), known
}

// Theory returns what bounds are computed from, for batches of so many over so many turns, with L or L_p for the bias.
func (c *Constants) Theory(bias Key, batch, turns int) Theory {
	return Theory{
		Bias: c.Value(bias), Smooth: c.Value(Smooth), Rho1: c.Value(Rho1), Rho2: c.Value(Rho2), Start: c.Value(V0),
		Gap: c.Value(Gap), Noise: c.Value(M), Growth: c.Value(MV), Sigma: c.Value(SigmaMb),
		Batch: float64(batch), Turns: float64(turns),
	}
}

// widest returns how far apart two states of one individual can be at most in ‖·‖_P, NaN when nothing bounds it.
func (c *Constants) widest(p problem) float64 {
	if cone := c.Get(Cone); cone.Known != Unknown {
		return 2 * portable.Sin(cone.Value*math.Pi/180)
	}
	if is[dynamics.Choice](p.Dynamics) {
		return math.Sqrt2
	}
	return math.NaN()
}

// Shift returns the coefficients of ΣW₁² ≤ a + b Σ‖uₖ − uₖ₋₁‖² [he2025, distribution shift].
func (c *Certificate) Shift() (a, b float64) {
	return c.Theory(L, 1, 1).Shift()
}
