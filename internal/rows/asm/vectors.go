package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func dot() {
	kernel("dot", "(x, y *float64, n int) float64", "returns the sum of x[i]·y[i].")
	finish(newSpan(param("n")).sum("dot", product, param("x"), param("y")))
}

func product(v []many) many { return v[0].mul(v[1]) }

func addScaled() {
	kernel("addScaled", "(dst *float64, a float64, x *float64, n int)", "does dst[i] += a·x[i].")
	dst, a := param("dst"), every("a")
	newSpan(param("n")).each("add", 1, dst, func(v []many) many { return v[0].add(v[1].mul(a)) }, dst, param("x"))
	finish()
}

func finite() {
	kernel("finite", "(x *float64, n int) float64", "returns 0 unless an entry of x is not finite, and then NaN.")
	x, n := param("x"), param("n")
	acc, nought := zeros(8), zero()
	// Only whether the total is 0 matters, so the order of the sums does not.
	inBlocks(x, n, acc, U32(256), func(entries Mem, sum VecVirtual) { VFMADD231PD(entries, nought, sum) })
	s := newSpan(n)
	s.walk("finite", func(g group, j GPVirtual) {
		VADDPD(of(VMULPD, g.load(at(x, j)), nought), acc[0], acc[0])
	})
	for _, a := range acc[1:] {
		VADDPD(a, acc[0], acc[0])
	}
	finish(total(acc[0]))
}

// inBlocks emits body for four entries and one of the sums, as often as there are sums, so that none waits for another, and
// that as long as there are entries for all. It moves x by so many bytes each time and leaves in n what is left.
func inBlocks(x, n GPVirtual, sums many, bytes Op, body func(entries Mem, sum VecVirtual)) {
	Label("many")
	CMPQ(n, Imm(uint64(4*len(sums))))
	JL(LabelRef("few"))
	for i, sum := range sums {
		body(Mem{Base: x}.Offset(32*i), sum)
	}
	ADDQ(bytes, x)
	SUBQ(Imm(uint64(4*len(sums))), n)
	JMP(LabelRef("many"))
	Label("few")
}

func scale() {
	kernel("scale", "(x *float64, a float64, n int)", "does x[i] *= a.")
	x, a := param("x"), every("a")
	newSpan(param("n")).each("scale", 1, x, func(v []many) many { return v[0].mul(a) }, x)
	finish()
}

func distance() {
	kernel("distance2", "(x, y *float64, n int) float64", "returns the sum of (x[i]−y[i])².")
	square := func(v []many) many {
		d := v[0].sub(v[1])
		return d.mul(d)
	}
	finish(newSpan(param("n")).sum("distance", square, param("x"), param("y")))
}

// maxAbs compares numbers without their sign as integers, which a NaN comes out above.
func maxAbs() {
	kernel("maxAbs", "(x *float64, n int) float64", "returns the largest |x[i]|, a NaN being larger than all.")
	x, n := param("x"), param("n")
	most, sign := zeros(4), bits("sign", 1<<63)
	inBlocks(x, n, most, Imm(128), func(entries Mem, most VecVirtual) {
		larger(most, of(VANDNPD, sign, entries))
	})
	s := newSpan(n)
	s.walk("maxAbs", func(g group, j GPVirtual) {
		larger(most[0], of(VANDNPD, sign, g.load(at(x, j))))
	})
	for _, m := range most[1:] {
		larger(most[0], m)
	}
	largest(most[0])
	finish(most[0].AsX())
}

// larger puts the lanes of v that are larger in the place of those of most, as integers.
func larger(most, v VecVirtual) {
	more := YMM()
	VPCMPGTQ(most, v, more)
	VBLENDVPD(more, v, most, most)
}

// largest leaves the largest of the lanes, as integers, in all of them: of halves, then of neighbours.
func largest(most VecVirtual) {
	for _, order := range []uint64{0x4e, 0xb1} {
		v := YMM()
		VPERMPD(Imm(order), most, v)
		larger(most, v)
	}
}

