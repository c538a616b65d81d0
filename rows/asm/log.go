package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// logarithms does a vector of entries at a time.
func logarithms(masks Mem) {
	kernel("log", "(x *float64, n int)",
		"replaces every entry by its logarithm, as log does one by one.")
	x := param("x")
	s := newSpan(param("n"), masks)
	s.walk("log", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		ok := compare(13, v, constant("smallest", 0x1p-1022))
		g.store(orNaN(log(v), v, ok), at(x, j))
	})
	VZEROUPPER()
	RET()
}

// orNaN returns f where ok holds and v is finite.
func orNaN(f, v VecVirtual, ok Op) VecVirtual {
	below := compare(2, v, constant("largest", math.MaxFloat64))
	return choose(both(below, ok), f, bits("nan", 0x7ff8000000000001))
}

// entropy takes what is between 0 and the normal numbers for the smallest of those.
func entropy(masks Mem) {
	kernel("entropy", "(logs, x *float64, n int) float64",
		"writes the logarithms of x to logs, of the smallest normal number where that is larger, and returns the sum of x[i]·logs[i].")
	logs, x := param("logs"), param("x")
	s := newSpan(param("n"), masks)
	sum := nothing()
	s.walk("entropy", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		floored := vec()
		VMAXPD(constant("smallest", 0x1p-1022), v, floored)
		f := orNaN(log(floored), v, compare(13, v, zero()))
		g.store(f, at(logs, j))
		VMULPD(v, f, f)
		g.clear(f)
		accumulate(f, sum)
	})
	all := total(sum)
	VZEROUPPER()
	Store(all, ReturnIndex(0))
	RET()
}

// log returns log v of a positive normal number: v = 2ᵏ(1+f) with 1+f between √½ and √2, s = f/(2+f), log(1+f) = f − s(f − R), R = s²(2/3 + 2s²/5 + …).
func log(v VecVirtual) VecVirtual {
	t, m, k := vec(), vec(), vec()
	VPADDQ(bits("toOne", 0x3ff0000000000000-rootHalf), v, t)
	VPSRLQ(Imm(52), t, k)
	or(bits("twoTo52", 0x4330000000000000), k, k)
	VSUBPD(constant("twoTo52Bias", 0x1p52+1023), k, k)
	and(bits("mantissa", 1<<52-1), t, m)
	VPADDQ(bits("rootHalf", rootHalf), m, m)
	f, s := vec(), vec()
	VSUBPD(constant("c0", 1), m, f)
	VADDPD(constant("two", 2), f, s)
	VDIVPD(s, f, s)
	z := vec()
	VMULPD(s, s, z)
	r := odd(z)
	VFNMADD213PD(f, z, r) // f − R
	VMULPD(s, r, r)
	VFNMADD231PD(constant("ln2low", 0x1.473de6af278edp-34), k, r)
	VSUBPD(r, f, f)
	VFMADD231PD(constant("ln2high", 0x1.62e42fefp-1), k, f)
	return f
}

// rootHalf is the bits of √½.
const rootHalf = 0x3fe6a09e667f3bcd

// odd returns Σ 2zⁱ/(2i+3) for i ≤ 9 in the order of its plain twin.
func odd(z VecVirtual) VecVirtual {
	coefficient := func(i int) VecVirtual { return constant(fmt.Sprintf("o%d", i), 2/float64(2*i+3)) }
	first := func(i int) VecVirtual { return pair(coefficient(i), coefficient(i+1), z) }
	z2, z4, z8 := vec(), vec(), vec()
	VMULPD(z, z, z2)
	VMULPD(z2, z2, z4)
	VMULPD(z4, z4, z8)
	low := pair(first(0), first(2), z2)
	next := pair(first(4), first(6), z2)
	return pair(pair(low, next, z4), first(8), z8)
}
