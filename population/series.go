package population

import "math"

// The standard library's sine and exponential have other bits on other processors. These do not.

// versine returns 1 − cos x for an angle of 0 to 90 degrees, by the cosine's series without its first term.
func versine(degrees float64) float64 {
	x := degrees * (math.Pi / 180)
	y := x * x
	t := 1.0
	for k := 25.0; k >= 3; k -= 2 {
		t = 1 - y*t/(k*(k+1))
	}
	return y * t / 2
}

// exp returns eˣ for x ≤ 0: eˣ = 2ⁿeʳ with |r| ≤ ½ ln 2, and the series of eʳ.
func exp(x float64) float64 {
	if x < -746 {
		return 0
	}
	const high, low = 6.93147180369123816490e-01, 1.90821492927058770002e-10 // ln 2; n·high is exact
	n := math.Round(x / math.Ln2)
	r := x - float64(n*high) - float64(n*low)
	t := 1.0
	for k := 14.0; k >= 1; k-- {
		t = 1 + r*t/k
	}
	return math.Ldexp(t, int(n))
}
