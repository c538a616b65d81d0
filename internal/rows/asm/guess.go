package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// precision is the instructions for numbers of one size.
type precision struct{ add, sub, mul, div func(...Op) }

var (
	inSingle = precision{VADDPS, VSUBPS, VMULPS, VDIVPS}
	inDouble = precision{VADDPD, VSUBPD, VMULPD, VDIVPD}
)

// of returns x op y.
func of(op func(...Op), x VecVirtual, y Op) VecVirtual {
	out := vec()
	op(y, x, out)
	return out
}

// halley returns the step of Halley's method, as the plain twin does one by one.
func (in precision) halley(e, s, b, aa, bb VecVirtual) VecVirtual {
	t := of(in.add, e, s)
	ee, tt := of(in.mul, e, e), of(in.mul, t, t)
	p, q := of(in.mul, bb, ee), of(in.mul, aa, tt)
	k := of(in.mul, p, ee)
	in.mul(q, tt, tt)
	in.add(tt, k, k)
	v := of(in.sub, b, s)
	in.sub(e, v, v)
	in.mul(of(in.add, b, t), v, v)
	in.mul(ee, v, v)
	in.add(q, v, v)
	m := of(in.mul, p, e)
	in.add(of(in.mul, q, t), m, m)
	in.add(m, m, m)
	top := of(in.mul, m, v)
	in.mul(of(in.mul, e, t), top, top)
	three := of(in.add, v, v)
	in.add(three, v, three)
	in.mul(three, k, k)
	in.mul(m, m, m)
	in.sub(k, m, m)
	in.div(m, top, top)
	return top
}

// guess puts the roots of two vectors near where they belong, in twice as many lanes of single precision: the bound from
// below and three steps of Halley's method.
func guess(low, high roots) {
	a, b := singles(low.a, high.a), singles(low.b, high.b)
	s := single("single")
	r, aa, bb := of(VSUBPS, b, s), of(VMULPS, a, a), of(VMULPS, b, b)
	VMAXPS(zero(), r, r)
	VMULPS(r, r, r)
	e := of(VADDPS, aa, r)
	VSQRTPS(e, e)
	VMAXPS(a, e, e)
	for range 3 {
		VADDPS(inSingle.halley(e, s, b, aa, bb), e, e)
	}
	if wide {
		VCVTPS2PD(e.AsY(), low.e)
		VCVTPS2PD(upper(e), high.e)
		return
	}
	half := XMM()
	VEXTRACTF128(Imm(1), e, half)
	VCVTPS2PD(e.AsX(), low.e)
	VCVTPS2PD(half, high.e)
}

// singles rounds two vectors of numbers to one of single precision.
func singles(low, high Op) VecVirtual {
	both := vec()
	if wide {
		x, y := YMM(), YMM()
		VCVTPD2PS(low, x)
		VCVTPD2PS(high, y)
		VINSERTF64X4(Imm(1), y, x.AsZ(), both)
		return both
	}
	x, y := XMM(), XMM()
	VCVTPD2PSY(low, x)
	VCVTPD2PSY(high, y)
	VINSERTF128(Imm(1), y, x.AsY(), both)
	return both
}

// single copies a scalar argument of single precision into all lanes.
func single(name string) VecVirtual {
	y := vec()
	VBROADCASTSS(argument(name), y)
	return y
}
