package conform

import (
	"cmp"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// ulp is the spacing of numbers just above 1.
const ulp = 0x1p-52

func clone(x []float64) []float64 { return append(make([]float64, 0, len(x)), x...) }

func filled(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

func normals(r *stream.Stream, n int) []float64 {
	x := make([]float64, n)
	r.Normals(x)
	return x
}

// same fails where x and y differ in any bit; all NaNs count as one.
func same(what string, x, y []float64) {
	for i, v := range x {
		if math.Float64bits(v) != math.Float64bits(y[i]) && !(math.IsNaN(v) && math.IsNaN(y[i])) {
			fail("%s: entry %d is %v, want %v", what, i, v, y[i])
		}
	}
}

// near fails where x and y differ by more than tol; a NaN is near nothing.
func near(what string, x, y []float64, tol float64) {
	for i, v := range x {
		if !(math.Abs(v-y[i]) <= tol) {
			fail("%s: entry %d is %v, want %v within %.3g", what, i, v, y[i], tol)
		}
	}
}

// finite fails unless x is.
func finite(what string, x []float64) {
	if !rows.Finite(x) {
		fail("%s is not finite: %v", what, x)
	}
}

// slope is the derivative of f at 0 by central differences with halved steps, extrapolated once, taken where two of them
// agree best.
func slope(f func(h float64) float64) float64 {
	central := func(h float64) float64 { return (f(h) - f(-h)) / (2 * h) }
	best, spread := math.NaN(), math.Inf(1)
	last, coarse := math.NaN(), central(0x1p-6)
	for h := 0x1p-7; h >= 0x1p-24; h /= 2 {
		fine := central(h)
		value := fine + (fine-coarse)/3
		if d := math.Abs(value - last); d < spread {
			best, spread = value, d
		}
		last, coarse = value, fine
	}
	return best
}

// sameSlope fails unless the gradient g of f: x ↦ f(x) has the slope of f along a random direction.
func sameSlope(what string, t trial, g, x []float64, f func(x []float64) float64) {
	if len(x) == 0 {
		return
	}
	along := normals(t.r, len(x))
	rows.Scale(along, cmp.Or(rows.MaxAbs(x), 1))
	moved := make([]float64, len(x))
	want := slope(func(h float64) float64 {
		copy(moved, x)
		rows.AddScaled(moved, h, along)
		return f(moved)
	})
	got := rows.Dot(g, along)
	scale := max(rows.Norm(g)*rows.Norm(along), math.Abs(f(x)))
	if !(math.Abs(got-want) <= t.tol*scale) {
		fail("%s: slope %v along a random direction, differences say %v (scale %.3g)", what, got, want, scale)
	}
}
