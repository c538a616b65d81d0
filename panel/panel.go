// Package panel estimates linear models from people who are seen again and again: what stays of last time, and what a decision does at once
// and in the long run.
package panel

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/lists"
)

// Table is what was seen: a row for a unit (a person, a shop, a state) at a time.
type Table struct {
	Unit, Time []int // labels, of any value; no unit has two rows of one time
	Y          []float64
	X          [][]float64 // columns
	Names      []string    // of X
}

// ShapeError says that columns of a table do not fit together, or that a number is none.
type ShapeError struct {
	Column string
	Row    int // from 0; -1: the column as a whole
	What   string
}

func (e *ShapeError) Error() string {
	if e.Row < 0 {
		return fmt.Sprintf("column %s %s", e.Column, e.What)
	}
	return fmt.Sprintf("column %s, row %d %s", e.Column, e.Row+1, e.What)
}

func (t Table) check() error {
	n := len(t.Y)
	if len(t.X) != len(t.Names) {
		return &ShapeError{"x", -1, fmt.Sprintf("has %d columns and %d names", len(t.X), len(t.Names))}
	}
	for _, c := range []struct {
		name string
		ids  []int
	}{{"unit", t.Unit}, {"time", t.Time}} {
		if len(c.ids) != n {
			return &ShapeError{c.name, -1, fmt.Sprintf("has %d rows, and y %d", len(c.ids), n)}
		}
	}
	if err := finite("y", t.Y, n); err != nil {
		return err
	}
	for j, x := range t.X {
		if err := finite(t.Names[j], x, n); err != nil {
			return err
		}
	}
	before := -1
	for _, r := range t.order() {
		if before >= 0 && t.Unit[r] == t.Unit[before] && t.Time[r] == t.Time[before] {
			return &ShapeError{"time", max(r, before), fmt.Sprintf("repeats row %d: unit %d has two rows of time %d", min(r, before)+1, t.Unit[r], t.Time[r])}
		}
		before = r
	}
	return nil
}

func finite(name string, x []float64, n int) error {
	if len(x) != n {
		return &ShapeError{name, -1, fmt.Sprintf("has %d rows, and y %d", len(x), n)}
	}
	for i, v := range x {
		if math.IsNaN(v) || math.Abs(v) > 1e150 {
			return &ShapeError{name, i, fmt.Sprintf("is %v", v)}
		}
	}
	return nil
}

// order is the rows by unit and time.
func (t Table) order() []int {
	rows := kedge.Some(len(t.Y), len(t.Y))
	slices.SortFunc(rows, func(a, b int) int {
		return cmp.Or(cmp.Compare(t.Unit[a], t.Unit[b]), cmp.Compare(t.Time[a], t.Time[b]), cmp.Compare(a, b))
	})
	return rows
}

// Rows is the table of some rows.
func (t Table) Rows(rows []int) Table {
	x := lists.Of(t.X, func(x []float64) []float64 { return pick(x, rows) })
	return Table{Names: t.Names, Unit: pick(t.Unit, rows), Time: pick(t.Time, rows), Y: pick(t.Y, rows), X: x}
}

func pick[T any](column []T, rows []int) []T {
	return lists.Of(rows, func(r int) T { return column[r] })
}

// Lagged adds the y of the time before as a first column of that name, and leaves out the rows that have none: the first of every unit, and
// those after a gap. Times follow each other by one.
func (t Table) Lagged(name string) Table {
	var rows []int
	var lag []float64
	before := -1
	for _, r := range t.order() {
		if before >= 0 && t.Unit[before] == t.Unit[r] && t.Time[before]+1 == t.Time[r] {
			rows, lag = append(rows, r), append(lag, t.Y[before])
		}
		before = r
	}
	out := t.Rows(rows)
	out.Names = append([]string{name}, t.Names...)
	out.X = append([][]float64{lag}, out.X...)
	return out
}
