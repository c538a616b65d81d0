package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// precision is the instructions for numbers of one size.
type precision struct{ adding, subtracting, multiplying, dividing func(...Op) }

var (
	inSingle = precision{VADDPS, VSUBPS, VMULPS, VDIVPS}
	inDouble = precision{VADDPD, VSUBPD, VMULPD, VDIVPD}
)

func (in precision) add(x VecVirtual, y Op) VecVirtual { return of(in.adding, x, y) }
func (in precision) sub(x VecVirtual, y Op) VecVirtual { return of(in.subtracting, x, y) }
func (in precision) mul(x VecVirtual, y Op) VecVirtual { return of(in.multiplying, x, y) }
func (in precision) div(x VecVirtual, y Op) VecVirtual { return of(in.dividing, x, y) }

// of returns x op y.
func of(op func(...Op), x VecVirtual, y Op) VecVirtual {
	out := vec()
	op(y, x, out)
	return out
}

// root returns √x.
func root(op func(...Op), x VecVirtual) VecVirtual {
	out := vec()
	op(x, out)
	return out
}

// halley returns the step of Halley's method, as the plain twin does one by one.
func (in precision) halley(e, s, b, aa, bb VecVirtual) VecVirtual {
	t := in.add(e, s)
	ee, tt := in.mul(e, e), in.mul(t, t)
	p, q := in.mul(bb, ee), in.mul(aa, tt)
	k := in.add(in.mul(p, ee), in.mul(tt, q))
	v := in.add(in.mul(in.mul(in.sub(in.sub(b, s), e), in.add(b, t)), ee), q)
	m := in.add(in.mul(p, e), in.mul(q, t))
	twice := in.add(m, m)
	top := in.mul(in.mul(twice, v), in.mul(e, t))
	k = in.mul(k, in.add(in.add(v, v), v))
	return in.div(top, in.sub(in.mul(twice, twice), k))
}

// guess puts the roots of two vectors near where they belong, in twice as many lanes of single precision: the bound from
// below and three steps of Halley's method.
func guess(low, high roots) {
	a, b := singles(low.a, high.a), singles(low.b, high.b)
	s := single("single")
	in := inSingle
	r, aa, bb := of(VMAXPS, in.sub(b, s), zero()), in.mul(a, a), in.mul(b, b)
	e := of(VMAXPS, root(VSQRTPS, in.add(aa, in.mul(r, r))), a)
	for range 3 {
		e = in.add(e, in.halley(e, s, b, aa, bb))
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
