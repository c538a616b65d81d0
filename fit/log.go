package fit

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/formula"
)

// Log is what was seen: for every row where somebody was, what stood beside that (the trait, the decision, other columns), and where he was a step later.
type Log struct {
	States, Beside, After []float64 // row by row
	Person                []int     // whose row it is: errors of one person may have to do with each other
	Weight                []float64 // how much a row counts; nil: all alike
}

// Unknown is what is asked of one number.
type Unknown struct {
	Name         string
	Start        float64
	Lower, Upper float64 // infinite where there is no bound
	Mean         float64 // of what is known beforehand, if Deviation is above 0
	Deviation    float64
}

// Free is a number of which nothing is known.
func Free(name string, start float64) Unknown {
	return Unknown{Name: name, Start: start, Lower: math.Inf(-1), Upper: math.Inf(1)}
}

// InputError says what of a log or of the unknowns cannot be used.
type InputError struct {
	Row  int // from 0; -1: not of a row
	What string
}

func (e *InputError) Error() string {
	if e.Row < 0 {
		return e.What
	}
	return fmt.Sprintf("row %d: %s", e.Row+1, e.What)
}

func (l Log) rows(f *formula.Regressor) int { return len(l.After) / f.States }

// check refuses logs that do not fit the model.
func (l Log) check(f *formula.Regressor, unknowns []Unknown) error {
	n := l.rows(f)
	switch {
	case len(unknowns) != f.Unknowns:
		return &InputError{-1, fmt.Sprintf("%d unknowns are described, the model has %d", len(unknowns), f.Unknowns)}
	case len(l.After) != n*f.States || len(l.States) != n*f.States || len(l.Beside) != n*f.Beside || len(l.Person) != n || l.Weight != nil && len(l.Weight) != n:
		return &InputError{-1, fmt.Sprintf("%d states, %d states after, %d numbers beside, %d people and %d weights are not of the same rows", len(l.States), len(l.After), len(l.Beside), len(l.Person), len(l.Weight))}
	case n*f.States <= f.Unknowns:
		return &InputError{-1, fmt.Sprintf("%d rows say nothing of %d unknown numbers", n, f.Unknowns)}
	}
	for _, c := range []struct {
		what string
		x    []float64
		each int
	}{{"a state", l.States, f.States}, {"a number beside", l.Beside, f.Beside}, {"a state after", l.After, f.States}, {"a weight", l.Weight, 1}} {
		for i, v := range c.x {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return &InputError{i / c.each, fmt.Sprintf("%s is %v", c.what, v)}
			}
		}
	}
	for i, w := range l.Weight {
		if w < 0 {
			return &InputError{i, fmt.Sprintf("its weight is %v", w)}
		}
	}
	for _, u := range unknowns {
		if !(u.Lower <= u.Start && u.Start <= u.Upper) || u.Lower == u.Upper || math.IsInf(u.Start, 0) || u.Deviation < 0 || math.IsNaN(u.Mean+u.Deviation) {
			return &InputError{-1, fmt.Sprintf("%s: start %v in [%v, %v], prior %v ± %v make no sense", u.Name, u.Start, u.Lower, u.Upper, u.Mean, u.Deviation)}
		}
	}
	return nil
}
