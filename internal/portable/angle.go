package portable

import (
	"math"
	"math/big"
)

// π/2 as a sum of four numbers of 32 bits, whose products with whole numbers below 2²⁰ are exact, and one of 53; and as a pair.
const (
	quarterA = 0x1.921fb54400000p+0
	quarterB = 0x1.0b4611a600000p-34
	quarterC = 0x1.3198a2e000000p-69
	quarterD = 0x1.b839a25200000p-104
	quarterE = 0x1.27044533e63a0p-142

	quarter, quarterRest = 0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54

	perQuarter = 0x1.45f306dc9c883p-1 // 2/π
)

// straight is where sines, tangents and their inverses begin to differ from their argument.
const straight = 0x1p-28

// Sin returns the sine.
func Sin(x float64) float64 {
	if math.Abs(x) < straight {
		return x
	}
	quarters, r := reduced(x)
	return turned(quarters, r)
}

// Cos returns the cosine.
func Cos(x float64) float64 {
	quarters, r := reduced(x)
	return turned(quarters+1, r)
}

// Sincos returns the sine and the cosine of x. From 2²⁰ on the argument is reduced with some thousand bits, which takes a thousand times as
// long.
func Sincos(x float64) (sin, cos float64) {
	quarters, r := reduced(x)
	sin, cos = turned(quarters, r), turned(quarters+1, r)
	if math.Abs(x) < straight {
		sin = x
	}
	return sin, cos
}

// Tan returns the tangent.
func Tan(x float64) float64 {
	if math.Abs(x) < straight {
		return x
	}
	quarters, r := reduced(x)
	if quarters&1 == 0 {
		return sine(r).over(cosine(r)).value()
	}
	return -cosine(r).over(sine(r)).value()
}

// turned rounds the sine of r plus a number of quarters of a turn.
func turned(quarters int, r pair) float64 {
	var v float64
	if quarters&1 == 0 {
		v = sine(r).value()
	} else {
		v = cosine(r).value()
	}
	if quarters&2 != 0 {
		return -v
	}
	return v
}

// reduced returns n, up to multiples of 4, and r with x = nπ/2 + r and |r| < 0.8.
func reduced(x float64) (n int, r pair) {
	if !(math.Abs(x) <= math.MaxFloat64) {
		return 0, whole(math.NaN())
	}
	if math.Abs(x) >= 1<<20 {
		return reducedFar(x)
	}
	q := math.Floor(float64(x*perQuarter) + 0.5)
	r = sum(x, -float64(q*quarterA))
	for _, part := range [...]float64{quarterB, quarterC, quarterD} {
		r = r.minus(whole(float64(q * part)))
	}
	return int(q) & 3, r.minus(product(q, quarterE))
}

// reducedFar does the same for any finite |x| ≥ 1, in whole multiples of 2⁻¹³⁰⁰.
func reducedFar(x float64) (n int, r pair) {
	const bits = 1300
	m, k := math.Frexp(x)
	at := big.NewInt(int64(math.Ldexp(m, 53)))
	at.Lsh(at, uint(k-53+bits))
	turn := halfPi(bits)
	half := new(big.Int).Rsh(turn, 1)
	q, rest := new(big.Int).DivMod(new(big.Int).Add(at, half), turn, new(big.Int))
	rest.Sub(rest, half)
	all := new(big.Float).SetPrec(2 * bits).SetInt(rest)
	all.SetMantExp(all, -bits)
	r.hi, _ = all.Float64()
	r.lo, _ = all.Sub(all, big.NewFloat(r.hi)).Float64()
	return int(new(big.Int).And(q, big.NewInt(3)).Int64()), r
}

// halfPi is π/2 in multiples of 2^−bits, by Machin's formula π/4 = 4 arctan(1/5) − arctan(1/239).
func halfPi(bits uint) *big.Int {
	const spare = 32
	s := inverseArctangent(5, bits+spare)
	s.Lsh(s, 2).Sub(s, inverseArctangent(239, bits+spare))
	return s.Rsh(s, spare-1)
}

// inverseArctangent is arctan(1/n) in multiples of 2^−bits, each term of the series rounded down.
func inverseArctangent(n int64, bits uint) *big.Int {
	power := new(big.Int).Lsh(big.NewInt(1), bits)
	power.Quo(power, big.NewInt(n))
	s := new(big.Int)
	for odd := int64(1); power.Sign() != 0; odd += 2 {
		term := new(big.Int).Quo(power, big.NewInt(odd))
		if odd&2 != 0 {
			term.Neg(term)
		}
		s.Add(s, term)
		power.Quo(power, big.NewInt(n*n))
	}
	return s
}

// Asin returns the arcsine.
func Asin(x float64) float64 {
	switch {
	case !(math.Abs(x) <= 1):
		return math.NaN()
	case math.Abs(x) < straight:
		return x
	}
	return math.Copysign(angle(whole(math.Abs(x)), cathetus(x)).value(), x)
}

// Acos returns the arccosine.
func Acos(x float64) float64 {
	if !(math.Abs(x) <= 1) {
		return math.NaN()
	}
	a := angle(cathetus(x), whole(math.Abs(x)))
	if x < 0 {
		a = halfTurn().minus(a)
	}
	return a.value()
}

// Atan2 returns the angle of the point (x, y), with the special cases of math.Atan2.
func Atan2(y, x float64) float64 {
	if !(math.Abs(y) <= math.MaxFloat64 && math.Abs(x) <= math.MaxFloat64) || x == 0 || y == 0 {
		return math.Atan2(y, x) // NaN or a multiple of π/4 on every target
	}
	my, ky := math.Frexp(math.Abs(y))
	mx, kx := math.Frexp(math.Abs(x))
	gap := ky - kx
	if gap < -60 && x > 0 {
		return y / x
	}
	a := angle(whole(math.Ldexp(my, min(max(gap, -200), 200))), whole(mx))
	if x < 0 {
		a = halfTurn().minus(a)
	}
	return math.Copysign(a.value(), y)
}

// cathetus is √(1 − x²).
func cathetus(x float64) pair { return sum(1, -x).times(sum(1, x)).root() }

// angle is that of the point (x, y) in the first quadrant.
func angle(y, x pair) pair {
	if y.hi <= x.hi {
		return arctangent(y.over(x))
	}
	return pair{quarter, quarterRest}.minus(arctangent(x.over(y)))
}

func halfTurn() pair { return pair{2 * quarter, 2 * quarterRest} }
