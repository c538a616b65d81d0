package folder

import (
	"fmt"
	"math"
)

// Breach is a constraint that an algorithm breaks in the end.
type Breach struct {
	Constraint int     `json:"constraint"` // its number, from 1
	By         float64 `json:"by"`         // mean over trials
}

// BrokenShare is the part of the largest excess of a constraint in a run by which a method may end beyond the bound and still be said to
// keep it: rules that sample come no nearer.
const BrokenShare = 1e-2

// Breaches lists the constraints that an algorithm breaks after the last turn, on average over its trials.
func (r *Result) Breaches(one *Run) (list []Breach) {
	for j := 1; ; j++ {
		column := fmt.Sprintf("excess_%d", j)
		if len(one.Trials) == 0 || !one.Trials[0].Has(column) {
			return list
		}
		if by, _ := SpreadOfFinite(one.Final(column)); by.Mean > BrokenShare*r.largest(column) {
			list = append(list, Breach{j, by.Mean})
		}
	}
}

// largest is the largest size of a column in all that was measured.
func (r *Result) largest(column string) (most float64) {
	for _, one := range r.Runs {
		for _, t := range one.Trials {
			for _, v := range t.Of(column) {
				if !math.IsNaN(v) && !math.IsInf(v, 0) {
					most = max(most, math.Abs(v))
				}
			}
		}
	}
	return most
}
