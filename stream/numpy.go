package stream

import (
	"math"
	"math/bits"
)

// NumPy is the generator of the published case studies: MT19937 [matsumoto1998] with the draws of NumPy's legacy
// interface, bit for bit. Use it to reproduce recorded runs, Stream for everything else. A copy of the struct is a
// snapshot that goes on with the same numbers.
type NumPy struct {
	state  [624]uint32
	index  int
	spare  float64
	spared bool
}

// NewNumPy returns the generator that numpy.random.seed(seed) sets up.
func NewNumPy(seed uint32) *NumPy {
	g := &NumPy{index: 624}
	g.state[0] = seed
	for i := 1; i < 624; i++ {
		prev := g.state[i-1]
		g.state[i] = 1812433253*(prev^prev>>30) + uint32(i)
	}
	return g
}

// Uint32 returns the next 32 bits.
func (g *NumPy) Uint32() uint32 {
	if g.index == 624 {
		g.refill()
	}
	y := g.state[g.index]
	g.index++
	y ^= y >> 11
	y ^= y << 7 & 0x9d2c5680
	y ^= y << 15 & 0xefc60000
	return y ^ y>>18
}

func (g *NumPy) refill() {
	for i := range 624 {
		y := g.state[i]&0x80000000 | g.state[(i+1)%624]&0x7fffffff
		next := g.state[(i+397)%624] ^ y>>1
		if y&1 == 1 {
			next ^= 0x9908b0df
		}
		g.state[i] = next
	}
	g.index = 0
}

// Float64 is numpy.random.rand.
func (g *NumPy) Float64() float64 {
	a, b := g.Uint32()>>5, g.Uint32()>>6
	return (float64(a)*0x1p26 + float64(b)) / 0x1p53
}

// Normal is numpy.random.randn: the polar method [marsaglia1964], the second coordinate handed out first.
func (g *NumPy) Normal() float64 {
	if g.spared {
		g.spared = false
		return g.spare
	}
	for {
		x, y := 2*g.Float64()-1, 2*g.Float64()-1
		if r := float64(x*x) + float64(y*y); r < 1 && r != 0 {
			f := math.Sqrt(-2 * recordedLog(r) / r)
			g.spare, g.spared = f*x, true
			return f * y
		}
	}
}

// Normals fills dst with what as many calls of Normal would return.
func (g *NumPy) Normals(dst []float64) {
	for i := range dst {
		dst[i] = g.Normal()
	}
}

// Intn is numpy.random.randint(0, n): random bits under the smallest mask, until one is below n.
func (g *NumPy) Intn(n int) int {
	if uint64(n-1) > math.MaxUint32 { // below 1 it is larger than anything
		panic("stream: Intn of a range with no number in it, or with more than 2³²")
	}
	last := uint32(n - 1)
	mask := uint32(1)<<bits.Len32(last) - 1
	if mask == 0 {
		return 0
	}
	for {
		if v := g.Uint32() & mask; v <= last {
			return int(v)
		}
	}
}

// Shuffle calls swap as numpy.random.shuffle would on n items.
func (g *NumPy) Shuffle(n int, swap func(i, j int)) {
	for i := n - 1; i > 0; i-- {
		swap(i, g.Intn(i+1))
	}
}
