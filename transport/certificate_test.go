package transport_test

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/stream"
)

// dyadic draws a probability vector of multiples of 2⁻¹⁰, on which every sum below is exact.
func dyadic(s *stream.Stream, n int) []float64 {
	x := make([]float64, n)
	for range 1 << 10 {
		x[s.Intn(1+s.Intn(n))] += 0x1p-10
	}
	return x
}

// primal is the cost of one plan that carries a to b: from the left, each mass to the first place still in want.
func primal(a, b []float64) (cost float64) {
	a, b = slices.Clone(a), slices.Clone(b)
	for i, j := 0, 0; i < len(a) && j < len(b); {
		m := min(a[i], b[j])
		cost += m * math.Abs(float64(i-j))
		a[i], b[j] = a[i]-m, b[j]-m
		if a[i] == 0 {
			i++
		} else {
			j++
		}
	}
	return cost
}

// dual is Σ fᵢ(aᵢ − bᵢ) for one price f that changes by at most 1 a step, which no plan can undercut.
func dual(a, b []float64) (gain float64) {
	below, f := 0.0, 0.0
	for i := range a {
		gain += f * (a[i] - b[i])
		below += a[i] - b[i]
		if below > 0 {
			f--
		} else {
			f++
		}
	}
	return gain
}

// Half the mass crosses 20,000 points of noise. Source: sums in 300 bits, which are exact here. A plain running sum is off by
// dozens of eps, as it gathers the noise's rounding errors.
func TestW1OverManyPoints(t *testing.T) {
	const n = 20_000
	s := stream.New(3, "many")
	a, b := weights(s, n, 6), weights(s, n, 6)
	for i := range a {
		a[i], b[i] = a[i]/2, b[i]/2
	}
	a[0] += 0.5
	b[n-1] += 0.5
	of := func(v float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(v) }
	ma, mb := of(0), of(0)
	for i := range a {
		ma.Add(ma, of(a[i]))
		mb.Add(mb, of(b[i]))
	}
	below, area := of(0), of(0)
	for i := range a {
		below.Add(below, of(0).Quo(of(a[i]), ma)).Sub(below, of(0).Quo(of(b[i]), mb))
		area.Add(area, of(0).Abs(below))
	}
	want, _ := area.Float64()
	if got := w1(t, a, b); math.Abs(got-want) > 4*eps*want {
		t.Errorf("got %v, want %v: %.1f eps off", got, want, math.Abs(got-want)/(eps*want))
	}
}

// Certificate: a plan and a price of the same worth prove both optimal, and W1 is that worth.
func TestW1IsCertified(t *testing.T) {
	s := stream.New(2, "certificate")
	for range 1000 {
		n := 1 + s.Intn(20)
		a, b := dyadic(s, n), dyadic(s, n)
		if got := w1(t, a, b); got != primal(a, b) || got != dual(a, b) {
			t.Fatalf("W1 = %v, plan %v, price %v for %v and %v", got, primal(a, b), dual(a, b), a, b)
		}
	}
}
