package dense

import (
	"math"
	"math/cmplx"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge/internal/rows"
)

// SpectralRadius returns the largest absolute eigenvalue of an n×n matrix, NaN where an entry is not finite or the eigenvalues are
// not found.
func SpectralRadius(a []float64, n int) float64 {
	var eigen mat.Eigen
	if !rows.Finite(a) || !eigen.Factorize(mat.NewDense(n, n, a), mat.EigenNone) {
		return math.NaN()
	}
	radius := 0.0
	for _, v := range eigen.Values(nil) {
		radius = max(radius, cmplx.Abs(v))
	}
	return radius
}

// Norm returns the largest singular value of an n×m matrix, 0 when it is empty, NaN where an entry is not finite or it is not found.
func Norm(a []float64, n, m int) float64 {
	if n == 0 || m == 0 {
		return 0
	}
	var svd mat.SVD
	if !rows.Finite(a) || !svd.Factorize(mat.NewDense(n, m, a), mat.SVDNone) {
		return math.NaN()
	}
	return svd.Values(nil)[0]
}

// Eigenvalues returns the smallest and the largest eigenvalue of a symmetric n×n matrix, NaN where they are not found.
func Eigenvalues(p []float64, n int) (least, most float64) {
	var eigen mat.EigenSym
	if !eigen.Factorize(mat.NewSymDense(n, p), false) {
		return math.NaN(), math.NaN()
	}
	v := eigen.Values(nil)
	return v[0], v[n-1]
}

// InducedNorm returns the norm of the n×n matrix J that ‖x‖_P = √(xᵀPx) induces, ‖UJU⁻¹‖ with P = UᵀU; a nil P is the identity. It
// is NaN where P is not positive definite.
func InducedNorm(p, j []float64, n int) float64 {
	if p == nil {
		return Norm(j, n, n)
	}
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(n, p)) {
		return math.NaN()
	}
	var u mat.TriDense
	chol.UTo(&u)
	var left, out mat.Dense
	left.Mul(&u, mat.NewDense(n, n, j))
	if err := out.Solve(u.T(), left.T()); err != nil { // (UJU⁻¹)ᵀ
		return math.NaN()
	}
	return Norm(out.RawMatrix().Data, n, n)
}

// Weighted returns ‖x‖_P = √(xᵀPx), the Euclidean norm for a nil P.
func Weighted(p, x []float64) float64 {
	if p == nil {
		return rows.Norm(x)
	}
	square := 0.0
	for i, v := range x {
		square += float64(v * rows.Dot(row(p, i, len(x)), x))
	}
	return math.Sqrt(max(0, square))
}
