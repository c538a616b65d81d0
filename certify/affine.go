package certify

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
)

// addAffine finds the constants of p⁺ = Ap + Bu + Ed, Friedkin–Johnsen groups among them [he2025, linear dynamics]. The
// metric solves AᵀPA − P + I = 0, in which A contracts by √(1 − 1/λmax(P)), exactly. The steady states are affine, so that
// their constants are norms of (I−A)⁻¹B and (I−A)⁻¹E; the paper's ‖B‖√cond(P)/(1−L_f^p) is never smaller.
func (c *Constants) addAffine(f *dynamics.Affine) error {
	if err := f.Check(); err != nil {
		var unstable *dynamics.UnstableError
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
	least, most, err := eigenvalues(metric, n)
	if err != nil {
		return err
	}
	gain, err := f.Gain()
	if err != nil {
		return err
	}
	carry, err := carryOf(f)
	if err != nil {
		return err
	}
	c.put(LfP, math.Sqrt(1-1/most), Proof, "√(1 − 1/λmax(P)), AᵀPA − P + I = 0")
	c.put(LfU, norm(f.B(), n, dim.Decision), Proof, "‖B‖")
	c.put(LfD, norm(f.E(), n, dim.Trait), Proof, "‖E‖")
	c.put(PMin, least, Proof, "AᵀPA − P + I = 0")
	c.put(PMax, most, Proof, "AᵀPA − P + I = 0")
	c.put(LhU, norm(gain, n, dim.Decision), Proof, "‖(I−A)⁻¹B‖")
	c.put(LhD, norm(carry, n, dim.Trait), Proof, "‖(I−A)⁻¹E‖")
	c.put(MhD, 0, Proof, "∇ᵤh is constant")
	return nil
}

// carryOf returns (I−A)⁻¹E, State×Trait: its columns are the steady states of unit traits without a decision.
func carryOf(f *dynamics.Affine) ([]float64, error) {
	dim := f.Dims()
	carry := make([]float64, dim.State*dim.Trait)
	u, d, h := make([]float64, dim.Decision), make([]float64, dim.Trait), make([]float64, dim.State)
	for j := range d {
		d[j] = 1
		if _, err := f.Settle(h, u, d); err != nil {
			return nil, err
		}
		d[j] = 0
		for i, v := range h {
			carry[i*dim.Trait+j] = v
		}
	}
	return carry, nil
}

// norm returns the largest singular value of an n×m matrix, 0 when it is empty.
func norm(a []float64, n, m int) float64 {
	if n == 0 || m == 0 {
		return 0
	}
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(n, m, a), mat.SVDNone) {
		return math.NaN()
	}
	return svd.Values(nil)[0]
}

// eigenvalues returns the smallest and the largest eigenvalue of a symmetric matrix, which must be positive.
func eigenvalues(p []float64, n int) (least, most float64, err error) {
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(n, p), false) {
		return 0, 0, &kedge.NotConvergedError{What: "eigenvalues of P", Residual: math.NaN()}
	}
	v := eigen.Values(nil)
	if !(v[0] > 0) {
		return 0, 0, &kedge.RangeError{Arg: "λmin(P)", Got: v[0], Want: "a number > 0"}
	}
	return v[0], v[n-1], nil
}
