package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gauss takes two vectors of words at a time: as many pairs as there are lanes, first words in one vector and second in
// another.
func gauss() {
	kernel("gauss", "(dst *float64, words *uint64, n int)",
		"turns pairs of random words into pairs of normal numbers, as gaussPair does one by one; n must be "+
			map[bool]string{false: "a multiple of 8.", true: "even."}[wide])
	dst, words, n := param("dst"), param("words"), param("n")
	size := 8 * lanes()
	both := func(low, high group) {
		a, b := low.load(Mem{Base: words}), high.load(Mem{Base: words}.Offset(size))
		normals(a, b)
		low.store(a, Mem{Base: dst})
		high.store(b, Mem{Base: dst}.Offset(size))
	}
	Label("many")
	SUBQ(Imm(uint64(2*lanes())), n)
	JL(LabelRef("few"))
	both(group{}, group{})
	ADDQ(U32(uint32(2*size)), words)
	ADDQ(U32(uint32(2*size)), dst)
	JMP(LabelRef("many"))
	Label("few")
	if wide {
		ADDQ(Imm(uint64(2*lanes())), n)
		JZ(LabelRef("done"))
		low, high := firstLanes(n, Mem{}), K()
		KSHIFTRW(Imm(8), low, high)
		both(group{low, true}, group{high, true})
		Label("done")
	}
	VZEROUPPER()
	RET()
}

// normals makes the words in a and b normal numbers.
func normals(a, b VecVirtual) {
	size, turn := vec(), vec()
	VPUNPCKLQDQ(b, a, size)
	VPUNPCKHQDQ(b, a, turn)
	r := radius(size)
	sign := vec()
	VPSLLQ(Imm(62), turn, sign) // the second lowest bit says which half of the circle
	VANDPD(bits("sign", 1<<63), sign, sign)
	VXORPD(sign, r, r)
	cos, sin := circle(turn)
	VMULPD(r, cos, cos)
	VMULPD(r, sin, sin)
	VPSLLQ(Imm(63), turn, turn) // the lowest which quarter
	swap := signed(turn)
	x, y := choose(swap, sin, cos), choose(swap, cos, sin)
	VUNPCKLPD(y, x, a)
	VUNPCKHPD(y, x, b)
}

// uniform returns 1 + k·2⁻⁵² for the upper 52 bits k of every word.
func uniform(words VecVirtual) VecVirtual {
	x := vec()
	VPSRLQ(Imm(12), words, x)
	or(constant("c0", 1), x, x)
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
	t, z, tz := uniform(words), vec(), vec()
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
