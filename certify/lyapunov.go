package certify

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/dense"
)

// tolerance is the largest residual of a Lyapunov equation that is accepted, relative to ‖P‖.
const tolerance = 1e-12

// Lyapunov returns the symmetric n×n matrix P with AᵀPA − P + I = 0, which exists when the spectral radius of A is below 1
// [he2025, linear dynamics].
func Lyapunov(a []float64, n int) ([]float64, error) {
	if err := kedge.CheckVector("A", a, n*n); err != nil {
		return nil, err
	}
	p, off := dense.Lyapunov(a, n)
	if !(off <= tolerance) {
		return nil, &kedge.NotConvergedError{What: "solution of AᵀPA − P + I = 0", Residual: off, Tolerance: tolerance, Steps: dense.Rounds}
	}
	return p, nil
}
