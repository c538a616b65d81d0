package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// gaps keeps the nine vectors of a Gaps in registers.
func gaps() {
	kernel("gaps", "(sums, a, b, c *float64, steps, last int)",
		"does what Gaps.Step does, in all lanes, for entries 0, 1, … and last, last−1, …")
	g, a, b, c := param("sums"), param("a"), param("b"), param("c")
	steps, down, up := param("steps"), param("last"), GP64()
	SHLQ(Imm(3), down)
	XORQ(up, up)
	var state [9]VecVirtual
	for i := range state {
		state[i] = YMM()
		VMOVUPD(Mem{Base: g}.Offset(32*i), state[i])
	}
	sumA, lostA, sumB, lostB, area, lostArea, tilt, least, signs := state[0], state[1], state[2], state[3], state[4], state[5], state[6], state[7], state[8]
	two, sign := constant("two", 2), bits("sign", 1<<63)
	Label("step")
	TESTQ(steps, steps)
	JZ(LabelRef("done"))
	x, y := YMM(), YMM()
	spread4(x, at(a, up), at(a, up), at(a, down), at(a, down))
	spread4(y, at(b, up), at(c, up), at(b, down), at(c, down))
	VORPD(x, signs, signs)
	VORPD(y, signs, signs)
	run(sumA, lostA, x)
	run(sumB, lostB, y)
	in := inDouble
	d := in.add(in.sub(sumA, sumB), in.sub(lostA, lostB))
	t := in.add(in.sub(sumA, two), sumB)
	VADDPD(of(VXORPD, t, of(VANDPD, d, sign)), tilt, tilt)
	size := of(VANDNPD, sign, d)
	VMINPD(least, size, least)
	run(area, lostArea, size)
	ADDQ(Imm(8), up)
	SUBQ(Imm(8), down)
	DECQ(steps)
	JMP(LabelRef("step"))
	Label("done")
	for i, v := range state {
		VMOVUPD(v, Mem{Base: g}.Offset(32*i))
	}
	finish()
}

// spread4 loads one number into every lane of x.
func spread4(x VecVirtual, lanes ...Mem) {
	VBROADCASTSD(lanes[0], x)
	for i, m := range lanes[1:] {
		if m == lanes[i] {
			continue // comes with the one before
		}
		from := uint64(0xf) << (i + 1) & 0xf
		y := YMM()
		VBROADCASTSD(m, y)
		VBLENDPD(Imm(from), y, x, x)
	}
}

// run adds x to a running sum and keeps what that loses.
func run(sum, lost, x VecVirtual) {
	after := of(VADDPD, sum, x)
	VADDPD(of(VSUBPD, x, of(VSUBPD, after, sum)), lost, lost)
	VMOVAPD(after, sum)
}
