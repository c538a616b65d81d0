package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func dot(masks Mem) {
	kernel("dot", "(x, y *float64, n int) float64",
		"returns the sum of x[i]·y[i].")
	x, y := param("x"), param("y")
	s := newSpan(param("n"), masks)
	acc := zero()
	s.walk("dot", func(g group, j GPVirtual) {
		a := g.load(at(x, j))
		b := g.load(at(y, j))
		VMULPD(b, a, a)
		VADDPD(a, acc, acc)
	})
	finish(total(acc))
}

func addScaled(masks Mem) {
	kernel("addScaled", "(dst *float64, a float64, x *float64, n int)",
		"does dst[i] += a·x[i].")
	dst, x := param("dst"), param("x")
	a := broadcast("a")
	s := newSpan(param("n"), masks)
	s.walk("add", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		VMULPD(a, v, v)
		w := g.load(at(dst, j))
		VADDPD(v, w, w)
		g.store(w, at(dst, j))
	})
	finish()
}

func finite(masks Mem) {
	kernel("finite", "(x *float64, n int) float64",
		"returns 0 unless an entry of x is not finite, and then NaN.")
	x, n := param("x"), param("n")
	low, high, nought := zeros(), zeros(), zero()
	acc := append(low[:], high[:]...)
	// Only whether the total is 0 matters, so the order of the sums does not.
	inBlocks(x, n, acc, U32(256), func(entries Mem, sum VecVirtual) { VFMADD231PD(entries, nought, sum) })
	s := newSpan(n, masks)
	s.walk("finite", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		VMULPD(nought, v, v)
		VADDPD(v, acc[0], acc[0])
	})
	for _, a := range acc[1:] {
		VADDPD(a, acc[0], acc[0])
	}
	finish(total(acc[0]))
}

// inBlocks emits body for four entries and one of the sums, as often as there are sums, so that none waits for another, and
// that as long as there are entries for all. It moves x by so many bytes each time and leaves in n what is left.
func inBlocks(x, n GPVirtual, sums []VecVirtual, bytes Op, body func(entries Mem, sum VecVirtual)) {
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

func scale(masks Mem) {
	kernel("scale", "(x *float64, a float64, n int)",
		"does x[i] *= a.")
	x, a := param("x"), broadcast("a")
	s := newSpan(param("n"), masks)
	s.walk("scale", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		VMULPD(a, v, v)
		g.store(v, at(x, j))
	})
	finish()
}

func distance(masks Mem) {
	kernel("distance2", "(x, y *float64, n int) float64",
		"returns the sum of (x[i]−y[i])².")
	x, y := param("x"), param("y")
	s := newSpan(param("n"), masks)
	acc := zero()
	s.walk("distance", func(g group, j GPVirtual) {
		a := g.load(at(x, j))
		VSUBPD(g.load(at(y, j)), a, a)
		VMULPD(a, a, a)
		VADDPD(a, acc, acc)
	})
	finish(total(acc))
}

// maxAbs compares numbers without their sign as integers, which a NaN comes out above.
func maxAbs(masks Mem) {
	kernel("maxAbs", "(x *float64, n int) float64",
		"returns the largest |x[i]|, a NaN being larger than all.")
	x, n := param("x"), param("n")
	most, sign := zeros(), bits("sign", 1<<63)
	inBlocks(x, n, most[:], Imm(128), func(entries Mem, most VecVirtual) {
		v := YMM()
		VANDNPD(entries, sign, v)
		larger(most, v)
	})
	s := newSpan(n, masks)
	s.walk("maxAbs", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		VANDNPD(v, sign, v)
		larger(most[0], v)
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
func extent(masks Mem) {
	kernel("extent", "(x *float64, n int) (sum, least, most float64)",
		"returns the sum, the smallest and the largest entry of x.")
	x := param("x")
	s := newSpan(param("n"), masks)
	sum, least, most := zero(), constant("infinity", math.Inf(1)), constant("minusInfinity", math.Inf(-1))
	s.walk("extent", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		VADDPD(v, sum, sum)
		if !g.masked {
			VMINPD(least, v, least)
			VMAXPD(most, v, most)
			return
		}
		w := YMM()
		VBLENDVPD(g.mask, v, least, w)
		VMINPD(least, w, least)
		VBLENDVPD(g.mask, v, most, w)
		VMAXPD(most, w, most)
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

func mix(masks Mem) {
	kernel("mix", "(dst, x, y, z *float64, n int, a, b, c float64)",
		"writes a·x[i] + b·y[i] + c·z[i] to dst.")
	dst, x, y, z := param("dst"), param("x"), param("y"), param("z")
	a, b, c := broadcast("a"), broadcast("b"), broadcast("c")
	s := newSpan(param("n"), masks)
	s.walk("mix", func(g group, j GPVirtual) {
		v, w := g.load(at(x, j)), g.load(at(y, j))
		VMULPD(a, v, v)
		VMULPD(b, w, w)
		VADDPD(w, v, v)
		w = g.load(at(z, j))
		VMULPD(c, w, w)
		VADDPD(w, v, v)
		g.store(v, at(dst, j))
	})
	finish()
}

func rest(masks Mem) {
	kernel("rest", "(dst, x, y *float64, n int, a, b, c float64) (miss, size float64)",
		"writes the h that solves h = c·h + a·x[i] + b·y[i] to dst and returns what it misses that by and its size.")
	dst, x, y := param("dst"), param("x"), param("y")
	a, b, c, away := broadcast("a"), broadcast("b"), broadcast("c"), YMM()
	VSUBPD(c, constant("c0", 1), away)
	s := newSpan(param("n"), masks)
	miss, size, sign := zero(), zero(), bits("sign", 1<<63)
	s.walk("rest", func(g group, j GPVirtual) {
		in, w := g.load(at(x, j)), g.load(at(y, j))
		VMULPD(a, in, in)
		VMULPD(b, w, w)
		VADDPD(w, in, in)
		h := YMM()
		VDIVPD(away, in, h)
		g.store(h, at(dst, j))
		VMULPD(c, h, w)
		VADDPD(in, w, w)
		VSUBPD(h, w, w)
		VANDNPD(w, sign, w)
		VMAXPD(miss, w, miss)
		VANDNPD(h, sign, h)
		VMAXPD(size, h, size)
	})
	miss, size = across(VMAXPD, miss), across(VMAXPD, size)
	finish(miss.AsX(), size.AsX())
}

func cut(masks Mem) {
	kernel("cut", "(x *float64, n int, low, atLow, top float64)",
		"replaces every x by (x−low)+atLow, clamped to 0 and top.")
	x, low, atLow, top, nought := param("x"), broadcast("low"), broadcast("atLow"), broadcast("top"), zero()
	s := newSpan(param("n"), masks)
	s.walk("cut", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		VSUBPD(low, v, v)
		VADDPD(atLow, v, v)
		VMAXPD(nought, v, v)
		VMINPD(top, v, v)
		g.store(v, at(x, j))
	})
	finish()
}

func above(masks Mem) {
	kernel("above", "(high, lost, x *float64, n int, low, start float64)",
		"adds x−low to lanes that start at start, and keeps what that loses.")
	x, low, high, lost := param("x"), broadcast("low"), broadcast("start"), zero()
	s := newSpan(param("n"), masks)
	s.walk("above", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		VSUBPD(low, v, v)
		g.clear(v)
		run(high, lost, v)
	})
	VMOVUPD(high, Mem{Base: param("high")})
	VMOVUPD(lost, Mem{Base: param("lost")})
	finish()
}
