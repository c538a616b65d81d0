package portable

import (
	"math"
	"math/big"
)

// Pow returns xʸ, with the special cases of math.Pow. Powers that lie exactly between two numbers are rounded to even for whole y up to 64;
// for others, as 9^1.5 would be with larger numbers, either neighbour may come.
func Pow(x, y float64) float64 {
	a := math.Abs(x)
	if x == 0 || y == 0 || x == 1 || !(a <= math.MaxFloat64) || !(math.Abs(y) <= math.MaxFloat64) {
		return math.Pow(x, y) // 0, 1, an infinity or NaN on every target
	}
	isWhole := y == math.Trunc(y)
	if x < 0 && !isWhole {
		return math.NaN()
	}
	v := positivePower(a, y, isWhole)
	if x < 0 && math.Mod(y, 2) != 0 {
		return -v
	}
	return v
}

// positivePower is xʸ for finite x > 0 and y.
func positivePower(x, y float64, isWhole bool) float64 {
	switch y {
	case 1:
		return x
	case 0.5:
		return math.Sqrt(x)
	}
	short := shortLog(x)
	size := math.Abs(float64(short.hi * y))
	switch {
	case size > 800:
		return Exp(math.Copysign(size, float64(short.hi*y)))
	case size < 0x1p-60:
		return 1
	}
	p, k := shortExp(short.times(whole(y)))
	if v, ok := p.settledAt(k, shortError*(1+size)); ok {
		return v
	}
	if isWhole && y > 0 && y <= 64 {
		return wholePower(x, int(y))
	}
	return longExp(longLog(x).times(whole(y)))
}

// wholePower rounds xⁿ once, for n up to 64.
func wholePower(x float64, n int) float64 {
	exact := new(big.Float).SetPrec(53 * 64).SetInt64(1)
	factor := big.NewFloat(x)
	for range n {
		exact.Mul(exact, factor)
	}
	v, _ := exact.Float64()
	return v
}

// Cbrt returns the cube root.
func Cbrt(x float64) float64 {
	if x == 0 || !(math.Abs(x) <= math.MaxFloat64) {
		return x
	}
	m, k := math.Frexp(math.Abs(x))
	third := (k + 1200) / 3 // rounded down, shifted by 400
	m = math.Ldexp(m, k-3*(third-400))
	r := 0.75 + float64(0.25*m) // of 0.5 ≤ m < 4
	for range 5 {               // Newton's method
		r = (float64(2*r) + m/float64(r*r)) / 3
	}
	off := whole(m).minus(product(r, r).times(whole(r))) // one step more, with what is off to 106 bits
	v := r + off.hi/float64(3*float64(r*r))
	return math.Copysign(math.Ldexp(v, third-400), x)
}

// Hypot returns √(p² + q²), which overflows only if that does.
func Hypot(p, q float64) float64 {
	p, q = math.Abs(p), math.Abs(q)
	switch {
	case math.IsInf(p, 1) || math.IsInf(q, 1):
		return math.Inf(1)
	case math.IsNaN(p) || math.IsNaN(q):
		return math.NaN()
	}
	p, q = max(p, q), min(p, q)
	if q == 0 {
		return p
	}
	p, k := math.Frexp(p)
	if q = math.Ldexp(q, -k); q < 0x1p-30 {
		return math.Ldexp(p, k) // q adds less than 2⁻⁶⁰ of it
	}
	return product(p, p).plus(product(q, q)).root().shifted(k)
}
