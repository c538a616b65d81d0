package certify

import (
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
		return contracting(-1, err)
	}
	gain, _ := f.Gain() // without errors other than that of Check
	carry, _ := f.Carry()
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

// addChoice finds the constants of choice dynamics: f is affine in p and d, and the Jacobian of softmax has norm at most ½.
// The metric is the identity, and ∇ᵤh is the same for everybody.
func (c *Constants) addChoice(f dynamics.Choice) error {
	if err := f.Check(); err != nil {
		return err
	}
	rest, habit := 1-f.Lambda1, 1-(f.Lambda1+f.Lambda2)
	c.put(LfP, f.Lambda1, Proof, "λ₁")
	c.put(LfU, f.Epsilon*f.Lambda2/2, Proof, "ελ₂/2")
	c.put(LfD, habit, Proof, "1−λ₁−λ₂")
	c.addIdentity()
	c.put(LhU, f.Epsilon*f.Lambda2/(2*rest), Proof, "ελ₂/2(1−λ₁)")
	c.put(LhD, habit/rest, Proof, "(1−λ₁−λ₂)/(1−λ₁)")
	c.put(MhD, 0, Proof, "∇ᵤh does not depend on d")
	return nil
}

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
