package report

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/lab"
)

// SweepSheet is the table of a sweep: the swept keys, the algorithm, and where it ended over its trials.
func SweepSheet(name string, r *lab.SweepResult) *Sheet {
	s := &Sheet{Name: name}
	cell, algorithm := &series{name: "cell"}, &series{name: "algorithm"}
	keys := make([]*series, len(r.Keys))
	for i, key := range r.Keys {
		keys[i] = &series{name: key, swept: true}
	}
	ended := outcomes()
	for _, c := range r.Cells {
		if c.Summary == nil {
			continue
		}
		for _, name := range c.Summary.Order {
			cell.words, algorithm.words = append(cell.words, c.ID), append(algorithm.words, name)
			for i := range keys {
				keys[i].words, keys[i].numbers = append(keys[i].words, c.Values[i]), append(keys[i].numbers, c.Numbers[i])
			}
			for _, e := range ended {
				e.add(c.Summary, name)
			}
			s.rows++
		}
	}
	for _, k := range keys {
		k.numbers = allNumbers(k.numbers)
	}
	s.columns = append(append([]*series{cell}, keys...), algorithm)
	for _, e := range ended {
		s.columns = append(s.columns, e.columns()...)
	}
	return s
}

// allNumbers is nil unless every number is one.
func allNumbers(x []float64) []float64 {
	if slices.ContainsFunc(x, math.IsNaN) {
		return nil
	}
	return x
}

// outcome is where algorithms ended in the cells of a sweep, by one quantity.
type outcome struct {
	of  func(a lab.SummaryAlgorithm) *lab.Spread
	all *series
}

func outcomes() []outcome {
	return []outcome{
		{func(a lab.SummaryAlgorithm) *lab.Spread { return a.Value }, &series{name: "value"}},
		{func(a lab.SummaryAlgorithm) *lab.Spread { return a.Gap }, &series{name: "gap"}},
		{func(a lab.SummaryAlgorithm) *lab.Spread { return a.Distance }, &series{name: "distance"}},
	}
}

func (e outcome) add(s *lab.Summary, algorithm string) {
	end := e.of(s.Algorithms[algorithm])
	if end == nil {
		end = &lab.Spread{Mean: math.NaN(), Min: math.NaN(), Max: math.NaN()}
	}
	e.all.numbers = append(e.all.numbers, end.Mean)
	e.all.low, e.all.high = append(e.all.low, end.Min), append(e.all.high, end.Max)
}

// columns are the quantity with its range, and its parts by the names that table.csv gives them.
func (e outcome) columns() []*series {
	name := e.all.name
	return []*series{
		e.all, {name: name + "_mean", numbers: e.all.numbers}, {name: name + "_min", numbers: e.all.low}, {name: name + "_max", numbers: e.all.high},
	}
}
