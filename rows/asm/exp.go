package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// exponentials does four entries at a time.
func exponentials(masks Mem) {
	TEXT("expAVX2", NOSPLIT, "func(x *float64, n int)")
	Pragma("noescape")
	Doc("expAVX2 replaces every entry by its exponential, as exp does one by one.")
	x := param("x")
	s := newSpan(param("n"), masks)
	s.walk("exp", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		g.store(exp(v), at(x, j))
	})
	VZEROUPPER()
	RET()
}

// exp returns eᵛ for v ≤ 0: v = j·ln 2 + r, a Taylor polynomial in r, and j added to the exponent.
func exp(v VecVirtual) VecVirtual {
	magic, t, j := constant("magic", 0x1.8p52), YMM(), YMM()
	VMULPD(constant("log2e", math.Log2E), v, t)
	VADDPD(magic, t, t)
	VSUBPD(magic, t, j)
	r, p := YMM(), YMM()
	VMULPD(constant("ln2high", 0x1.62e42fefp-1), j, p)
	VSUBPD(p, v, r)
	VMULPD(constant("ln2low", 0x1.473de6af278edp-34), j, p)
	VSUBPD(p, r, r)
	y := polynomial(r)
	VPSLLQ(Imm(52), t, t)
	VPADDQ(constant("c0", 1), t, t)
	VMULPD(t, y, y)
	keep := YMM()
	VCMPPD(Imm(5), constant("lowest", -708), v, keep) // not v < lowest, so that a NaN stays one
	VANDPD(keep, y, y)
	return y
}

// polynomial returns Σ rᵏ/k! for k ≤ 13 in the order of its plain twin.
func polynomial(r VecVirtual) VecVirtual {
	factorial := 1.0
	var c [14]float64
	for k := range c {
		if k > 0 {
			factorial *= float64(k)
		}
		c[k] = 1 / factorial
	}
	first := func(k int) VecVirtual { // c[k] + c[k+1]·r
		x := YMM()
		VMULPD(constant(fmt.Sprintf("c%d", k+1), c[k+1]), r, x)
		VADDPD(constant(fmt.Sprintf("c%d", k), c[k]), x, x)
		return x
	}
	pair := func(a, b, x VecVirtual) VecVirtual { // a + b·x, into b
		VMULPD(x, b, b)
		VADDPD(b, a, b)
		return b
	}
	square := func(x VecVirtual) VecVirtual {
		y := YMM()
		VMULPD(x, x, y)
		return y
	}
	r2 := square(r)
	r4 := square(r2)
	r8 := square(r4)
	low := pair(first(2), first(4), r2)
	next := pair(first(6), first(8), r2)
	high := pair(first(10), first(12), r2)
	y := pair(pair(low, next, r4), high, r8)
	VMULPD(r2, y, y)
	VADDPD(r, y, y)
	VADDPD(constant("c0", c[0]), y, y)
	return y
}
