package stream

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/rows"
)

// recordedLog is the logarithm of 0 < x < 1 as the published runs had it. The C library behind them rounds almost every
// logarithm correctly, so this does too; the standard library's is a last bit off more often. Where the C library itself is
// off, as measured at the arguments that the published population meets, its rounding is repeated.
func recordedLog(x float64) float64 {
	y := roundedLog(x)
	bits := math.Float64bits(x)
	if _, up := slices.BinarySearch(roundedUp[:], bits); up {
		return math.Nextafter(y, math.Inf(-1))
	}
	if _, down := slices.BinarySearch(roundedDown[:], bits); down {
		return math.Nextafter(y, 0)
	}
	return y
}

// Bits of arguments whose logarithm the C library of the published runs (GNU, on x86-64 with fused products) gives one unit
// in the last place larger or smaller in size than the correctly rounded one.
var (
	roundedUp = [...]uint64{
		0x3fd33c28ee622688, 0x3fd5fdcb640ca908, 0x3fe2d8d3cf7ba678, 0x3fe33c4818048991, 0x3fe7421392ffc92a,
		0x3fe7dd1010e95d6a, 0x3fe86beb753f305a, 0x3fe8bbacc26ee836, 0x3fe93b241dc8bc72, 0x3fe93b6584004ec9,
		0x3fe9d951a2e7a26a, 0x3fec2c28752ccdc0, 0x3fec5d76cfc0ac72, 0x3fed1ecece05ac85, 0x3fed1ef74c1e7ace,
		0x3fedc4d3c78daac8, 0x3fedfe95849538cc, 0x3feeb1854d21c2aa, 0x3feec397765fda86,
	}
	roundedDown = [...]uint64{
		0x3fc5b8de45d5cb90, 0x3fc7a36a04bffa30, 0x3fe21d17e21c8d04, 0x3fe4c883c94380f8, 0x3fe63d0af2d59d1e,
		0x3fe898be58039781, 0x3fe9ef1819feb3cb, 0x3fea0490dd2bafcb, 0x3feb13b1f9be53b9, 0x3feb87757d110321,
		0x3fecbffae96c13dd, 0x3fece038f3f3b38a, 0x3fed5a94e13c0fd0, 0x3fed7a89938cd629, 0x3fedbc14e3b9a1bb,
		0x3fede272ed14814e, 0x3fee69246437db83, 0x3fef0fcb2b3537b6,
	}
)

// roundedLog returns log x rounded from about 73 bits: x = 2ᵏm and log m = 2 artanh s = 2s(1 + z/3 + z²/5 + …) with
// s = (m−1)/(m+1) and z = s² < 0.03, whose leading terms are taken as pairs of numbers.
func roundedLog(x float64) float64 {
	m, k := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, k = 2*m, k-1
	}
	s := quotient(m-1, sum(m, 1))
	z := s.times(s)
	tail := 1.0 / 23
	for odd := 21.0; odd >= 9; odd -= 2 {
		tail = math.FMA(tail, z.high, 1/odd)
	}
	series := pair{tail, 0}
	for odd := 7.0; odd >= 1; odd -= 2 {
		series = series.times(z).plus(quotient(1, pair{odd, 0}))
	}
	ln2 := pair{math.Ln2, 2.3190468138462996e-17}
	log := ln2.times(pair{float64(k), 0}).plus(series.times(pair{2 * s.high, 2 * s.low}))
	return log.high // rounded, as sum leaves it
}

// pair is the unevaluated sum of a number and a much smaller one.
type pair struct{ high, low float64 }

// sum returns a + b exactly.
func sum(a, b float64) pair {
	s, lost := rows.TwoSum(a, b)
	return pair{s, lost}
}

// quotient returns a/b to about twice the precision of a number.
func quotient(a float64, b pair) pair {
	q := a / b.high
	return pair{q, (math.FMA(-q, b.high, a) - float64(q*b.low)) / b.high}
}

func (p pair) plus(o pair) pair {
	s := sum(p.high, o.high)
	s.low += p.low + o.low
	return sum(s.high, s.low)
}

func (p pair) times(o pair) pair {
	high := p.high * o.high
	return pair{high, math.FMA(p.high, o.high, -high) + (float64(p.high*o.low) + float64(p.low*o.high))}
}
