package portable

import (
	"math"
	"math/big"
)

// pair is the sum hi + lo, where lo is what rounding to hi has lost: about 106 bits.
type pair struct{ hi, lo float64 }

// whole is a float64 as a pair.
func whole(x float64) pair { return pair{x, 0} }

// sum is x + y exactly [knuth1997].
func sum(x, y float64) pair {
	s := x + y
	t := s - x
	return pair{s, (x - (s - t)) + (y - t)}
}

// ordered is x + y exactly if |x| ≥ |y| or x is 0.
func ordered(x, y float64) pair {
	s := x + y
	return pair{s, y - (s - x)}
}

// product is xy exactly, unless it is among the smallest numbers.
func product(x, y float64) pair {
	p := float64(x * y)
	return pair{p, math.FMA(x, y, -p)}
}

func (a pair) plus(b pair) pair {
	s, t := sum(a.hi, b.hi), sum(a.lo, b.lo)
	s = ordered(s.hi, s.lo+t.hi)
	return ordered(s.hi, s.lo+t.lo)
}

func (a pair) minus(b pair) pair { return a.plus(pair{-b.hi, -b.lo}) }

func (a pair) times(b pair) pair {
	p := product(a.hi, b.hi)
	return ordered(p.hi, p.lo+(float64(a.hi*b.lo)+float64(a.lo*b.hi)))
}

// scaled is a times a power of two.
func (a pair) scaled(by float64) pair { return pair{float64(a.hi * by), float64(a.lo * by)} }

// over is a/b by long division with three digits of 53 bits.
func (a pair) over(b pair) pair {
	first := a.hi / b.hi
	a = a.minus(b.times(whole(first)))
	second := a.hi / b.hi
	a = a.minus(b.times(whole(second)))
	return ordered(first, second).plus(whole(a.hi / b.hi))
}

// root is √a: one step of Newton's method from the root of hi.
func (a pair) root() pair {
	if a.hi == 0 {
		return pair{}
	}
	s := math.Sqrt(a.hi)
	return ordered(s, a.minus(product(s, s)).hi/(s+s))
}

// value rounds a.
func (a pair) value() float64 { return a.hi + a.lo }

// shifted rounds a·2ᵏ, once even where the spacing of numbers is that of the smallest.
func (a pair) shifted(k int) float64 {
	v := a.value()
	if _, e := math.Frexp(v); v == 0 || e+k >= -1020 {
		return math.Ldexp(v, k)
	}
	exact := new(big.Float).SetPrec(2200).SetFloat64(a.hi)
	exact.Add(exact, big.NewFloat(a.lo))
	v, _ = exact.SetMantExp(exact, k).Float64()
	return v
}

// settled rounds a, and tells whether all that differs from it by at most this share of it rounds alike.
func (a pair) settled(share float64) (v float64, ok bool) {
	e := float64(math.Abs(a.hi) * share)
	v = a.hi + (a.lo - e)
	return v, v == a.hi+(a.lo+e)
}

// settledAt does so for a·2ᵏ, where 0.99 < a < 2.01. It does not know of the largest and the smallest numbers.
func (a pair) settledAt(k int, share float64) (v float64, ok bool) {
	if k < -1021 || k > 1021 {
		return 0, false
	}
	v, ok = a.settled(share)
	return v * math.Float64frombits(uint64(k+1023)<<52), ok
}
