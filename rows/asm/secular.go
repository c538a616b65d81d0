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

// secular does 16 roots at a time: a guess in single precision, a step of the third order or two, and for what those do not
// settle Newton's method. A lane that is done keeps its root.
func secular() {
	TEXT("secularAVX2", NOSPLIT, "func(x *float64, n int, k, s float64, single float32, limit int) int")
	Pragma("noescape")
	Doc("secularAVX2 replaces cosines by settled cosines, as settleCosine does one by one; n must be a multiple of 16 and single is s rounded. It returns how many did not converge.")
	local := AllocLocal(fours * 5 * 32)
	var all [fours]roots
	for i := range all {
		at := func(slot int) Mem { return local.Offset(32 * (5*i + slot)) }
		all[i] = roots{cosine: at(0), a: at(1), b: at(2), delta: at(3), active: at(4), e: YMM()}
	}
	x, n := param("x"), param("n")
	failed := GP64()
	XORQ(failed, failed)
	Label("many")
	CMPQ(n, Imm(0))
	JLE(LabelRef("done"))
	s, one := broadcast("s"), constant("c0", 1)
	for i, r := range all {
		r.load(Mem{Base: x}.Offset(32*i), s, one)
	}
	for i := 0; i < fours; i += 2 {
		guess(all[i], all[i+1])
	}
	still := each(all, func(r roots) VecVirtual { return r.leap(s, one, true) })
	JZ(LabelRef("converged"))
	still = each(all, func(r roots) VecVirtual { return r.leap(s, one, false) })
	JZ(LabelRef("converged"))
	for _, r := range all {
		r.restart(s)
	}
	left := GP64()
	Load(Param("limit"), left)
	Label("newton")
	still = each(all, func(r roots) VecVirtual { return r.step(s, one) })
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

// each lets all fours take their turn and returns which lanes are still active, with the zero flag set when none is.
func each(all [fours]roots, turn func(r roots) VecVirtual) GPVirtual {
	still := GP32()
	XORL(still, still)
	for _, r := range all {
		mask := GP32()
		VMOVMSKPD(turn(r), mask)
		SHLL(Imm(4), still)
		ORL(mask, still)
	}
	TESTL(still, still)
	return still
}

// load sets a = k|c|, b = k√((1−|c|)(1+|c|)) and δ = b−s.
func (r roots) load(x Mem, s, one VecVirtual) {
	c, b, t := YMM(), YMM(), YMM()
	VMOVUPD(x, c)
	VMOVUPD(c, r.cosine)
	VANDNPD(c, bits("sign", 1<<63), c) // |c|
	VSUBPD(c, one, b)
	VADDPD(c, one, t)
	VMULPD(t, b, b)
	VMAXPD(zero(), b, b)
	VSQRTPD(b, b)
	k := broadcast("k")
	VMULPD(k, b, b)
	VMOVUPD(b, r.b)
	VMULPD(k, c, c)
	VMOVUPD(c, r.a)
	VSUBPD(s, b, b)
	VMOVUPD(b, r.delta)
}

// leap is a step of Halley's method on ψ−1, which triples the digits that the guess has. It returns which lanes are still
// active: all whose e was not good enough, and none where a is 0, since there any positive e will do.
func (r roots) leap(s, one VecVirtual, first bool) VecVirtual {
	t := r.slopes(s, one)
	more, twice, top := YMM(), YMM(), YMM()
	VMULPD(t.i1, t.p, more)
	VMULPD(t.i2, t.q, t.q2)
	VADDPD(t.q2, more, more) // ψ″/6
	VADDPD(t.over, t.over, twice)
	VMULPD(t.slope, twice, top)
	VADDPD(twice, t.over, t.over)
	VMULPD(more, t.over, t.over)
	VADDPD(t.slope, t.slope, twice)
	VMULPD(twice, twice, twice)
	VSUBPD(t.over, twice, twice)
	VDIVPD(twice, top, top)
	if !first {
		VANDPD(r.active, top, top)
	}
	VADDPD(top, r.e, r.e)
	VANDNPD(top, bits("sign", 1<<63), top)
	near, active := YMM(), YMM()
	VMULPD(constant("quick", 0x1p-19), r.e, near)
	VCMPPD(Imm(6), near, top, active) // not |step| ≤ quick·e
	if first {
		matters := YMM()
		VMOVUPD(r.a, matters)
		VCMPPD(Imm(4), zero(), matters, matters) // a ≠ 0
		VBLENDVPD(matters, r.e, one, r.e)
		VANDPD(matters, active, active)
	} else {
		VANDPD(r.active, active, active)
	}
	VMOVUPD(active, r.active)
	return active
}

// restart puts active lanes at the bound from below.
func (r roots) restart(s VecVirtual) {
	a, e, t, nought := YMM(), YMM(), YMM(), zero()
	VMOVUPD(r.a, a)
	VMOVUPD(r.delta, t)
	VMAXPD(a, bound(a, t, nought), e)
	// The root solves e² = a² + (b·e/(e+s))², so putting the bound in gives a better one.
	VADDPD(s, e, t)
	VDIVPD(t, e, t)
	VMULPD(r.b, t, t)
	VMAXPD(e, bound(a, t, nought), e)
	active := YMM()
	VMOVUPD(r.active, active)
	VBLENDVPD(active, e, r.e, r.e)
}

// terms are what a step is made of: with i1 = 1/(e+s) and i2 = 1/e, ψ − 1, p = (b·i1)²·i1, q = (a·i2)²·i2 and p + q = −ψ′/2.
type terms struct{ i1, i2, over, p, q, q2, slope VecVirtual }

func (r roots) slopes(s, one VecVirtual) terms {
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
	VMULPD(p, p, p)
	VMULPD(i1, p, p)
	VMULPD(i2, q, q)
	slope := YMM()
	VADDPD(q, p, slope)
	return terms{i1: i1, i2: i2, over: over, p: p, q: q, q2: t, slope: slope}
}

// step is one Newton step. It returns which lanes are still active.
func (r roots) step(s, one VecVirtual) VecVirtual {
	w := r.slopes(s, one)
	// step = ψ(ψ−1)/((√ψ+1)(p²/(e+s) + q²/e))
	t, over := YMM(), w.over
	VADDPD(one, over, t) // ψ
	VMULPD(t, over, over)
	VSQRTPD(t, t)
	VADDPD(one, t, t)
	VMULPD(w.slope, t, t)
	VDIVPD(t, over, over)
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
