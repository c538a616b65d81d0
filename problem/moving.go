package problem

import (
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
)

// Drift is how traits change from step to step: d = home + swing·sin(2πk/period) at step k, where a home, at first the trait,
// moves by rate and by a random walk of everybody's own.
type Drift struct {
	Rate   form.Vector // of everybody's home, a step
	Walk   form.Vector // standard deviation of a step of the walk
	Swing  form.Vector // amplitude of the season
	Period float64     // steps of a season
}

// Heterogeneity gives everybody parameters of their own, uniform between two numbers. A parameter without such an interval is
// the same for all.
type Heterogeneity struct {
	Lambda, Sigma             []float64 // of polarized
	Lambda1, Lambda2, Epsilon []float64 // of choice
}

func (d *Drift) describe(f *form.Form) {
	form.Optional(f, "rate", &d.Rate, form.VectorOf(form.Finite()), form.Says("What everybody's home moves by in a step.", "homeᵢ ← homeᵢ + rate", "[0.001, -0.002]"))
	form.Optional(f, "walk", &d.Walk, form.VectorOf(form.NotNegative()), form.Says("The standard deviation of the steps of everybody's own random walk.", "homeᵢ ← homeᵢ + walk·ξᵢ, ξᵢ standard normal", "0.01"))
	form.Optional(f, "swing", &d.Swing, form.VectorOf(form.Finite()), form.Says("How far traits swing about their homes with the season.", "dᵢ = homeᵢ + swing·sin(2πk/period)", "[0.2, 0]"))
	form.Optional(f, "period", &d.Period, form.Positive(), form.Says("Steps of a season.", "period in sin(2πk/period)", "365"))
}

// describeOwn reads what the dynamics of a kind leave to individuals.
func (d *Dynamics) describeOwn(f *form.Form) {
	switch d.Kind {
	case "polarized":
		form.OptionalSection(f, "heterogeneity", &d.Heterogeneity, form.Says("Parameters that are everybody's own, uniform between two numbers each; the others are the same for all.", "", "{lambda: [0.3, 0.5]}"), (*Heterogeneity).describePolarized)
	case "choice":
		form.OptionalSection(f, "heterogeneity", &d.Heterogeneity, form.Says("Parameters that are everybody's own, uniform between two numbers each; the others are the same for all.", "", "{lambda: [0.3, 0.5]}"), (*Heterogeneity).describeChoice)
	}
	form.Optional(f, "coupling", &d.Coupling, form.Number("a number from 0 to below 1", form.Below(0, 1)), form.Says("How strongly everybody is drawn to the mean of the crowd. Without it nobody sees the others.", "κ in p⁺ = (1−κ)f(p, u, d) + κp̄", "0.2"))
	form.Optional(f, "noise", &d.Noise, form.VectorOf(form.NotNegative()), form.Says("The standard deviation of normal numbers added to every state after every step, one for all entries or one each; states stay where they live, on the sphere or the simplex. Decisions are judged by where people would settle without it.", "p⁺ = f(p, u, d) + noise·w", "0.05"))
}

func (h *Heterogeneity) describePolarized(f *form.Form) {
	form.Optional(f, "lambda", &h.Lambda, form.Numbers(form.Share()), form.Says("Between which numbers everybody's lambda is.", "λᵢ in p⁺ ∝ λᵢp + (1−λᵢ)d + σᵢ(pᵀu)u", "[0.3, 0.5]"))
	form.Optional(f, "sigma", &h.Sigma, form.Numbers(form.NotNegative()), form.Says("Between which numbers everybody's sigma is.", "σᵢ in p⁺ ∝ λᵢp + (1−λᵢ)d + σᵢ(pᵀu)u", "[0.4, 0.5]"))
}

func (h *Heterogeneity) describeChoice(f *form.Form) {
	form.Optional(f, "lambda1", &h.Lambda1, form.Numbers(form.Number("a number from 0 to below 1", form.Below(0, 1))), form.Says("Between which numbers everybody's lambda1 is.", "λ₁ in p⁺ = λ₁p + λ₂ softmax(−εu) + (1−λ₁−λ₂)d", "[0.1, 0.3]"))
	form.Optional(f, "lambda2", &h.Lambda2, form.Numbers(form.Share()), form.Says("Between which numbers everybody's lambda2 is. With lambda1 at most 1.", "λ₂ in p⁺ = λ₁p + λ₂ softmax(−εu) + (1−λ₁−λ₂)d", "[0.4, 0.6]"))
	form.Optional(f, "epsilon", &h.Epsilon, form.Numbers(form.Positive()), form.Says("Between which numbers everybody's epsilon is.", "ε in softmax(−εu)", "[0.4, 0.6]"))
}

// own returns the intervals of everybody's own parameters, in the order of a trait's last entries; nil when there are none.
func (d *Dynamics) own() [][]float64 {
	h := d.Heterogeneity
	if h == nil {
		return nil
	}
	either := func(interval []float64, common float64) []float64 {
		if interval == nil {
			return []float64{common, common}
		}
		return interval
	}
	if d.Kind == "polarized" {
		return [][]float64{either(h.Lambda, d.Lambda), either(h.Sigma, d.Sigma)}
	}
	return [][]float64{either(h.Lambda1, d.Lambda1), either(h.Lambda2, d.Lambda2), either(h.Epsilon, d.Epsilon)}
}

// moves tells whether traits drift or people come and go.
func (p *Population) moves() bool { return p.Drift != nil || p.Churn > 0 }

