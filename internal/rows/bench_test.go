package rows

import (
	"math/rand/v2"
	"testing"
)

// atLevels measures a kernel on every instruction set there is.
func atLevels(b *testing.B, run func()) {
	levels(func(level string) {
		b.Run(level, func(b *testing.B) {
			for b.Loop() {
				run()
			}
		})
	})
}

// A vector of the choice case study has 100 entries.

func BenchmarkPhilox(b *testing.B) {
	words := make([]uint64, 100)
	atLevels(b, func() { Philox(words, [2]uint64{1, 2}, [4]uint64{3, 4, 5, 6}) })
}

func BenchmarkGauss(b *testing.B) {
	words, x := make([]uint64, 100), make([]float64, 100)
	for i := range words {
		words[i] = uint64(i) * 0x9E3779B97F4A7C15
	}
	atLevels(b, func() { Gauss(x, words) })
}

func BenchmarkSoftmax(b *testing.B) {
	u, x := random(rand.New(rand.NewPCG(5, 0)), 100, false), make([]float64, 100)
	atLevels(b, func() { Softmax(x, u, 0.5) })
}

func BenchmarkEntropy(b *testing.B) {
	x, logs := shares(100), make([]float64, 100)
	atLevels(b, func() { Entropy(logs, x) })
}

func BenchmarkExp(b *testing.B) {
	from, x := make([]float64, 100), make([]float64, 100)
	for i := range from {
		from[i] = -float64(i) / 10
	}
	atLevels(b, func() { copy(x, from); Exp(x) })
}

func BenchmarkLog(b *testing.B) {
	from, x := shares(100), make([]float64, 100)
	atLevels(b, func() { copy(x, from); Log(x) })
}

func BenchmarkGaps(b *testing.B) {
	x, y, z := shares(100), make([]float64, 100), make([]float64, 100)
	Softmax(y, x, 1)
	Softmax(z, x, 100)
	atLevels(b, func() { g := NewGaps(); g.Walk(x, y, z, 49) })
}

// shares are positive and add up to 1.
func shares(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = float64(2*(i+1)) / float64(n*(n+1))
	}
	return x
}

// The polarized case study has 1000 rows of 20 entries.

func BenchmarkBlend(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 0))
	p, d, u := random(r, 20000, false), random(r, 20000, false), random(r, 20, false)
	dst, norm2 := make([]float64, 20000), make([]float64, 1000)
	atLevels(b, func() { Blend(dst, norm2, p, d, u, 0.4, 0.6, 0.5) })
}

func BenchmarkCosines(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 0))
	d, u, x := random(r, 20000, false), random(r, 20, false), make([]float64, 1000)
	atLevels(b, func() { Cosines(x, d, u, 0.2) })
}

func BenchmarkSettleCosines(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 0))
	c, x := make([]float64, 1000), make([]float64, 1000)
	for i := range c {
		c[i] = r.NormFloat64() / 5
	}
	atLevels(b, func() { copy(x, c); SettleCosines(x, 0.6, 0.5) })
}

func BenchmarkProducts(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 0))
	d, u := random(r, 20000, false), random(r, 20, false)
	along, own := make([]float64, 1000), make([]float64, 1000)
	atLevels(b, func() { Products(along, own, d, u) })
}

func BenchmarkTiles(b *testing.B) {
	r := rand.New(rand.NewPCG(5, 0))
	p, d, u := random(r, 20000, false), random(r, 20000, false), random(r, 20, false)
	dst, along := make([]float64, 20000), make([]float64, 1000)
	b.Run("Step", func(b *testing.B) { atLevels(b, func() { StepTiles(dst, p, d, u, 0.4, 0.6, 0.5) }) })
	b.Run("Align", func(b *testing.B) { atLevels(b, func() { AlignTiles(dst, along, p, d, u, 0.4, 0.6, 0.5, 0.2) }) })
}
