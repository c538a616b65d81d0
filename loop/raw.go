package loop

import (
	"context"
	"math"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/internal/wire"
)

// Decisions shows the decision itself, as many numbers as it has.
type Decisions int

func decisionColumn(i int) kedge.Column {
	number := strconv.Itoa(i)
	return kedge.Column{Name: "u_" + number, Label: "entry " + number + " of the decision"}
}

// Columns are u_0, u_1, …
func (n Decisions) Columns() (list []kedge.Column) {
	for i := range int(n) {
		list = append(list, decisionColumn(i))
	}
	return list
}

// Measure copies the decision.
func (n Decisions) Measure(_ context.Context, row []float64, t *kedge.Turn) error {
	copy(row, t.U)
	return nil
}

// Traits shows the mean traits of the people who were sampled in the turn before.
type Traits struct{ mean []float64 }

var _ wire.State = (*Traits)(nil)

// NewTraits is for traits of so many numbers.
func NewTraits(width int) *Traits {
	t := &Traits{make([]float64, width)}
	fill(t.mean, math.NaN())
	return t
}

func traitColumn(i int) kedge.Column {
	number := strconv.Itoa(i)
	return kedge.Column{Name: "trait_" + number, Label: "mean of trait " + number + " in the sample"}
}

// Columns are trait_0, trait_1, … The first turn has none before it.
func (t *Traits) Columns() (list []kedge.Column) {
	for i := range t.mean {
		list = append(list, traitColumn(i))
	}
	return list
}

// Measure copies the means of the last sample.
func (t *Traits) Measure(_ context.Context, row []float64, _ *kedge.Turn) error {
	copy(row, t.mean)
	return nil
}

// Look takes the means of a sample.
func (t *Traits) Look(o kedge.Observation) error {
	clear(t.mean)
	n := kedge.Count(o.D, len(t.mean))
	for i := range n {
		rows.AddScaled(t.mean, 1/float64(n), kedge.Row(o.D, i, len(t.mean)))
	}
	return nil
}

const traitsKind = "loop.Traits/1"

// AppendBinary appends the means of the last sample.
func (t *Traits) AppendBinary(b []byte) ([]byte, error) { return wire.Append(b, traitsKind, t.fields) }

// UnmarshalBinary makes t remember a saved sample. On an error t is unchanged.
func (t *Traits) UnmarshalBinary(data []byte) error { return wire.Restore(data, traitsKind, t.fields) }

func (t *Traits) fields(f *wire.Fields) { f.Fixed(t.mean) }
