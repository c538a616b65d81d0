package loop

import (
	"context"
	"math"

	"github.com/kedge-opt/kedge"
)

// Trust tells how far an algorithm relies on what it has learned; at 0 it takes the vanilla step.
type Trust struct{}

// Columns is one, NaN of an algorithm that learns nothing.
func (Trust) Columns() []kedge.Column {
	return []kedge.Column{{Name: "trust", Label: "trust in the learned sensitivity"}}
}

// Measure asks the algorithm.
func (Trust) Measure(_ context.Context, row []float64, t *kedge.Turn) error {
	row[0] = math.NaN()
	if a, ok := t.Algorithm.(kedge.Truster); ok {
		row[0] = a.Trust()
	}
	return nil
}
