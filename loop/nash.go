package loop

import (
	"context"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
)

// Nash tells how far a decision of several players is from one that none of them would change by itself.
type Nash struct {
	Residual    func(u []float64) (float64, error) // of the equilibrium's conditions, as game.SettledGame.Residual
	Equilibrium *Target                            // nil where none is known
}

// Columns are the residual and the distance, which is NaN where no equilibrium is known.
func (*Nash) Columns() []kedge.Column {
	return []kedge.Column{
		// ‖Π(u − F(u)) − u‖, where F is everybody's gradient with respect to its own part.
		{Name: "nash_residual", Label: "residual of the equilibrium's conditions", Better: kedge.Smaller, Scale: kedge.Logarithmic},
		{Name: "nash_distance", Label: "relative distance to equilibrium", Chart: "nash", Title: "Distance to the Nash equilibrium",
			Symbols: "relative distance ‖u − u_N‖ / ‖u_N‖", Better: kedge.Smaller, Scale: kedge.Logarithmic, Relative: true,
			Meaning: "How far the players' decisions lie from one that none of them would change by itself."},
	}
}

// Measure says how far a decision is from equilibrium.
func (n *Nash) Measure(_ context.Context, row []float64, t *kedge.Turn) (err error) {
	if row[0], err = n.Residual(t.U); err != nil {
		return fmt.Errorf("the distance to equilibrium: %w", err)
	}
	row[1] = math.NaN()
	if n.Equilibrium != nil {
		row[1] = n.Equilibrium.Distance(t.U)
	}
	return nil
}
