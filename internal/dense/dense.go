// Package dense is linear algebra on small dense matrices, row-major in []float64. What gives results their bits on the way of a
// run is written here on package rows, whose products are never fused, so that it gives the same bits on every target; what is
// computed once and judged is gonum's.
package dense

import (
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
)

// row returns row i of a matrix with width columns.
func row(a []float64, i, width int) []float64 { return a[i*width : (i+1)*width] }

// Product returns AB of n×n matrices.
func Product(a, b []float64, n int) []float64 {
	out := make([]float64, n*n)
	for i := range n {
		for j, v := range row(a, i, n) {
			rows.AddScaled(row(out, i, n), v, row(b, j, n))
		}
	}
	return out
}

// Transposed returns Aᵀ of an n×n matrix.
func Transposed(a []float64, n int) []float64 {
	out := make([]float64, n*n)
	for i := range n {
		for j, v := range row(a, i, n) {
			out[j*n+i] = v
		}
	}
	return out
}

// MaxRowSum returns the largest sum of |aᵢⱼ| over the first columns of a row of the given width, the norm induced by ‖·‖∞.
func MaxRowSum(a []float64, columns, width int) float64 {
	largest := 0.0
	for ; len(a) > 0; a = a[width:] {
		sum := 0.0
		for _, v := range a[:columns] {
			sum += math.Abs(v)
		}
		largest = max(largest, sum)
	}
	return largest
}

// Elimination says when a row is divided by its pivot and when the rows above it are cleared. The orders round differently, and results
// depend on each: those of formulas on Last, of learned sensitivities on First, of affine dynamics on Back.
type Elimination int

// Rows are divided after all others are cleared, or before; or those above a pivot are cleared from the last pivot up, once those
// below all pivots are.
const (
	Last Elimination = iota
	First
	Back
)

// Eliminate replaces R by L⁻¹R and destroys the n×n matrix L, by Gauss–Jordan elimination with partial pivoting. It returns the
// least absolute value of a pivot, NaN where one is not finite: where that is 0 or NaN, R holds nothing.
func Eliminate(l, r []float64, n int, order Elimination) (least float64) {
	width := len(r) / n
	least = math.Inf(1)
	for k := range n {
		least = min(least, pivot(l, r, n, width, k))
		top, right := row(l, k, n)[k:], row(r, k, width)
		if order == First {
			rows.Scale(right, 1/top[0])
			rows.Scale(top, 1/top[0])
			top[0] = 1
		}
		for i := range n {
			if i > k || i < k && order != Back {
				factor := -l[i*n+k] / top[0]
				rows.AddScaled(row(l, i, n)[k:], factor, top)
				rows.AddScaled(row(r, i, width), factor, right)
			}
		}
	}
	switch order {
	case Last:
		for k := range n {
			rows.Scale(row(r, k, width), 1/l[k*n+k])
		}
	case Back:
		substitute(l, r, n, width)
	}
	return least
}

// substitute replaces R by L⁻¹R where L has nothing below its diagonal.
func substitute(l, r []float64, n, width int) {
	for k := n - 1; k >= 0; k-- {
		right := row(r, k, width)
		rows.Scale(right, 1/l[k*n+k])
		for i := range k {
			rows.AddScaled(row(r, i, width), -l[i*n+k], right)
		}
	}
}

// pivot brings the row with the largest entry of column k to place k and returns the size of that entry.
func pivot(l, r []float64, n, width, k int) float64 {
	top := k
	for i := k + 1; i < n; i++ {
		if math.Abs(l[i*n+k]) > math.Abs(l[top*n+k]) {
			top = i
		}
	}
	if top != k {
		swap(row(l, k, n), row(l, top, n))
		swap(row(r, k, width), row(r, top, width))
	}
	size := math.Abs(l[k*n+k])
	return size + size*0 // NaN for an infinity
}

func swap(x, y []float64) {
	for i := range x {
		x[i], y[i] = y[i], x[i]
	}
}
