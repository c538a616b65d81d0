package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// mostKept is how many entries of eight people stay in registers.
const mostKept = 20

// alignFew is stepTiles that aligns, for so few entries that a tile stays in registers from its first reading to its last writing. Whatever is the same for all
// tiles is read where it is needed.
func alignFew() {
	kernel("alignFew", "(dst, along, p, d, u, extent *float64, n, m int, stay, home, pull, inverse float64)",
		"does what alignTilesAVX512 does for at most 20 entries.")
	dst, along, p, d, u, extent, n := param("dst"), param("along"), param("p"), param("d"), param("u"), param("extent"), param("n")
	m := entries("m")
	entry := func(base GPVirtual, i int) Mem { return Mem{Base: base}.Offset(64 * i) }
	all := func(op func(...Op), of Mem, x VecVirtual) VecVirtual {
		out := ZMM()
		op(of, x, out)
		return out
	}
	each := func(name string, body func(i int)) {
		for i := range mostKept {
			if i > 0 {
				CMPQ(m, Imm(uint64(8*i)))
				JLE(LabelRef(name))
			}
			body(i)
		}
		Label(name)
	}
	for i, v := range []float64{math.Inf(1), 0, math.Inf(1)} {
		VMOVUPD(constant(map[float64]string{0: "nothing", math.Inf(1): "infinity"}[v], v), entry(extent, i))
	}
	x := several(mostKept, func(int) VecVirtual { return ZMM() })
	Label("tile")
	sums := zeros(4)
	each("dotted", func(i int) {
		VMOVUPD(entry(p, i), x[i])
		VADDPD(all(VMULPD_BCST, Mem{Base: u}.Offset(8*i), x[i]), sums[i%4], sums[i%4])
	})
	pulled := foldSums(sums)
	VMULPD_BCST(argument("pull"), pulled, pulled)
	squares, dots := zeros(4), zeros(4)
	each("mixed", func(i int) {
		y := ZMM()
		VMOVUPD(entry(d, i), y)
		VMULPD_BCST(argument("stay"), x[i], x[i])
		VADDPD(all(VMULPD_BCST, Mem{Base: u}.Offset(8*i), y), dots[i%4], dots[i%4])
		VMULPD_BCST(argument("home"), y, y)
		VADDPD(y, x[i], x[i])
		VMULPD_BCST(Mem{Base: u}.Offset(8*i), pulled, y)
		VADDPD(y, x[i], x[i])
		VMULPD(x[i], x[i], y)
		VADDPD(y, squares[i%4], squares[i%4])
	})
	c := foldSums(squares)
	keepExtent := func(op func(...Op), x VecVirtual, i int) { VMOVUPD(all(op, entry(extent, i), x), entry(extent, i)) }
	keepExtent(VPMINUQ, c, 0)
	keepExtent(VPMAXUQ, c, 1)
	VSQRTPD(c, c)
	VDIVPD(c, constant("c0", 1), c)
	du := foldSums(dots)
	VMULPD_BCST(argument("inverse"), du, du)
	VMOVUPD(du, Mem{Base: along})
	VPANDNQ(du, bits("sign", 1<<63), du)
	keepExtent(VPMINUQ, du, 2)
	each("scaled", func(i int) { VMOVUPD(of(VMULPD, x[i], c), entry(dst, i)) })
	ADDQ(Imm(64), along)
	for _, at := range []GPVirtual{p, d, dst} {
		LEAQ(Mem{Base: at, Index: m, Scale: 8}, at)
	}
	DECQ(n)
	JNZ(LabelRef("tile"))
	finish()
}
