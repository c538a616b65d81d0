package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
)

// gauss takes two vectors of words at a time: as many pairs as there are lanes, first words in one vector and second in
// another.
func gauss() {
	kernel("gauss", "(dst *float64, words *uint64, n int)",
		"turns pairs of random words into pairs of normal numbers, as gaussPair does one by one; n must be "+
			map[bool]string{false: "a multiple of 8.", true: "even."}[wide])
	dst, words, n := param("dst"), param("words"), param("n")
	size := 8 * lanes()
	both := func(low, high groups) {
		var a, b many
		for i := range low {
			a = append(a, low[i].load(Mem{Base: words}.Offset(2*size*i)))
			b = append(b, high[i].load(Mem{Base: words}.Offset(2*size*i+size)))
		}
		x, y := normals(a, b)
		for i := range low {
			low[i].store(x[i], Mem{Base: dst}.Offset(2*size*i))
			high[i].store(y[i], Mem{Base: dst}.Offset(2*size*i+size))
		}
	}
	for count := sideBySide(2); count > 0; count-- {
		name, step := fmt.Sprintf("by%d", count), uint32(2*lanes()*count)
		Label(name)
		SUBQ(U32(step), n)
		JL(LabelRef(name + "Done"))
		both(make(groups, count), make(groups, count))
		ADDQ(U32(8*step), words)
		ADDQ(U32(8*step), dst)
		JMP(LabelRef(name))
		Label(name + "Done")
		ADDQ(U32(step), n)
	}
	if wide {
		JZ(LabelRef("done"))
		low, high := firstLanes(n), K()
		KSHIFTRW(Imm(8), low, high)
		both(groups{{low, true}}, groups{{high, true}})
		Label("done")
	}
	finish()
}

// normals makes the words in a and b normal numbers.
func normals(a, b many) (x, y many) {
	size, turn := a.by(VPUNPCKLQDQ, b), a.by(VPUNPCKHQDQ, b)
	sign := turn.shifted(VPSLLQ, 62).by(VANDPD, allBits("sign", 1<<63)) // the second lowest bit says which half of the circle
	r := radius(size).by(VXORPD, sign)
	cos, sin := circle(turn)
	cos, sin = cos.by(VMULPD, r), sin.by(VMULPD, r)
	for i, t := range turn.shifted(VPSLLQ, 63) { // the lowest which quarter
		swap := signed(t)
		cos[i], sin[i] = choose(swap, sin[i], cos[i]), choose(swap, cos[i], sin[i])
	}
	return cos.by(VUNPCKLPD, sin), cos.by(VUNPCKHPD, sin)
}

// uniform returns 1 + k·2⁻⁵² for the upper 52 bits k of every word.
func uniform(words many) many { return words.shifted(VPSRLQ, 12).by(or, all("c0", 1)) }

// radius returns √(−2 log v) for v = (k + ½)·2⁻⁵².
func radius(words many) many {
	r := log(uniform(words).by(VSUBPD, all("belowOne", 1-0x1p-53))).by(VMULPD, all("minusTwo", -2))
	for i := range r {
		VSQRTPD(r[i], r[i])
	}
	return r
}

// circle returns cosine and sine of π/2·(k·2⁻⁵² − ½) by their Taylor polynomials.
func circle(words many) (cos, sin many) {
	t := uniform(words).by(VSUBPD, all("oneAndHalf", 1.5)).by(VMULPD, all("quarter", math.Pi/2))
	z := t.by(VMULPD, t)
	sin = pair(t, horner(z, "s", 3, 15), t.by(VMULPD, z))
	cos = pair(all("c0", 1), horner(z, "e", 2, 16), z)
	return cos, sin
}

// horner returns Σ ±z^((i−first)/2)/i! over i = first, first+2, …, last, the first of them negative.
func horner(z many, name string, first, last int) many {
	coefficient := func(i int) (string, float64) {
		factorial := -1.0
		for k := 2; k <= i; k++ {
			factorial *= float64(k)
		}
		if (i-first)/2%2 == 1 {
			factorial = -factorial
		}
		return fmt.Sprintf("%s%d", name, i), 1 / factorial
	}
	y := z.each(coefficient(last))
	for i := last - 2; i >= first; i -= 2 {
		y = pair(all(coefficient(i)), y, z)
	}
	return y
}
