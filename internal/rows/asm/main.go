// Command asm writes the vector kernels of package rows. It is a module of its own, so that users of kedge need nothing of
// it. Run it by "go generate ./rows".
//
// Every kernel repeats its plain twin in package rows operation by operation: sums in four lanes, entry i in lane i mod 4,
// products rounded before they are added unless the twin says math.FMA, lanes added as (0+2) + (1+3). So both give the same
// bits. Kernels that gain by it are written twice, for AVX2 and for AVX-512.
package main

import (
	"bytes"
	"flag"
	"go/format"
	"math"
	"os"
	"regexp"
	"strings"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	tails = tailMasks()
	inTurn(dot, addScaled, finite, scale, distance, maxAbs, extent, cut, above, mix, rest, blend, products, cosines)
	for _, wide = range []bool{false, true} {
		inTurn(secular, exponentials, softmax, logarithms, entropy, gauss, stepTiles(false), stepTiles(true))
	}
	philox()
	wide = false
	inTurn(gaps, scaleRows, addScaledRows, dots, combine2, combine3)
	inTurn(fourDots, productOf, sumOf, differenceOf, addRows, widen, narrow)
	Generate()
	if err := others(flag.Lookup("stubs").Value.String()); err != nil {
		panic(err)
	}
}

// others writes beside the stubs what stands in their place on processors without kernels.
func others(stubs string) error {
	text, err := os.ReadFile(stubs)
	if err != nil {
		return err
	}
	text = bytes.Replace(text, []byte("//go:build "), []byte("//go:build !"), 1)
	text = bytes.ReplaceAll(text, []byte("//\n//go:noescape\n"), nil)
	text = regexp.MustCompile("(?m)^func .*$").ReplaceAll(text, []byte("$0 { panic(noKernel) }"))
	if text, err = format.Source(text); err != nil {
		return err
	}
	return os.WriteFile(strings.Replace(stubs, "amd64", "other", 1), text, 0o644)
}

func inTurn(kernels ...func()) {
	for _, write := range kernels {
		write()
	}
}

// tails is where the table of masks stands in memory.
var tails Mem

// tailMasks is a table whose entry r selects the first r of four lanes.
func tailMasks() Mem {
	m := GLOBL("tailMasks", RODATA|NOPTR)
	for r := range 4 {
		for lane := range 4 {
			v := uint64(0)
			if lane < r {
				v = ^uint64(0)
			}
			DATA(32*r+8*lane, U64(v))
		}
	}
	return m
}

// span walks over entries in groups of four or eight, and once more over the rest under a mask.
type span struct {
	bytes GPVirtual // of the whole groups
	rest  GPVirtual // entries behind them
	mask  Op
}

// newSpan takes over n, the number of entries.
func newSpan(n GPVirtual) span {
	s := span{bytes: n, rest: GP64()}
	MOVQ(n, s.rest)
	ANDQ(Imm(uint64(lanes()-1)), s.rest)
	SUBQ(s.rest, s.bytes)
	SHLQ(Imm(3), s.bytes)
	s.mask = firstLanes(s.rest)
	return s
}

// firstLanes selects the first n lanes, not all of them.
func firstLanes(n GPVirtual) Op {
	at := GP64()
	if wide {
		k := K()
		XORQ(at, at)
		BTSQ(n, at)
		DECQ(at)
		KMOVW(at.As32(), k)
		return k
	}
	table, mask := GP64(), YMM()
	LEAQ(tails, table)
	MOVQ(n, at)
	SHLQ(Imm(5), at)
	VMOVUPD(Mem{Base: table, Index: at, Scale: 1}, mask)
	return mask
}

// group loads and stores as many entries as there are lanes, or under a mask fewer.
type group struct {
	mask   Op
	masked bool
}

func (g group) load(m Mem) VecVirtual {
	x := vec()
	switch {
	case !g.masked:
		VMOVUPD(m, x)
	case wide:
		VMOVUPD_Z(m, g.mask, x)
	default:
		VMASKMOVPD(m, g.mask, x)
	}
	return x
}

// times loads and multiplies by a.
func (g group) times(a VecVirtual, m Mem) VecVirtual {
	if !g.masked {
		x := vec()
		VMULPD(m, a, x)
		return x
	}
	x := g.load(m)
	VMULPD(a, x, x)
	return x
}

func (g group) store(x VecVirtual, m Mem) {
	switch {
	case !g.masked:
		VMOVUPD(x, m)
	case wide:
		VMOVUPD(x, g.mask, m)
	default:
		VMASKMOVPD(x, g.mask, m)
	}
}

