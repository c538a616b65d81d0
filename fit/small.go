package fit

import (
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
	"gonum.org/v1/gonum/mat"
)

// sandwiched is LᵀAL.
func sandwiched(a, l []float64, q int) []float64 {
	return product(l, product(a, l, q, false), q, true)
}

// product is AB, or AᵀB.
func product(a, b []float64, q int, turned bool) []float64 {
	out := make([]float64, q*q)
	for i := range q {
		for j := range q {
			v := a[i*q+j]
			if turned {
				v = a[j*q+i]
			}
			rows.AddScaled(out[i*q:(i+1)*q], v, b[j*q:(j+1)*q])
		}
	}
	return out
}

// rootOf is a matrix R with RᵀR the symmetric part of a, without directions in which that is negative, and the least eigenvalue once columns of R are of
// length 1.
func rootOf(a *mat.Dense) (root *mat.Dense, least float64) {
	n, _ := a.Dims()
	size, scaled := make([]float64, n), mat.NewSymDense(n, nil)
	for j := range n {
		if size[j] = math.Sqrt(math.Abs(a.At(j, j))); size[j] == 0 {
			size[j] = 1
		}
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
