package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/reg"
)

// logarithms does a vector of entries at a time.
func logarithms() {
	kernel("log", "(x *float64, n int)", "replaces every entry by its logarithm, as log does one by one.")
	x := param("x")
	newSpan(param("n")).each("log", sideBySide(2), x, func(v []many) many {
		return log(v[0]).orNaN(v[0], all("smallest", 0x1p-1022))
	}, x)
	finish()
}

// orNaN returns f where v is finite and not below least.
func (f many) orNaN(v, least many) many {
	return several(len(f), func(i int) VecVirtual {
		ok := compare(13, v[i], least.at(i))
		below := compare(2, v[i], constant("largest", math.MaxFloat64))
		return choose(both(below, ok), f[i], bits("nan", 0x7ff8000000000001))
	})
}

// entropy takes what is between 0 and the normal numbers for the smallest of those.
func entropy() {
	kernel("entropy", "(logs, x *float64, n int) float64",
		"writes the logarithms of x to logs, of the smallest normal number where that is larger, and returns the sum of x[i]·logs[i].")
	logs, x := param("logs"), param("x")
	s := newSpan(param("n"))
	sum := nothing()
	s.walkMany("entropy", sideBySide(2), func(g groups, j GPVirtual) {
		v := g.load(x, j)
		f := log(v.by(VMAXPD, all("smallest", 0x1p-1022))).orNaN(v, many{zero()})
		g.store(f, logs, j)
		g.accumulate(f.by(VMULPD, v), sum)
	})
	finish(total(sum))
}

// log returns log v of a positive normal number: v = 2ᵏ(1+f) with 1+f between √½ and √2, s = f/(2+f), log(1+f) = f − s(f − R), R = s²(2/3 + 2s²/5 + …).
func log(v many) many {
	t := v.by(VPADDQ, allBits("toOne", 0x3ff0000000000000-rootHalf))
	k := t.shifted(VPSRLQ, 52).by(or, allBits("twoTo52", 0x4330000000000000)).by(VSUBPD, all("twoTo52Bias", 0x1p52+1023))
	f := t.by(and, allBits("mantissa", 1<<52-1)).by(VPADDQ, allBits("rootHalf", rootHalf)).by(VSUBPD, all("c0", 1))
	s := f.by(VDIVPD, f.by(VADDPD, all("two", 2)))
	z := s.by(VMULPD, s)
	r := odd(z).fuse(VFNMADD213PD, f, z).by(VMULPD, s) // s(f − R)
	r.fuse(VFNMADD231PD, all("ln2low", 0x1.473de6af278edp-34), k)
	return f.by(VSUBPD, r).fuse(VFMADD231PD, all("ln2high", 0x1.62e42fefp-1), k)
}

// rootHalf is the bits of √½.
const rootHalf = 0x3fe6a09e667f3bcd

// odd returns Σ 2zⁱ/(2i+3) for i ≤ 9 in the order of its plain twin.
func odd(z many) many {
	coefficient := func(i int) (string, float64) { return fmt.Sprintf("o%d", i), 2 / float64(2*i+3) }
	first := func(i int) many { return pair(all(coefficient(i)), z.each(coefficient(i+1)), z) }
	z2 := z.by(VMULPD, z)
	z4 := z2.by(VMULPD, z2)
	low := pair(first(0), first(2), z2)
	next := pair(first(4), first(6), z2)
	return pair(pair(low, next, z4), first(8), z4.by(VMULPD, z4))
}
