package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

// exponentials does a vector of entries at a time.
func exponentials() {
	kernel("exp", "(x *float64, n int)", "replaces every entry by its exponential, as exp does one by one.")
	x := param("x")
	newSpan(param("n")).each("exp", sideBySide(3), x, func(v []many) many { return exp(v[0]) }, x)
	finish()
}

// softmax walks three times: for the smallest entry, for the exponentials and their sum, and to divide by that.
func softmax() {
	kernel("softmax", "(dst, u *float64, n int, k float64)", "writes e^(−k·u[i]), divided by the sum of all, to dst.")
	dst, u := param("dst"), param("u")
	s := newSpan(param("n"))
	low := constant("infinity", math.Inf(1))
	s.walk("low", func(g group, j GPVirtual) {
		VMINPD(low, g.or(g.load(at(u, j)), low), low)
	})
	low = across(VMINPD, low)
	half, sum, k := constant("half", 0.5), nothing(), broadcast("k")
	VMULPD(half, low, low)
	s.walkMany("odds", sideBySide(3), func(g groups, j GPVirtual) {
		v := g.load(u, j).by(VMULPD, many{half}).by(VSUBPD, many{low}).by(VMULPD, many{k})
		y := exp(v.by(VMULPD, all("minusTwo", -2)))
		g.store(y, dst, j)
		g.accumulate(y, sum)
	})
	shared := vec()
	VBROADCASTSD(total(sum), shared)
	inverse := of(VDIVPD, constant("c0", 1), shared)
	s.each("share", 1, dst, func(v []many) many { return v[0].mul(many{inverse}) }, dst)
	finish()
}

// exp returns eᵛ for v ≤ 0: v = j·ln 2 + r, a Taylor polynomial in r, and j added to the exponent.
func exp(v many) many {
	magic := all("magic", 0x1.8p52)
	t := v.copied().fuse(VFMADD213PD, magic, all("log2e", math.Log2E))
	j := t.by(VSUBPD, magic)
	r := v.copied()
	r.fuse(VFNMADD231PD, all("ln2high", 0x1.62e42fefp-1), j)
	r.fuse(VFNMADD231PD, all("ln2low", 0x1.473de6af278edp-34), j)
	y := polynomial(r).by(VMULPD, t.shifted(VPSLLQ, 52).by(VPADDQ, all("c0", 1)))
	for i := range y {
		keep(compare(5, v[i], constant("lowest", -708)), y[i]) // not v < lowest, so that a NaN stays one
	}
	return y
}

// polynomial returns Σ rᵏ/k! for k ≤ 13 in the order of its plain twin.
func polynomial(r many) many {
	coefficient := func(k int) (string, float64) {
		factorial := 1.0
		for i := 2; i <= k; i++ {
			factorial *= float64(i)
		}
		return fmt.Sprintf("c%d", k), 1 / factorial
	}
	first := func(k int) many { return pair(all(coefficient(k)), r.each(coefficient(k+1)), r) }
	r2 := r.by(VMULPD, r)
	r4 := r2.by(VMULPD, r2)
	low := pair(first(2), first(4), r2)
	next := pair(first(6), first(8), r2)
	high := pair(first(10), first(12), r2)
	y := pair(r, pair(pair(low, next, r4), high, r4.by(VMULPD, r4)), r2)
	return y.by(VADDPD, all("c0", 1))
}
