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
		g.store(log(v), at(x, j))
	})
	VZEROUPPER()
	RET()
}

// log returns log v: v = 2ᵏ(1+f) with 1+f between √½ and √2, s = f/(2+f), log(1+f) = f − s(f − R), R = s²(2/3 + 2s²/5 + …).
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
	VMULPD(z, r, r)
	VSUBPD(r, f, r) // f − R
	VMULPD(s, r, r)
	low := YMM()
	VMULPD(constant("ln2low", 0x1.473de6af278edp-34), k, low)
	VSUBPD(low, r, r)
	VSUBPD(r, f, f)
	VMULPD(constant("ln2high", 0x1.62e42fefp-1), k, k)
	VADDPD(k, f, f)
	// Outside the normal numbers there is no answer.
	ok, below := YMM(), YMM()
	VCMPPD(Imm(13), constant("smallest", 0x1p-1022), v, ok)
	VCMPPD(Imm(2), constant("largest", math.MaxFloat64), v, below)
	VANDPD(below, ok, ok)
	VBLENDVPD(ok, f, bits("nan", 0x7ff8000000000001), f)
	return f
}

// rootHalf is the bits of √½.
const rootHalf = 0x3fe6a09e667f3bcd

// odd returns Σ 2zⁱ/(2i+3) for i ≤ 9 in the order of its plain twin.
func odd(z VecVirtual) VecVirtual {
	coefficient := func(i int) VecVirtual { return constant(fmt.Sprintf("o%d", i), 2/float64(2*i+3)) }
	first := func(i int) VecVirtual {
		x := YMM()
		VMULPD(coefficient(i+1), z, x)
		VADDPD(coefficient(i), x, x)
		return x
	}
	pair := func(a, b, x VecVirtual) VecVirtual {
		VMULPD(x, b, b)
		VADDPD(b, a, b)
		return b
	}
	z2, z4, z8 := YMM(), YMM(), YMM()
	VMULPD(z, z, z2)
	VMULPD(z2, z2, z4)
	VMULPD(z4, z4, z8)
	low := pair(first(0), first(2), z2)
	next := pair(first(4), first(6), z2)
	return pair(pair(low, next, z4), first(8), z8)
}
