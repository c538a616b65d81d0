package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// guess puts the roots of two fours near where they belong, in eight lanes of single precision: the bound from below and
// three Newton steps, as the plain twin does one by one.
func guess(low, high roots) {
	a, b := singles(low.a, high.a), singles(low.b, high.b)
	s, one, nought := single("single"), singleConstant("single1", 1), zero()
	t, e := YMM(), YMM()
	VSUBPS(s, b, t)
	VMAXPS(a, singleBound(a, t, nought), e)
	VADDPS(s, e, t)
	VDIVPS(t, e, t)
	VMULPS(b, t, t)
	VMAXPS(e, singleBound(a, t, nought), e)
	for range 3 {
		singleStep(e, a, b, s, one)
	}
	VCVTPS2PD(e.AsX(), low.e)
	half := XMM()
	VEXTRACTF128(Imm(1), e, half)
	VCVTPS2PD(half, high.e)
}

// singleStep is one Newton step.
func singleStep(e, a, b, s, one VecVirtual) {
	t, i1, i2, p, q, over := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	VADDPS(s, e, t)
	VMULPS(e, t, i2)
	VDIVPS(i2, one, i2)
	VMULPS(e, i2, i1)
	VMULPS(t, i2, i2)
	VMULPS(b, i1, p)
	VMULPS(a, i2, q)
	VMULPS(q, q, q)
	VSUBPS(s, b, over)
	VSUBPS(e, over, over)
	VMULPS(i1, over, over)
	VADDPS(one, p, t)
	VMULPS(t, over, over)
	VADDPS(q, over, over)
	VMULPS(p, p, p)
	VMULPS(i1, p, p)
	VMULPS(i2, q, q)
	VADDPS(q, p, p)
	VADDPS(one, over, t)
	VMULPS(t, over, over)
	VSQRTPS(t, t)
	VADDPS(one, t, t)
	VMULPS(p, t, t)
	VDIVPS(t, over, over)
	VADDPS(over, e, e)
}

// singleBound returns √(a² + max(r, 0)²).
func singleBound(a, r, nought VecVirtual) VecVirtual {
	positive, e := YMM(), YMM()
	VMAXPS(nought, r, positive)
	VMULPS(positive, positive, positive)
	VMULPS(a, a, e)
	VADDPS(positive, e, e)
	VSQRTPS(e, e)
	return e
}

// singles rounds two times four numbers to eight of single precision.
func singles(low, high Mem) VecVirtual {
	x, y := XMM(), XMM()
	VCVTPD2PSY(low, x)
	VCVTPD2PSY(high, y)
	both := YMM()
	VINSERTF128(Imm(1), y, x.AsY(), both)
	return both
}

// single copies a scalar argument of single precision into all lanes.
func single(name string) VecVirtual {
	arg, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	y := YMM()
	VBROADCASTSS(arg.Addr, y)
	return y
}

func singleConstant(name string, v float32) VecVirtual {
	if _, ok := known[name]; !ok {
		known[name] = ConstData(name, U32(math.Float32bits(v)))
	}
	y := YMM()
	VBROADCASTSS(known[name], y)
	return y
}
