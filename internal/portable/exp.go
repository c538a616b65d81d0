package portable

import "math"

// Exp returns eˣ.
func Exp(x float64) float64 {
	const most, least = 710, -746 // beyond them it overflows, or rounds to 0
	switch {
	case math.IsNaN(x):
		return x
	case x > most:
		return math.Inf(1)
	case x < least:
		return 0
	}
	p, k := shortExp(whole(x))
	if v, ok := p.settledAt(k, shortError); ok {
		return v
	}
	return longExp(whole(x))
}

// Exp2 returns 2ˣ.
func Exp2(x float64) float64 {
	if math.IsNaN(x) {
		return x
	}
	x = min(max(x, -1200), 1200)
	k := math.Floor(x + 0.5)
	e, n := expm1(product(x-k, ln2a).plus(product(x-k, ln2b)).plus(product(x-k, ln2c)))
	return whole(1).plus(e).shifted(int(k) + n)
}

// Tanh returns the hyperbolic tangent.
func Tanh(x float64) float64 {
	const linear, flat = 0x1p-28, 20 // up to the first it rounds to x, from the second to 1
	a := math.Abs(x)
	switch {
	case math.IsNaN(x) || a < linear:
		return x
	case a > flat:
		return math.Copysign(1, x)
	}
	if a > 0.25 {
		p, k := shortExp(whole(2 * a))
		p = p.scaled(math.Ldexp(1, k))
		if v, ok := p.minus(whole(1)).over(p.plus(whole(1))).settled(8 * shortError); ok {
			return math.Copysign(v, x)
		}
	}
	e, k := expm1(whole(2 * a))
	if k > 0 { // e²ˣ − 1
		e = whole(1).plus(e).scaled(math.Ldexp(1, k)).minus(whole(1))
	}
	return math.Copysign(e.over(e.plus(whole(2))).value(), x)
}

// longExp rounds eˣ for |x| below 2¹⁰.
func longExp(x pair) float64 {
	e, k := expm1(x)
	return whole(1).plus(e).shifted(k)
}
