package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// many are vectors that go through the same operations side by side, so that the processor has always one to work on. An
// operand of one vector serves all.
type many []VecVirtual

// sideBySide is how many vectors are taken at a time where registers suffice for count.
func sideBySide(count int) int {
	if wide {
		return count
	}
	return 1
}

func (x many) at(i int) VecVirtual { return x[min(i, len(x)-1)] }

// several makes count vectors, one after the other.
func several(count int, one func(i int) VecVirtual) many {
	out := make(many, count)
	for i := range out {
		out[i] = one(i)
	}
	return out
}

// by returns x op y.
func (x many) by(op func(...Op), y many) many {
	return several(max(len(x), len(y)), func(i int) VecVirtual { return of(op, x.at(i), y.at(i)) })
}

func (x many) add(y many) many { return x.by(VADDPD, y) }
func (x many) sub(y many) many { return x.by(VSUBPD, y) }
func (x many) mul(y many) many { return x.by(VMULPD, y) }

// shifted returns x shifted by a number of bits.
func (x many) shifted(op func(...Op), by uint64) many {
	return several(len(x), func(i int) VecVirtual {
		out := vec()
		op(Imm(by), x[i], out)
		return out
	})
}

// all is a constant for all, every a scalar argument, and each a copy of it for everyone of x.
func all(name string, v float64) many    { return many{constant(name, v)} }
func every(name string) many             { return many{broadcast(name)} }
func allBits(name string, v uint64) many { return many{bits(name, v)} }
func (x many) each(name string, v float64) many {
	return several(len(x), func(int) VecVirtual { return constant(name, v) })
}

// copied returns x in registers of its own.
func (x many) copied() many {
	return several(len(x), func(i int) VecVirtual {
		out := vec()
		VMOVAPD(x[i], out)
		return out
	})
}

// fuse lets an instruction of three operands change x.
func (x many) fuse(op func(...Op), y, z many) many {
	for i := range x {
		op(y.at(i), z.at(i), x[i])
	}
	return x
}

// pair returns a + b·x, rounded once, in the place of b.
func pair(a, b, x many) many { return b.fuse(VFMADD213PD, a, x) }

// groups are successive groups.
type groups []group

func (g groups) load(base, j GPVirtual) many {
	return several(len(g), func(i int) VecVirtual { return g[i].load(at(base, j).Offset(8 * lanes() * i)) })
}

func (g groups) loadAll(j GPVirtual, from []GPVirtual) (all []many) {
	for _, base := range from {
		all = append(all, g.load(base, j))
	}
	return all
}

func (g groups) store(x many, base, j GPVirtual) {
	for i := range x {
		g[i].store(x[i], at(base, j).Offset(8*lanes()*i))
	}
}

// accumulate adds what the masks select to four sums, in order.
func (g groups) accumulate(x many, sums VecVirtual) {
	for i := range x {
		g[i].clear(x[i])
		accumulate(x[i], sums)
	}
}
