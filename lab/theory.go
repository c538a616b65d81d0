package lab

import (
	"math"

	"github.com/kedge-opt/kedge/certify"
	"github.com/kedge-opt/kedge/loop"
)

// yardstick is what the turns of an algorithm are compared with.
type yardstick struct {
	constants *certify.Constants // nil where there are none
	failure   error              // why
}

// yardsticks finds the constants for every algorithm when the spec asks for the theory. A problem that has none is run all the
// same: what happens is measured, and nothing bounds it.
func (r *run) yardsticks() {
	if !r.problem.Spec.Record.Theory {
		return
	}
	for i := range r.problem.Spec.Algorithms {
		constants, err := certify.Derive(r.problem.Deployed(i), r.problem.Spec.Seed)
		r.sticks = append(r.sticks, yardstick{constants, err})
	}
}

// theory returns what compares the turns of an algorithm's trial with the theory.
func (r *run) theory(algorithm int) (*loop.Theory, error) {
	lag, y := r.problem.Lag(), r.sticks[algorithm]
	if y.constants != nil {
		lag.Weight = y.constants.Metric
	}
	return loop.NewTheory(lag, y.bounds(), r.problem.Spec.Record.Transport)
}

func (y yardstick) bounds() loop.Bounds {
	if y.constants == nil {
		return loop.Unbounded()
	}
	v := y.constants.Value
	return loop.Bounds{L: finite(v(certify.L)), Lp: finite(v(certify.Lp)), Rho1: finite(v(certify.Rho1)), Rho2: finite(v(certify.Rho2))}
}

// finite makes NaN of a bound that bounds nothing.
func finite(x float64) float64 {
	if math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}
