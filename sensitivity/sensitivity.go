// Package sensitivity tells how steady states answer the decision, as products gu += Σᵢ ∇ᵤh(pᵢ, u, dᵢ) vᵢ. Here ∇ᵤh is the
// transpose of the Jacobian of u ↦ h(u, d) [he2025, steady-state sensitivity]; its matrix is never formed.
//
// Polarized, PolarizedNorm, Choice and Affine are closed forms for the dynamics of those names: O(entries), no allocation.
// Implicit serves every kedge.Smooth by the implicit function theorem, Differences every steady state that can be computed.
//
// All but Differences take the state that is given for the steady state, as the published algorithm does with its current
// sample; the product is then exact once the individual has settled. Settled looks the steady state up instead.
//
// PullRows is safe for concurrent use, given dynamics and settlers that are. It panics on a wrong length and returns the typed
// errors of package kedge for everything else: a product that cannot be trusted or is not finite is never added, and gu is
// changed by all rows or by none.
package sensitivity

import (
	"cmp"
	"math"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// commit adds a finite sum to gu. Otherwise it says whose fault the sum is: that of an argument which is not finite (nil
// arguments were not read), or of an overflow.
func commit(gu, sum []float64, p, u, d, v []float64, count int) error {
	if rows.Finite(sum) {
		rows.AddScaled(gu, 1, sum)
		return nil
	}
	return cmp.Or(blame(p, u, d, v, count), kedge.CheckFinite("the product with ∇ᵤh", sum))
}

// blame returns an error for the first argument that is not finite.
func blame(p, u, d, v []float64, count int) error {
	if err := kedge.CheckFinite("u", u); err != nil {
		return err
	}
	for i := range count {
		for j, name := range [...]string{"p", "d", "v"} {
			x := [...][]float64{p, d, v}[j]
			if err := kedge.CheckFinite(name, kedge.Row(x, i, len(x)/count)); err != nil {
				return &kedge.RowError{Row: i, Err: err}
			}
		}
	}
	return nil
}

// blameRow says whose fault an error of individual i is: that of an argument which is not finite, or its own.
func blameRow(i int, err error, p, u, d, v []float64, count int) error {
	return cmp.Or[error](blame(p, u, d, v, count), &kedge.RowError{Row: i, Err: err})
}

// checkRange returns a *RangeError unless lo ≤ x ≤ hi and x is finite.
func checkRange(arg string, x, lo, hi float64, want string) error {
	return kedge.CheckRange(arg, x, lo <= x && x <= hi && !math.IsInf(x, 0), want)
}

// checkDim returns a *RangeError unless n ≥ 1.
func checkDim(n int) error {
	return checkRange("Dim", float64(n), 1, math.Inf(1), "a number ≥ 1")
}

// mustBe panics unless the named vector has n entries.
func mustBe(name string, x []float64, n int) {
	if len(x) != n {
		panic("sensitivity: " + name + " has " + strconv.Itoa(len(x)) + " entries, want " + strconv.Itoa(n))
	}
}
