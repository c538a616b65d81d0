package problem

import (
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/sensitivity"
)

// Drift is how traits change from step to step: d = home + swing·sin(2πk/period) at step k, where a home, at first the trait,
// moves by rate and by a random walk of everybody's own.
type Drift struct {
	Rate   form.Vector // of everybody's home, a step
	Walk   form.Vector // standard deviation of a step of the walk
	Swing  form.Vector // amplitude of the season
	Period float64     // steps of a season
}

func (d *Drift) describe(f *form.Form) {
	form.Field(f, "rate", &d.Rate, form.VectorOf(form.Finite()).Optional(), form.Says("What everybody's home moves by in a step.", "homeᵢ ← homeᵢ + rate", "[0.001, -0.002]"))
	form.Field(f, "walk", &d.Walk, form.VectorOf(form.NotNegative()).Optional(), form.Says("The standard deviation of the steps of everybody's own random walk.", "homeᵢ ← homeᵢ + walk·ξᵢ, ξᵢ standard normal", "0.01"))
	form.Field(f, "swing", &d.Swing, form.VectorOf(form.Finite()).Optional(), form.Says("How far traits swing about their homes with the season.", "dᵢ = homeᵢ + swing·sin(2πk/period)", "[0.2, 0]"))
	form.Field(f, "period", &d.Period, form.Positive().Optional(), form.Says("Steps of a season.", "period in sin(2πk/period)", "365"))
}

// moves tells whether traits drift or people come and go.
func (p *Population) moves() bool { return p.Drift != nil || p.Churn > 0 }

// moves tells whether people change by themselves: their traits drift, they come and go, or time passes.
func (s *Spec) moves() bool { return s.Population.moves() || s.usesClock() }

// moving checks what changes by itself.
func (c *check) moving() {
	p, d := &c.s.Population, &c.s.Dynamics
	c.drift(p.Drift)
	if c.s.Model == nil {
		c.Vector("dynamics.noise", d.Noise, c.State())
	}
	if c.s.moves() {
		c.motion(p)
	}
	c.FailIf(d.Coupling > 0 && c.s.Record.Rollout > 0, form.Paths("record.rollout", "dynamics.coupling"),
		"record.rollout is %d, but a roll-out moves individuals one by one; want 0 with dynamics.coupling", c.s.Record.Rollout)
	c.FailIf(c.s.Record.Theory && (c.s.moves() || c.s.noisy() || !d.plain()), form.Paths("record.theory", "population.drift", "population.churn", "model.noise", "dynamics.noise", "dynamics.coupling", "dynamics.heterogeneity"),
		"record.theory is true, but the theory is of individuals who are alike, alone and stay; want no drift, churn, noise, coupling or heterogeneity")
	c.ownNorm(d)
	c.FailIf(c.s.Generator == "numpy" && (c.s.moves() || c.s.noisy() || c.s.beside() > 0 || !d.plain()), form.Paths("generator", "population.drift", "population.churn", "model.noise", "dynamics.noise", "dynamics.heterogeneity", "dynamics.coupling"),
		"generator numpy draws what the published runs drew, which had no drift, churn, noise, coupling or heterogeneity")
}

func (c *check) drift(d *Drift) {
	if d == nil {
		return
	}
	n := c.Trait()
	c.Vector("population.drift.rate", d.Rate, n)
	c.Vector("population.drift.walk", d.Walk, n)
	c.Vector("population.drift.swing", d.Swing, n)
	swings := d.Swing.All != 0 || d.Swing.Each != nil
	c.FailIf(swings && d.Period == 0 && c.Sound("population.drift.period"), form.Paths("population.drift.swing"),
		"population.drift.swing wants population.drift.period, the steps of a season")
}

// motion refuses what traits that move cannot be.
func (c *check) motion(p *Population) {
	movers, noTime := "population.drift and population.churn move traits", ""
	if c.s.usesClock() {
		movers, noTime = "formulas depend on the time t, which moves with traits", ", and no time t in formulas"
	}
	c.FailIf(p.Traits == "regenerated" || p.Storage == population.Float32, form.Paths("population.drift", "population.churn", "population.traits", "population.storage"),
		"%s, which want population.traits stored and population.storage float64", movers)
	for _, one := range []struct {
		path string
		law  kind.Law
	}{{"population.law", p.Law}, {"population.states.law", p.States}} {
		c.FailIf(p.Churn > 0 && kind.IsListed(one.law), form.Paths("population.churn", one.path),
			"population.churn is %v, but %s is %s, from which no newcomers can be drawn", p.Churn, one.path, form.NameOf(one.law))
	}
	for i := range c.s.Algorithms {
		if a := &c.s.Algorithms[i]; a.Facts().Needs.Panel {
			path := form.Join("algorithms", a.Name) + ".kind"
			c.Fail(form.Paths(path, "population.drift", "population.churn"), "%s is %s, which sees people again and wants them as they were: no drift and no churn%s", path, a.Kind(), noTime)
		}
	}
	c.FailIf(c.s.Record.Rollout > 0, form.Paths("record.rollout", "population.drift", "population.churn"),
		"record.rollout is %d, but a roll-out is of people who stay as they are; want 0%s", c.s.Record.Rollout, noTime)
}

