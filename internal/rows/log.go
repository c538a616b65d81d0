package rows

import "math"

// Log replaces every entry of x by its logarithm, to within 1 unit in the last place and with the same bits on every target.
// What is not a positive normal number becomes NaN.
func Log(x []float64) {
	switch {
	case len(x) == 0:
	case hasAVX512():
		logAVX512(&x[0], len(x))
	case hasAVX2():
		logAVX2(&x[0], len(x))
	default:
		logPlain(x)
	}
}

func logPlain(x []float64) {
	for i, v := range x {
		x[i] = log(v)
	}
}

// smallest is the smallest normal number.
const smallest = 0x1p-1022

// Entropy writes log xᵢ to logs and returns Σ xᵢ log xᵢ with 0·log 0 = 0. From 0 to the normal numbers log xᵢ is taken as
// log 2⁻¹⁰²², which is finite; a negative xᵢ has no logarithm.
func Entropy(logs, x []float64) float64 {
	mustCover(logs, x)
	switch {
	case len(x) == 0:
		return 0
	case hasAVX512():
		return entropyAVX512(&logs[0], &x[0], len(x))
	case hasAVX2():
		return entropyAVX2(&logs[0], &x[0], len(x))
	}
	return entropyPlain(logs[:len(x)], x)
}

func entropyPlain(logs, x []float64) float64 {
	for i, v := range x {
		if logs[i] = v; v >= 0 && v < smallest {
			logs[i] = smallest
		}
	}
	logPlain(logs)
	return dotPlain(x, logs)
}

// log takes v = 2ᵏ(1+f) with 1+f between √½ and √2 and, with s = f/(2+f), log(1+f) = f − s(f − R) where
// R = s²(2/3 + 2s²/5 + …).
func log(v float64) float64 {
	const (
		rootHalf = 0x3fe6a09e667f3bcd // bits of √½
		one      = 0x3ff0000000000000 // and of 1
	)
	if !(v >= smallest && v <= math.MaxFloat64) {
		return math.NaN()
	}
	t := math.Float64bits(v) + (one - rootHalf)
	k := float64(int(t>>52) - 1023)
	f := math.Float64frombits(t&(1<<52-1)+rootHalf) - 1
	s := f / (f + 2)
	z := s * s
	r := math.FMA(-k, ln2Low, s*math.FMA(-z, odd(z), f))
	return math.FMA(k, ln2High, f-r)
}

// odd returns Σ 2zⁱ/(2i+3) for i ≤ 9.
func odd(z float64) float64 {
	z2 := z * z
	z4 := z2 * z2
	z8 := z4 * z4
	low := pair(pair(2.0/3, 2.0/5, z), pair(2.0/7, 2.0/9, z), z2)
	next := pair(pair(2.0/11, 2.0/13, z), pair(2.0/15, 2.0/17, z), z2)
	return pair(pair(low, next, z4), pair(2.0/19, 2.0/21, z), z8)
}
