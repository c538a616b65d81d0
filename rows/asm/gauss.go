package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gauss makes eight normal numbers of eight words at a time: four pairs, first words in one vector and second in another.
func gauss() {
	TEXT("gaussAVX2", NOSPLIT, "func(dst *float64, words *uint64, n int)")
	Pragma("noescape")
	Doc("gaussAVX2 turns pairs of random words into pairs of normal numbers, as gaussPair does one by one; n must be a multiple of 8.")
	dst, words, n := param("dst"), param("words"), param("n")
	Label("eight")
	CMPQ(n, Imm(0))
	JLE(LabelRef("done"))
	a, b, size, turn := YMM(), YMM(), YMM(), YMM()
	VMOVDQU(Mem{Base: words}, a)
	VMOVDQU(Mem{Base: words}.Offset(32), b)
	VPUNPCKLQDQ(b, a, size)
	VPUNPCKHQDQ(b, a, turn)
	r := radius(size)
	sign := YMM()
	VPSLLQ(Imm(62), turn, sign) // the second lowest bit says which half of the circle
	VANDPD(bits("sign", 1<<63), sign, sign)
	VXORPD(sign, r, r)
	cos, sin := circle(turn)
	VMULPD(r, cos, cos)
	VMULPD(r, sin, sin)
	swap, x, y := YMM(), YMM(), YMM()
	VPSLLQ(Imm(63), turn, swap) // the lowest which quarter
	VBLENDVPD(swap, sin, cos, x)
	VBLENDVPD(swap, cos, sin, y)
	VUNPCKLPD(y, x, a)
	VUNPCKHPD(y, x, b)
	VMOVUPD(a, Mem{Base: dst})
	VMOVUPD(b, Mem{Base: dst}.Offset(32))
	ADDQ(Imm(64), words)
	ADDQ(Imm(64), dst)
	SUBQ(Imm(8), n)
	JMP(LabelRef("eight"))
	Label("done")
	VZEROUPPER()
	RET()
}

// uniform returns 1 + k·2⁻⁵² for the upper 52 bits k of every word.
func uniform(words VecVirtual) VecVirtual {
	x := YMM()
	VPSRLQ(Imm(12), words, x)
	VPOR(constant("c0", 1), x, x)
	return x
}

// radius returns √(−2 log v) for v = (k + ½)·2⁻⁵².
func radius(words VecVirtual) VecVirtual {
	v := uniform(words)
	VSUBPD(constant("belowOne", 1-0x1p-53), v, v)
	r := log(v)
	VMULPD(constant("minusTwo", -2), r, r)
	VSQRTPD(r, r)
	return r
}

// circle returns cosine and sine of π/2·(k·2⁻⁵² − ½) by their Taylor polynomials.
func circle(words VecVirtual) (cos, sin VecVirtual) {
	t, z, tz := uniform(words), YMM(), YMM()
	VSUBPD(constant("oneAndHalf", 1.5), t, t)
	VMULPD(constant("quarter", math.Pi/2), t, t)
	VMULPD(t, t, z)
	VMULPD(z, t, tz)
	sin = pair(t, horner(z, "s", 3, 15), tz)
	cos = pair(constant("c0", 1), horner(z, "e", 2, 16), z)
	return cos, sin
}

// horner returns Σ ±z^((i−first)/2)/i! over i = first, first+2, …, last, the first of them negative.
func horner(z VecVirtual, name string, first, last int) VecVirtual {
	coefficient := func(i int) VecVirtual {
		factorial := -1.0
		for k := 2; k <= i; k++ {
			factorial *= float64(k)
		}
		if (i-first)/2%2 == 1 {
			factorial = -factorial
		}
		return constant(fmt.Sprintf("%s%d", name, i), 1/factorial)
	}
	y := coefficient(last)
	for i := last - 2; i >= first; i -= 2 {
		y = pair(coefficient(i), y, z)
	}
	return y
}
