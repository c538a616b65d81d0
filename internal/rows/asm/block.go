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

// combine does one row at a time of a sum of two or three terms. There are too few registers for steps, which are added from
// memory, in bytes.
func combine(masks Mem, terms int) {
	name, args, steps := "combine2", "dst, a, x, b, y", "step, stepA, stepX, stepB, stepY"
	if terms == 3 {
		name, args, steps = "combine3", args+", c, z", steps+", stepC, stepZ"
	}
	kernel(name, "("+args+" *float64, n, m, "+steps+" int)",
		"writes aᵢ·xᵢ + bᵢ·yᵢ and so on for n rows of m entries; steps lead from a row to the next, in bytes.")
	s, label := newSpan(param("m"), masks), name+"AVX2"
	var pointers []GPVirtual
	for _, arg := range strings.Split(args, ", ") {
		pointers = append(pointers, param(arg))
	}
	var moves []Op
	for _, arg := range strings.Split(steps, ", ") {
		moves = append(moves, argument(arg))
	}
	eachRow(label, pointers, moves, func() {
		var factors []VecVirtual
		for k := range terms {
			factors = append(factors, YMM())
			VBROADCASTSD(Mem{Base: pointers[1+2*k]}, factors[k])
		}
		s.walk(label, func(g group, j GPVirtual) {
			sum := g.load(at(pointers[2], j))
			VMULPD(factors[0], sum, sum)
			for k := 1; k < terms; k++ {
				v := g.load(at(pointers[2+2*k], j))
				VMULPD(factors[k], v, v)
				VADDPD(v, sum, sum)
			}
			g.store(sum, at(pointers[0], j))
		})
	})
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

// scaleRows does one row at a time.
func scaleRows(masks Mem, isAdded bool) {
	name, does := "scaleRows", "does dstᵢ = cᵢ·xᵢ"
	if isAdded {
		name, does = "addScaledRows", "does dstᵢ += cᵢ·xᵢ"
	}
	kernel(name, "(dst, c, x *float64, n, m, stepC, stepX int)",
		does+" for n rows of m entries; steps lead from a row to the next.")
	dst, c, x := param("dst"), param("c"), param("x")
	stride := entries("m")
	s, label := newSpan(param("m"), masks), name+"AVX2"
	eachRow(label, []GPVirtual{dst, c, x}, []Op{stride, entries("stepC"), entries("stepX")}, func() {
		a := YMM()
		VBROADCASTSD(Mem{Base: c}, a)
		s.walk(label, func(g group, j GPVirtual) {
			v := g.load(at(x, j))
			VMULPD(a, v, v)
			if isAdded {
				w := g.load(at(dst, j))
				VADDPD(v, w, v)
			}
			g.store(v, at(dst, j))
		})
	})
}

// dots does one row at a time.
func dots(masks Mem) {
	kernel("dots", "(dst, x, y *float64, n, m, stepX, stepY int)",
		"writes the dot products of n rows of m entries; steps lead from a row to the next.")
	dst, x, y := param("dst"), param("x"), param("y")
	s := newSpan(param("m"), masks)
	size := GP64()
	MOVQ(U32(8), size)
	eachRow("dots", []GPVirtual{dst, x, y}, []Op{size, entries("stepX"), entries("stepY")}, func() {
		acc := zero()
		s.walk("dots", func(g group, j GPVirtual) {
			a := g.load(at(x, j))
			b := g.load(at(y, j))
			VMULPD(b, a, a)
			VADDPD(a, acc, acc)
		})
		VMOVSD(total(acc).AsX(), Mem{Base: dst})
	})
}
