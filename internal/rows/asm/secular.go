package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// roots is a vector of roots under way, in memory, which leaves room for many such vectors: they take turns at every step, so that the processor always has
// one to work on while others wait for a division.
type roots struct{ a, b, active, e Mem }

// guesses are the roots of two vectors in twice as many lanes of single precision. They lie where nothing of these is yet.
type guesses struct{ b, aa, bb, e Mem }

// atOnce is how many vectors of roots take turns.
const atOnce = 8

// secular does vectors of roots in turns: a guess in single precision, a step of Halley's method or two, and for what
// those do not settle Newton's method. A lane that is done keeps its root.
func secular() {
	kernel("secular", "(x *float64, n int, k, s float64, single float32, limit int) int",
		"replaces cosines by settled cosines, as settleCosine does one by one; n must be a multiple of "+
			map[bool]string{false: "32", true: "64"}[wide]+" and single is s rounded. It returns how many did not converge.")
	all, rough := newRoots()
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
	for i, g := range rough {
		g.begin(all[2*i], all[2*i+1])
	}
	for range 3 {
		for _, g := range rough {
			g.leap()
		}
	}
	for i, g := range rough {
		g.end(all[2*i], all[2*i+1])
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
	POPCNTQ(still, still)
	ADDQ(still, failed)
	Label("converged")
	for i, r := range all {
		r.finish(Mem{Base: x}.Offset(size * i))
	}
	ADDQ(U32(uint32(atOnce*size)), x)
	SUBQ(Imm(uint64(atOnce*lanes())), n)
	JMP(LabelRef("many"))
	Label("done")
	Store(failed, ReturnIndex(0))
	finish()
}

func newRoots() (all []roots, rough []guesses) {
	Attributes(0) // more than NOSPLIT leaves room for
	size := 8 * lanes()
	local := AllocLocal(atOnce * 4 * size)
	slot := func() Mem {
		m := local
		local = local.Offset(size)
		return m
	}
	for range atOnce {
		all = append(all, roots{a: slot(), b: slot(), active: slot(), e: slot()})
	}
	for i := 0; i < len(all); i += 2 {
		rough = append(rough, guesses{b: all[i].active, aa: all[i].e, bb: all[i+1].active, e: all[i+1].e})
	}
	return all, rough
}

// each lets all take their turn and returns which lanes are still active, with the zero flag set when none is.
func each(all []roots, turn func(r roots) Op) GPVirtual {
	still := GP64()
	XORQ(still, still)
	for _, r := range all {
		mask := GP32()
		if active := turn(r); wide {
			KMOVB(active, mask)
		} else {
			VMOVMSKPD(active, mask)
		}
		SHLQ(Imm(uint64(lanes())), still)
		ORQ(mask.As64(), still)
	}
	TESTQ(still, still)
	return still
}

// get loads what a slot holds.
func get(slot Op) VecVirtual {
	x := vec()
	VMOVUPD(slot, x)
	return x
}

// set puts x into a slot.
func set(slot Op, x VecVirtual) { VMOVUPD(x, slot) }

// remember keeps which lanes are active.
func (r roots) remember(mask Op) Op {
	if wide {
		KMOVB(mask, r.active)
	} else {
		VMOVUPD(mask, r.active)
	}
	return mask
}

// mask is which lanes are active.
func (r roots) mask() Op {
	m := newMask()
	if wide {
		KMOVB(r.active, m)
	} else {
		VMOVUPD(r.active, m)
	}
	return m
}

// load sets a = k|c| and b = k√((1−|c|)(1+|c|)).
func (r roots) load(x Mem) {
	in, k, one := inDouble, broadcast("k"), constant("c0", 1)
	c := of(VANDNPD, bits("sign", 1<<63), get(x)) // |c|
	b := root(VSQRTPD, of(VMAXPD, in.mul(in.sub(one, c), in.add(one, c)), zero()))
	set(r.b, in.mul(b, k))
	set(r.a, in.mul(c, k))
}

// leap is a step of Halley's method, which triples the digits that the guess has. It returns which lanes are still active:
// all whose e was not good enough, and none where a is 0, since there any positive e will do.
func (r roots) leap(first bool) Op {
	a, b, e := get(r.a), get(r.b), get(r.e)
	in := inDouble
	move := in.halley(e, broadcast("s"), b, in.mul(a, a), in.mul(b, b))
	if !first {
		keep(r.mask(), move)
	}
	e = in.add(e, move)
	VANDNPD(move, bits("sign", 1<<63), move)
	active := compare(6, move, in.mul(constant("quick", 0x1p-19), e)) // not |move| ≤ quick·e
	if !first {
		set(r.e, e)
		return r.remember(both(r.mask(), active))
	}
	matters := compare(4, get(r.a), zero()) // a ≠ 0
	set(r.e, choose(matters, e, constant("c0", 1)))
	return r.remember(both(matters, active))
}

// restart puts active lanes at the bound from below.
func (r roots) restart() {
	in, a, b, s, nought := inDouble, get(r.a), get(r.b), broadcast("s"), zero()
	e := of(VMAXPD, bound(a, in.sub(b, s), nought), a)
	// The root solves e² = a² + (b·e/(e+s))², so putting the bound in gives a better one.
	e = of(VMAXPD, bound(a, in.mul(in.div(e, in.add(e, s)), b), nought), e)
	set(r.e, choose(r.mask(), e, get(r.e)))
}

// step is one Newton step. It returns which lanes are still active.
func (r roots) step() Op {
	in, one := inDouble, constant("c0", 1)
	over, slope := r.overshoot(broadcast("s"), one)
	// ψ(ψ−1)/((√ψ+1)·slope)
	square := in.add(one, over)
	move := in.div(in.mul(over, square), in.mul(slope, in.add(root(VSQRTPD, square), one)))
	keep(r.mask(), move)
	e := in.add(get(r.e), move)
	set(r.e, e)
	far := compare(14, move, in.mul(constant("small", 1e-8), e)) // move > small·e
	return r.remember(both(r.mask(), far))
}

// overshoot returns ψ−1 and −ψ′/2.
func (r roots) overshoot(s, one VecVirtual) (over, slope VecVirtual) {
	in := inDouble
	e := get(r.e)
	t := in.add(e, s)
	inverse := in.div(one, in.mul(t, e)) // 1/(e(e+s)) serves both
	i1, i2 := in.mul(inverse, e), in.mul(inverse, t)
	p, q := in.mul(i1, r.b), in.mul(i2, r.a)
	q = in.mul(q, q)
	over = in.mul(in.sub(in.sub(get(r.b), s), e), i1)
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
func (in precision) halley(e, s VecVirtual, b, aa, bb Op) VecVirtual {
	t := in.add(e, s)
	ee, tt := in.mul(e, e), in.mul(t, t)
	p, q := in.mul(ee, bb), in.mul(tt, aa)
	k := in.add(in.mul(p, ee), in.mul(tt, q))
	v := in.add(in.mul(in.mul(in.sub(in.sub(get(b), s), e), in.add(t, b)), ee), q)
	m := in.add(in.mul(p, e), in.mul(q, t))
	twice := in.add(m, m)
	top := in.mul(in.mul(twice, v), in.mul(e, t))
	k = in.mul(k, in.add(in.add(v, v), v))
	return in.div(top, in.sub(in.mul(twice, twice), k))
}

// begin puts the roots of two vectors at the bound from below.
func (g guesses) begin(low, high roots) {
	a, b := singles(low.a, high.a), singles(low.b, high.b)
	in := inSingle
	r, aa := of(VMAXPS, in.sub(b, single("single")), zero()), in.mul(a, a)
	set(g.e, of(VMAXPS, root(VSQRTPS, in.add(aa, in.mul(r, r))), a))
	set(g.b, b)
	set(g.aa, aa)
	set(g.bb, in.mul(b, b))
}

// leap is a step of Halley's method.
func (g guesses) leap() {
	e := get(g.e)
	set(g.e, inSingle.add(e, inSingle.halley(e, single("single"), g.b, g.aa, g.bb)))
}

// end hands the roots on.
func (g guesses) end(low, high roots) {
	e := get(g.e)
	one, two := vec(), vec()
	if wide {
		VCVTPS2PD(e.AsY(), one)
		VCVTPS2PD(upper(e), two)
	} else {
		half := XMM()
		VEXTRACTF128(Imm(1), e, half)
		VCVTPS2PD(e.AsX(), one)
		VCVTPS2PD(half, two)
	}
	set(low.e, one)
	set(high.e, two)
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
