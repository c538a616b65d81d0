package problem

import "github.com/kedge-opt/kedge"

// Parts are what an individual is made of: how it moves, where it settles, how it is judged, and how its settled state answers
// the decision.
type Parts struct {
	Dynamics    kedge.Smooth
	Settler     kedge.RowSettler
	Objective   kedge.RowObjective
	Sensitivity kedge.Sensitivity // at settled states
}

// Parts returns what the individuals of the problem are made of. Where they see the mean of the crowd, it is held where it settles
// under the first decision.
func (p *Problem) Parts() Parts {
	m := p.alone()
	return Parts{Dynamics: m.dynamics, Settler: m.settler, Objective: m.objective, Sensitivity: m.closed}
}

// FirstStep returns the step size with which algorithm a begins. No schedule has a larger one later.
func (p *Problem) FirstStep(a int) float64 { return p.schedule(&p.Spec.Algorithms[a]).Step(0) }
