package lab

import (
	"slices"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/loop"
)

// watchFor keeps a recorded decision that is better than the optimum by more than rounding.
func (r *run) watchFor(row []float64, u []float64, columns []kedge.Column) {
	if r.meter.Course != nil {
		return
	}
	loss := r.valued(row[0]) // a row begins with the value
	if !(loss < r.meter.Optimum.Loss-float64(surprising*r.scale)) {
		return
	}
	for i, c := range columns {
		if strings.HasPrefix(c.Name, "excess_") && row[i] > 0 {
			return
		}
	}
	r.guard.Lock()
	defer r.guard.Unlock()
	for _, c := range r.bounds.list {
		if !c.Smoothed() {
			continue
		}
		if over, err := c.True(u); err != nil || over > 0 {
			return // it keeps the smoothed form alone
		}
	}
	if r.passed == nil || loss < r.passed.Loss {
		r.passed = &loop.Target{Decision: slices.Clone(u), Loss: loss}
	}
}

// surprising is the part of how losses differ by which a decision must be better than the optimum to refute it.
const surprising = 1e-8

// mention says that the runs themselves helped to find the optimum, or refute it.
func (r *run) mention() {
	switch {
	case r.passed != nil:
		r.note("A run passed a decision that is better than the optimum, %s against %s, and the search did not find the like: gaps below 0 are those of decisions that are better.", signed(r.passed.Loss), signed(r.meter.Optimum.Loss))
	case len(r.seeds) > 0:
		r.note("The search over the set had missed a decision that a run then passed; it went on from there, and the optimum is what it found.")
	}
}
