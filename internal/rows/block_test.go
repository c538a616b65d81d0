package rows

import (
	"math/rand/v2"
	"testing"
)

// Kernels on rows give every row the bits of plain code, with operands of its own and with shared ones.
func TestRowKernelsGiveTheBitsOfPlainCode(t *testing.T) {
	levels(func(level string) { t.Run(level, rowBits) })
}

func rowBits(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for _, m := range sizes[1:] {
		for _, n := range []int{0, 1, 3, 4, 6, 9} {
			for _, odd := range []bool{false, true} {
				ownC, ownX := r.IntN(2) == 0 && n > 0, r.IntN(2) == 0 && n > 0
				rowKernels(t, r, n, m, ownC, ownX, odd)
			}
		}
	}
}

func rowKernels(t *testing.T, r *rand.Rand, n, m int, ownC, ownX, odd bool) {
	c, x, stepC, stepX := random(r, 1, odd), random(r, m, odd), 0, 0
	if ownC {
		c, stepC = random(r, n, odd), 1
	}
	if ownX {
		x, stepX = random(r, n*m, odd), m
	}
	got, want := random(r, n*m, odd), make([]float64, n*m)
	copy(want, got)
	AddScaledRows(got, c, x, m)
	addScaledRowsPlain(want, c, x, n, m, stepC, stepX)
	sameBits(t, "AddScaledRows", got, want)
	ScaleRows(got, c, x, m)
	scaleRowsPlain(want, c, x, n, m, stepC, stepX)
	sameBits(t, "ScaleRows", got, want)
	b, z := random(r, 1, odd), random(r, n*m, odd)
	Combine2(got, c, x, b, z, m)
	addScaledRowsPlain(want, b, z, n, m, 0, m)
	sameBits(t, "Combine2", got, want)
	Combine3(got, c, x, b, z, c, z, m)
	addScaledRowsPlain(want, c, z, n, m, stepC, m)
	sameBits(t, "Combine3", got, want)
	y, dots, plain := z, make([]float64, n), make([]float64, n)
	Dots(dots, y, x, m)
	dotsPlain(plain, y, x, m, m, stepX)
	sameBits(t, "Dots", dots, plain)
	Dots(dots, x, y, m)
	dotsPlain(plain, x, y, m, stepX, m)
	sameBits(t, "Dots of one", dots, plain)
	sum, factors := random(r, m, odd), random(r, n, odd)
	rest := clone(sum)
	AddMulT(sum, z, factors)
	addMulTPlain(rest, z, factors)
	sameBits(t, "AddMulT", sum, rest)
}

// Numbers in single precision are widened and rounded as plain code does it: ordinary ones, hostile ones, and those that are too large or too small for it.
func TestSinglesGiveTheBitsOfPlainCode(t *testing.T) {
	levels(func(level string) {
		t.Run(level, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 4))
			for n := range 70 {
				x := random(r, n, true)
				for i := range x {
					x[i] *= []float64{1, 1e38, 1e-38, 1e-44, 1 + 0x1p-24}[r.IntN(5)]
				}
				want, short, plain := clone(x), make([]float32, n), make([]float32, n)
				Narrow(short, x)
				narrowPlain(plain, want)
				sameBits(t, "Narrow, in place", x, want)
				got := make([]float64, n)
				Widen(got, short)
				widenPlain(want, plain)
				sameBits(t, "Widen", got, want)
				sameBits(t, "Widen of what Narrow wrote", got, x)
			}
		})
	})
}

// Entries of two vectors give the bits of Go's own arithmetic.
func TestEntriesOfTwo(t *testing.T) {
	levels(func(level string) {
		t.Run(level, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 4))
			for _, n := range sizes {
				x, y := random(r, n, true), random(r, n, true)
				for name, c := range map[string]struct {
					do  func(dst, x, y []float64)
					one func(x, y float64) float64
				}{
					"Mul": {Mul, func(x, y float64) float64 { return x * y }},
					"Add": {Add, func(x, y float64) float64 { return x + y }},
					"Sub": {Sub, func(x, y float64) float64 { return x - y }},
				} {
					got, want := make([]float64, n), make([]float64, n)
					c.do(got, x, y)
					for i := range want {
						want[i] = c.one(x[i], y[i])
					}
					sameBits(t, name, got, want)
				}
			}
		})
	})
}

func TestRowKernelsRefuseBrokenRows(t *testing.T) {
	for name, call := range map[string]func(){
		"dst":  func() { ScaleRows(make([]float64, 7), []float64{1}, make([]float64, 3), 3) },
		"c":    func() { AddScaledRows(make([]float64, 9), []float64{1, 2}, make([]float64, 9), 3) },
		"x, y": func() { Dots(make([]float64, 3), make([]float64, 9), make([]float64, 6), 3) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a broken %s was accepted", name)
				}
			}()
			call()
		}()
	}
}
