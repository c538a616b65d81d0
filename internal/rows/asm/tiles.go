package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// stepTiles is blend for tiles: entry after entry, eight people a vector or two vectors of four, so that nothing is shuffled and the four sums of each are four
// vectors. One that aligns takes dᵀu in the same pass. What is looked at once a tile stays in memory.
func stepTiles(aligns bool) func() {
	return func() {
		name, does := "stepTiles", "writes x/‖x‖ for x = stay·p + home·d + pull·(pᵀu)·u to n tiles of dst and the least and the largest ‖x‖² of every lane to extent, by their bits; n must be positive."
		signature := "(dst, p, d, u, extent *float64, n, m int, stay, home, pull float64)"
		if aligns {
			name, does = "alignTiles", "does what stepTiles does and writes dᵀu·inverse to along, and the least without its sign to extent too."
			signature = "(dst, along, p, d, u, extent *float64, n, m int, stay, home, pull, inverse float64)"
		}
		kernel(name, signature, does)
		t := newTileWalk()
		dst, p, d, n := param("dst"), param("p"), param("d"), param("n")
		extents := newExtents(param("extent"))
		var along GPVirtual
		if aligns {
			along = param("along")
		}
		before := GP64() // where the tile before is
		MOVQ(dst, before)
		SUBQ(t.tileBytes, before)
		Label("tile")
		pulled := t.dots("dot", p).by(VMULPD, every("pull"))
		if aligns {
			for part, du := range t.dots("align", d).by(VMULPD, every("inverse")) {
				set(Mem{Base: along}.Offset(32*part), du)
				extents.cosine(du, part)
			}
			ADDQ(Imm(64), along)
		}
		CMPQ(p, argument("p"))
		JE(LabelRef("first"))
		t.scale("scale", before)
		Label("first")
		for part, c := range t.mix(dst, p, d, pulled) {
			extents.length2(c, part)
			set(t.scales.Offset(32*part), inDouble.div(constant("c0", 1), root(VSQRTPD, c)))
		}
		for _, x := range []GPVirtual{p, d, dst, before} {
			ADDQ(t.tileBytes, x)
		}
		DECQ(n)
		JNZ(LabelRef("tile"))
		t.scale("last", before)
		finish()
	}
}

// dots returns the products of the people of a tile and the decision.
func (t *tileWalk) dots(name string, x GPVirtual) many {
	sums := zeros(4 * parts())
	t.walk(name, func(i int) {
		u := t.spread(i)
		for part := range parts() {
			VADDPD(of(VMULPD, u, t.entry(x, i, part)), sums[4*part+i], sums[4*part+i])
		}
	})
	return foldParts(sums)
}

// scale brings the people of a tile to their length, long after root and division were begun.
func (t *tileWalk) scale(name string, tile GPVirtual) {
	by := several(parts(), func(part int) VecVirtual { return get(t.scales.Offset(32 * part)) })
	t.walk(name, func(i int) {
		for part, by := range by {
			VMOVUPD(of(VMULPD, by, t.entry(tile, i, part)), t.entry(tile, i, part))
		}
	})
}

// mix writes the people of a tile, who are still to be scaled, and returns their squares.
func (t *tileWalk) mix(dst, p, d GPVirtual, pulled many) many {
	stay, home, squares := broadcast("stay"), broadcast("home"), zeros(4*parts())
	t.walk("mix", func(i int) {
		u := t.spread(i)
		for part, pulled := range pulled {
			x := of(VMULPD, stay, t.entry(p, i, part))
			VADDPD(of(VMULPD, home, t.entry(d, i, part)), x, x)
			VADDPD(of(VMULPD, pulled, u), x, x)
			VMOVUPD(x, t.entry(dst, i, part))
			VMULPD(x, x, x)
			VADDPD(x, squares[4*part+i], squares[4*part+i])
		}
	})
	return foldParts(squares)
}

// extents are the least and the largest of what was seen of every lane, in memory, compared by their bits: what is not a number is above all.
type extents struct{ at GPVirtual }

func newExtents(at GPVirtual) extents {
	e := extents{at}
	for i, v := range []float64{math.Inf(1), 0, math.Inf(1)} {
		x := constant(map[float64]string{0: "nothing", math.Inf(1): "infinity"}[v], v)
		for part := range parts() {
			set(e.lane(i, part), x)
		}
	}
	return e
}

func (e extents) lane(i, part int) Mem { return Mem{Base: e.at}.Offset(64*i + 32*part) }

// length2 keeps ‖x‖², which stays as it is.
func (e extents) length2(x VecVirtual, part int) {
	least, most := e.lane(0, part), e.lane(1, part)
	if wide {
		set(least, of(VPMINUQ, x, least))
		set(most, of(VPMAXUQ, x, most))
		return
	}
	e.least(x, least)
	high := get(most)
	larger(high, of(VANDNPD, bits("sign", 1<<63), x))
	set(most, high)
}

// cosine keeps the least without its sign, and uses x up.
func (e extents) cosine(x VecVirtual, part int) {
	nearest := e.lane(2, part)
	if wide {
		VPANDNQ(x, bits("sign", 1<<63), x)
		set(nearest, of(VPMINUQ, x, nearest))
		return
	}
	VANDNPD(x, bits("sign", 1<<63), x)
	e.least(x, nearest)
}

// least keeps the lesser of x, which has no sign, and what is there: that, if x is not a number.
func (e extents) least(x VecVirtual, at Mem) { set(at, of(VMINPD, x, at)) }

// parts is how many vectors the people of a tile are; a tile has eight.
func parts() int { return 8 / lanes() }

// tileWalk goes over the entries of a tile, four at a time, and of the decision.
type tileWalk struct {
	u, tileBytes, whole, rest, j GPVirtual // bytes of a tile, of the whole groups of four entries of u, and of the entries behind them
	scales                       Mem       // what the people of a tile are still to be multiplied by
}

func newTileWalk() *tileWalk {
	t := &tileWalk{u: param("u"), tileBytes: entries("m"), whole: GP64(), rest: GP64(), j: GP64(), scales: AllocLocal(64)}
	MOVQ(t.tileBytes, t.whole)
	ANDQ(I32(-32), t.whole)
	MOVQ(t.tileBytes, t.rest)
	SUBQ(t.whole, t.rest)
	SHLQ(Imm(3), t.tileBytes)
	return t
}

// entry is entry j+i of everybody in a part of a tile, spread the same entry of u in all lanes.
func (t *tileWalk) entry(base GPVirtual, i, part int) Mem {
	return Mem{Base: base, Index: t.j, Scale: 8}.Offset(64*i + 32*part)
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

// foldParts adds the four sums of everybody in a tile.
func foldParts(sums many) many {
	return several(parts(), func(part int) VecVirtual { return foldSums(sums[4*part:]) })
}

// foldSums adds four sums as (0+2)+(1+3).
func foldSums(s many) VecVirtual {
	VADDPD(s[2], s[0], s[0])
	VADDPD(s[3], s[1], s[1])
	VADDPD(s[1], s[0], s[0])
	return s[0]
}