// ownNorm refuses the published bookkeeping where there is none.
func (c *check) ownNorm(d *Dynamics) {
	for _, a := range c.s.Algorithms {
		if a.Facts().Remembers && (len(kind.ParametersOf(d.Of)) > 0 || d.Coupling > 0 || c.s.Population.Churn > 0) {
			path := form.Join("algorithms", a.Name) + ".norm"
			c.Fail(form.Paths(path, "dynamics.heterogeneity", "dynamics.coupling", "population.churn"), "%s is previous, which wants no heterogeneity, coupling or churn", path)
		}
	}
}

// withParameters returns the law of traits with everybody's own parameters behind them.
func (p *Problem) withParameters(law population.Law) population.Law {
	if p.Spec.beside() > 0 {
		return population.Beside{Law: law, Dim: p.Spec.Population.Dim, Rest: p.Spec.classes(), Stream: p.Spec.stream("population", "parameters")}
	}
	own := kind.ParametersOf(p.Spec.Dynamics.Of)
	if own == nil {
		return law
	}
	var u population.Uniform
	for _, one := range own {
		u.Low, u.High = append(u.Low, one.Interval[0]), append(u.High, one.Interval[1])
	}
	return population.Beside{Law: law, Dim: p.Spec.Population.Dim, Rest: u, Stream: p.Spec.stream("population", "parameters")}
}

// couple lets individuals see the mean of the crowd.
func (s *Spec) couple(m kedge.Model) (kedge.Model, error) {
	weight := s.Dynamics.Coupling
	if weight == 0 {
		return m, nil
	}
	if f, ok := m.Dynamics.(*dynamics.Affine); ok {
		c, err := f.Coupled(weight)
		if err != nil {
			return m, s.wrap("dynamics.coupling", err)
		}
		m, err = kind.AffineModel(c, nil)
		m.Social = true
		return m, s.wrap("dynamics", err)
	}
	space := dynamics.Flat
	if kind.HabitatOf(s.Dynamics.Of) == kind.Sphere {
		space = dynamics.Sphere
	}
	c, err := dynamics.NewCoupled(m.Smooth(), weight, space)
	if err != nil {
		return m, s.wrap("dynamics.coupling", err)
	}
	m.Dynamics, m.Settler, m.Sensitivity, m.Social = c, dynamics.NewWalked(c), &sensitivity.Implicit{Dynamics: c}, true
	return m, nil
}

// World returns the traits as they move, from the start; no decision changes how.
func (p *Problem) World() (*population.Moving, error) {
	return population.NewMoving(*p.motion(), p.Traits, p.Spec.Dims().State)
}

// motion returns how traits move, nil when they stay.
func (p *Problem) motion() *population.Motion {
	from := &p.Spec.Population
	if !p.Spec.moves() {
		return nil
	}
	n, all := from.Dim, p.Spec.Dims().Trait
	m := &population.Motion{
		Clock: p.Spec.usesClock(),
		Churn: population.Churn{Share: from.Churn, Law: p.law, States: p.firstLaw}, Mend: p.Spec.traitMend(),
		Walks: p.Spec.stream("population", "walks"), Leavers: p.Spec.stream("population", "leavers"),
		Arrivals: p.Spec.stream("population"), States: p.Spec.stream("population", "states"),
	}
	if d := from.Drift; d != nil {
		m.Drift = population.Drift{Rate: d.Rate.Padded(n, all), Walk: d.Walk.Padded(n, all), Swing: d.Swing.Padded(n, all), Period: d.Period}
	}
	return m
}

// noise returns what pushes states of so many entries in a trial, nil for nothing. All algorithms meet the same.
func (p *Problem) noise(trial, width int) *population.Noise {
	n := p.Spec.Dims().State
	deviation := p.Spec.Dynamics.Noise.Padded(n, width)
	if deviation == nil {
		return nil
	}
	return &population.Noise{Deviation: deviation, Mend: p.Spec.stateMend(), Stream: p.Spec.stream("noise", strconv.Itoa(trial))}
}

// stir returns the noise of a trial that formulas take as numbers, nil for none. All algorithms meet the same.
func (p *Problem) stir(trial int) *population.Stir {
	if p.formulas == nil || p.formulas.Stirred() == nil {
		return nil
	}
	s := &population.Stir{Next: p.formulas.Stirred().NextRows}
	for i, n := range p.Spec.Model.Noise {
		s.Draws = append(s.Draws, population.Draws{
			Number: n.Law, Entries: p.formulas.Stirred().Entries(i), Stream: p.Spec.stream("noise", strconv.Itoa(trial), n.Name),
		})
	}
	return s
}

// stateMend returns what brings states back to where they live, nil where that is everywhere.
func (s *Spec) stateMend() func(x []float64) {
	return kind.HabitatOf(s.Dynamics.Of).Mend(s.Dims().State)
}

// traitMend does for traits, by their law, what stateMend does for states.
func (s *Spec) traitMend() func(x []float64) {
	if kind.IsListed(s.Population.Law) {
		return s.stateMend()
	}
	return s.Population.Law.Habitat().Mend(s.Population.Dim)
}
