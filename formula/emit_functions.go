package formula

import (
	"math"

	"github.com/kedge-opt/kedge/ptx"
)

// The functions of elementary.go as operations, with their bits.

func (e *emission) exponential(x ptx.Scalar) ptx.Scalar {
	v := e.Exp(e.Neg(e.Abs(x)))
	return e.Select(e.Less(e.Const(0), x), e.Div(e.Const(1), v), v)
}

func (e *emission) logarithm(x ptx.Scalar) ptx.Scalar {
	floor := e.Const(0x1p-1022)
	floored := e.Select(e.And(e.AtMost(e.Const(0), x), e.Less(x, floor)), floor, x)
	infinite := e.Const(math.Inf(1))
	return e.Select(e.Equal(x, infinite), infinite, e.Log(floored))
}

func (e *emission) sigmoid(x ptx.Scalar) ptx.Scalar {
	one, v := e.Const(1), e.Exp(e.Neg(e.Abs(x)))
	below := e.Add(one, v)
	return e.Div(e.Select(e.AtMost(e.Const(0), x), one, v), below)
}

func (e *emission) tanh(x ptx.Scalar) ptx.Scalar {
	one, z := e.Const(1), e.Abs(x)
	v := e.exponential(e.Mul(e.Const(-2), z))
	far := e.CopySign(e.Div(e.Sub(one, v), e.Add(one, v)), x)
	return e.Select(e.Less(z, e.Const(0.625)), e.tanhNear(x), far)
}

func (e *emission) tanhNear(x ptx.Scalar) ptx.Scalar {
	s := e.Mul(x, x)
	times := func(a ptx.Scalar, c float64) ptx.Scalar { return e.Add(e.Mul(a, s), e.Const(c)) }
	top := e.Mul(times(times(e.Const(-9.64399179425052238628e-1), -9.92877231001918586564e1), -1.61468768441708447952e3), s)
	bottom := times(times(e.Add(s, e.Const(1.12811678491632931402e2)), 2.23548839060100448583e3), 4.84406305325125486048e3)
	return e.Add(x, e.Mul(x, e.Div(top, bottom)))
}

// round is math.Round: halves go away from 0.
func (e *emission) round(x ptx.Scalar) ptx.Scalar {
	t := e.Trunc(x)
	away := e.AtMost(e.Const(0.5), e.Abs(e.Sub(x, t)))
	return e.Select(away, e.Add(t, e.CopySign(e.Const(1), x)), t)
}

// raise is xʸ: the cases of the function of this name, the last first.
func (e *emission) raise(x, y ptx.Scalar) ptx.Scalar {
	zero := e.Const(0)
	power := e.exponential(e.Mul(y, e.logarithm(e.Abs(x))))
	half := e.Mul(y, e.Const(0.5))
	odd := e.Or(e.Unequal(half, e.Trunc(half)), e.Equal(e.Abs(y), e.Const(math.Inf(1))))
	below := e.And(e.Less(x, zero), e.Equal(y, e.Trunc(y)))
	v := e.Const(math.NaN())
	v = e.Select(e.And(e.Equal(x, zero), e.Less(y, zero)), e.Const(math.Inf(1)), v)
	v = e.Select(e.And(e.Equal(x, zero), e.Less(zero, y)), zero, v)
	v = e.Select(below, e.Select(odd, e.Neg(power), power), v)
	v = e.Select(e.Less(zero, x), power, v)
	return e.Select(e.Equal(y, zero), e.Const(1), v)
}
