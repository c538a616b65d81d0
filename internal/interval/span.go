// Package interval computes with spans of real numbers that hold the true result whatever the rounding, and with jets of them:
// enclosures of a function's value, gradient and Hessian over a box.
//
// Nothing here fails. A function whose argument lies partly outside of its domain gives the values of the part inside and
// derivatives that may be anything; outside altogether, the value may be anything too. The zero Span is the number 0, which
// stays exact: 0 + x is x, and 0·x is 0 for whatever x, so that functions that do not depend on a variable say so.
package interval

import "math"

// Span is the real numbers from Lo to Hi, which may be infinite; Lo ≤ Hi, and neither is NaN.
type Span struct{ Lo, Hi float64 }

// Whole is the real line, which says nothing.
func Whole() Span { return Span{math.Inf(-1), math.Inf(1)} }

// Point is one number; of one that is none it is the real line.
func Point(x float64) Span {
	if x-x != 0 {
		return Whole()
	}
	return Span{x, x}
}

// Points are numbers, one by one.
func Points(x []float64) []Span {
	all := make([]Span, len(x))
	for i, v := range x {
		all[i] = Point(v)
	}
	return all
}

// Between is the numbers from lo to hi; of bounds that are none it is the real line.
func Between(lo, hi float64) Span {
	if !(lo <= hi) || math.IsInf(lo, 1) || math.IsInf(hi, -1) {
		return Whole()
	}
	return Span{lo, hi}
}

// outward is Between for bounds that were rounded once.
func outward(lo, hi float64) Span { return Between(down(lo), up(hi)) }

// down returns the number below x. 0 stays, as sums and products by 0 are exact; −0 is what is left of a negative number.
func down(x float64) float64 {
	switch {
	case x > 0:
		return math.Float64frombits(math.Float64bits(x) - 1)
	case x == 0 && !math.Signbit(x):
		return 0
	case x < -math.MaxFloat64:
		return x
	}
	return math.Float64frombits(math.Float64bits(x) + 1) // −0 becomes the least negative number
}

// up returns the number above x; here −0 is exact, and 0 may be what is left of a positive number.
func up(x float64) float64 { return -down(-x) }

// IsZero tells whether the span is exactly 0.
func (x Span) IsZero() bool { return x.Lo == 0 && x.Hi == 0 }

// IsPoint tells whether the span is one number.
func (x Span) IsPoint() bool { return x.Lo == x.Hi }

// IsFinite tells whether both ends are.
func (x Span) IsFinite() bool {
	return x.Hi-x.Lo <= math.MaxFloat64 || x.Lo >= -math.MaxFloat64 && x.Hi <= math.MaxFloat64
}

// Has tells whether v lies in the span.
func (x Span) Has(v float64) bool { return x.Lo <= v && v <= x.Hi }

// Mid is a number in the span near its middle, finite in any case.
func (x Span) Mid() float64 {
	lo, hi := max(x.Lo, -math.MaxFloat64), min(x.Hi, math.MaxFloat64)
	return min(max(lo/2+hi/2, lo), hi)
}

// Radius bounds the distance from Mid to the ends.
func (x Span) Radius() float64 {
	m := x.Mid()
	return max(up(x.Hi-m), up(m-x.Lo), 0)
}

// Most is the largest absolute value.
func (x Span) Most() float64 { return max(-x.Lo, x.Hi) }

// Least is the smallest absolute value.
func (x Span) Least() float64 { return max(x.Lo, -x.Hi, 0) }

// Hull is the least span that holds both.
func (x Span) Hull(y Span) Span { return Span{min(x.Lo, y.Lo), max(x.Hi, y.Hi)} }

// Meet is what both have in common, and false where that is nothing.
func (x Span) Meet(y Span) (Span, bool) {
	lo, hi := max(x.Lo, y.Lo), min(x.Hi, y.Hi)
	return Span{lo, hi}, lo <= hi
}

// Narrow is what two spans that hold the same number have in common.
func (x Span) Narrow(y Span) Span {
	if m, ok := x.Meet(y); ok {
		return m
	}
	return x
}

// Inside tells whether x lies in y.
func (x Span) Inside(y Span) bool { return y.Lo <= x.Lo && x.Hi <= y.Hi }

// Neg is −x.
func (x Span) Neg() Span { return Span{-x.Hi, -x.Lo} }

// Add is x + y.
func (x Span) Add(y Span) Span {
	switch {
	case x.IsZero():
		return y
	case y.IsZero():
		return x
	}
	return outward(x.Lo+y.Lo, -(-x.Hi - y.Hi)) // a sum of 0 is −0 above, which stays
}

// Sub is x − y.
func (x Span) Sub(y Span) Span { return x.Add(y.Neg()) }

// Mul is x·y.
func (x Span) Mul(y Span) Span {
	if x.IsZero() || y.IsZero() {
		return Span{}
	}
	if x.Lo > 0 && y.Lo > 0 {
		return outward(x.Lo*y.Lo, x.Hi*y.Hi)
	}
	minus := math.Copysign(0, -1)
	return outward(
		min(times(x.Lo, y.Lo, 0), times(x.Lo, y.Hi, 0), times(x.Hi, y.Lo, 0), times(x.Hi, y.Hi, 0)),
		max(times(x.Lo, y.Lo, minus), times(x.Lo, y.Hi, minus), times(x.Hi, y.Lo, minus), times(x.Hi, y.Hi, minus)))
}

// times is a·b, and the given zero where a factor is 0.
func times(a, b, zero float64) float64 {
	if a == 0 || b == 0 {
		return zero
	}
	return a * b
}

// Scale is c·x.
func (x Span) Scale(c float64) Span { return x.Mul(Point(c)) }

// Sqr is x².
func (x Span) Sqr() Span {
	least, most := x.Least(), x.Most()
	if most == 0 {
		return Span{}
	}
	return Between(down(least*least), up(most*most))
}

// Inv is 1/x.
func (x Span) Inv() Span {
	switch {
	case x.Lo > 0 || x.Hi < 0:
		return outward(1/x.Hi, 1/x.Lo)
	case x.Lo == 0 && x.Hi > 0:
		return Span{down(1 / x.Hi), math.Inf(1)}
	case x.Hi == 0 && x.Lo < 0:
		return Span{math.Inf(-1), up(1 / x.Lo)}
	}
	return Whole()
}

// Max is the larger of numbers of x and y.
func (x Span) Max(y Span) Span { return Span{max(x.Lo, y.Lo), max(x.Hi, y.Hi)} }

// Abs is |x|.
func (x Span) Abs() Span { return Span{x.Least(), x.Most()} }
