package loop

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Decisions shows the decision itself: what its entries are called as columns.
type Decisions []kedge.Column

// DecisionColumns are those of a decision of so many entries: u_0, u_1, …, or their names.
func DecisionColumns(entries int, names []kedge.Called) []kedge.Column {
	list := make([]kedge.Column, entries)
	for i := range list {
		list[i] = DecisionColumn(i, names)
	}
	return list
}

// DecisionColumn is that of entry i.
func DecisionColumn(i int, names []kedge.Called) kedge.Column {
	c, e := decisionColumn(i), kedge.CalledAt(names, i)
	if e.Name != "" {
		c.Name, c.Label = e.Name, e.Name
	}
	c.Unit = e.Unit
	return c
}

func decisionColumn(i int) kedge.Column {
	number := strconv.Itoa(i)
	return kedge.Column{Name: "u_" + number, Label: "entry " + number + " of the decision"}
}

// Columns are one an entry.
func (c Decisions) Columns() []kedge.Column { return c }

// Sightless tells that only the decision counts.
func (c Decisions) Sightless() bool { return true }

// Measure copies the decision.
func (c Decisions) Measure(_ context.Context, row []float64, t *kedge.Turn) error {
	copy(row, t.U)
	return nil
}

// Traits shows the mean traits of the people who were sampled in the turn before.
type Traits struct {
	mean  []float64
	names []kedge.Called
}

var _ wire.State = (*Traits)(nil)

// NewTraits is for traits of so many numbers, which may have names.
func NewTraits(width int, names []kedge.Called) *Traits {
	return &Traits{slices.Repeat([]float64{math.NaN()}, width), names}
}

func traitColumn(i int) kedge.Column {
	number := strconv.Itoa(i)
	return kedge.Column{Name: "trait_" + number, Label: "mean of trait " + number + " in the sample"}
}

// Columns are trait_0, trait_1, …, or trait_income where a trait has a name. The first turn has none before it.
func (t *Traits) Columns() (list []kedge.Column) {
	for i := range t.mean {
		c, e := traitColumn(i), kedge.CalledAt(t.names, i)
		if e.Name != "" {
			c.Name, c.Label = "trait_"+e.Name, "mean "+e.Name+" in the sample"
		}
		c.Unit = e.Unit
		list = append(list, c)
	}
	return list
}

// Sightless tells that only samples count.
func (t *Traits) Sightless() bool { return true }

// Measure copies the means of the last sample.
func (t *Traits) Measure(_ context.Context, row []float64, _ *kedge.Turn) error {
	copy(row, t.mean)
	return nil
}

// Look takes the means of a sample.
func (t *Traits) Look(o kedge.Observation) error {
	clear(t.mean)
	n := kedge.Count(o.D, len(t.mean))
	total := o.Total(n)
	for i := range n {
		rows.AddScaled(t.mean, o.Weight(i)/total, kedge.Row(o.D, i, len(t.mean)))
	}
	return nil
}

const traitsKind = "loop.Traits/1"

// AppendBinary appends the means of the last sample.
func (t *Traits) AppendBinary(b []byte) ([]byte, error) { return wire.Append(b, traitsKind, t.fields) }

// UnmarshalBinary makes t remember a saved sample. On an error t is unchanged.
func (t *Traits) UnmarshalBinary(data []byte) error { return wire.Restore(data, traitsKind, t.fields) }

func (t *Traits) fields(f *wire.Fields) { f.Fixed(t.mean) }

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

// Sightless tells that only the decision and the algorithm count.
func (c Constraints) Sightless() bool { return true }

// Measure judges the decision by every constraint.
func (c Constraints) Measure(_ context.Context, row []float64, t *kedge.Turn) error {
	var multipliers []float64
	if a, ok := t.Algorithm.(kedge.Payer); ok {
		multipliers = a.Multipliers()
	}
	for j, judge := range c {
		excess, err := judge.Excess(t.U)
		if kedge.IsUnsettled(err) {
			excess, err = math.NaN(), nil
		}
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

// Sightless tells that only the decision counts.
func (n *Nash) Sightless() bool { return true }

// Measure says how far a decision is from equilibrium.
func (n *Nash) Measure(_ context.Context, row []float64, t *kedge.Turn) (err error) {
	if row[0], err = n.Residual(t.U); kedge.IsUnsettled(err) {
		row[0] = math.NaN()
	} else if err != nil {
		return fmt.Errorf("the distance to equilibrium: %w", err)
	}
	row[1] = math.NaN()
	if n.Equilibrium != nil {
		row[1] = n.Equilibrium.Distance(t.U)
	}
	return nil
}

// Trust tells how far an algorithm relies on what it has learned; at 0 it takes the vanilla step.
type Trust struct{}

// Columns is one, NaN of an algorithm that learns nothing.
func (Trust) Columns() []kedge.Column {
	return []kedge.Column{{Name: "trust", Label: "trust in the learned sensitivity"}}
}

// Sightless tells that only the algorithm counts.
func (Trust) Sightless() bool { return true }

// Measure asks the algorithm.
func (Trust) Measure(_ context.Context, row []float64, t *kedge.Turn) error {
	row[0] = math.NaN()
	if a, ok := t.Algorithm.(kedge.Truster); ok {
		row[0] = a.Trust()
	}
	return nil
}
