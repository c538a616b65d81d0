// Command asm writes the vector kernels of package rows. It is a module of its own, so that users of kedge need nothing of
// it. Run it by "go generate ./rows".
//
// Every kernel repeats its plain twin in package rows operation by operation: four lanes, entry i in lane i mod 4, products
// rounded before they are added unless the twin says math.FMA, lanes added as (0+2) + (1+3). So both give the same bits.
package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

func main() {
	ConstraintExpr("amd64")
	masks := tailMasks()
	dot(masks)
	addScaled(masks)
	finite(masks)
	scale(masks)
	distance(masks)
	maxAbs(masks)
	extent(masks)
	cut(masks)
	above(masks)
	mix(masks)
	rest(masks)
	blend(masks)
	products(masks)
	cosines(masks)
	secular()
	exponentials(masks)
	softmax(masks)
	logarithms(masks)
	entropy(masks)
	gauss()
	gaps()
	scaleRows(masks, false)
	scaleRows(masks, true)
	dots(masks)
	combine(masks, 2)
	combine(masks, 3)
	Generate()
}

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

// span walks over entries in groups of four, and once more over the rest under a mask.
type span struct {
	bytes GPVirtual // 8·(n − n mod 4)
	rest  GPVirtual // n mod 4
	mask  VecVirtual
}

// newSpan takes over n, the number of entries.
func newSpan(n GPVirtual, masks Mem) span {
	s := span{bytes: n, rest: GP64(), mask: YMM()}
	MOVQ(n, s.rest)
	ANDQ(Imm(3), s.rest)
	ANDQ(I8(-4), s.bytes)
	SHLQ(Imm(3), s.bytes)
	at, table := GP64(), GP64()
	LEAQ(masks, table)
	MOVQ(s.rest, at)
	SHLQ(Imm(5), at)
	VMOVUPD(Mem{Base: table, Index: at, Scale: 1}, s.mask)
	return s
}

// group loads and stores four entries, or under a mask fewer.
type group struct {
	mask   VecVirtual
	masked bool
}

func (g group) load(m Mem) VecVirtual {
	x := YMM()
	if g.masked {
		VMASKMOVPD(m, g.mask, x)
	} else {
		VMOVUPD(m, x)
	}
	return x
}

// times loads and multiplies by a.
func (g group) times(a VecVirtual, m Mem) VecVirtual {
	if !g.masked {
		x := YMM()
		VMULPD(m, a, x)
		return x
	}
	x := g.load(m)
	VMULPD(a, x, x)
	return x
}

func (g group) store(x VecVirtual, m Mem) {
	if g.masked {
		VMASKMOVPD(x, g.mask, m)
	} else {
		VMOVUPD(x, m)
	}
}

// clear puts zeros beside what the mask selects.
func (g group) clear(x VecVirtual) {
	if g.masked {
		VANDPD(g.mask, x, x)
	}
}

// walk emits body for every group, with j the byte offset of the group.
func (s span) walk(name string, body func(g group, j GPVirtual)) {
	j := GP64()
	XORQ(j, j)
	Label(name + "Loop")
	CMPQ(j, s.bytes)
	JGE(LabelRef(name + "Rest"))
	body(group{}, j)
	ADDQ(Imm(32), j)
	JMP(LabelRef(name + "Loop"))
	Label(name + "Rest")
	TESTQ(s.rest, s.rest)
	JZ(LabelRef(name + "Done"))
	body(group{s.mask, true}, j)
	Label(name + "Done")
}

func at(base, j GPVirtual) Mem { return Mem{Base: base, Index: j, Scale: 1} }

func param(name string) GPVirtual { return Load(Param(name), GP64()).(GPVirtual) }

func zero() VecVirtual {
	x := YMM()
	VXORPD(x, x, x)
	return x
}

// broadcast copies a scalar argument into all lanes, straight from memory: an instruction of the older kind in between
// would make the processor merge halves at every use.
func broadcast(name string) VecVirtual {
	arg, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	y := YMM()
	VBROADCASTSD(arg.Addr, y)
	return y
}

// constants are the numbers that kernels share, by name.
type constants map[string]Mem

var known = constants{}

// bits copies a constant given by its bits into all lanes.
func bits(name string, v uint64) VecVirtual {
	if _, ok := known[name]; !ok {
		known[name] = ConstData(name, U64(v))
	}
	y := YMM()
	VBROADCASTSD(known[name], y)
	return y
}

func constant(name string, v float64) VecVirtual { return bits(name, math.Float64bits(v)) }

// fused returns a·b + c, rounded once.
func fused(a, b, c VecVirtual) VecVirtual {
	x := YMM()
	VMOVAPD(c, x)
	VFMADD231PD(a, b, x)
	return x
}

// pair returns a + b·x, rounded once, in the place of b.
func pair(a, b, x VecVirtual) VecVirtual {
	VFMADD213PD(a, x, b)
	return b
}

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
func totals(a [4]VecVirtual) VecVirtual {
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
