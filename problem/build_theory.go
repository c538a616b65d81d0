package problem

import (
	"errors"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

// Deployed is Alone with the decisions that an algorithm deploys, which lie outside the set by as much as it perturbs them.
func (p *Problem) Deployed(algorithm int) kedge.Model {
	m, known := p.Alone(), p.Spec.Algorithms[algorithm].Facts()
	if known.Reach > 0 && !known.Inside {
		m.Set = set.Ball{Radius: kind.Reach(p.set) + known.Reach}
	}
	return m
}

// Lag returns what tells how far a population is from being settled.
func (p *Problem) Lag() *steady.Lag {
	return &steady.Lag{Model: p.Model, Steps: p.Spec.Hold}
}

// SteadyBy returns Φ̃ of the whole population whose gradient counts what a given sensitivity says of the dynamics, for points where
// somebody comes to rest who knows less of the answer than there is. Individuals that see the crowd's mean are refused.
func (p *Problem) SteadyBy(answer func(kedge.Smooth) kedge.Sensitivity) (*steady.Objective, error) {
	if p.Social {
		return nil, errors.New("individuals see the mean of the crowd, so that no sensitivity of one alone says how they answer")
	}
	m := p.Model
	m.Sensitivity = answer(m.Smooth())
	return steady.New(m)
}
