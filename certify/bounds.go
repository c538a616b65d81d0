package certify

import "math"

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
	Trivial  float64 // what is known without a theorem, NaN where nothing is
	Known    Known
	Source   string
}

// Vacuous tells whether the bound says nothing that is not known without it.
func (b Bound) Vacuous() bool { return !(b.Value < math.Inf(1)) || b.Value >= b.Trivial }

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
		Bound{Of: "mean E‖∇Φ̃‖²", Theorem: "Theorem 2", Value: gradient(at), Trivial: slope, Source: "he2025, gradient bound"},
		Bound{Of: "mean E‖∇̂Φ̃‖²", Theorem: "Corollary", Value: transient(at), Trivial: slope, Source: "he2025, transient gradient bound"},
		Bound{Of: "mean E W₁", Theorem: "Theorem 3", Value: distance(at), Trivial: apart, Source: "he2025, distance bound"})
}

// probable evaluates what holds with probability 1−τ.
func (c *Certificate) probable(p problem, form Form, slope, apart float64) {
	t, known := c.theory(p, form == Coupled)
	known = max(known, c.Get(SigmaMb).Known)
	largest := t.LargestStepProbable()
	at := min(p.Step, largest)
	c.add(Step{Form: form, Probable: true, Largest: largest, Used: p.Step, Known: known, Source: "he2025, step bound in probability"},
		Bound{Of: "mean ‖∇Φ̃‖²", Theorem: "Theorem 4", Value: t.GradientProbable(at, p.Tau), Trivial: slope, Source: "he2025, gradient bound in probability"},
		Bound{Of: "mean W₁", Theorem: "Theorem 5", Value: t.DistanceProbable(at, p.Tau), Trivial: apart, Source: "he2025, distance bound in probability"})
}

// add puts a largest step and the bounds there, or at the run's step where that is smaller.
func (c *Certificate) add(s Step, bounds ...Bound) {
	c.Steps = append(c.Steps, s)
	for _, b := range bounds {
		b.Form, b.Probable, b.Step, b.Known = s.Form, s.Probable, min(s.Used, s.Largest), s.Known
		c.Bounds = append(c.Bounds, b)
	}
}
