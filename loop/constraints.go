package loop

import (
	"context"
	"fmt"
	"math"
	"strconv"

	"github.com/kedge-opt/kedge"
)

// Judge tells by how much a decision exceeds a constraint on the settled population, as *risk.SettledConstraint does.
type Judge interface {
	Excess(u []float64) (float64, error)
}

// Constraints tells by how much a decision exceeds the bounds on the settled population, and what the algorithm would pay for
// looser ones.
type Constraints []Judge

// constraintColumns are those of constraint j, counted from 1.
func constraintColumns(j int) []kedge.Column {
	number := strconv.Itoa(j)
	return []kedge.Column{
		{Name: "excess_" + number, Label: "excess over bound " + number, Chart: "excess", Title: "Excess over bounds", Symbols: "largest excess of a constraint",
			Better: kedge.Smaller, Meaning: "By how much the population that settles under the decision in force exceeds its bounds; at most 0 all are kept."},
		{Name: "multiplier_" + number, Label: "multiplier " + number, Chart: "multiplier", Title: "Multipliers", Symbols: "largest multiplier",
			Meaning: "How hard the method presses towards the constraint that is the hardest to keep."},
	}
}

// Columns are two a constraint; multipliers of an algorithm that does not heed constraints are NaN.
func (c Constraints) Columns() (list []kedge.Column) {
	for j := range c {
		list = append(list, constraintColumns(j+1)...)
	}
	return list
}

// Measure judges the decision by every constraint.
func (c Constraints) Measure(_ context.Context, row []float64, t *kedge.Turn) error {
	var multipliers []float64
	if a, ok := t.Algorithm.(kedge.Payer); ok {
		multipliers = a.Multipliers()
	}
	for j, judge := range c {
		excess, err := judge.Excess(t.U)
		if err != nil {
			return fmt.Errorf("judge by constraints: %w", err)
		}
		row[2*j], row[2*j+1] = excess, math.NaN()
		if multipliers != nil {
			row[2*j+1] = multipliers[j]
		}
	}
	return nil
}