// moving checks what changes by itself.
func (c *check) moving() {
	p, d := &c.s.Population, &c.s.Dynamics
	c.drift(p.Drift)
	c.heterogeneity(d)
	if c.s.Model == nil {
		c.Vector("dynamics.noise", d.Noise, c.State())
	}
	if p.moves() {
		c.motion(p)
	}
	if d.Coupling > 0 && c.s.Record.Rollout > 0 {
		c.Fail(form.Paths("record.rollout", "dynamics.coupling"), "record.rollout is %d, but a roll-out moves individuals one by one; want 0 with dynamics.coupling", c.s.Record.Rollout)
	}
	if c.s.Record.Theory && (p.moves() || d.unlike()) {
		c.Fail(form.Paths("record.theory", "population.drift", "population.churn", "dynamics.noise", "dynamics.coupling", "dynamics.heterogeneity"),
			"record.theory is true, but the theory is of individuals who are alike, alone and stay; want no drift, churn, noise, coupling or heterogeneity")
	}
	c.ownNorm(d)
	if c.s.Generator == "numpy" && (p.moves() || d.unlike()) {
		c.Fail(form.Paths("generator", "population.drift", "population.churn", "dynamics.noise", "dynamics.heterogeneity", "dynamics.coupling"),
			"generator numpy draws what the published runs drew, which had no drift, churn, noise, coupling or heterogeneity")
	}
}

// unlike tells whether individuals are more than the kind of their dynamics.
func (d *Dynamics) unlike() bool { return d.Heterogeneity != nil || d.Coupling > 0 || d.noisy() }

func (d *Dynamics) noisy() bool { return d.Noise.All != 0 || d.Noise.Each != nil }

func (c *check) drift(d *Drift) {
	if d == nil {
		return
	}
	n := c.Trait()
	c.Vector("population.drift.rate", d.Rate, n)
	c.Vector("population.drift.walk", d.Walk, n)
	c.Vector("population.drift.swing", d.Swing, n)
	swings := d.Swing.All != 0 || d.Swing.Each != nil
	if swings && d.Period == 0 && c.Sound("population.drift.period") {
		c.Fail(form.Paths("population.drift.swing"), "population.drift.swing wants population.drift.period, the steps of a season")
	}
}

// motion refuses what traits that move cannot be.
func (c *check) motion(p *Population) {
	if p.Traits == "regenerated" || p.Storage == "float32" {
		c.Fail(form.Paths("population.drift", "population.churn", "population.traits", "population.storage"),
			"population.drift and population.churn move traits, which want population.traits stored and population.storage float64")
	}
	if law := p.Law.Kind; p.Churn > 0 && (law == "values" || law == "file") {
		c.Fail(form.Paths("population.churn", "population.law"), "population.churn is %v, but population.law is %s, from which no newcomers can be drawn", p.Churn, law)
	}
	if p.Churn > 0 && p.States != nil && (p.States.Kind == "values" || p.States.Kind == "file") {
		c.Fail(form.Paths("population.churn", "population.states.law"), "population.churn is %v, but population.states.law is %s, from which no newcomers can be drawn", p.Churn, p.States.Kind)
	}
	for i := range c.s.Algorithms {
		if a := &c.s.Algorithms[i]; a.Facts().Needs.Panel {
			path := form.Join("algorithms", a.Name) + ".kind"
			c.Fail(form.Paths(path, "population.drift", "population.churn"), "%s is %s, which sees people again and wants them as they were: no drift and no churn", path, a.Kind())
		}
	}
	if c.s.Record.Rollout > 0 {
		c.Fail(form.Paths("record.rollout", "population.drift", "population.churn"), "record.rollout is %d, but a roll-out is of people who stay as they are; want 0", c.s.Record.Rollout)
	}
}

// ownNorm refuses the published bookkeeping where there is none.
func (c *check) ownNorm(d *Dynamics) {
	for _, a := range c.s.Algorithms {
		if a.Facts().Remembers && (d.Heterogeneity != nil || d.Coupling > 0 || c.s.Population.Churn > 0) {
			path := form.Join("algorithms", a.Name) + ".norm"
			c.Fail(form.Paths(path, "dynamics.heterogeneity", "dynamics.coupling", "population.churn"), "%s is previous, which wants no heterogeneity, coupling or churn", path)
		}
	}
}

func (c *check) heterogeneity(d *Dynamics) {
	top := 0.0
	for i, interval := range d.own() {
		key := "dynamics.heterogeneity." + d.ownNames()[i]
		if !c.Sound(key) {
			return
		}
		if len(interval) != 2 || interval[0] > interval[1] {
			c.Fail(form.Paths(key), "%s is %v, want two numbers, the smaller one first", key, interval)
			return
		}
		if i < 2 {
			top += interval[1]
		}
	}
	if d.Heterogeneity != nil && d.Kind == "choice" && top > 1 {
		c.Fail(form.Paths("dynamics.heterogeneity", "dynamics.lambda1", "dynamics.lambda2"), "dynamics.heterogeneity lets lambda1 and lambda2 add up to %v, want at most 1", top)
	}
}

func (d *Dynamics) ownNames() []string {
	if d.Kind == "polarized" {
		return []string{"lambda", "sigma"}
	}
	return []string{"lambda1", "lambda2", "epsilon"}
}

// besides returns the law of traits with everybody's own parameters behind them.
func (p *Problem) besides(law population.Law) population.Law {
	own := p.Spec.Dynamics.own()
	if own == nil {
		return law
	}
	var u population.Uniform
	for _, interval := range own {
		u.Low, u.High = append(u.Low, interval[0]), append(u.High, interval[1])
	}
	return population.Beside{Law: law, Dim: p.Spec.Population.Dim, Rest: u, Stream: p.stream("population", "parameters")}
}