// extent leaves out of least and most what is not a number.
func extent() {
	kernel("extent", "(x *float64, n int) (sum, least, most float64)",
		"returns the sum, the smallest and the largest entry of x.")
	x := param("x")
	s := newSpan(param("n"))
	sum, least, most := zero(), constant("infinity", math.Inf(1)), constant("minusInfinity", math.Inf(-1))
	s.walk("extent", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		VADDPD(v, sum, sum)
		VMINPD(least, g.or(v, least), least)
		VMAXPD(most, g.or(v, most), most)
	})
	low, high := across(VMINPD, least), across(VMAXPD, most)
	finish(total(sum), low.AsX(), high.AsX())
}

// across joins the lanes of x by op and leaves the result in all of them.
func across(op func(...Op), x VecVirtual) VecVirtual {
	if wide {
		half := YMM()
		op(upper(x), x.AsY(), half)
		x = half
	}
	for _, order := range []uint64{0x4e, 0xb1} {
		y, joined := YMM(), YMM()
		VPERMPD(Imm(order), x, y)
		op(y, x, joined)
		x = joined
	}
	if wide {
		all := ZMM()
		VBROADCASTSD(x.AsX(), all)
		x = all
	}
	return x
}

func mix() {
	kernel("mix", "(dst, x, y, z *float64, n int, a, b, c float64)", "writes a·x[i] + b·y[i] + c·z[i] to dst.")
	a, b, c := every("a"), every("b"), every("c")
	sum := func(v []many) many { return v[0].mul(a).add(v[1].mul(b)).add(v[2].mul(c)) }
	newSpan(param("n")).each("mix", 1, param("dst"), sum, param("x"), param("y"), param("z"))
	finish()
}

func rest() {
	kernel("rest", "(dst, x, y *float64, n int, a, b, c float64) (miss, size float64)",
		"writes the h that solves h = c·h + a·x[i] + b·y[i] to dst and returns what it misses that by and its size.")
	dst, x, y := param("dst"), param("x"), param("y")
	a, b, c := broadcast("a"), broadcast("b"), broadcast("c")
	away := of(VSUBPD, constant("c0", 1), c)
	s := newSpan(param("n"))
	miss, size, sign := zero(), zero(), bits("sign", 1<<63)
	s.walk("rest", func(g group, j GPVirtual) {
		in := of(VADDPD, of(VMULPD, g.load(at(x, j)), a), of(VMULPD, g.load(at(y, j)), b))
		h := of(VDIVPD, in, away)
		g.store(h, at(dst, j))
		off := of(VSUBPD, of(VADDPD, of(VMULPD, h, c), in), h)
		VMAXPD(miss, of(VANDNPD, sign, off), miss)
		VMAXPD(size, of(VANDNPD, sign, h), size)
	})
	miss, size = across(VMAXPD, miss), across(VMAXPD, size)
	finish(miss.AsX(), size.AsX())
}

func cut() {
	kernel("cut", "(x *float64, n int, low, atLow, top float64)",
		"replaces every x by (x−low)+atLow, clamped to 0 and top.")
	x, low, atLow, top, nought := param("x"), every("low"), every("atLow"), every("top"), many{zero()}
	newSpan(param("n")).each("cut", 1, x, func(v []many) many {
		return v[0].sub(low).add(atLow).by(VMAXPD, nought).by(VMINPD, top)
	}, x)
	finish()
}

func above() {
	kernel("above", "(high, lost, x *float64, n int, low, start float64)",
		"adds x−low to lanes that start at start, and keeps what that loses.")
	x, low, high, lost := param("x"), broadcast("low"), broadcast("start"), zero()
	s := newSpan(param("n"))
	s.walk("above", func(g group, j GPVirtual) {
		v := of(VSUBPD, g.load(at(x, j)), low)
		g.clear(v)
		run(high, lost, v)
	})
	VMOVUPD(high, Mem{Base: param("high")})
	VMOVUPD(lost, Mem{Base: param("lost")})
	finish()
}
