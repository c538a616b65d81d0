package problem

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

// Certified returns the problem as it is certified: of individuals by themselves, as in Parts.
func (p *Problem) Certified() certify.Problem {
	m := p.alone()
	var f kedge.Dynamics = m.dynamics
	if _, ok := f.(kedge.Settler); !ok {
		f = settling{m.dynamics, m.settler}
	}
	return certify.Problem{Dynamics: f, Objective: p.model.objective, Set: p.Set, States: p.States, Traits: p.Traits, Seed: p.Spec.Seed}
}

// CertifiedFor is Certified for the decisions that an algorithm deploys, which lie outside the set by as much as it perturbs them.
func (p *Problem) CertifiedFor(algorithm int) certify.Problem {
	c, a := p.Certified(), &p.Spec.Algorithms[algorithm]
	if a.Delta > 0 && a.Perturbed != "feasible" {
		c.Set = set.Ball{Radius: p.set.reach() + a.Delta}
	}
	return c
}

// settling is smooth dynamics with the steady states that somebody else finds.
type settling struct {
	kedge.Smooth
	settler kedge.RowSettler
}

// Settle implements [kedge.Settler].
func (s settling) Settle(dst, u, d []float64) (kedge.Residual, error) {
	return s.settler.Settle(dst, u, d)
}

// Lag returns what tells how far a population is from being settled.
func (p *Problem) Lag() *steady.Lag {
	m := p.model
	return &steady.Lag{
		Model:    steady.Model{Settler: m.settler, Objective: m.objective, Sensitivity: m.closed, TraitRows: p.Traits},
		Dynamics: m.dynamics, Steps: p.Spec.Hold,
	}
}
