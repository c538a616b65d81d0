package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// four are pointers to four successive rows; advance moves them by one row each so that they can be walked.
type four [4]GPVirtual

func rowsFrom(p, stride GPVirtual) four {
	var q four
	for i := range q {
		q[i] = GP64()
		if i == 0 {
			MOVQ(p, q[0])
		} else {
			LEAQ(Mem{Base: q[i-1], Index: stride, Scale: 1}, q[i])
		}
	}
	return q
}

// spread copies lane i of x into all lanes of result i.
func spread(x VecVirtual) many {
	return several(4, func(i int) VecVirtual {
		out := YMM()
		VPERMPD(Imm(uint64(i*0x55)), x, out)
		return out
	})
}

func zeros(count int) many { return several(count, func(int) VecVirtual { return zero() }) }

// blend does four rows at a time: the products with u, then the weighted sums with their norms, and the scaling while the
// next rows are under way, because a root and a division take long.
func blend() {
	kernel("blend", "(dst, norm2, p, d, u *float64, n, m int, stay, home, pull float64)",
		"writes x/‖x‖ for x = stay·p + home·d + pull·(pᵀu)·u to the rows of dst and ‖x‖² to norm2; n must be a positive multiple of 4.")
	dst, norm2, p, u := param("dst"), param("norm2"), param("p"), param("u")
	n := param("n")
	s := newSpan(param("m"))
	toD, toDst := param("d"), dst
	SUBQ(p, toD)   // from an entry of p to the same of d
	SUBQ(p, toDst) // and of dst
	bytes := entries("m")
	inverse := zero() // of the norms of the rows before
	scale := func(name string, q four) {
		factors, back := spread(inverse), GP64()
		MOVQ(bytes, back)
		SHLQ(Imm(2), back)
		NEGQ(back)
		ADDQ(toDst, back) // from a row of p to the one of dst four before
		for i := range q {
			ADDQ(back, q[i])
		}
		s.walk(name, func(g group, j GPVirtual) {
			for i := range q {
				g.store(g.times(factors[i], at(q[i], j)), at(q[i], j))
			}
		})
		for i := range q {
			SUBQ(back, q[i])
		}
	}
	Label("rows")
	q := rowsFrom(p, bytes)
	acc := zeros(4)
	s.walk("dot", func(g group, j GPVirtual) {
		uv := g.load(at(u, j))
		for i := range acc {
			VADDPD(g.times(uv, at(q[i], j)), acc[i], acc[i])
		}
	})
	along := totals(acc)
	VMULPD(broadcast("pull"), along, along)
	CMPQ(p, argument("p"))
	JE(LabelRef("first"))
	scale("scale", q)
	Label("first")
	pull, squares := spread(along), zeros(4)
	stay, home := broadcast("stay"), broadcast("home")
	s.walk("mix", func(g group, j GPVirtual) {
		uv := g.load(at(u, j))
		for i := range q {
			e := GP64()
			LEAQ(at(q[i], j), e)
			x, y := g.times(stay, Mem{Base: e}), g.times(home, Mem{Base: e, Index: toD, Scale: 1})
			x = of(VADDPD, of(VADDPD, x, y), of(VMULPD, uv, pull[i]))
			g.clear(x) // a product of an infinity and the nothing beside the row is no zero
			g.store(x, Mem{Base: e, Index: toDst, Scale: 1})
			VADDPD(of(VMULPD, x, x), squares[i], squares[i])
		}
	})
	c := totals(squares)
	VMOVUPD(c, Mem{Base: norm2})
	VDIVPD(root(VSQRTPD, c), constant("c0", 1), inverse)
	LEAQ(Mem{Base: p, Index: bytes, Scale: 4}, p)
	ADDQ(Imm(32), norm2)
	SUBQ(Imm(4), n)
	JG(LabelRef("rows"))
	scale("last", rowsFrom(p, bytes))
	finish()
}

func products() {
	kernel("products", "(along, own, d, u *float64, n, m int)",
		"writes dᵀu to along and dᵀd to own for every row d; n must be a multiple of 4.")
	along, own := param("along"), param("own")
	fourProducts(func(du, dd VecVirtual) {
		VMOVUPD(du, Mem{Base: along})
		VMOVUPD(dd, Mem{Base: own})
		ADDQ(Imm(32), along)
		ADDQ(Imm(32), own)
	})
	finish()
}

// cosines compares what is not negative as integers, which a NaN comes out above.
func cosines() {
	kernel("cosines", "(dst, d, u *float64, n, m int, inverse float64) (off, least float64)",
		"writes dᵀu·inverse to dst for every row d and returns the largest |dᵀd−1| and the smallest |dst|; n must be a multiple of 4.")
	dst := param("dst")
	off, least := zero(), constant("infinity", math.Inf(1))
	fourProducts(func(du, dd VecVirtual) {
		sign := bits("sign", 1<<63)
		VMULPD(broadcast("inverse"), du, du)
		VMOVUPD(du, Mem{Base: dst})
		ADDQ(Imm(32), dst)
		VMINPD(least, of(VANDNPD, sign, du), least)
		larger(off, of(VANDNPD, sign, of(VSUBPD, dd, constant("c0", 1))))
	})
	least = across(VMINPD, least)
	largest(off)
	finish(off.AsX(), least.AsX())
}

// fourProducts walks over the rows of d, four at a time, and hands on their products with u and with themselves.
func fourProducts(use func(du, dd VecVirtual)) {
	d, u, n := param("d"), param("u"), param("n")
	s := newSpan(param("m"))
	bytes := entries("m")
	Label("rows")
	CMPQ(n, Imm(0))
	JLE(LabelRef("done"))
	q := rowsFrom(d, bytes)
	du, dd := zeros(4), zeros(4)
	s.walk("both", func(g group, j GPVirtual) {
		uv := g.load(at(u, j))
		for i := range q {
			x := g.load(at(q[i], j))
			VADDPD(of(VMULPD, x, uv), du[i], du[i])
			VADDPD(of(VMULPD, x, x), dd[i], dd[i])
		}
	})
	use(totals(du), totals(dd))
	LEAQ(Mem{Base: d, Index: bytes, Scale: 4}, d)
	SUBQ(Imm(4), n)
	JMP(LabelRef("rows"))
	Label("done")
}
