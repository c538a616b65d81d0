package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// wide tells for which processors a kernel is being written: eight lanes and mask registers (AVX-512), or four lanes (AVX2).
var wide bool

// kernel begins a kernel, whose name gets the instruction set behind it.
func kernel(name, signature, does string) {
	name += map[bool]string{false: "AVX2", true: "AVX512"}[wide]
	TEXT(name, NOSPLIT, "func"+signature)
	Pragma("noescape")
	Doc(name + " " + does)
}

// finish ends a kernel and returns registers.
func finish(results ...Register) {
	VZEROUPPER()
	for i, r := range results {
		Store(r, ReturnIndex(i))
	}
	RET()
}

// lanes is how many numbers a vector holds.
func lanes() int {
	if wide {
		return 8
	}
	return 4
}

// vec is a new vector.
func vec() VecVirtual {
	if wide {
		return ZMM()
	}
	return YMM()
}

// newMask is a new selection of lanes: a vector of all ones and all zeros, or a mask register.
func newMask() Op {
	if wide {
		return K()
	}
	return YMM()
}

// compare returns where x compares to y as the predicate says.
func compare(predicate uint64, x, y VecVirtual) Op {
	m := newMask()
	VCMPPD(Imm(predicate), y, x, m)
	return m
}

// signed returns where x has its sign bit set; of x nothing else may be used.
func signed(x VecVirtual) Op {
	if wide {
		k := K()
		VPMOVQ2M(x, k)
		return k
	}
	return x
}

// both returns where both masks select.
func both(a, b Op) Op {
	m := newMask()
	if wide {
		KANDB(a, b, m)
	} else {
		VANDPD(a, b, m)
	}
	return m
}

// choose returns x where the mask selects and y elsewhere.
func choose(mask Op, x, y VecVirtual) VecVirtual {
	out := vec()
	if wide {
		VBLENDMPD(x, y, mask, out)
	} else {
		VBLENDVPD(mask, x, y, out)
	}
	return out
}

// keep puts zeros where the mask does not select.
func keep(mask Op, x VecVirtual) {
	if wide {
		VMOVAPD_Z(x, mask, x)
	} else {
		VANDPD(mask, x, x)
	}
}

// or and and work on bits.
func or(x ...Op) {
	if wide {
		VPORQ(x...)
	} else {
		VPOR(x[0], x[1], x[2])
	}
}

func and(x ...Op) {
	if wide {
		VPANDQ(x...)
	} else {
		VPAND(x[0], x[1], x[2])
	}
}

// nothing is four sums of nothing.
func nothing() VecVirtual {
	x := YMM()
	VXORPD(x, x, x)
	return x
}

// accumulate adds x to four sums, entry i to sum i mod 4.
func accumulate(x, sums VecVirtual) {
	VADDPD(x.AsY(), sums, sums)
	if wide {
		VADDPD(upper(x), sums, sums)
	}
}

// upper is the upper half of eight lanes.
func upper(x VecVirtual) VecVirtual {
	half := YMM()
	VEXTRACTF64X4(Imm(1), x, half)
	return half
}
