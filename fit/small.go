package fit

import (
	"cmp"
	"math"

	"github.com/kedge-opt/kedge/internal/dense"
	"gonum.org/v1/gonum/mat"
)

// sandwiched is LᵀAL.
func sandwiched(a, l []float64, q int) []float64 {
	return dense.Product(dense.Transposed(l, q), dense.Product(a, l, q), q)
}

// rootOf is a matrix R with RᵀR the symmetric part of a, without directions in which that is negative, and the least eigenvalue once columns of R are of
// length 1.
func rootOf(a *mat.Dense) (root *mat.Dense, least float64) {
	n, _ := a.Dims()
	size, scaled := make([]float64, n), mat.NewSymDense(n, nil)
	for j := range n {
		size[j] = cmp.Or(math.Sqrt(math.Abs(a.At(j, j))), 1)
	}
	for i := range n {
		for j := range n {
			scaled.SetSym(i, j, (a.At(i, j)+a.At(j, i))/2/size[i]/size[j])
		}
	}
	out := mat.NewDense(n, n, nil)
	var eigen mat.EigenSym
	if !eigen.Factorize(scaled, true) {
		return out, 0
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	for c, v := range eigen.Values(nil) {
		for j := range n {
			out.Set(c, j, math.Sqrt(max(v, 0))*vectors.At(j, c)*size[j])
		}
	}
	return out, eigen.Values(nil)[0]
}

// under writes the triangle of the rows of a stack.
func under(triangle, stack *mat.Dense) {
	k, _ := triangle.Dims()
	var qr mat.QR
	qr.Factorize(stack)
	var r mat.Dense
	qr.RTo(&r)
	triangle.Copy(r.Slice(0, k, 0, k))
}

func identity(q int) []float64 {
	x := make([]float64, q*q)
	for j := range q {
		x[j*q+j] = 1
	}
	return x
}
