package dense

import (
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
)

// Cholesky replaces the lower triangle of a symmetric positive definite n×n matrix by its factor L, A = LLᵀ [golub2013], of which
// it reads no other part. It returns n or, where the matrix is not positive definite, the row whose pivot is not above so many
// times its diagonal entry, and that pivot.
func Cholesky(a []float64, n int, tolerance float64) (at int, pivot float64) {
	for i := range n {
		x := row(a, i, n)
		for j := range i {
			other := row(a, j, n)
			x[j] = (x[j] - rows.Dot(x[:j], other[:j])) / other[j]
		}
		pivot = x[i] - rows.Dot(x[:i], x[:i])
		if !(pivot > x[i]*tolerance) || math.IsInf(pivot, 1) {
			return i, pivot
		}
		x[i] = math.Sqrt(pivot)
	}
	return n, pivot
}

// SolveCholesky replaces x by the solution of LLᵀy = x.
func SolveCholesky(l, x []float64, n int) {
	for i := range n {
		x[i] = (x[i] - rows.Dot(l[i*n:i*n+i], x[:i])) / l[i*n+i]
	}
	for i := n - 1; i >= 0; i-- {
		x[i] /= l[i*n+i]
		rows.AddScaled(x[:i], -x[i], l[i*n:i*n+i])
	}
}

// InvertDefinite writes the inverse of the positive definite n×n matrix A to dst and destroys A. It tells whether the matrix is
// positive definite to working precision.
func InvertDefinite(dst, a []float64, n int) bool {
	if at, _ := Cholesky(a, n, 0x1p-50); at < n {
		return false
	}
	// L⁻¹ row by row, then L⁻ᵀL⁻¹ as a sum over its rows.
	for i := range n {
		x, l := row(dst, i, n), row(a, i, n)
		clear(x)
		for k := range i {
			rows.AddScaled(x[:k+1], -l[k], row(dst, k, n)[:k+1])
		}
		x[i] = 1
		rows.Scale(x[:i+1], 1/l[i])
	}
	clear(a)
	for k := range n {
		x := row(dst, k, n)[:k+1]
		for i, v := range x {
			rows.AddScaled(row(a, i, n)[:k+1], v, x)
		}
	}
	copy(dst, a)
	return true
}
