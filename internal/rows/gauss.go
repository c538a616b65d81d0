package rows

import "math"

// Gauss turns pairs of random words into pairs of independent standard normal numbers, with the same bits on every target:
// by [box1958] √(−2 log v)·(cos θ, sin θ) with v from the first word of a pair and the angle θ from the second. Both lengths
// are even. None is beyond ±8.6.
func Gauss(dst []float64, words []uint64) {
	dst = dst[:len(words)]
	switch {
	case len(words) <= 2:
		gaussPlain(dst, words)
	case hasAVX512():
		gaussAVX512(&dst[0], &words[0], len(words))
	case hasAVX2():
		gaussEights(dst, words)
	default:
		gaussPlain(dst, words)
	}
}

// gaussEights fills the last eight with words that nobody looks at.
func gaussEights(dst []float64, words []uint64) {
	whole := len(words) &^ 7
	if whole > 0 {
		gaussAVX2(&dst[0], &words[0], whole)
	}
	if whole < len(words) {
		var from [8]uint64
		var to [8]float64
		copy(from[:], words[whole:])
		gaussAVX2(&to[0], &from[0], len(from))
		copy(dst[whole:], to[:])
	}
}

func gaussPlain(dst []float64, words []uint64) {
	for i := 0; i < len(words); i += 2 {
		dst[i], dst[i+1] = gaussPair(words[i], words[i+1])
	}
}

// gaussPair takes v = (k + ½)·2⁻⁵² from the upper bits of size. Those of turn give an angle between ±π/4; its lowest bit
// mirrors that at the diagonal and the next one at the origin, which together cover the circle.
func gaussPair(size, turn uint64) (x, y float64) {
	r := math.Sqrt(-2 * log(uniform(size)-(1-0x1p-53)))
	r = math.Float64frombits(math.Float64bits(r) ^ turn<<62&(1<<63))
	cos, sin := circle((uniform(turn) - 1.5) * (math.Pi / 2))
	if turn&1 == 1 {
		cos, sin = sin, cos
	}
	return r * cos, r * sin
}

// uniform returns 1 + k·2⁻⁵² for the upper 52 bits k of a word.
func uniform(word uint64) float64 { return math.Float64frombits(word>>12 | 0x3ff0000000000000) }

// circle returns cosine and sine of |t| ≤ π/4 by their Taylor polynomials.
func circle(t float64) (cos, sin float64) {
	z := t * t
	s := pair(1.0/6227020800, -1.0/1307674368000, z)
	s = pair(-1.0/39916800, s, z)
	s = pair(1.0/362880, s, z)
	s = pair(-1.0/5040, s, z)
	s = pair(1.0/120, s, z)
	s = pair(-1.0/6, s, z)
	c := pair(-1.0/87178291200, 1.0/20922789888000, z)
	c = pair(1.0/479001600, c, z)
	c = pair(-1.0/3628800, c, z)
	c = pair(1.0/40320, c, z)
	c = pair(-1.0/720, c, z)
	c = pair(1.0/24, c, z)
	c = pair(-1.0/2, c, z)
	return pair(1, c, z), pair(t, s, z*t)
}
