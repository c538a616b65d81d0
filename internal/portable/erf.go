package portable

import (
	"math"
	"sync"
)

// 2/√π as a pair.
const perRootPi, perRootPiRest = 0x1.20dd750429b6dp+0, 0x1.1ae3a914fed80p-56

// Erf returns the error function, 2/√π times the integral of e^(−t²) from 0 to x.
func Erf(x float64) float64 {
	const flat, tiny = 6, 0x1p-900 // from the first it rounds to 1; below the second products lose digits
	switch a := math.Abs(x); {
	case math.IsNaN(x) || x == 0:
		return x
	case a > flat:
		return math.Copysign(1, x)
	case a < tiny:
		return pair{perRootPi, perRootPiRest}.times(whole(math.Ldexp(x, 1000))).shifted(-1000)
	default:
		return math.Copysign(erf(a).value(), x)
	}
}

// place is a point from which the error function is known nearby.
type place struct{ at, value, slope pair }

// places are those at multiples of 1/16, up to 6.
var places = sync.OnceValue(func() (all [97]place) {
	for j := range all {
		a := whole(float64(j) / 16)
		slope := slopeOfErf(a)
		all[j] = place{a, slope.times(erfBySlope(a)), slope}
	}
	return all
})

// slopeOfErf is 2/√π·e^(−a²) for a up to 6 whose square is a number.
func slopeOfErf(a pair) pair {
	e, k := expm1(whole(-float64(a.hi * a.hi)))
	return pair{perRootPi, perRootPiRest}.times(whole(1).plus(e).scaled(math.Ldexp(1, k)))
}

// erfBySlope is the error function by its slope: Σ 2ⁿa²ⁿ⁺¹/(1·3·…·(2n+1)), whose terms have one sign.
func erfBySlope(a pair) pair {
	total, term, square := a, a, a.times(a).scaled(2)
	for n := 1; term.hi > 0x1p-110*total.hi; n++ {
		term = term.times(square).over(whole(float64(2*n + 1)))
		total = total.plus(term)
	}
	return total
}

// erf sums the Taylor series about the nearest place for 0 < a ≤ 6. The slope g = 2/√π·e^(−x²) has g′ = −2xg, so that its
// coefficients are (n+1)gₙ₊₁ = −2(a·gₙ + gₙ₋₁).
func erf(a float64) pair {
	from := places()[int(float64(a*16)+0.5)]
	h := whole(a).minus(from.at)
	before, g, power := pair{}, from.slope, h
	total := g.times(h)
	for n := 1; n < 40 && math.Abs(power.hi) > 0x1p-260; n++ {
		next := from.at.times(g).plus(before).scaled(-2).over(whole(float64(n)))
		before, g = g, next
		power = power.times(h)
		term := g.times(power).over(whole(float64(n + 1)))
		total = total.plus(term)
		if n%2 == 0 && math.Abs(term.hi) < 0x1p-112*from.slope.hi*math.Abs(h.hi) { // two at a time: at 0 every other is 0
			break
		}
	}
	return from.value.plus(total)
}
