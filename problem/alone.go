package problem

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/set"
)

// Alone returns the model of individuals as they are without the others: of a crowd that sees its mean with that mean held where
// it settles under the first decision.
func (p *Problem) Alone() kedge.Model {
	m := p.Model
	if !m.Social {
		return m
	}
	h := dynamics.Held{Moves: m.Smooth(), Settler: m.RowSettler(), Answer: m.Sensitivity, Mean: make([]float64, m.Dims().State)}
	if f, err := p.Steady(); err == nil {
		_ = f.Mean(h.Mean, p.Start) // a mean that does not settle is found elsewhere; 0 is as good as any
	}
	m.Dynamics, m.Settler, m.Sensitivity, m.Social = h, h, h, false
	return m
}

// Deployed is Alone with the decisions that an algorithm deploys, which lie outside the set by as much as it perturbs them.
func (p *Problem) Deployed(algorithm int) kedge.Model {
	m, known := p.Alone(), p.Spec.Algorithms[algorithm].Facts()
	if known.Reach > 0 && !known.Inside {
		m.Set = set.Ball{Radius: p.farthest() + known.Reach}
	}
	return m
}
