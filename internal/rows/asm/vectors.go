package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func dot(masks Mem) {
	TEXT("dotAVX2", NOSPLIT, "func(x, y *float64, n int) float64")
	Pragma("noescape")
	Doc("dotAVX2 returns the sum of x[i]·y[i].")
	x, y := param("x"), param("y")
	s := newSpan(param("n"), masks)
	acc := zero()
	s.walk("dot", func(g group, j GPVirtual) {
		a := g.load(at(x, j))
		b := g.load(at(y, j))
		VMULPD(b, a, a)
		VADDPD(a, acc, acc)
	})
	sum := total(acc)
	VZEROUPPER()
	Store(sum, ReturnIndex(0))
	RET()
}

func addScaled(masks Mem) {
	TEXT("addScaledAVX2", NOSPLIT, "func(dst *float64, a float64, x *float64, n int)")
	Pragma("noescape")
	Doc("addScaledAVX2 does dst[i] += a·x[i].")
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
	VZEROUPPER()
	RET()
}

func finite(masks Mem) {
	TEXT("finiteAVX2", NOSPLIT, "func(x *float64, n int) float64")
	Pragma("noescape")
	Doc("finiteAVX2 returns 0 unless an entry of x is not finite, and then NaN.")
	x, n := param("x"), param("n")
	low, high, nought := zeros(), zeros(), zero()
	acc := append(low[:], high[:]...)
	// Thirty-two at a time into eight sums, so that none waits for another; only whether the total is 0 matters.
	Label("many")
	CMPQ(n, Imm(32))
	JL(LabelRef("few"))
	for i, a := range acc {
		VFMADD231PD(Mem{Base: x}.Offset(32*i), nought, a)
	}
	ADDQ(U32(256), x)
	SUBQ(Imm(32), n)
	JMP(LabelRef("many"))
	Label("few")
	s := newSpan(n, masks)
	s.walk("finite", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		VMULPD(nought, v, v)
		VADDPD(v, acc[0], acc[0])
	})
	for _, a := range acc[1:] {
		VADDPD(a, acc[0], acc[0])
	}
	sum := total(acc[0])
	VZEROUPPER()
	Store(sum, ReturnIndex(0))
	RET()
}

func scale(masks Mem) {
	TEXT("scaleAVX2", NOSPLIT, "func(x *float64, a float64, n int)")
	Pragma("noescape")
	Doc("scaleAVX2 does x[i] *= a.")
	x, a := param("x"), broadcast("a")
	s := newSpan(param("n"), masks)
	s.walk("scale", func(g group, j GPVirtual) {
		v := g.load(at(x, j))
		VMULPD(a, v, v)
		g.store(v, at(x, j))
	})
	VZEROUPPER()
	RET()
}

func distance(masks Mem) {
	TEXT("distance2AVX2", NOSPLIT, "func(x, y *float64, n int) float64")
	Pragma("noescape")
	Doc("distance2AVX2 returns the sum of (x[i]−y[i])².")
	x, y := param("x"), param("y")
	s := newSpan(param("n"), masks)
	acc := zero()
	s.walk("distance", func(g group, j GPVirtual) {
		a := g.load(at(x, j))
		VSUBPD(g.load(at(y, j)), a, a)
		VMULPD(a, a, a)
		VADDPD(a, acc, acc)
	})
	sum := total(acc)
	VZEROUPPER()
	Store(sum, ReturnIndex(0))
	RET()
}

// maxAbs compares numbers without their sign as integers, which a NaN comes out above.
func maxAbs(masks Mem) {
	TEXT("maxAbsAVX2", NOSPLIT, "func(x *float64, n int) float64")
	Pragma("noescape")
	Doc("maxAbsAVX2 returns the largest |x[i]|, a NaN being larger than all.")
	x, n := param("x"), param("n")
	most, sign := zeros(), bits("sign", 1<<63)
	// Sixteen at a time, so that none waits for another.
	Label("many")
	CMPQ(n, Imm(16))
	JL(LabelRef("few"))
	for i, m := range most {
		v := YMM()
		VANDNPD(Mem{Base: x}.Offset(32*i), sign, v)
		larger(m, v)
	}
	ADDQ(Imm(128), x)
	SUBQ(Imm(16), n)
	JMP(LabelRef("many"))
	Label("few")
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
	VZEROUPPER()
	Store(most[0].AsX(), ReturnIndex(0))
	RET()
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
	TEXT("extentAVX2", NOSPLIT, "func(x *float64, n int) (sum, least, most float64)")
	Pragma("noescape")
	Doc("extentAVX2 returns the sum, the smallest and the largest entry of x.")
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
	all := total(sum)
	VZEROUPPER()
	Store(all, ReturnIndex(0))
	Store(low.AsX(), ReturnIndex(1))
	Store(high.AsX(), ReturnIndex(2))
	RET()
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
	TEXT("mixAVX2", NOSPLIT, "func(dst, x, y, z *float64, n int, a, b, c float64)")
	Pragma("noescape")
	Doc("mixAVX2 writes a·x[i] + b·y[i] + c·z[i] to dst.")
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
	VZEROUPPER()
	RET()
}

func rest(masks Mem) {
	TEXT("restAVX2", NOSPLIT, "func(dst, x, y *float64, n int, a, b, c float64) (miss, size float64)")
	Pragma("noescape")
	Doc("restAVX2 writes the h that solves h = c·h + a·x[i] + b·y[i] to dst and returns what it misses that by and its size.")
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
	VZEROUPPER()
	Store(miss.AsX(), ReturnIndex(0))
	Store(size.AsX(), ReturnIndex(1))
	RET()
}

func cut(masks Mem) {
	TEXT("cutAVX2", NOSPLIT, "func(x *float64, n int, low, atLow, top float64)")
	Pragma("noescape")
	Doc("cutAVX2 replaces every x by (x−low)+atLow, clamped to 0 and top.")
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
	VZEROUPPER()
	RET()
}

func above(masks Mem) {
	TEXT("aboveAVX2", NOSPLIT, "func(high, lost, x *float64, n int, low, start float64)")
	Pragma("noescape")
	Doc("aboveAVX2 adds x−low to lanes that start at start, and keeps what that loses.")
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
	VZEROUPPER()
	RET()
}
