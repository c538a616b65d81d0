package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/loop"
)

// Sheet is what plots are made of: named columns of equal length. A run has a row a measured turn of a trial, a sweep a row
// an algorithm of a cell.
type Sheet struct {
	Name    string // tells its rows from those of other sheets
	columns []*series
	rows    int
}

// Columns names the columns of a sheet.
func (s *Sheet) Columns() []string { return lists.Of(s.columns, (*series).called) }

// column finds a column by its name.
func (s *Sheet) column(name string) (*series, error) {
	if i := slices.IndexFunc(s.columns, func(c *series) bool { return c.name == name }); i >= 0 {
		return s.columns[i], nil
	}
	all := strings.Join(s.Columns(), ", ")
	if near := phrase.Nearest(name, s.Columns()); near != "" {
		return nil, fmt.Errorf("there is no column %q; did you mean %s? The columns are %s", name, near, all)
	}
	return nil, fmt.Errorf("there is no column %q; the columns are %s", name, all)
}

// keys are the swept keys that take several values, numbers and words.
func (s *Sheet) keys() (numeric, words []*series) {
	for _, c := range s.columns {
		switch {
		case !c.swept || len(c.values()) < 2:
		case c.numeric():
			numeric = append(numeric, c)
		default:
			words = append(words, c)
		}
	}
	return numeric, words
}

func (s *Sheet) pick(rows []int) *Sheet {
	return &Sheet{Name: s.Name, rows: len(rows), columns: lists.Of(s.columns, func(c *series) *series { return c.pick(rows) })}
}

// all numbers the rows.
func (s *Sheet) all() []int { return kedge.Some(s.rows, s.rows) }

// RunSheet is the series of a run: algorithm, trial, k and everything that was measured.
func RunSheet(name string, r *folder.Result) *Sheet {
	s := &Sheet{Name: name}
	algorithm, trial, turn := &series{name: "algorithm"}, &series{name: "trial"}, &series{name: "k"}
	s.columns = append(s.columns, algorithm, trial, turn)
	entries := r.Entries()
	measured := lists.Of(r.Columns(), func(c kedge.Column) *series {
		one := &series{name: c.Name, label: c.Axis()}
		if i := slices.IndexFunc(entries, func(e kedge.Called) bool { return e.Name == c.Name }); i >= 0 {
			one.decided = &entries[i]
		}
		return one
	})
	for _, run := range r.Runs {
		for _, t := range run.Trials {
			for _, k := range t.K {
				algorithm.words = append(algorithm.words, run.Name)
				trial.numbers, turn.numbers = append(trial.numbers, float64(t.Index)), append(turn.numbers, float64(k))
			}
			for _, c := range measured {
				c.numbers = append(c.numbers, t.Of(c.name)...)
			}
			s.rows += len(t.K)
		}
	}
	s.columns = append(s.columns, measured...)
	return s
}

// SweepSheet is the table of a sweep: the swept keys, the algorithm, and where it ended over its trials.
func SweepSheet(name string, r *folder.SweepResult) *Sheet {
	ended := r.Endings()
	s := &Sheet{Name: name, rows: len(ended)}
	add := func(c *series) { s.columns = append(s.columns, c) }
	add(&series{name: "cell", words: lists.Of(ended, func(e folder.Ending) string { return e.Cell.ID })})
	for i, key := range r.Keys {
		numbers := lists.Of(ended, func(e folder.Ending) float64 { return e.Cell.Numbers[i] })
		if slices.ContainsFunc(numbers, math.IsNaN) {
			numbers = nil
		}
		add(&series{name: key, swept: true, words: lists.Of(ended, func(e folder.Ending) string { return e.Cell.Values[i] }), numbers: numbers})
	}
	add(&series{name: "algorithm", words: lists.Of(ended, func(e folder.Ending) string { return e.Algorithm })})
	table := map[string][]float64{}
	for _, c := range r.Table().Columns {
		table[c.Name] = c.Numbers
	}
	spread := func(c *series) {
		mean, low, high := c.name+"_mean", c.name+"_min", c.name+"_max"
		c.numbers, c.low, c.high = table[mean], table[low], table[high]
		add(c)
		for _, part := range []string{mean, low, high} {
			add(&series{name: part, numbers: table[part]})
		}
	}
	for _, end := range []string{"value", "gap", "distance"} {
		spread(&series{name: end, label: loop.Describe(end).Label})
	}
	for _, entry := range r.Entries() {
		spread(&series{name: entry.Name, label: kedge.Column{Label: entry.Name, Unit: entry.Unit}.Axis(), decided: &entry})
	}
	for _, found := range []string{"optimum_value", "optimum_residual", "stable_gap"} {
		add(&series{name: found, numbers: table[found]})
	}
	for _, column := range r.Table().Columns {
		if strings.HasPrefix(column.Name, "over_draws_") {
			add(&series{name: column.Name, numbers: column.Numbers})
		}
	}
	return s
}

// join puts sheets below each other, with their names in a column when there are several. A sheet without a column has
// nothing there.
func join(sheets []*Sheet) *Sheet {
	if len(sheets) == 1 {
		return sheets[0]
	}
	all := &Sheet{}
	folder := &series{name: "folder"}
	for _, s := range sheets {
		for _, c := range s.columns {
			if !slices.Contains(all.Columns(), c.name) {
				all.columns = append(all.columns, &series{name: c.name, label: c.label, swept: c.swept, decided: c.decided})
			}
		}
		all.rows += s.rows
		folder.words = append(folder.words, slices.Repeat([]string{s.Name}, s.rows)...)
	}
	for _, c := range all.columns {
		c.gather(sheets)
	}
	all.columns = append([]*series{folder}, all.columns...)
	return all
}

// gather fills a column from the sheets that have it: with numbers if all have numbers, otherwise with words.
func (c *series) gather(sheets []*Sheet) {
	var parts []*series
	numeric, ranged, worded := true, true, true
	for _, s := range sheets {
		part, err := s.column(c.name)
		if err != nil {
			part = &series{words: make([]string, s.rows), numbers: absentNumbers(s.rows), low: absentNumbers(s.rows), high: absentNumbers(s.rows)}
		} else {
			numeric, ranged, worded = numeric && part.numeric(), ranged && part.low != nil, worded && part.words != nil
		}
		parts = append(parts, part)
	}
	for i, part := range parts {
		for row := range sheets[i].rows {
			if !numeric || worded {
				c.words = append(c.words, part.word(row))
			}
		}
		if numeric {
			c.numbers = append(c.numbers, part.numbers...)
		}
		if ranged {
			c.low, c.high = append(c.low, part.low...), append(c.high, part.high...)
		}
	}
}

func absentNumbers(n int) []float64 { return slices.Repeat([]float64{math.NaN()}, n) }
