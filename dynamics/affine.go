package dynamics

import (
	"cmp"
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
	left, width := slices.Clone(f.a), n+m+r
	complement(left, n)
	right := make([]float64, n*width)
	for i := range n {
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

// complement turns an n×n matrix M into I − M.
func complement(m []float64, n int) {
	rows.Scale(m, -1)
	for i := range n {
		m[i*n+i]++
	}
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

// Settle writes (I−A)⁻¹(Bu + Ed) to dst. The errors are those of Check, of a u or d that is not
// finite, and a *kedge.RangeError when the numbers on the way could overflow.
func (f *Affine) Settle(dst, u, d []float64) (kedge.Residual, error) {
	if err := cmp.Or(checkOne(f.unsettled, f.dims, dst, u, d), f.checkSize(u, d)); err != nil {
		return kedge.Residual{}, err
	}
	clear(dst)
	rows.AddMul(dst, f.gain, u)
	rows.AddMul(dst, f.carry, d)
	return f.residual(dst, u, d), nil
}

// SettleRows settles every row. On an error dst is unchanged.
func (f *Affine) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	var worst kedge.Residual
	count, err := checkBlock(f.unsettled, f.dims, dst, u, d)
	if err = cmp.Or(err, f.checkSize(u, d)); err != nil || count == 0 {
		return worst, err
	}
	first := dst[:f.dims.State]
	clear(first)
	rows.AddMul(first, f.gain, u)
	for i := count - 1; i >= 0; i-- {
		row, trait := kedge.Row(dst, i, f.dims.State), kedge.Row(d, i, f.dims.Trait)
		copy(row, first)
		rows.AddMul(row, f.carry, trait)
		worst = worst.Worst(f.residual(row, u, trait))
	}
	return worst, nil
}

// checkSize refuses a u or d so large that an intermediate result could overflow.
func (f *Affine) checkSize(u, d []float64) error {
	size := float64(f.sizeU*rows.MaxAbs(u)) + float64(f.sizeD*rows.MaxAbs(d))
	return kedge.CheckRange("bound on the steady state", size, size <= math.MaxFloat64, "a finite number")
}

// residual returns ‖Ap + Bu + Ed − p‖∞ relative to max(1, ‖p‖∞).
func (f *Affine) residual(p, u, d []float64) kedge.Residual {
	off := 0.0
	for i, v := range p {
		next := rows.Dot(p, kedge.Row(f.a, i, len(p))) + rows.Dot(u, kedge.Row(f.b, i, len(u))) + rows.Dot(d, kedge.Row(f.e, i, len(d)))
		off = max(off, math.Abs(next-v))
	}
	return kedge.Residual{Norm: off / max(1, rows.MaxAbs(p))}
}

// NewFriedkinJohnsen returns opinions that listen to each other, to the decision and to where they began
// [friedkin1990; proskurnikov2017; he2025, Friedkin–Johnsen model]:
//
//	p⁺ = Λ₁Wp + Λ₂u + (I−Λ₁−Λ₂)d,
//
// with n agents, the row-major n×n weights W, non-negative and of row sums 1, and Λ₁, Λ₂ diagonal, given by their diagonals
// λ₁, λ₂ ≥ 0 with λ₁+λ₂ ≤ 1 for every agent. One individual of this dynamics is a whole group of n agents. Agents that only
// listen to each other (λ₁ = 1) may leave the group without a steady state; see Affine.Check.
func NewFriedkinJohnsen(w, lambda1, lambda2 []float64) (*Affine, error) {
	n := len(lambda1)
	err := errors.Join(
		kedge.CheckRange("len(λ₁)", float64(n), n >= 1, "one agent or more"),
		kedge.CheckFinite("λ₁", lambda1),
		kedge.CheckVector("λ₂", lambda2, n),
		kedge.CheckVector("W", w, n*n),
	)
	if err != nil {
		return nil, err
	}
	a, b, e := make([]float64, n*n), make([]float64, n*n), make([]float64, n*n)
	var mistakes []error
	for i := range n {
		l1, l2, listen := lambda1[i], lambda2[i], kedge.Row(w, i, n)
		mistakes = append(mistakes, checkAgent(i, l1, l2, listen))
		for j, v := range listen {
			a[i*n+j] = l1 * v
		}
		b[i*n+i], e[i*n+i] = l2, 1-(l1+l2)
	}
	if err := errors.Join(mistakes...); err != nil {
		return nil, err
	}
	return NewAffine(kedge.Dims{Decision: n, State: n, Trait: n}, a, b, e)
}

// checkAgent checks what one agent listens to.
func checkAgent(i int, l1, l2 float64, listen []float64) error {
	sum, least := 0.0, 0.0
	for _, v := range listen {
		sum += v
		least = min(least, v)
	}
	return errors.Join(
		kedge.CheckRange(fmt.Sprintf("λ₁[%d]", i), l1, l1 >= 0, "λ₁ ≥ 0"),
		kedge.CheckRange(fmt.Sprintf("λ₂[%d]", i), l2, l2 >= 0, "λ₂ ≥ 0"),
		kedge.CheckRange(fmt.Sprintf("λ₁[%d]+λ₂[%d]", i, i), l1+l2, l1+l2 <= 1, "λ₁+λ₂ ≤ 1"),
		kedge.CheckRange(fmt.Sprintf("least weight of row %d of W", i), least, least >= 0, "weights ≥ 0"),
		kedge.CheckRange(fmt.Sprintf("sum of row %d of W", i), sum, math.Abs(sum-1) <= 1e-9, "1"),
	)
}
