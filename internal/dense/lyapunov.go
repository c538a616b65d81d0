package dense

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Rounds is how often Lyapunov solves for what is missing.
const Rounds = 4

// Lyapunov returns the symmetric n×n matrix P with AᵀPA − P + I = 0, which exists when the spectral radius of A is below 1, and
// the norm of its residual relative to ‖P‖, infinite where there is none. P = Σₖ (Aᵏ)ᵀAᵏ is summed by doubling [smith1968]; then
// the equation of what is missing is solved the same way until the residual is rounding.
func Lyapunov(a []float64, n int) (p []float64, off float64) {
	A := mat.NewDense(n, n, a)
	rest, P := Identity(n), mat.NewDense(n, n, nil)
	off = math.Inf(1)
	for range Rounds {
		var add mat.Dense
		add.Add(P, double(A, rest))
		Symmetrize(&add)
		left := residual(A, &add)
		size := mat.Norm(left, 2) / mat.Norm(&add, 2)
		if !(size < off) {
			break
		}
		P.Copy(&add)
		rest, off = left, size
	}
	return P.RawMatrix().Data, off
}

// double returns Σₖ (Aᵏ)ᵀQAᵏ: after j rounds 2ʲ terms are in.
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

// Identity returns the n×n matrix with 1 on its diagonal and 0 beside it.
func Identity(n int) *mat.Dense {
	return mat.DenseCopyOf(mat.NewDiagDense(n, slices.Repeat([]float64{1}, n)))
}

// Symmetrize replaces X by (X + Xᵀ)/2.
func Symmetrize(x *mat.Dense) {
	n, _ := x.Dims()
	for i := range n {
		for j := range i {
			mean := (x.At(i, j) + x.At(j, i)) / 2
			x.Set(i, j, mean)
			x.Set(j, i, mean)
		}
	}
}
