package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// roots is a vector of roots under way. Where registers are few, what does not change, or is looked at once a step, is kept
// in memory, which leaves room for more such vectors: they take turns, and the processor works on one while the others wait
// for a division.
type roots struct {
	a, b, active Op
	e            VecVirtual
}

// fours is how many vectors take turns.
const fours = 4

// secular does four vectors of roots at a time: a guess in single precision, a step of Halley's method or two, and for what
// those do not settle Newton's method. A lane that is done keeps its root.
func secular() {
	kernel("secular", "(x *float64, n int, k, s float64, single float32, limit int) int",
		"replaces cosines by settled cosines, as settleCosine does one by one; n must be a multiple of "+
			map[bool]string{false: "16", true: "32"}[wide]+" and single is s rounded. It returns how many did not converge.")
	all := newRoots()
	x, n := param("x"), param("n")
	failed := GP64()
	XORQ(failed, failed)
	Label("many")
	CMPQ(n, Imm(0))
	JLE(LabelRef("done"))
	size := 8 * lanes()
	for i, r := range all {
		r.load(Mem{Base: x}.Offset(size * i))
	}
	for i := 0; i < fours; i += 2 {
		guess(all[i], all[i+1])
	}
	each(all, func(r roots) Op { return r.leap(true) })
	JZ(LabelRef("converged"))
	each(all, func(r roots) Op { return r.leap(false) })
	JZ(LabelRef("converged"))
	for _, r := range all {
		r.restart()
	}
	left := param("limit")
	Label("newton")
	still := each(all, roots.step)
	JZ(LabelRef("converged"))
	DECQ(left)
	JNZ(LabelRef("newton"))
	POPCNTL(still, still)
	ADDQ(still.As64(), failed)
	Label("converged")
	for i, r := range all {
		r.finish(Mem{Base: x}.Offset(size * i))
	}
	ADDQ(U32(uint32(fours*size)), x)
	SUBQ(Imm(uint64(fours*lanes())), n)
	JMP(LabelRef("many"))
	Label("done")
	Store(failed, ReturnIndex(0))
	finish()
}

func newRoots() (all [fours]roots) {
	if wide {
		for i := range all {
			all[i] = roots{a: ZMM(), b: ZMM(), active: K(), e: ZMM()}
		}
		return all
	}
	local := AllocLocal(fours * 3 * 32)
	for i := range all {
		at := func(slot int) Mem { return local.Offset(32 * (3*i + slot)) }
		all[i] = roots{a: at(0), b: at(1), active: at(2), e: YMM()}
	}
	return all
}

// each lets all take their turn and returns which lanes are still active, with the zero flag set when none is.
func each(all [fours]roots, turn func(r roots) Op) GPVirtual {
	still := GP32()
	XORL(still, still)
	for _, r := range all {
		mask := GP32()
		if active := turn(r); wide {
			KMOVB(active, mask)
		} else {
			VMOVMSKPD(active, mask)
		}
		SHLL(Imm(uint64(lanes())), still)
		ORL(mask, still)
	}
	TESTL(still, still)
	return still
}

// get loads what a slot holds.
func get(slot Op) VecVirtual {
	x := vec()
	VMOVUPD(slot, x)
	return x
}

// remember keeps which lanes are active.
func (r roots) remember(mask Op) Op {
	if wide {
		KMOVB(mask, r.active)
	} else {
		VMOVUPD(mask, r.active)
	}
	return mask
}

// load sets a = k|c| and b = k√((1−|c|)(1+|c|)).
func (r roots) load(x Mem) {
	in, k, one := inDouble, broadcast("k"), constant("c0", 1)
	c := of(VANDNPD, bits("sign", 1<<63), get(x)) // |c|
	b := root(VSQRTPD, of(VMAXPD, in.mul(in.sub(one, c), in.add(one, c)), zero()))
	VMOVUPD(in.mul(b, k), r.b)
	VMOVUPD(in.mul(c, k), r.a)
}

// leap is a step of Halley's method, which triples the digits that the guess has. It returns which lanes are still active:
// all whose e was not good enough, and none where a is 0, since there any positive e will do.
func (r roots) leap(first bool) Op {
	a, b := get(r.a), get(r.b)
	in := inDouble
	move := in.halley(r.e, broadcast("s"), b, in.mul(a, a), in.mul(b, b))
	if !first {
		keep(r.active, move)
	}
	VADDPD(move, r.e, r.e)
	VANDNPD(move, bits("sign", 1<<63), move)
	active := compare(6, move, in.mul(constant("quick", 0x1p-19), r.e)) // not |move| ≤ quick·e
	if !first {
		return r.remember(both(r.active, active))
	}
	matters := compare(4, get(r.a), zero()) // a ≠ 0
	VMOVUPD(choose(matters, r.e, constant("c0", 1)), r.e)
	return r.remember(both(matters, active))
}

// restart puts active lanes at the bound from below.
func (r roots) restart() {
	in, a, b, s, nought := inDouble, get(r.a), get(r.b), broadcast("s"), zero()
	e := of(VMAXPD, bound(a, in.sub(b, s), nought), a)
	// The root solves e² = a² + (b·e/(e+s))², so putting the bound in gives a better one.
	e = of(VMAXPD, bound(a, in.mul(in.div(e, in.add(e, s)), b), nought), e)
	active := r.active
	if !wide {
		active = get(active)
	}
	VMOVUPD(choose(active, e, r.e), r.e)
}

// step is one Newton step. It returns which lanes are still active.
func (r roots) step() Op {
	in, one := inDouble, constant("c0", 1)
	over, slope := r.overshoot(broadcast("s"), one)
	// ψ(ψ−1)/((√ψ+1)·slope)
	square := in.add(one, over)
	move := in.div(in.mul(over, square), in.mul(slope, in.add(root(VSQRTPD, square), one)))
	keep(r.active, move)
	VADDPD(move, r.e, r.e)
	far := compare(14, move, in.mul(constant("small", 1e-8), r.e)) // move > small·e
	return r.remember(both(r.active, far))
}

// overshoot returns ψ−1 and −ψ′/2.
func (r roots) overshoot(s, one VecVirtual) (over, slope VecVirtual) {
	in := inDouble
	t := in.add(r.e, s)
	inverse := in.div(one, in.mul(t, r.e)) // 1/(e(e+s)) serves both
	i1, i2 := in.mul(inverse, r.e), in.mul(inverse, t)
	p, q := in.mul(i1, r.b), in.mul(i2, r.a)
	q = in.mul(q, q)
	over = in.mul(in.sub(in.sub(get(r.b), s), r.e), i1)
	over = in.add(in.mul(over, in.add(one, p)), q)
	return over, in.add(in.mul(in.mul(p, p), i1), in.mul(q, i2))
}

// finish writes a/e with the sign of the cosine.
func (r roots) finish(x Mem) {
	sign := of(VANDPD, bits("sign", 1<<63), x)
	VMOVUPD(of(VORPD, inDouble.div(get(r.a), r.e), sign), x)
}

// bound returns √(a² + max(r, 0)²).
func bound(a, r, nought VecVirtual) VecVirtual {
	positive := of(VMAXPD, r, nought)
	return root(VSQRTPD, inDouble.add(inDouble.mul(a, a), inDouble.mul(positive, positive)))
}

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
