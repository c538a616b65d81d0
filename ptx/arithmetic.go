package ptx

import "math"

// Dot is xᵀy as rows.Dot sums it: entry i goes to lane i mod 4, and the lanes are added as (0+2) + (1+3).
func (c *OpList) Dot(x, y []Scalar) Scalar {
	zero := c.Const(0)
	lanes := [4]Scalar{zero, zero, zero, zero}
	for i := range x {
		lanes[i%4] = c.Add(lanes[i%4], c.Mul(x[i], y[i]))
	}
	return c.Add(c.Add(lanes[0], lanes[2]), c.Add(lanes[1], lanes[3]))
}

// Sum is that of x as rows.Sum has it, by halves.
func (c *OpList) Sum(x []Scalar) Scalar {
	if n := len(x); n > 8 {
		return c.Add(c.Sum(x[:n/2]), c.Sum(x[n/2:]))
	}
	s := c.Const(0)
	for _, v := range x {
		s = c.Add(s, v)
	}
	return s
}

// Norm is that of x for a squared norm in the middle, as rows.Norm has it; others are flagged.
func (c *OpList) Norm(x []Scalar) Scalar {
	square := c.Dot(x, x)
	c.Flag(c.Not(c.Within(square, 1e-280, 1e280)))
	return c.Sqrt(square)
}

// UnitTraits brings traits, which are kept rounded, back to length 1 before they are read.
func (c *OpList) UnitTraits() {
	kept := make([]Scalar, c.Traits)
	for j := range kept {
		kept[j] = c.Trait(j)
	}
	by := c.Div(c.Const(1), c.Norm(kept))
	for j, v := range kept {
		kept[j] = c.Mul(v, by)
	}
	c.units, c.unit = kept, by
}

// Within tells whether low < x < high.
func (c *OpList) Within(x Scalar, low, high float64) Scalar {
	return c.And(c.Less(c.Const(low), x), c.Less(x, c.Const(high)))
}

// Finite tells whether x is neither NaN nor infinite.
func (c *OpList) Finite(x Scalar) Scalar { return c.AtMost(c.Abs(x), c.Const(math.MaxFloat64)) }

// Min is Go's min of two numbers.
func (c *OpList) Min(x, y Scalar) Scalar {
	return c.extreme(c.Less(x, y), c.Less(y, x), c.BitOr(c.Bits(x), c.Bits(y)), x, y)
}

// Max is Go's max of two numbers.
func (c *OpList) Max(x, y Scalar) Scalar {
	return c.extreme(c.Less(y, x), c.Less(x, y), c.BitAnd(c.Bits(x), c.Bits(y)), x, y)
}

// extreme is x or y where one of the two conditions holds, the number of the bits where they are equal, which tells zeros apart, and NaN for others.
func (c *OpList) extreme(first, second, equal, x, y Scalar) Scalar {
	same := c.Select(c.Equal(x, y), c.Number(equal), c.Add(x, y))
	return c.Select(first, x, c.Select(second, y, same))
}

// CopySign is |x| with the sign of y.
func (c *OpList) CopySign(x, y Scalar) Scalar {
	const sign = 1 << 63
	return c.Number(c.BitOr(c.BitMask(c.Bits(x), sign-1), c.BitMask(c.Bits(y), sign)))
}

// Truth is 1 where the condition holds, else 0.
func (c *OpList) Truth(condition Scalar) Scalar { return c.Select(condition, c.Const(1), c.Const(0)) }

const (
	ln2High = 0x1.62e42fefp-1
	ln2Low  = 0x1.473de6af278edp-34
)

// pair is a + bx, rounded once.
func (c *OpList) pair(a, b, x Scalar) Scalar { return c.FMA(b, x, a) }

// pairs are a₀ + a₁x, a₂ + a₃x, …
func (c *OpList) pairs(x Scalar, a ...float64) (list []Scalar) {
	for i := 0; i < len(a); i += 2 {
		list = append(list, c.pair(c.Const(a[i]), c.Const(a[i+1]), x))
	}
	return list
}

// Exp is eˣ for x ≤ 0, as rows.Exp has it.
func (c *OpList) Exp(x Scalar) Scalar {
	magic := c.Const(0x1.8p52)
	t := c.FMA(x, c.Const(math.Log2E), magic)
	j := c.Neg(c.Sub(t, magic))
	r := c.FMA(j, c.Const(ln2Low), c.FMA(j, c.Const(ln2High), x))
	power := c.Number(c.BitAdd(c.ShiftLeft(c.Bits(t), 52), 0x3ff0000000000000))
	return c.Select(c.Less(x, c.Const(-708)), c.Const(0), c.Mul(c.taylor(r), power))
}

// taylor is Σ rᵏ/k! for k ≤ 13.
func (c *OpList) taylor(r Scalar) Scalar {
	p := c.pairs(r, 1.0/2, 1.0/6, 1.0/24, 1.0/120, 1.0/720, 1.0/5040, 1.0/40320, 1.0/362880, 1.0/3628800, 1.0/39916800, 1.0/479001600, 1.0/6227020800)
	r2 := c.Mul(r, r)
	r4 := c.Mul(r2, r2)
	r8 := c.Mul(r4, r4)
	low, next, high := c.pair(p[0], p[1], r2), c.pair(p[2], p[3], r2), c.pair(p[4], p[5], r2)
	return c.Add(c.Const(1), c.pair(r, c.pair(c.pair(low, next, r4), high, r8), r2))
}

// Log is that of x, NaN of what is not a positive normal number, as rows.Log has it.
func (c *OpList) Log(x Scalar) Scalar {
	const rootHalf, one = 0x3fe6a09e667f3bcd, 0x3ff0000000000000
	t := c.BitAdd(c.Bits(x), one-rootHalf)
	k := c.Whole(c.BitAdd(c.ShiftRight(t, 52), ^uint64(1022))) // less 1023
	f := c.Sub(c.Number(c.BitAdd(c.BitMask(t, 1<<52-1), rootHalf)), c.Const(1))
	s := c.Div(f, c.Add(f, c.Const(2)))
	z := c.Mul(s, s)
	less := c.Neg(k)
	r := c.FMA(less, c.Const(ln2Low), c.Mul(s, c.FMA(c.Neg(z), c.odd(z), f)))
	v := c.FMA(k, c.Const(ln2High), c.Sub(f, r))
	normal := c.And(c.AtMost(c.Const(0x1p-1022), x), c.AtMost(x, c.Const(math.MaxFloat64)))
	return c.Select(normal, v, c.Const(math.NaN()))
}

// odd is Σ 2zⁱ/(2i+3) for i ≤ 9.
func (c *OpList) odd(z Scalar) Scalar {
	p := c.pairs(z, 2.0/3, 2.0/5, 2.0/7, 2.0/9, 2.0/11, 2.0/13, 2.0/15, 2.0/17, 2.0/19, 2.0/21)
	z2 := c.Mul(z, z)
	z4 := c.Mul(z2, z2)
	z8 := c.Mul(z4, z4)
	return c.pair(c.pair(c.pair(p[0], p[1], z2), c.pair(p[2], p[3], z2), z4), p[4], z8)
}
