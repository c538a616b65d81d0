package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// logarithms does four entries at a time.
func logarithms(masks Mem) {
	TEXT("logAVX2", NOSPLIT, "func(x *float64, n int)")
	Pragma("noescape")
	Doc("logAVX2 replaces every entry by its logarithm, as log does one by one.")
	x := param("x")
	s := newSpan(param("n"), masks)
	s.walk("log", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		f, ok := log(v), YMM()
		VCMPPD(Imm(13), constant("smallest", 0x1p-1022), v, ok)
		g.store(orNaN(f, v, ok), at(x, j))
	})
	VZEROUPPER()
	RET()
}

// orNaN returns f where ok holds and v is finite.
func orNaN(f, v, ok VecVirtual) VecVirtual {
	below := YMM()
	VCMPPD(Imm(2), constant("largest", math.MaxFloat64), v, below)
	VANDPD(below, ok, ok)
	VBLENDVPD(ok, f, bits("nan", 0x7ff8000000000001), f)
	return f
}

// entropy takes what is between 0 and the normal numbers for the smallest of those.
func entropy(masks Mem) {
	TEXT("entropyAVX2", NOSPLIT, "func(logs, x *float64, n int) float64")
	Pragma("noescape")
	Doc("entropyAVX2 writes the logarithms of x to logs, of the smallest normal number where that is larger, and returns the sum of x[i]·logs[i].")
	logs, x := param("logs"), param("x")
	s := newSpan(param("n"), masks)
	sum := zero()
	s.walk("entropy", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		floored, ok := YMM(), YMM()
		VMAXPD(constant("smallest", 0x1p-1022), v, floored)
		VCMPPD(Imm(13), zero(), v, ok)
		f := orNaN(log(floored), v, ok)
		g.store(f, at(logs, j))
		VMULPD(v, f, f)
		g.clear(f)
		VADDPD(f, sum, sum)
	})
	all := total(sum)
	VZEROUPPER()
	Store(all, ReturnIndex(0))
	RET()
}

// log returns log v of a positive normal number: v = 2ᵏ(1+f) with 1+f between √½ and √2, s = f/(2+f), log(1+f) = f − s(f − R), R = s²(2/3 + 2s²/5 + …).
func log(v VecVirtual) VecVirtual {
	t, m, k := YMM(), YMM(), YMM()
	VPADDQ(bits("toOne", 0x3ff0000000000000-rootHalf), v, t)
	VPSRLQ(Imm(52), t, k)
	VPOR(bits("twoTo52", 0x4330000000000000), k, k)
	VSUBPD(constant("twoTo52Bias", 0x1p52+1023), k, k)
	VPAND(bits("mantissa", 1<<52-1), t, m)
	VPADDQ(bits("rootHalf", rootHalf), m, m)
	f, s := YMM(), YMM()
	VSUBPD(constant("c0", 1), m, f)
	VADDPD(constant("two", 2), f, s)
	VDIVPD(s, f, s)
	z := YMM()
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
	z2, z4, z8 := YMM(), YMM(), YMM()
	VMULPD(z, z, z2)
	VMULPD(z2, z2, z4)
	VMULPD(z4, z4, z8)
	low := pair(first(0), first(2), z2)
	next := pair(first(4), first(6), z2)
	return pair(pair(low, next, z4), first(8), z8)
}
