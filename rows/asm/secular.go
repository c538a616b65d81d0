package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// roots is four roots under way. What does not change, or is looked at once a step, is kept in memory, which leaves registers
// for more such fours: they take turns, and the processor works on one while the others wait for a division.
type roots struct {
	cosine, a, b, delta, active Mem
	e                           VecVirtual
}

// fours is how many fours take turns.
const fours = 4

// secular does 16 roots at a time; a lane that has converged keeps its root.
func secular() {
	TEXT("secularAVX2", NOSPLIT, "func(x *float64, n int, k, s float64, limit int) int")
	Pragma("noescape")
	Doc("secularAVX2 replaces cosines by settled cosines, as settleCosine does one by one; n must be a multiple of 16. It returns how many did not converge.")
	local := AllocLocal(fours * 5 * 32)
	var all [fours]roots
	for i := range all {
		at := func(slot int) Mem { return local.Offset(32 * (5*i + slot)) }
		all[i] = roots{cosine: at(0), a: at(1), b: at(2), delta: at(3), active: at(4), e: YMM()}
	}
	x, n := param("x"), param("n")
	failed := GP64()
	XORQ(failed, failed)
	s, one := broadcast("s"), constant("c0", 1)
	Label("many")
	CMPQ(n, Imm(0))
	JLE(LabelRef("done"))
	for i, r := range all {
		r.start(Mem{Base: x}.Offset(32*i), s, one)
	}
	left := GP64()
	Load(Param("limit"), left)
	Label("newton")
	still := GP32()
	XORL(still, still)
	for _, r := range all {
		mask := GP32()
		VMOVMSKPD(r.step(s, one), mask)
		SHLL(Imm(4), still)
		ORL(mask, still)
	}
	TESTL(still, still)
	JZ(LabelRef("converged"))
	DECQ(left)
	JNZ(LabelRef("newton"))
	POPCNTL(still, still)
	ADDQ(still.As64(), failed)
	Label("converged")
	for i, r := range all {
		r.finish(Mem{Base: x}.Offset(32 * i))
	}
	ADDQ(Imm(32*fours), x)
	SUBQ(Imm(4*fours), n)
	JMP(LabelRef("many"))
	Label("done")
	Store(failed, ReturnIndex(0))
	VZEROUPPER()
	RET()
}

// start sets a = k|c|, b = k√((1−|c|)(1+|c|)), δ = b−s and e to the bound from below.
func (r roots) start(x Mem, s, one VecVirtual) {
	c, a, b, t := YMM(), YMM(), YMM(), YMM()
	nought := zero()
	VMOVUPD(x, c)
	VMOVUPD(c, r.cosine)
	VANDNPD(c, bits("sign", 1<<63), c) // |c|
	VSUBPD(c, one, b)
	VADDPD(c, one, t)
	VMULPD(t, b, b)
	VMAXPD(nought, b, b)
	VSQRTPD(b, b)
	k := broadcast("k")
	VMULPD(k, b, b)
	VMOVUPD(b, r.b)
	VMULPD(k, c, a)
	VMOVUPD(a, r.a)
	VSUBPD(s, b, t)
	VMOVUPD(t, r.delta)
	VMAXPD(a, bound(a, t, nought), r.e)
	// The root solves e² = a² + (b·e/(e+s))², so putting the bound in gives a better one.
	VADDPD(s, r.e, t)
	VDIVPD(t, r.e, t)
	VMULPD(b, t, t)
	VMAXPD(r.e, bound(a, t, nought), r.e)
	// Where a is 0 the individual stays across: any positive e will do, and the lane is done.
	VCMPPD(Imm(4), nought, a, t) // a ≠ 0
	VMOVUPD(t, r.active)
	VBLENDVPD(t, r.e, one, r.e)
}

// step is one Newton step. It returns which lanes are still active.
func (r roots) step(s, one VecVirtual) VecVirtual {
	t, i1, i2, p, q, over := YMM(), YMM(), YMM(), YMM(), YMM(), YMM()
	VADDPD(s, r.e, t)
	VMULPD(r.e, t, i2)
	VDIVPD(i2, one, i2) // 1/(e(e+s)) serves both
	VMULPD(r.e, i2, i1)
	VMULPD(t, i2, i2)
	VMULPD(r.b, i1, p)
	VMULPD(r.a, i2, q)
	VMULPD(q, q, q)
	// ψ − 1 = (δ−e)/(e+s)·(p+1) + q², without the cancellation of ψ against 1.
	VMOVUPD(r.delta, over)
	VSUBPD(r.e, over, over)
	VMULPD(i1, over, over)
	VADDPD(one, p, t)
	VMULPD(t, over, over)
	VADDPD(q, over, over)
	// step = ψ(ψ−1)/((√ψ+1)(p²/(e+s) + q²/e))
	VADDPD(one, over, t) // ψ
	VMULPD(p, p, p)
	VMULPD(i1, p, p)
	VMULPD(i2, q, q)
	VADDPD(q, p, p)
	VMULPD(t, over, over)
	VSQRTPD(t, t)
	VADDPD(one, t, t)
	VMULPD(p, t, p)
	VDIVPD(p, over, over)
	VANDPD(r.active, over, over)
	VADDPD(over, r.e, r.e)
	VMULPD(constant("small", 1e-8), r.e, t)
	VCMPPD(Imm(14), t, over, t) // step > small·e
	VANDPD(r.active, t, t)
	VMOVUPD(t, r.active)
	return t
}

// finish writes a/e with the sign of the cosine.
func (r roots) finish(x Mem) {
	a, sign := YMM(), bits("sign", 1<<63)
	VMOVUPD(r.a, a)
	VDIVPD(r.e, a, a)
	VANDPD(r.cosine, sign, sign)
	VORPD(sign, a, a)
	VMOVUPD(a, x)
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
