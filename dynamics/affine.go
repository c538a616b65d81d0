package dynamics

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Affine is a linear response [he2025, linear dynamics]:
//
//	p⁺ = Ap + Bu + Ed,  h = (I−A)⁻¹(Bu + Ed).
//
// It settles when the spectral radius of A is below 1.
type Affine struct {
	dims        kedge.Dims
	a, b, e     []float64
	radius      float64
	gain, carry []float64 // (I−A)⁻¹B and (I−A)⁻¹E
	sizeU       float64   // times max|uᵢ| bounds what u adds to any number met by Settle; sizeD likewise
	sizeD       float64
	unsettled   error // why there is no steady state to give, nil when there is one
}

// NewAffine copies the row-major matrices A (State×State), B (State×Decision) and E (State×Trait). A matrix of the wrong
// size, or one that holds a NaN or an infinity, is refused. A model that does not settle is accepted: it can be run, while
// Check, Gain, Settle and SettleRows return why.
func NewAffine(dims kedge.Dims, a, b, e []float64) (*Affine, error) {
	if err := checkDims(dims); err != nil {
		return nil, err
	}
	n := dims.State
	err := errors.Join(
		kedge.CheckVector("A", a, n*n),
		kedge.CheckVector("B", b, n*dims.Decision),
		kedge.CheckVector("E", e, n*dims.Trait),
	)
	if err != nil {
		return nil, err
	}
	f := &Affine{dims: dims, a: slices.Clone(a), b: slices.Clone(b), e: slices.Clone(e)}
	switch f.radius = dense.SpectralRadius(f.a, n); {
	case math.IsNaN(f.radius):
		f.unsettled = &kedge.NotConvergedError{What: "eigenvalues of A", Residual: math.NaN()}
	case f.radius >= 1:
		f.unsettled = &kedge.UnstableError{Rate: f.radius}
	default:
		f.unsettled = f.solve()
	}
	return f, nil
}

// solve finds the gain and the carry from (I−A)X = [I B E], or tells that I−A is singular to working precision.
func (f *Affine) solve() error {
	n, m, r := f.dims.State, f.dims.Decision, f.dims.Trait
	left, width := make([]float64, n*n), n+m+r
	right := make([]float64, n*width)
	for i := range n {
		for j := range n {
			left[i*n+j] = -f.a[i*n+j]
		}
		left[i*n+i]++
		row := kedge.Row(right, i, width)
		row[i] = 1
		copy(row[n:], kedge.Row(f.b, i, m))
		copy(row[n+m:], kedge.Row(f.e, i, r))
	}
	size := dense.MaxRowSum(left, n, n)
	dense.Eliminate(left, right, n, dense.Back)
	condition := size * dense.MaxRowSum(right, n, width)
	if !(condition < 0.01/unit) {
		return fmt.Errorf("steady state of an affine model with a condition of %.3g: %w", condition, kedge.ErrSingular)
	}
	f.gain, f.carry = make([]float64, 0, n*m), make([]float64, 0, n*r)
	for i := range n {
		row := kedge.Row(right, i, width)
		f.gain = append(f.gain, row[n:n+m]...)
		f.carry = append(f.carry, row[n+m:]...)
	}
	grow := 2 + dense.MaxRowSum(f.a, n, n)
	f.sizeU = float64(grow*dense.MaxRowSum(f.gain, m, m)) + dense.MaxRowSum(f.b, m, m)
	f.sizeD = float64(grow*dense.MaxRowSum(f.carry, r, r)) + dense.MaxRowSum(f.e, r, r)
	return nil
}

// Dims returns the dimensions that NewAffine was given.
func (f *Affine) Dims() kedge.Dims { return f.dims }

// A returns a copy of A, State×State, row-major.
func (f *Affine) A() []float64 { return slices.Clone(f.a) }

// B returns a copy of B, State×Decision, row-major.
func (f *Affine) B() []float64 { return slices.Clone(f.b) }

// E returns a copy of E, State×Trait, row-major.
func (f *Affine) E() []float64 { return slices.Clone(f.e) }

// SpectralRadius returns the largest absolute eigenvalue of A.
func (f *Affine) SpectralRadius() float64 { return f.radius }

// Gain returns a copy of (I−A)⁻¹B, State×Decision, row-major: the Jacobian of u ↦ h(u, d). The error is that of Check.
func (f *Affine) Gain() ([]float64, error) { return slices.Clone(f.gain), f.unsettled }

// Carry returns a copy of (I−A)⁻¹E, State×Trait, row-major: the Jacobian of d ↦ h(u, d). The error is that of Check.
func (f *Affine) Carry() ([]float64, error) { return slices.Clone(f.carry), f.unsettled }

// Check returns nil when the model settles, an *kedge.UnstableError when the spectral radius of A is 1 or more, and an error that
// wraps kedge.ErrSingular when I−A is singular to working precision.
func (f *Affine) Check() error { return f.unsettled }

// Next writes Ap + Bu + Ed to dst.
func (f *Affine) Next(dst, p, u, d []float64) {
	mustFit(f.dims, dst, p, u, d)
	f.push(dst, u)
	f.add(dst, p, d)
}

// NextRows writes f(pᵢ, u, dᵢ) to the rows of dst, the same bits as Next. The first row of dst holds Bu until its own turn,
// which is the last.
func (f *Affine) NextRows(dst, p, u, d []float64) {
	n, r := f.dims.State, f.dims.Trait
	count := mustFitRows(f.dims, dst, p, u, d)
	if count == 0 {
		return
	}
	first := dst[:n]
	f.push(first, u)
	for i := count - 1; i >= 0; i-- {
		row := kedge.Row(dst, i, n)
		copy(row, first)
		f.add(row, kedge.Row(p, i, n), kedge.Row(d, i, r))
	}
}

// push writes Bu to dst.
func (f *Affine) push(dst, u []float64) {
	clear(dst)
	rows.AddMul(dst, f.b, u)
}

// add does dst += Ap + Ed.
func (f *Affine) add(dst, p, d []float64) {
	rows.AddMul(dst, f.a, p)
	rows.AddMul(dst, f.e, d)
}

// Pullback adds Aᵀv to gp and Bᵀv to gu.
func (f *Affine) Pullback(gp, gu, p, u, d, v []float64) {
	mustFitPull(f.dims, gp, gu, p, u, d, v)
	if gp != nil {
		rows.AddMulT(gp, f.a, v)
	}
	if gu != nil {
		rows.AddMulT(gu, f.b, v)
	}
}
