package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// stepTiles is blend for tiles of eight people: entry after entry, eight people a vector, so that nothing is shuffled and the four sums of each are four
// vectors. One that aligns takes dᵀu in the same pass.
func stepTiles(aligns bool) func() {
	name, does := "stepTiles", "writes x/‖x‖ for x = stay·p + home·d + pull·(pᵀu)·u to n tiles of dst and the least and the largest ‖x‖² of every lane to extent, by their bits; n must be positive."
	if aligns {
		name, does = "alignTiles", "does what stepTilesAVX512 does and writes dᵀu·inverse to along, and the least without its sign to extent too."
	}
	return func() {
		signature := "(dst, p, d, u, extent *float64, n, m int, stay, home, pull float64)"
		if aligns {
			signature = "(dst, along, p, d, u, extent *float64, n, m int, stay, home, pull, inverse float64)"
		}
		kernel(name, signature, does)
		t := newTileWalk()
		dst, p, d, n := param("dst"), param("p"), param("d"), param("n")
		stay, home, pull := broadcast("stay"), broadcast("home"), broadcast("pull")
		least, most := constant("infinity", math.Inf(1)), zero()
		var along GPVirtual
		var inverse, sign, nearest VecVirtual
		if aligns {
			along, inverse, sign, nearest = param("along"), broadcast("inverse"), bits("sign", 1<<63), constant("infinity", math.Inf(1))
		}
		Label("tile")
		sums := zeros(4)
		t.walk("dot", func(i int) {
			x := of(VMULPD, t.spread(i), t.tile(p, i))
			VADDPD(x, sums[i], sums[i])
		})
		pulled := foldSums(sums)
		VMULPD(pull, pulled, pulled)
		squares, dots := zeros(4), many(nil)
		if aligns {
			dots = zeros(4)
		}
		t.walk("mix", func(i int) {
			u, y := t.spread(i), vec()
			VMOVUPD(t.tile(d, i), y)
			x := of(VMULPD, stay, t.tile(p, i))
			if aligns {
				VADDPD(of(VMULPD, y, u), dots[i], dots[i])
			}
			VMULPD(home, y, y)
			VADDPD(y, x, x)
			VMULPD(pulled, u, u)
			VADDPD(u, x, x)
			VMOVUPD(x, t.tile(dst, i))
			VMULPD(x, x, x)
			VADDPD(x, squares[i], squares[i])
		})
		c := foldSums(squares)
		VPMINUQ(c, least, least)
		VPMAXUQ(c, most, most)
		VSQRTPD(c, c)
		VDIVPD(c, constant("c0", 1), c)
		if aligns {
			du := foldSums(dots)
			VMULPD(inverse, du, du)
			VMOVUPD(du, Mem{Base: along})
			VPANDNQ(du, sign, du)
			VPMINUQ(du, nearest, nearest)
			ADDQ(Imm(64), along)
		}
		t.walk("scale", func(i int) { VMOVUPD(of(VMULPD, c, t.tile(dst, i)), t.tile(dst, i)) })
		for _, x := range []GPVirtual{p, d, dst} {
			LEAQ(Mem{Base: x, Index: t.bytes, Scale: 8}, x)
		}
		DECQ(n)
		JNZ(LabelRef("tile"))
		extent := param("extent")
		VMOVUPD(least, Mem{Base: extent})
		VMOVUPD(most, Mem{Base: extent}.Offset(64))
		if aligns {
			VMOVUPD(nearest, Mem{Base: extent}.Offset(128))
		}
		finish()
	}
}

// tileWalk goes over the entries of a tile, four at a time, and of the decision.
type tileWalk struct {
	u, bytes, whole, rest, j GPVirtual // bytes of u, of its whole groups of four, and entries behind them
}

func newTileWalk() *tileWalk {
	t := &tileWalk{u: param("u"), bytes: entries("m"), whole: GP64(), rest: GP64(), j: GP64()}
	MOVQ(t.bytes, t.whole)
	ANDQ(I32(-32), t.whole)
	MOVQ(t.bytes, t.rest)
	SUBQ(t.whole, t.rest)
	return t
}

// tile is entry j+i of everybody in a tile, spread the same entry of u in all lanes.
func (t *tileWalk) tile(base GPVirtual, i int) Mem {
	return Mem{Base: base, Index: t.j, Scale: 8}.Offset(64 * i)
}

func (t *tileWalk) spread(i int) VecVirtual {
	x := vec()
	VBROADCASTSD(at(t.u, t.j).Offset(8*i), x)
	return x
}

// walk emits body for the entries of a group, and once more for those behind the last whole one.
func (t *tileWalk) walk(name string, body func(i int)) {
	XORQ(t.j, t.j)
	Label(name + "Loop")
	CMPQ(t.j, t.whole)
	JGE(LabelRef(name + "Rest"))
	for i := range 4 {
		body(i)
	}
	ADDQ(Imm(32), t.j)
	JMP(LabelRef(name + "Loop"))
	Label(name + "Rest")
	for i := range 3 {
		CMPQ(t.rest, Imm(uint64(8*i)))
		JLE(LabelRef(name + "Done"))
		body(i)
	}
	Label(name + "Done")
}

// foldSums adds four sums as (0+2)+(1+3).
func foldSums(s many) VecVirtual {
	VADDPD(s[2], s[0], s[0])
	VADDPD(s[3], s[1], s[1])
	VADDPD(s[1], s[0], s[0])
	return s[0]
}
