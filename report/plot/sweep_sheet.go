package plot

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/loop"
)

// SweepSheet is the table of a sweep: the swept keys, the algorithm, and where it ended over its trials.
func SweepSheet(name string, r *folder.SweepResult) *Sheet {
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

// outcome is one quantity of the cells of a sweep: where an algorithm ended, over its trials, or a number of the cell.
type outcome struct {
	ended func(a folder.SummaryAlgorithm) *folder.Spread
	found func(s *folder.Summary) float64
	all   *series
}

func outcomes() []outcome {
	return []outcome{
		{ended: func(a folder.SummaryAlgorithm) *folder.Spread { return a.Value }, all: measuredSeries("value")},
		{ended: func(a folder.SummaryAlgorithm) *folder.Spread { return a.Gap }, all: measuredSeries("gap")},
		{ended: func(a folder.SummaryAlgorithm) *folder.Spread { return a.Distance }, all: measuredSeries("distance")},
		{found: func(s *folder.Summary) float64 { return s.Optimum.Value }, all: &series{name: "optimum_value"}},
		{found: func(s *folder.Summary) float64 { return s.Optimum.Residual }, all: &series{name: "optimum_residual"}},
		{found: stableGap, all: &series{name: "stable_gap"}},
	}
}

// measuredSeries is an empty column of what was measured.
func measuredSeries(name string) *series {
	return &series{name: name, label: loop.Describe(name).Label}
}

func stableGap(s *folder.Summary) float64 {
	if s.Stable == nil {
		return math.NaN()
	}
	return s.Stable.Gap
}

func (o outcome) add(s *folder.Summary, algorithm string) {
	if o.found != nil {
		o.all.numbers = append(o.all.numbers, o.found(s))
		return
	}
	end := o.ended(s.Algorithms[algorithm])
	if end == nil {
		end = new(folder.Unknown())
	}
	o.all.numbers = append(o.all.numbers, end.Mean)
	o.all.low, o.all.high = append(o.all.low, end.Min), append(o.all.high, end.Max)
}

// columns are the quantity and, if it has a range, its parts by the names that table.csv gives them.
func (o outcome) columns() []*series {
	name := o.all.name
	if o.found != nil {
		return []*series{o.all}
	}
	return []*series{
		o.all, {name: name + "_mean", numbers: o.all.numbers}, {name: name + "_min", numbers: o.all.low}, {name: name + "_max", numbers: o.all.high},
	}
}
