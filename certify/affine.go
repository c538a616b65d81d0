package certify

import (
	"errors"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/dense"
)

// addAffine finds the constants of p⁺ = Ap + Bu + Ed, Friedkin–Johnsen groups among them [he2025, linear dynamics]. The
// metric solves AᵀPA − P + I = 0, in which A contracts by √(1 − 1/λmax(P)), exactly. The steady states are affine, so that
// their constants are norms of (I−A)⁻¹B and (I−A)⁻¹E; the paper's ‖B‖√cond(P)/(1−L_f^p) is never smaller.
func (c *Constants) addAffine(f *dynamics.Affine) error {
	if err := f.Check(); err != nil {
		var unstable *kedge.UnstableError
		if errors.As(err, &unstable) {
			return &NotContractingError{What: "spectral radius", Value: unstable.Rate, Trait: -1}
		}
		return err
	}
	dim := f.Dims()
	n := dim.State
	metric, err := Lyapunov(f.A(), n)
	if err != nil {
		return err
	}
	c.Metric = metric
	least, most := dense.Eigenvalues(metric, n)
	if !(least > 0) {
		return &kedge.RangeError{Arg: "λmin(P)", Got: least, Want: "a number > 0"}
	}
	gain, err := f.Gain()
	if err != nil {
		return err
	}
	carry, err := f.Carry()
	if err != nil {
		return err
	}
	c.put(LfP, math.Sqrt(1-1/most), Proof, "√(1 − 1/λmax(P)), AᵀPA − P + I = 0")
	c.put(LfU, dense.Norm(f.B(), n, dim.Decision), Proof, "‖B‖")
	c.put(LfD, dense.Norm(f.E(), n, dim.Trait), Proof, "‖E‖")
	c.put(PMin, least, Proof, "AᵀPA − P + I = 0")
	c.put(PMax, most, Proof, "AᵀPA − P + I = 0")
	c.put(LhU, dense.Norm(gain, n, dim.Decision), Proof, "‖(I−A)⁻¹B‖")
	c.put(LhD, dense.Norm(carry, n, dim.Trait), Proof, "‖(I−A)⁻¹E‖")
	c.put(MhD, 0, Proof, "∇ᵤh is constant")
	return nil
}
