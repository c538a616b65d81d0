package folder

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
)

// Measured is the table of what was measured in a trial: a row a recorded turn, a column a quantity.
type Measured struct {
	K       []int // the recorded turns
	Columns []kedge.Column
	Values  [][]float64 // by column, one number a turn; NaN marks what was not measured
}

// NewMeasured is an empty table with room for some turns.
func NewMeasured(columns []kedge.Column, turns int) Measured {
	m := Measured{K: make([]int, 0, turns), Columns: columns, Values: make([][]float64, len(columns))}
	for i := range m.Values {
		m.Values[i] = make([]float64, 0, turns)
	}
	return m
}

// Add adds a turn.
func (m *Measured) Add(k int, row []float64) {
	m.K = append(m.K, k)
	for i, v := range row {
		m.Values[i] = append(m.Values[i], v)
	}
}

// Of returns the numbers of a column, nil when there is no such column.
func (m *Measured) Of(name string) []float64 {
	if i := m.index(name); i >= 0 {
		return m.Values[i]
	}
	return nil
}

// Has tells whether there is a column of the name.
func (m *Measured) Has(name string) bool { return m.index(name) >= 0 }

// Last returns the number of a column at the last recorded turn, NaN when there is none.
func (m *Measured) Last(name string) float64 {
	if x := m.Of(name); len(x) > 0 {
		return x[len(x)-1]
	}
	return math.NaN()
}

func (m *Measured) index(name string) int {
	return slices.IndexFunc(m.Columns, func(c kedge.Column) bool { return c.Name == name })
}

// Final returns a column after the last turn of every trial.
func (r *Run) Final(column string) []float64 {
	var out []float64
	for _, t := range r.Trials {
		if len(t.K) > 0 {
			out = append(out, t.Last(column))
		}
	}
	return out
}
