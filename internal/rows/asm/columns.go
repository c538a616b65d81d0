package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func productOf()    { entrywise("product", "x[i]·y[i]", many.mul) }
func sumOf()        { entrywise("sum", "x[i] + y[i]", many.add) }
func differenceOf() { entrywise("difference", "x[i] − y[i]", many.sub) }

// entrywise makes an entry of two, four groups at a time.
func entrywise(name, does string, one func(x, y many) many) {
	kernel(name, "(dst, x, y *float64, n int)", "writes "+does+".")
	dst := param("dst")
	newSpan(param("n")).each(name, 4, dst, func(v []many) many { return one(v[0], v[1]) }, param("x"), param("y"))
	finish()
}

// fourDots does four rows at a time, none of whose sums waits for another.
func fourDots() {
	kernel("fourDots", "(dst, x, y *float64, n, m, stepY int)", "writes the dot products of x with n times four rows of m entries.")
	dst, x, s, step := param("dst"), param("x"), newSpan(param("m")), entries("stepY")
	y := []GPVirtual{param("y"), GP64(), GP64(), GP64()}
	for i := range y[1:] {
		LEAQ(Mem{Base: y[i], Index: step, Scale: 1}, y[i+1])
	}
	SHLQ(Imm(2), step)
	eachRow("fourDots", append([]GPVirtual{dst}, y...), []Op{Imm(32), step, step, step, step}, func() {
		sums := several(4, func(int) VecVirtual { return zero() })
		s.walk("fourDots", func(g group, j GPVirtual) {
			v := g.load(at(x, j))
			for i, sum := range sums {
				VADDPD(g.times(v, at(y[i], j)), sum, sum)
			}
		})
		VMOVUPD(totals(sums), Mem{Base: dst})
	})
}
