package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// octets is how many vectors of eight blocks go through the rounds side by side.
const octets = 3

// philox makes eight blocks a vector, one a lane.
func philox() {
	kernel("philox", "(dst *uint64, blocks int, k0, k1, w, x, y, z uint64)",
		"writes the blocks of counters w, w+1, …; blocks must be a multiple of 8.")
	dst, blocks := param("dst"), param("blocks")
	w, order := broadcast("w"), ZMM()
	VMOVDQU64(eightWords("counters", 0, 4, 1, 5, 2, 6, 3, 7), order)
	VPADDQ(order, w, w)
	eight := bits("eight", 8)
	emit := func(name string, count int) {
		Label(name)
		SUBQ(Imm(uint64(8*count)), blocks)
		JL(LabelRef(name + "Done"))
		var all []block
		for range count {
			b := block{ZMM(), broadcast("x"), broadcast("y"), broadcast("z")}
			VMOVDQA64(w, b.w)
			VPADDQ(eight, w, w)
			all = append(all, b)
		}
		rounds(all)
		for i, b := range all {
			b.store(dst, 256*i)
		}
		ADDQ(U32(uint32(256*count)), dst)
		JMP(LabelRef(name))
		Label(name + "Done")
		ADDQ(Imm(uint64(8*count)), blocks)
	}
	emit("many", octets)
	emit("few", 1)
	finish()
}

// block is eight blocks, a word a vector.
type block struct{ w, x, y, z VecVirtual }

// rounds are the ten rounds of Philox4x64-10.
func rounds(all []block) {
	nought := zero()
	first, second := newFactor("mul0", 0xD2E7470EE14C6C93, nought), newFactor("mul1", 0xCA5A826395121157, nought)
	k0, k1 := broadcast("k0"), broadcast("k1")
	for r := range 10 {
		for i := range all {
			b := &all[i]
			high, low := first.times(b.w)
			VPTERNLOGQ(Imm(0x96), k1, b.z, high) // exclusive or of all three
			b.w, b.z = high, low
		}
		for i := range all {
			b := &all[i]
			high, low := second.times(b.y)
			VPTERNLOGQ(Imm(0x96), k0, b.x, high)
			b.w, b.x, b.y = high, low, b.w
		}
		if r < 9 {
			VPADDQ(bits("add0", 0x9E3779B97F4A7C15), k0, k0)
			VPADDQ(bits("add1", 0xBB67AE8584CAA73B), k1, k1)
		}
	}
}

// factor is a number to multiply by; instructions look at the lower 52 bits of all.
type factor struct{ all, upper, nought VecVirtual }

func newFactor(name string, v uint64, nought VecVirtual) factor {
	return factor{bits(name, v), bits(name+"Upper", v>>52), nought}
}

// sum is a new sum of nothing.
func (f factor) sum() VecVirtual {
	x := ZMM()
	VMOVDQA64(f.nought, x)
	return x
}

// times returns both halves of the product with x: pieces of 52 bits, a from 0, b from 52 and c from 104.
func (f factor) times(x VecVirtual) (high, low VecVirtual) {
	upper, a, b, c := ZMM(), f.sum(), f.sum(), f.sum()
	VPSRLQ(Imm(52), x, upper)
	VPMADD52HUQ(f.all, x, b)
	VPMADD52HUQ(f.upper, x, c)
	VPMADD52LUQ(f.all, x, a)
	VPMADD52LUQ(f.upper, x, b)
	VPMADD52HUQ(f.all, upper, c)
	VPMADD52LUQ(f.all, upper, b)
	VPMADD52LUQ(f.upper, upper, c)
	high, low = ZMM(), ZMM()
	VPSLLQ(Imm(52), b, low)
	VPADDQ(a, low, low)
	VPSRLQ(Imm(12), b, b)
	VPSLLQ(Imm(40), c, c)
	VPADDQ(b, c, high)
	return high, low
}

// store writes block after block: the lanes of a vector hold blocks in the order that takes the fewest moves.
func (b block) store(dst GPVirtual, offset int) {
	for i, unpack := range []func(...Op){VPUNPCKLQDQ, VPUNPCKHQDQ} {
		front, back := ZMM(), ZMM()
		unpack(b.x, b.w, front)
		unpack(b.z, b.y, back)
		for j, order := range []Mem{
			eightWords("lowerPairs", 0, 1, 8, 9, 2, 3, 10, 11),
			eightWords("upperPairs", 4, 5, 12, 13, 6, 7, 14, 15),
		} {
			out := ZMM()
			VMOVDQU64(order, out)
			VPERMI2Q(back, front, out)
			VMOVDQU64(out, Mem{Base: dst}.Offset(offset+128*i+64*j))
		}
	}
}

// eightWords is where eight words stand in memory.
func eightWords(name string, words ...uint64) Mem {
	if _, ok := known[name]; !ok {
		m := GLOBL(name, RODATA|NOPTR)
		for i, w := range words {
			DATA(8*i, U64(w))
		}
		known[name] = m
	}
	return known[name]
}
