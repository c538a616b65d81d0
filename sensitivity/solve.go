package sensitivity

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// invert writes the inverse of the positive definite n×n matrix a to dst, by its Cholesky factor, which takes the place of a.
// It tells whether the matrix is positive definite to working precision.
func invert(dst, a []float64, n int) bool {
	for i := range n {
		row := kedge.Row(a, i, n)
		for j := range i {
			other := kedge.Row(a, j, n)
			row[j] = (row[j] - rows.Dot(row[:j], other[:j])) / other[j]
		}
		pivot := row[i] - rows.Dot(row[:i], row[:i])
		if !(pivot > row[i]*0x1p-50) || math.IsInf(pivot, 0) {
			return false
		}
		row[i] = math.Sqrt(pivot)
	}
	// L⁻¹ row by row, then L⁻ᵀL⁻¹ as a sum over its rows.
	for i := range n {
		x, row := kedge.Row(dst, i, n), kedge.Row(a, i, n)
		clear(x)
		for k := range i {
			rows.AddScaled(x[:k+1], -row[k], kedge.Row(dst, k, n)[:k+1])
		}
		x[i] = 1
		rows.Scale(x[:i+1], 1/row[i])
	}
	clear(a)
	for k := range n {
		x := kedge.Row(dst, k, n)[:k+1]
		for i, v := range x {
			rows.AddScaled(kedge.Row(a, i, n)[:k+1], v, x)
		}
	}
	copy(dst, a)
	return true
}

// eliminate solves mx = b for the columns of b, which has width of them, by Gaussian elimination with row pivots; x takes the
// place of b. It tells whether m is regular to working precision.
func eliminate(m, b []float64, n, width int) bool {
	scale := rows.MaxAbs(m)
	for k := range n {
		best := k
		for i := k + 1; i < n; i++ {
			if math.Abs(m[i*n+k]) > math.Abs(m[best*n+k]) {
				best = i
			}
		}
		if !(math.Abs(m[best*n+k]) > scale*0x1p-40) {
			return false
		}
		swap(kedge.Row(m, k, n), kedge.Row(m, best, n))
		swap(kedge.Row(b, k, width), kedge.Row(b, best, width))
		rows.Scale(kedge.Row(b, k, width), 1/m[k*n+k])
		rows.Scale(kedge.Row(m, k, n), 1/m[k*n+k])
		for i := range n {
			if x := m[i*n+k]; i != k && x != 0 {
				rows.AddScaled(kedge.Row(m, i, n), -x, kedge.Row(m, k, n))
				rows.AddScaled(kedge.Row(b, i, width), -x, kedge.Row(b, k, width))
			}
		}
	}
	return true
}

func swap(x, y []float64) {
	if &x[0] == &y[0] {
		return
	}
	for i := range x {
		x[i], y[i] = y[i], x[i]
	}
}
