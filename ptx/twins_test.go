package ptx_test

import (
	"math"

	"github.com/kedge-opt/kedge/ptx"
)

// scalarTwins are the operations one by one, each with the Go that says the same.
func scalarTwins() []twin {
	type emit = func(c *ptx.OpList, x, y []ptx.Scalar) ptx.Scalar
	two := func(f func(c *ptx.OpList, x, y ptx.Scalar) ptx.Scalar) emit {
		return func(c *ptx.OpList, x, y []ptx.Scalar) ptx.Scalar { return f(c, x[0], y[0]) }
	}
	want := func(f func(x, y float64) float64) func(x, y []float64) float64 {
		return func(x, y []float64) float64 { return f(x[0], y[0]) }
	}
	truth := func(is bool) float64 {
		if is {
			return 1
		}
		return 0
	}
	bits, number := math.Float64bits, math.Float64frombits
	return []twin{
		{"add", two((*ptx.OpList).Add), want(func(x, y float64) float64 { return x + y })},
		{"sub", two((*ptx.OpList).Sub), want(func(x, y float64) float64 { return x - y })},
		{"mul", two((*ptx.OpList).Mul), want(func(x, y float64) float64 { return x * y })},
		{"div", two((*ptx.OpList).Div), want(func(x, y float64) float64 { return x / y })},
		{"fma", func(c *ptx.OpList, x, y []ptx.Scalar) ptx.Scalar { return c.FMA(x[0], y[0], x[1]) }, func(x, y []float64) float64 { return math.FMA(x[0], y[0], x[1]) }},
		{"sqrt", two(func(c *ptx.OpList, x, _ ptx.Scalar) ptx.Scalar { return c.Sqrt(c.Abs(x)) }), want(func(x, _ float64) float64 { return math.Sqrt(math.Abs(x)) })},
		{"neg", two(func(c *ptx.OpList, x, _ ptx.Scalar) ptx.Scalar { return c.Neg(x) }), want(func(x, _ float64) float64 { return -x })},
		{"trunc", two(func(c *ptx.OpList, x, _ ptx.Scalar) ptx.Scalar { return c.Trunc(x) }), want(func(x, _ float64) float64 { return math.Trunc(x) })},
		{"at most", two(func(c *ptx.OpList, x, y ptx.Scalar) ptx.Scalar { return c.Truth(c.AtMost(x, y)) }), want(func(x, y float64) float64 { return truth(x <= y) })},
		{"equal", two(func(c *ptx.OpList, x, y ptx.Scalar) ptx.Scalar { return c.Truth(c.Equal(x, y)) }), want(func(x, y float64) float64 { return truth(x == y) })},
		{"unequal", two(func(c *ptx.OpList, x, y ptx.Scalar) ptx.Scalar { return c.Truth(c.Unequal(x, y)) }), want(func(x, y float64) float64 { return truth(x != y) })},
		{"and, or, not", two(func(c *ptx.OpList, x, y ptx.Scalar) ptx.Scalar {
			return c.Truth(c.Or(c.And(c.Less(x, y), c.Finite(x)), c.Not(c.Finite(y))))
		}), want(func(x, y float64) float64 {
			return truth(x < y && math.Abs(x) <= math.MaxFloat64 || !(math.Abs(y) <= math.MaxFloat64))
		})},
		{"float32", two(func(c *ptx.OpList, x, y ptx.Scalar) ptx.Scalar {
			return c.Double(c.Add(c.Mul(c.Single(x), c.Single(y)), c.Single(x)))
		}), want(func(x, y float64) float64 { return float64(float32(float32(x)*float32(y)) + float32(x)) })},
		{"bits", two(func(c *ptx.OpList, x, y ptx.Scalar) ptx.Scalar {
			return c.Number(c.BitOr(c.BitMask(c.BitAdd(c.Bits(x), 12345), 0xffff), c.ShiftLeft(c.ShiftRight(c.BitAnd(c.Bits(x), c.Bits(y)), 40), 20)))
		}), want(func(x, y float64) float64 { return number((bits(x)+12345)&0xffff | bits(x)&bits(y)>>40<<20) })},
		{"whole", two(func(c *ptx.OpList, x, _ ptx.Scalar) ptx.Scalar { return c.Whole(c.Bits(x)) }), want(func(x, _ float64) float64 { return float64(int64(bits(x))) })},
		{"a loop behind a condition", two(func(c *ptx.OpList, x, y ptx.Scalar) ptx.Scalar {
			sum, left := c.Keep(x), c.Keep(c.Const(5))
			c.If(c.Less(x, y))
			c.Loop()
			c.Set(sum, c.Add(c.Mul(sum, c.Const(0.5)), y))
			c.Set(left, c.Sub(left, c.Const(1)))
			c.Again(c.Less(c.Const(0), left))
			c.End()
			return sum
		}), want(func(x, y float64) float64 {
			if sum := x; x < y {
				for range 5 {
					sum = float64(sum*0.5) + y
				}
				return sum
			}
			return x
		})},
	}
}
