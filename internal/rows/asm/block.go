package main

import (
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// entries loads a number of entries as bytes.
func entries(name string) GPVirtual {
	r := param(name)
	SHLQ(Imm(3), r)
	return r
}

func combine2() { combine("combine2", "dst, a, x, b, y", "step, stepA, stepX, stepB, stepY") }
func combine3() {
	combine("combine3", "dst, a, x, b, y, c, z", "step, stepA, stepX, stepB, stepY, stepC, stepZ")
}

// combine does one row at a time of a sum of terms. There are too few registers for steps, which are added from memory, in bytes.
func combine(name, args, steps string) {
	kernel(name, "("+args+" *float64, n, m, "+steps+" int)",
		"writes aᵢ·xᵢ + bᵢ·yᵢ and so on for n rows of m entries; steps lead from a row to the next, in bytes.")
	s, label := newSpan(param("m")), name+"AVX2"
	var pointers, factors, terms []GPVirtual
	for i, arg := range strings.Split(args, ", ") {
		pointers = append(pointers, param(arg))
		switch {
		case i%2 == 1:
			factors = append(factors, pointers[i])
		case i > 0:
			terms = append(terms, pointers[i])
		}
	}
	var moves []Op
	for _, arg := range strings.Split(steps, ", ") {
		moves = append(moves, argument(arg))
	}
	eachRow(label, pointers, moves, func() {
		c := several(len(factors), func(i int) VecVirtual { return spreadOut(factors[i]) })
		s.each(label, 1, pointers[0], func(v []many) many {
			sum := v[0].mul(c[:1])
			for i := 1; i < len(v); i++ {
				sum = sum.add(v[i].mul(c[i : i+1]))
			}
			return sum
		}, terms...)
	})
}

// spreadOut copies the number behind a pointer into all lanes.
func spreadOut(p GPVirtual) VecVirtual {
	x := vec()
	VBROADCASTSD(Mem{Base: p}, x)
	return x
}

// eachRow emits body for n rows, moves the pointers by their steps behind each, and ends the kernel.
func eachRow(name string, pointers []GPVirtual, steps []Op, body func()) {
	n := param("n")
	Label(name + "Rows")
	TESTQ(n, n)
	JZ(LabelRef(name + "Out"))
	body()
	for i, p := range pointers {
		ADDQ(steps[i], p)
	}
	DECQ(n)
	JMP(LabelRef(name + "Rows"))
	Label(name + "Out")
	finish()
}

func scaleRows() {
	scaledRows("scaleRows", "does dstᵢ = cᵢ·xᵢ", 1, func(v []many, c many) many { return v[0].mul(c) })
}

func addScaledRows() {
	scaledRows("addScaledRows", "does dstᵢ += cᵢ·xᵢ", 2, func(v []many, c many) many { return v[1].add(v[0].mul(c)) })
}

// scaledRows makes a row of dst of one of x and a number, and of itself where one reads both.
func scaledRows(name, does string, reads int, one func(v []many, c many) many) {
	kernel(name, "(dst, c, x *float64, n, m, stepC, stepX int)",
		does+" for n rows of m entries; steps lead from a row to the next.")
	dst, c, x := param("dst"), param("c"), param("x")
	stride := entries("m")
	s, label := newSpan(param("m")), name+"AVX2"
	eachRow(label, []GPVirtual{dst, c, x}, []Op{stride, entries("stepC"), entries("stepX")}, func() {
		factor := many{spreadOut(c)}
		s.each(label, 1, dst, func(v []many) many { return one(v, factor) }, []GPVirtual{x, dst}[:reads]...)
	})
}

// dots does one row at a time.
func dots() {
	kernel("dots", "(dst, x, y *float64, n, m, stepX, stepY int)",
		"writes the dot products of n rows of m entries; steps lead from a row to the next.")
	dst, x, y, size := param("dst"), param("x"), param("y"), GP64()
	s := newSpan(param("m"))
	MOVQ(U32(8), size)
	eachRow("dots", []GPVirtual{dst, x, y}, []Op{size, entries("stepX"), entries("stepY")}, func() {
		VMOVSD(s.sum("dots", product, x, y).AsX(), Mem{Base: dst})
	})
}

// addRows adds all rows to a few groups of dst before it goes on to the next, which stay in registers meanwhile.
func addRows() {
	kernel("addRows", "(dst, c, x *float64, n, m int)", "does dst += cᵢ·xᵢ for n rows of m entries, one after the other; n must be positive.")
	dst, c, x := param("dst"), param("c"), param("x")
	s, stride, count := newSpan(param("m")), entries("m"), 0
	s.walkMany("addRows", 4, func(g groups, j GPVirtual) {
		count++
		name := "rows" + string(rune('0'+count))
		sums, row, factor, left := g.load(dst, j), GP64(), GP64(), param("n")
		LEAQ(at(x, j), row)
		MOVQ(c, factor)
		Label(name)
		by := spreadOut(factor)
		for i, sum := range sums {
			VADDPD(g[i].times(by, Mem{Base: row}.Offset(8*lanes()*i)), sum, sum)
		}
		ADDQ(stride, row)
		ADDQ(Imm(8), factor)
		DECQ(left)
		JNZ(LabelRef(name))
		g.store(sums, dst, j)
	})
	finish()
}
