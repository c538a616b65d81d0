package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/bench"
)

// Figure is what one side measured of one workload.
type Figure struct {
	bench.Speed
	bench.Size
}

// Figures are figures by workload.
type Figures map[string]Figure

// unit is what a workload is measured in.
type unit int

const (
	secondsPerTurn unit = iota
	nsPerIndividual
	gbPerSecond
)

// workload is one row of the comparison.
type workload struct {
	name string
	unit unit
}

// workloads returns the rows of the comparison in the order they are printed.
func workloads() []workload {
	return []workload{
		{"polarized-vanilla-turn", secondsPerTurn},
		{"polarized-composite-turn", secondsPerTurn},
		{"choice-vanilla-turn", secondsPerTurn},
		{"choice-composite-turn", secondsPerTurn},
		{"choice-derivative-free-turn", secondsPerTurn},
		{"polarized-step-1e3", nsPerIndividual},
		{"polarized-step-1e6", nsPerIndividual},
		{"polarized-step-1e7", nsPerIndividual},
		{"polarized-steady-1e3", nsPerIndividual},
		{"triad-1e6", gbPerSecond},
		{"triad-1e7", gbPerSecond},
	}
}

// value points to the quantity of the given unit.
func (f *Figure) value(u unit) *float64 {
	switch u {
	case secondsPerTurn:
		return &f.SecondsPerTurn
	case nsPerIndividual:
		return &f.NsPerIndividual
	default:
		return &f.GBPerSecond
	}
}

// time returns the median as a time, in a scale that is the same for all sides.
func (f Figure) time(u unit) float64 {
	if u == gbPerSecond {
		return 1 / f.GBPerSecond
	}
	return *f.value(u)
}

// check says whether the figure has its own unit, only that, and numbers that can be measured.
func (f Figure) check(u unit) error {
	for other := secondsPerTurn; other <= gbPerSecond; other++ {
		if v := *f.value(other); (other == u) != (v != 0) || v < 0 || math.IsInf(v, 0) {
			return fmt.Errorf("want the unit of the workload and no other, got %+v", f)
		}
	}
	if f.Best <= 0 || f.TwoWorkers < 0 {
		return fmt.Errorf("best %v and two_workers %v must be positive", f.Best, f.TwoWorkers)
	}
	return nil
}

// decode reads what a side printed. It keeps the workloads of the comparison and ignores others.
func decode(data []byte) (Figures, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(data, &all); err != nil {
		return nil, fmt.Errorf("decode figures: %w", err)
	}
	figures := Figures{}
	for _, w := range workloads() {
		raw, ok := all[w.name]
		if !ok {
			continue
		}
		var f Figure
		err := json.Unmarshal(raw, &f)
		if err == nil {
			err = f.check(w.unit)
		}
		if err != nil {
			return nil, fmt.Errorf("decode %s: %w", w.name, err)
		}
		figures[w.name] = f
	}
	if len(figures) == 0 {
		return nil, errors.New("decode figures: none of the workloads is there")
	}
	return figures, nil
}

// merge makes one set of figures of several rounds: the median of the medians and the best of the bests.
func merge(rounds []Figures) Figures {
	merged := Figures{}
	for _, w := range workloads() {
		var values, two, best []float64
		var one Figure
		for _, round := range rounds {
			f, ok := round[w.name]
			if !ok {
				continue
			}
			one = f
			values, best = append(values, *f.value(w.unit)), append(best, f.Best)
			if f.TwoWorkers > 0 {
				two = append(two, f.TwoWorkers)
			}
		}
		if len(values) == 0 {
			continue
		}
		*one.value(w.unit), one.Best, one.TwoWorkers = bench.Median(values), slices.Min(best), bench.Median(two)
		if w.unit == gbPerSecond {
			one.Best = slices.Max(best)
		}
		merged[w.name] = one
	}
	return merged
}
