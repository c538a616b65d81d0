package loop

import (
	"math"

	"github.com/kedge-opt/kedge"
)

// Nash is what a game of several decision-makers is measured against.
type Nash struct {
	Residual    func(u []float64) (float64, error) // of the equilibrium's conditions, as game.Settled.Residual
	Equilibrium *Target                            // nil where none is known
}

// measure says how far a decision is from equilibrium.
func (n *Nash) measure(u []float64) (*kedge.Nash, error) {
	residual, err := n.Residual(u)
	if err != nil {
		return nil, err
	}
	m := &kedge.Nash{Residual: residual, Distance: math.NaN()}
	if n.Equilibrium != nil {
		m.Distance = n.Equilibrium.Distance(u)
	}
	return m, nil
}
