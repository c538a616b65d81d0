package problem

import (
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

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
		m, err = s.affine(c, nil)
		m.Social = true
		return m, err
	}
	space := dynamics.Flat
	if s.Dynamics.Kind == "polarized" {
		space = dynamics.Sphere
	}
	c, err := dynamics.NewCoupled(m.Smooth(), weight, space)
	if err != nil {
		return m, s.wrap("dynamics.coupling", err)
	}
	m.Dynamics, m.Settler, m.Sensitivity, m.Social = c, dynamics.NewWalked(c), &sensitivity.Implicit{Dynamics: c}, true
	return m, nil
}

// diverse returns dynamics of which everybody has parameters of their own.
func (s *Spec) diverse(n int) kedge.Model {
	if s.Dynamics.Kind == "polarized" {
		f := dynamics.PolarizedEach{Dim: n}
		return kedge.Model{Dynamics: f, Settler: f, Sensitivity: &sensitivity.PolarizedEach{Dim: n}}
	}
	f := dynamics.ChoiceEach{Dim: n}
	return kedge.Model{Dynamics: f, Settler: f, Sensitivity: &sensitivity.ChoiceEach{Dim: n}}
}

// Moves tells whether the people of the population change by themselves: their traits drift, or they come and go.
func (p *Problem) Moves() bool { return p.Spec.Population.moves() }

// Noisy tells whether noise pushes states.
func (p *Problem) Noisy() bool { return p.Spec.Dynamics.noisy() }

// SteadyOf returns Φ̃ of a population with the given traits, which may move.
func (p *Problem) SteadyOf(traits kedge.Rows) (*steady.Objective, error) {
	m := p.Model
	m.Traits = traits
	return steady.New(m)
}

// World returns the traits as they move, from the start; no decision changes how.
func (p *Problem) World() (*population.Moving, error) {
	return population.NewMoving(*p.motion(), p.Traits, p.Spec.Dims().State)
}

// motion returns how traits move, nil when they stay.
func (p *Problem) motion() *population.Motion {
	from := &p.Spec.Population
	if !from.moves() {
		return nil
	}
	n, all := from.Dim, p.Spec.Dims().Trait
	m := &population.Motion{
		Churn: population.Churn{Share: from.Churn, Law: p.law, States: p.firstLaw}, Mend: p.Spec.traitMend(),
		Walks: p.stream("population", "walks"), Leavers: p.stream("population", "leavers"),
		Arrivals: p.stream("population"), States: p.stream("population", "states"),
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
	return &population.Noise{Deviation: deviation, Mend: p.Spec.stateMend(), Stream: p.stream("noise", strconv.Itoa(trial))}
}

// stateMend returns what brings states back to where they live, nil where that is everywhere.
func (s *Spec) stateMend() func(x []float64) {
	n := s.Dims().State
	switch s.Dynamics.Kind {
	case "polarized":
		return toSphere(n)
	case "choice":
		return toSimplex(n)
	}
	return nil
}

// traitMend does for traits, by their law, what stateMend does for states.
func (s *Spec) traitMend() func(x []float64) {
	switch n := s.Population.Dim; s.Population.Law.Kind {
	case "sphere", "cap", "bimodal":
		return toSphere(n)
	case "proportions", "dirichlet":
		return toSimplex(n)
	case "values", "file":
		return s.stateMend()
	}
	return nil
}

// toSphere brings the first n entries to length 1.
func toSphere(n int) func(x []float64) {
	return func(x []float64) { rows.Scale(x[:n], 1/rows.Norm(x[:n])) }
}

// toSimplex makes the first n entries the nearest proportions. A NaN stays, for others to find.
func toSimplex(n int) func(x []float64) {
	return func(x []float64) { _ = set.Simplex{Sum: 1}.Project(x[:n]) }
}
