package rows

import "math"

// Exp replaces every entry of x, none above 0, by its exponential, to within 1 unit in the last place and with the
// same bits on every target; what would be below 1e-307 becomes 0.
func Exp(x []float64) {
	switch {
	case len(x) == 0:
	case hasAVX512():
		expAVX512(&x[0], len(x))
	case hasAVX2():
		expAVX2(&x[0], len(x))
	default:
		expPlain(x)
	}
}

func expPlain(x []float64) {
	for i, v := range x {
		x[i] = exp(v)
	}
}

// Softmax writes e^(−k·uᵢ)/Σⱼ e^(−k·uⱼ) to dst. No exponent is above 0, and the difference of two entries of u may be larger
// than the largest number.
func Softmax(dst, u []float64, k float64) {
	mustCover(dst, u)
	switch {
	case len(u) == 0:
	case hasAVX512():
		softmaxAVX512(&dst[0], &u[0], len(u), k)
	case hasAVX2():
		softmaxAVX2(&dst[0], &u[0], len(u), k)
	default:
		softmaxPlain(dst[:len(u)], u, k)
	}
}

func softmaxPlain(dst, u []float64, k float64) {
	_, low, _ := extentPlain(u)
	var sum [4]float64
	for i, v := range u {
		dst[i] = exp(-2 * (k * (float64(v*0.5) - float64(low*0.5))))
		sum[i%4] += dst[i]
	}
	scalePlain(dst, 1/((sum[0]+sum[2])+(sum[1]+sum[3])))
}

const (
	ln2High = 0x1.62e42fefp-1 // its products with an exponent are exact
	ln2Low  = 0x1.473de6af278edp-34
)

// exp takes v = j·ln 2 + r with |r| ≤ ½ ln 2, a Taylor polynomial in r, and adds j to the exponent.
func exp(v float64) float64 {
	const magic = 0x1.8p52 // adding it leaves an integer in the low bits
	if v < -708 {
		return 0
	}
	t := math.FMA(v, math.Log2E, magic)
	j := t - magic
	r := math.FMA(-j, ln2Low, math.FMA(-j, ln2High, v))
	return polynomial(r) * math.Float64frombits(math.Float64bits(t)<<52+0x3ff0000000000000)
}

// polynomial returns Σ rᵏ/k! for k ≤ 13 as 1 + (r + r²(½ + …)), the dots in pairs, pairs of pairs and so on, which leaves
// little to wait for.
func polynomial(r float64) float64 {
	const (
		c2, c3, c4, c5, c6, c7     = 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040
		c8, c9, c10, c11, c12, c13 = 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800
	)
	r2 := r * r
	r4 := r2 * r2
	r8 := r4 * r4
	low := pair(pair(c2, c3, r), pair(c4, c5, r), r2)
	next := pair(pair(c6, c7, r), pair(c8, c9, r), r2)
	high := pair(pair(c10, c11, r), pair(c12, c13, r), r2)
	return 1 + pair(r, pair(pair(low, next, r4), high, r8), r2)
}

// pair returns a + b·x, rounded once.
func pair(a, b, x float64) float64 { return math.FMA(b, x, a) }
