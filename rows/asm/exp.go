package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// exponentials does a vector of entries at a time.
func exponentials(masks Mem) {
	kernel("exp", "(x *float64, n int)",
		"replaces every entry by its exponential, as exp does one by one.")
	x := param("x")
	s := newSpan(param("n"), masks)
	s.walk("exp", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		g.store(exp(v), at(x, j))
	})
	VZEROUPPER()
	RET()
}

// softmax walks three times: for the smallest entry, for the exponentials and their sum, and to divide by that.
func softmax(masks Mem) {
	kernel("softmax", "(dst, u *float64, n int, k float64)",
		"writes e^(−k·u[i]), divided by the sum of all, to dst.")
	dst, u := param("dst"), param("u")
	s := newSpan(param("n"), masks)
	low := constant("infinity", math.Inf(1))
	s.walk("low", func(g group, j GPVirtual) {
		v := g.load(at(u, j))
		if g.masked {
			v = choose(g.mask, v, low)
		}
		VMINPD(low, v, low)
	})
	low = across(VMINPD, low)
	half, sum, k := constant("half", 0.5), nothing(), broadcast("k")
	VMULPD(half, low, low)
	s.walk("odds", func(g group, j GPVirtual) {
		v := g.load(at(u, j))
		VMULPD(half, v, v)
		VSUBPD(low, v, v)
		VMULPD(k, v, v)
		VMULPD(constant("minusTwo", -2), v, v)
		y := exp(v)
		g.clear(y)
		g.store(y, at(dst, j))
		accumulate(y, sum)
	})
	all, inverse := vec(), vec()
	VBROADCASTSD(total(sum), all)
	VDIVPD(all, constant("c0", 1), inverse)
	s.walk("share", func(g group, j GPVirtual) {
		v := g.load(at(dst, j))
		VMULPD(inverse, v, v)
		g.store(v, at(dst, j))
	})
	VZEROUPPER()
	RET()
}

// exp returns eᵛ for v ≤ 0: v = j·ln 2 + r, a Taylor polynomial in r, and j added to the exponent.
func exp(v VecVirtual) VecVirtual {
	magic, j := constant("magic", 0x1.8p52), vec()
	t := fused(constant("log2e", math.Log2E), v, magic)
	VSUBPD(magic, t, j)
	r := vec()
	VMOVAPD(v, r)
	VFNMADD231PD(constant("ln2high", 0x1.62e42fefp-1), j, r)
	VFNMADD231PD(constant("ln2low", 0x1.473de6af278edp-34), j, r)
	y := polynomial(r)
	VPSLLQ(Imm(52), t, t)
	VPADDQ(constant("c0", 1), t, t)
	VMULPD(t, y, y)
	keep(compare(5, v, constant("lowest", -708)), y) // not v < lowest, so that a NaN stays one
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
	coefficient := func(k int) VecVirtual { return constant(fmt.Sprintf("c%d", k), c[k]) }
	first := func(k int) VecVirtual { return pair(coefficient(k), coefficient(k+1), r) }
	square := func(x VecVirtual) VecVirtual {
		y := vec()
		VMULPD(x, x, y)
		return y
	}
	r2 := square(r)
	r4 := square(r2)
	r8 := square(r4)
	low := pair(first(2), first(4), r2)
	next := pair(first(6), first(8), r2)
	high := pair(first(10), first(12), r2)
	y := pair(r, pair(pair(low, next, r4), high, r8), r2)
	VADDPD(constant("c0", c[0]), y, y)
	return y
}