// clear puts zeros beside what the mask selects.
func (g group) clear(x VecVirtual) {
	if g.masked {
		keep(g.mask, x)
	}
}

// or returns x, and other beside what the mask selects.
func (g group) or(x, other VecVirtual) VecVirtual {
	if !g.masked {
		return x
	}
	return choose(g.mask, x, other)
}

// walk emits body for every group, with j the byte offset of the group.
func (s span) walk(name string, body func(g group, j GPVirtual)) {
	s.walkMany(name, 1, func(g groups, j GPVirtual) { body(g[0], j) })
}

// walkMany emits body for several groups at a time as long as there are so many, and for what is left one by one.
func (s span) walkMany(name string, count int, body func(g groups, j GPVirtual)) {
	j := GP64()
	XORQ(j, j)
	if count > 1 {
		next := GP64()
		Label(name + "Many")
		LEAQ(Mem{Base: j}.Offset(count*8*lanes()), next)
		CMPQ(next, s.bytes)
		JG(LabelRef(name + "Loop"))
		body(make(groups, count), j)
		MOVQ(next, j)
		JMP(LabelRef(name + "Many"))
	}
	Label(name + "Loop")
	CMPQ(j, s.bytes)
	JGE(LabelRef(name + "Rest"))
	body(groups{{}}, j)
	ADDQ(Imm(uint64(8*lanes())), j)
	JMP(LabelRef(name + "Loop"))
	Label(name + "Rest")
	TESTQ(s.rest, s.rest)
	JZ(LabelRef(name + "Done"))
	body(groups{{s.mask, true}}, j)
	Label(name + "Done")
}

// each writes what one makes of the entries behind some pointers to dst, for several groups at a time.
func (s span) each(name string, count int, dst GPVirtual, one func(v []many) many, from ...GPVirtual) {
	s.walkMany(name, count, func(g groups, j GPVirtual) { g.store(one(g.loadAll(j, from)), dst, j) })
}

// sum adds up what one makes of the entries behind some pointers, which must be 0 beside them, in four lanes.
func (s span) sum(name string, one func(v []many) many, from ...GPVirtual) VecVirtual {
	sum := zero()
	s.walkMany(name, 1, func(g groups, j GPVirtual) { VADDPD(one(g.loadAll(j, from))[0], sum, sum) })
	return total(sum)
}

func at(base, j GPVirtual) Mem { return Mem{Base: base, Index: j, Scale: 1} }

func param(name string) GPVirtual { return Load(Param(name), GP64()).(GPVirtual) }

func zero() VecVirtual {
	x := vec()
	VXORPD(x, x, x)
	return x
}

// broadcast copies a scalar argument into all lanes, straight from memory: an instruction of the older kind in between
// would make the processor merge halves at every use.
func broadcast(name string) VecVirtual {
	y := vec()
	VBROADCASTSD(argument(name), y)
	return y
}

// argument is where an argument stands in memory.
func argument(name string) Mem {
	arg, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	return arg.Addr
}

// constants are the numbers that kernels share, by name.
type constants map[string]Mem

var known = constants{}

// bits copies a constant given by its bits into all lanes.
func bits(name string, v uint64) VecVirtual {
	if _, ok := known[name]; !ok {
		known[name] = ConstData(name, U64(v))
	}
	y := vec()
	VBROADCASTSD(known[name], y)
	return y
}

func constant(name string, v float64) VecVirtual { return bits(name, math.Float64bits(v)) }

// total adds the lanes of a as (0+2) + (1+3) into lane 0 of the result.
func total(a VecVirtual) VecVirtual {
	high, x := XMM(), XMM()
	VEXTRACTF128(Imm(1), a, high)
	VADDPD(high, a.AsX(), x)
	swapped := XMM()
	VPERMILPD(Imm(1), x, swapped)
	sum := XMM()
	VADDSD(swapped, x, sum)
	return sum
}

// totals adds the lanes of four vectors, each as total does.
func totals(a many) VecVirtual {
	low02, high02, low13, high13 := YMM(), YMM(), YMM(), YMM()
	VPERM2F128(Imm(0x20), a[2], a[0], low02)
	VPERM2F128(Imm(0x31), a[2], a[0], high02)
	VADDPD(high02, low02, low02)
	VPERM2F128(Imm(0x20), a[3], a[1], low13)
	VPERM2F128(Imm(0x31), a[3], a[1], high13)
	VADDPD(high13, low13, low13)
	sum := YMM()
	VHADDPD(low13, low02, sum)
	return sum
}
