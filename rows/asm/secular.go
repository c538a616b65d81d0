package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// secular does four roots at a time; a lane that has converged keeps its root.
func secular() {
	TEXT("secularAVX2", NOSPLIT, "func(x *float64, n int, k, s float64, limit int) int")
	Pragma("noescape")
	Doc("secularAVX2 replaces cosines by settled cosines, as settleCosine does one by one; n must be a multiple of 4. It returns how many lanes are left that did not converge.")
	x, n := param("x"), param("n")
	failed := GP64()
	XORQ(failed, failed)
	Label("four")
	CMPQ(n, Imm(0))
	JLE(LabelRef("done"))
	k, s := broadcast("k"), broadcast("s")
	one := constant("one", 1)
	signs := bits("sign", 1<<63)

	cosine := YMM()
	VMOVUPD(Mem{Base: x}, cosine)
	size := YMM()
	VANDNPD(cosine, signs, size) // |c|
	// b = k·√((1−|c|)(1+|c|)), a = k·|c|
	b, t := YMM(), YMM()
	VSUBPD(size, one, b)
	VADDPD(size, one, t)
	VMULPD(t, b, b)
	nought := zero()
	VMAXPD(nought, b, b)
	VSQRTPD(b, b)
	VMULPD(k, b, b)
	a := YMM()
	VMULPD(k, size, a)

	delta := YMM()
	VSUBPD(s, b, delta)
	e := bound(a, delta, nought)
	VMAXPD(a, e, e)
	// The root solves e² = a² + (b·e/(e+s))², so putting the bound in gives a better one.
	better := YMM()
	VADDPD(s, e, t)
	VDIVPD(t, e, better)
	VMULPD(b, better, better)
	better = bound(a, better, nought)
	VMAXPD(e, better, e)
	// Where a is 0 the individual stays across: any positive e will do, and the lane is done.
	active := YMM()
	VCMPPD(Imm(4), nought, a, active) // a ≠ 0
	VBLENDVPD(active, e, one, e)

	left := GP64()
	Load(Param("limit"), left)
	Label("newton")
	i1, i2 := YMM(), YMM()
	VADDPD(s, e, t)
	VMULPD(e, t, i2)
	VDIVPD(i2, one, i2) // 1/(e(e+s)) serves both
	VMULPD(e, i2, i1)
	VMULPD(t, i2, i2)
	p, q := YMM(), YMM()
	VMULPD(i1, b, p)
	VMULPD(i2, a, q)
	VMULPD(q, q, q)
	// ψ − 1 = (δ−e)/(e+s)·(p+1) + q², without the cancellation of ψ against 1.
	over := YMM()
	VSUBPD(e, delta, over)
	VMULPD(i1, over, over)
	VADDPD(one, p, t)
	VMULPD(t, over, over)
	VADDPD(q, over, over)
	// step = ψ(ψ−1)/((√ψ+1)(p²/(e+s) + q²/e))
	psi := t
	VADDPD(one, over, psi)
	VMULPD(p, p, p)
	VMULPD(i1, p, p)
	VMULPD(i2, q, q)
	VADDPD(q, p, p)
	VMULPD(psi, over, over)
	VSQRTPD(psi, psi)
	VADDPD(one, psi, psi)
	VMULPD(p, psi, p)
	step := over
	VDIVPD(p, over, step)
	VANDPD(active, step, step)
	VADDPD(step, e, e)
	VMULPD(constant("small", 1e-8), e, t)
	VCMPPD(Imm(14), t, step, t) // step > small·e
	VANDPD(t, active, active)
	still := GP32()
	VMOVMSKPD(active, still)
	TESTL(still, still)
	JZ(LabelRef("converged"))
	DECQ(left)
	JNZ(LabelRef("newton"))
	POPCNTL(still, still)
	ADDQ(still.As64(), failed)
	Label("converged")
	// x = a/e, y = b/(e+s), brought to length 1, with the sign of the cosine.
	VDIVPD(e, a, a)
	VADDPD(s, e, t)
	VDIVPD(t, b, b)
	VMULPD(a, a, t)
	VMULPD(b, b, b)
	VADDPD(b, t, t)
	VSQRTPD(t, t)
	VDIVPD(t, a, a)
	VANDPD(signs, cosine, cosine)
	VORPD(cosine, a, a)
	VMOVUPD(a, Mem{Base: x})
	ADDQ(Imm(32), x)
	SUBQ(Imm(4), n)
	JMP(LabelRef("four"))
	Label("done")
	Store(failed, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// bound returns √(a² + max(r, 0)²).
func bound(a, r, nought VecVirtual) VecVirtual {
	positive, e := YMM(), YMM()
	VMAXPD(nought, r, positive)
	VMULPD(positive, positive, positive)
	VMULPD(a, a, e)
	VADDPD(positive, e, e)
	VSQRTPD(e, e)
	return e
}
