package certify

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge"
)

// tolerance is the largest residual of a Lyapunov equation that is accepted, relative to ‖P‖.
const tolerance = 1e-12

// Lyapunov returns the symmetric n×n matrix P with AᵀPA − P + I = 0, which exists when the spectral radius of A is below 1
// [he2025, linear dynamics]. P = Σₖ (Aᵏ)ᵀAᵏ is summed by doubling [smith1968]: after j rounds 2ʲ terms are in. Then the
// equation of what is missing is solved the same way until the residual is rounding.
func Lyapunov(a []float64, n int) ([]float64, error) {
	if err := kedge.CheckVector("A", a, n*n); err != nil {
		return nil, err
	}
	A := mat.NewDense(n, n, a)
	rest := mat.NewDense(n, n, nil)
	for i := range n {
		rest.Set(i, i, 1)
	}
	P := mat.NewDense(n, n, nil)
	off := math.Inf(1)
	for range 4 {
		var add mat.Dense
		add.Add(P, double(A, rest))
		symmetrize(&add)
		left := residual(A, &add)
		size := mat.Norm(left, 2) / mat.Norm(&add, 2)
		if !(size < off) {
			break
		}
		P.Copy(&add)
		rest, off = left, size
	}
	if !(off <= tolerance) {
		return nil, &kedge.NotConvergedError{What: "solution of AᵀPA − P + I = 0", Residual: off, Tolerance: tolerance, Steps: 4}
	}
	return P.RawMatrix().Data, nil
}

// double returns Σₖ (Aᵏ)ᵀQAᵏ.
func double(A, Q *mat.Dense) *mat.Dense {
	sum, power := mat.DenseCopyOf(Q), mat.DenseCopyOf(A)
	var half, more, next mat.Dense
	for range 64 {
		half.Mul(sum, power)
		more.Mul(power.T(), &half)
		sum.Add(sum, &more)
		if mat.Norm(&more, 2) <= 0x1p-60*mat.Norm(sum, 2) {
			break
		}
		next.Mul(power, power)
		power.Copy(&next)
	}
	return sum
}

// residual returns AᵀPA − P + I.
func residual(A, P *mat.Dense) *mat.Dense {
	var half, r mat.Dense
	half.Mul(P, A)
	r.Mul(A.T(), &half)
	r.Sub(&r, P)
	n, _ := A.Dims()
	for i := range n {
		r.Set(i, i, r.At(i, i)+1)
	}
	return &r
}

// symmetrize replaces X by (X + Xᵀ)/2.
func symmetrize(x *mat.Dense) {
	n, _ := x.Dims()
	for i := range n {
		for j := range i {
			mean := (x.At(i, j) + x.At(j, i)) / 2
			x.Set(i, j, mean)
			x.Set(j, i, mean)
		}
	}
}
