package problem

import (
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/sensitivity"
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
	return kind.HabitatOf(s.Dynamics.Of).Mend(s.Dims().State)
}

// traitMend does for traits, by their law, what stateMend does for states.
func (s *Spec) traitMend() func(x []float64) {
	if kind.IsListed(s.Population.Law) {
		return s.stateMend()
	}
	return s.Population.Law.Habitat().Mend(s.Population.Dim)
}
