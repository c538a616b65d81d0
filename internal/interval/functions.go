package interval

import (
	"math"

	"github.com/kedge-opt/kedge/internal/portable"
)

// slack is more than the functions of package math, and those of package formula, are off by.
const slack = 0x1p-49

// loose widens a span whose ends are off by rounding of elementary functions.
func loose(lo, hi float64) Span {
	return outward(lo-float64(math.Abs(lo)*slack), hi+float64(math.Abs(hi)*slack))
}

// Exp is eˣ. What overflows or underflows may be as formulas have it: infinite from 708 on, and 0 below −708.
func (x Span) Exp() Span {
	lo, hi := portable.Exp(min(x.Lo, 708)), portable.Exp(max(x.Hi, -708))
	if x.Lo < -708 {
		lo = 0
	}
	if x.Hi > 708 {
		hi = math.Inf(1)
	}
	return loose(lo, hi)
}

// leastLog is where formulas hold the logarithm, so that it is finite at 0.
const leastLog = 0x1p-1022

// Log is log max(x, 2⁻¹⁰²²) for x ≥ 0.
func (x Span) Log() Span {
	if x.Hi < 0 {
		return Whole()
	}
	return loose(portable.Log(max(x.Lo, leastLog)), portable.Log(max(x.Hi, leastLog)))
}

// Sqrt is √x.
func (x Span) Sqrt() Span {
	if x.Hi < 0 {
		return Whole()
	}
	root := Span{down(math.Sqrt(max(x.Lo, 0))), 0}
	if x.Hi > 0 {
		root.Hi = up(math.Sqrt(x.Hi))
	}
	return root
}

// Tanh is tanh x.
func (x Span) Tanh() Span {
	return loose(portable.Tanh(x.Lo), portable.Tanh(x.Hi)).Narrow(Span{-1, 1})
}

// Sigmoid is 1/(1 + e⁻ˣ).
func (x Span) Sigmoid() Span {
	return x.Neg().Exp().Add(Span{1, 1}).Inv().Narrow(Span{0, 1})
}

// Power is xⁿ for a whole number n.
func (x Span) Power(n int) Span {
	switch {
	case n == 0:
		return Span{1, 1}
	case n == 1:
		return x
	case n < 0:
		return x.Power(-n).Inv()
	case n%2 == 0:
		x = x.Abs()
	}
	return Span{Point(x.Lo).repeated(n).Lo, Point(x.Hi).repeated(n).Hi}.orEnds(x)
}

// orEnds puts infinite ends back, which are no numbers to be multiplied.
func (p Span) orEnds(x Span) Span {
	if math.IsInf(x.Lo, -1) {
		p.Lo = math.Inf(-1)
	}
	if math.IsInf(x.Hi, 1) {
		p.Hi = math.Inf(1)
	}
	return Between(p.Lo, p.Hi)
}

// repeated is xⁿ of a point by squaring.
func (x Span) repeated(n int) Span {
	y := Span{1, 1}
	for first := true; n > 0; n >>= 1 {
		if n&1 == 1 {
			if first {
				y, first = x, false
			} else {
				y = y.Mul(x)
			}
		}
		x = x.Sqr()
	}
	return y
}

// Raise is x^y for x ≥ 0 and one number y.
func (x Span) Raise(y float64) Span {
	switch {
	case y-y != 0 || x.Hi < 0:
		return Whole()
	case y == 0:
		return Span{1, 1}
	case y < 0:
		return x.Raise(-y).Inv()
	}
	return Span{raised(max(x.Lo, 0), y).Lo, raised(x.Hi, y).Hi}
}

// raised is x^y for numbers x ≥ 0 and y > 0.
func raised(x, y float64) Span {
	switch {
	case x == 0:
		return Span{}
	case x < leastLog: // formulas round up to it
		return Span{0, raised(leastLog, y).Hi}
	case math.IsInf(x, 1):
		return Span{0, x}
	}
	return loose(portable.Log(x), portable.Log(x)).Mul(Point(y)).Exp()
}

// Pow is x^y for x ≥ 0; of other bases nothing is known. It rises or falls in both, so corners have the ends.
func (x Span) Pow(y Span) Span {
	if x.Lo < 0 || !y.IsFinite() {
		return Whole()
	}
	low, high := x.Raise(y.Lo), x.Raise(y.Hi)
	return low.Hull(high)
}
