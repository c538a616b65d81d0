package emulated

import (
	"encoding/binary"
	"math"
)

// value is an instruction that makes a number of others, all as bits.
type value struct {
	sources int
	of      func(x, y, z uint64) uint64
}

func double(x uint64) float64 { return math.Float64frombits(x) }
func single(x uint64) float32 { return math.Float32frombits(uint32(x)) }

func ofDoubles(f func(x, y float64) float64) func(x, y, z uint64) uint64 {
	return func(x, y, _ uint64) uint64 { return math.Float64bits(f(double(x), double(y))) }
}

func ofSingles(f func(x, y float32) float32) func(x, y, z uint64) uint64 {
	return func(x, y, _ uint64) uint64 { return uint64(math.Float32bits(f(single(x), single(y)))) }
}

func compared[T any](as func(uint64) T, f func(x, y T) bool) value {
	return value{2, func(x, y, _ uint64) uint64 { return truth(f(as(x), as(y))) }}
}

func truth(is bool) uint64 {
	if is {
		return 1
	}
	return 0
}

func word(x uint64) uint32       { return uint32(x) }
func long(x uint64) uint64       { return x }
func same(x, _, _ uint64) uint64 { return x }

func chosen(x, y, z uint64) uint64 {
	if z != 0 {
		return x
	}
	return y
}

// fused multiplies and adds in single precision, rounded once: the product is exact in double precision, and a sum that is not goes to its odd neighbour,
// from which rounding goes where it would from the sum itself.
func fused(x, y, z uint64) uint64 {
	product, to := float64(float64(single(x))*float64(single(y))), float64(single(z))
	sum := product + to
	back := sum - product
	missed := (product - (sum - back)) + (to - back)
	if b := math.Float64bits(sum); missed != 0 && b&1 == 0 && !math.IsInf(sum, 0) {
		if missed > 0 == (sum > 0) {
			sum = math.Float64frombits(b + 1)
		} else {
			sum = math.Float64frombits(b - 1)
		}
	}
	return uint64(math.Float32bits(float32(sum)))
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// values are all instructions of that kind that kernels have.
var values = map[string]value{
	"mov.u32": {1, same}, "mov.u64": {1, same}, "mov.b64": {1, same}, "mov.f64": {1, same}, "mov.f32": {1, same}, "mov.pred": {1, same},

	"add.rn.f64":  {2, ofDoubles(func(x, y float64) float64 { return x + y })},
	"sub.rn.f64":  {2, ofDoubles(func(x, y float64) float64 { return x - y })},
	"mul.rn.f64":  {2, ofDoubles(func(x, y float64) float64 { return x * y })},
	"div.rn.f64":  {2, ofDoubles(func(x, y float64) float64 { return x / y })},
	"fma.rn.f64":  {3, func(x, y, z uint64) uint64 { return math.Float64bits(math.FMA(double(x), double(y), double(z))) }},
	"sqrt.rn.f64": {1, ofDoubles(func(x, _ float64) float64 { return math.Sqrt(x) })},
	"neg.f64":     {1, func(x, _, _ uint64) uint64 { return x ^ 1<<63 }},
	"abs.f64":     {1, func(x, _, _ uint64) uint64 { return x &^ (1 << 63) }},

	"add.rn.f32":  {2, ofSingles(func(x, y float32) float32 { return x + y })},
	"sub.rn.f32":  {2, ofSingles(func(x, y float32) float32 { return x - y })},
	"mul.rn.f32":  {2, ofSingles(func(x, y float32) float32 { return x * y })},
	"div.rn.f32":  {2, ofSingles(func(x, y float32) float32 { return x / y })},
	"fma.rn.f32":  {3, fused},
	"sqrt.rn.f32": {1, ofSingles(func(x, _ float32) float32 { return float32(math.Sqrt(float64(x))) })},
	"neg.f32":     {1, func(x, _, _ uint64) uint64 { return x ^ 1<<31 }},
	"abs.f32":     {1, func(x, _, _ uint64) uint64 { return x &^ (1 << 31) }},

	"cvt.u64.u32":     {1, func(x, _, _ uint64) uint64 { return uint64(uint32(x)) }},
	"cvt.u32.u64":     {1, func(x, _, _ uint64) uint64 { return uint64(uint32(x)) }},
	"cvt.f64.f32":     {1, func(x, _, _ uint64) uint64 { return math.Float64bits(float64(single(x))) }},
	"cvt.rn.f32.f64":  {1, func(x, _, _ uint64) uint64 { return uint64(math.Float32bits(float32(double(x)))) }},
	"cvt.rmi.f64.f64": {1, ofDoubles(func(x, _ float64) float64 { return math.Floor(x) })},
	"cvt.rzi.f64.f64": {1, ofDoubles(func(x, _ float64) float64 { return math.Trunc(x) })},
	"cvt.rn.f64.s64":  {1, func(x, _, _ uint64) uint64 { return math.Float64bits(float64(int64(x))) }},

	"add.u64": {2, func(x, y, _ uint64) uint64 { return x + y }},
	"add.s64": {2, func(x, y, _ uint64) uint64 { return x + y }},
	"sub.u64": {2, func(x, y, _ uint64) uint64 { return x - y }},
	"min.u64": {2, func(x, y, _ uint64) uint64 { return min(x, y) }},
	"max.u64": {2, func(x, y, _ uint64) uint64 { return max(x, y) }},
	"div.u64": {2, func(x, y, _ uint64) uint64 { return x / max(1, y) }},
	"rem.u64": {2, func(x, y, _ uint64) uint64 { return x % max(1, y) }},
	"shl.b64": {2, func(x, y, _ uint64) uint64 { return x << uint32(y) }},
	"shr.u64": {2, func(x, y, _ uint64) uint64 { return x >> uint32(y) }},
	"and.b64": {2, func(x, y, _ uint64) uint64 { return x & y }},
	"or.b64":  {2, func(x, y, _ uint64) uint64 { return x | y }},
	"add.u32": {2, func(x, y, _ uint64) uint64 { return uint64(uint32(x + y)) }},
	"shl.b32": {2, func(x, y, _ uint64) uint64 { return uint64(uint32(x) << uint32(y)) }},

	"mul.lo.u32":   {2, func(x, y, _ uint64) uint64 { return uint64(uint32(x) * uint32(y)) }},
	"mul.wide.u32": {2, func(x, y, _ uint64) uint64 { return uint64(uint32(x)) * uint64(uint32(y)) }},
	"mad.wide.u32": {3, func(x, y, z uint64) uint64 { return uint64(uint32(x))*uint64(uint32(y)) + z }},
	"mad.lo.u64":   {3, func(x, y, z uint64) uint64 { return x*y + z }},

	"and.pred":  {2, func(x, y, _ uint64) uint64 { return x & y }},
	"or.pred":   {2, func(x, y, _ uint64) uint64 { return x | y }},
	"not.pred":  {1, func(x, _, _ uint64) uint64 { return x ^ 1 }},
	"selp.f64":  {3, chosen},
	"selp.f32":  {3, chosen},
	"selp.b64":  {3, chosen},
	"selp.pred": {3, chosen},

	"setp.lt.f64":  compared(double, func(x, y float64) bool { return x < y }),
	"setp.le.f64":  compared(double, func(x, y float64) bool { return x <= y }),
	"setp.eq.f64":  compared(double, func(x, y float64) bool { return x == y }),
	"setp.neu.f64": compared(double, func(x, y float64) bool { return x != y }),
	"setp.lt.f32":  compared(single, func(x, y float32) bool { return x < y }),
	"setp.le.f32":  compared(single, func(x, y float32) bool { return x <= y }),
	"setp.eq.f32":  compared(single, func(x, y float32) bool { return x == y }),
	"setp.neu.f32": compared(single, func(x, y float32) bool { return x != y }),
	"setp.eq.u32":  compared(word, func(x, y uint32) bool { return x == y }),
	"setp.ne.u32":  compared(word, func(x, y uint32) bool { return x != y }),
	"setp.lt.u32":  compared(word, func(x, y uint32) bool { return x < y }),
	"setp.ge.u32":  compared(word, func(x, y uint32) bool { return x >= y }),
	"setp.lt.u64":  compared(long, func(x, y uint64) bool { return x < y }),
	"setp.gt.u64":  compared(long, func(x, y uint64) bool { return x > y }),
	"setp.ge.u64":  compared(long, func(x, y uint64) bool { return x >= y }),

	"testp.finite.f64": {1, func(x, _, _ uint64) uint64 { return truth(isFinite(double(x))) }},
	"testp.finite.f32": {1, func(x, _, _ uint64) uint64 { return truth(isFinite(float64(single(x)))) }},
}

// access is an instruction that reads or writes memory.
type access struct {
	isShared bool
	numbers  int // one behind the other
	do       func(memory []byte, register *uint64)
}

// accesses are all that kernels have, but for how long a number is.
var accesses = map[string]access{
	"ld.global": {false, 1, load}, "ld.global.nc": {false, 1, load}, "ld.volatile.global": {false, 1, load}, "ld.shared": {true, 1, load},
	"ld.global.nc.v2": {false, 2, load}, "ld.shared.v2": {true, 2, load},
	"st.global": {false, 1, store}, "st.shared": {true, 1, store},
	"red.global.max": {false, 1, func(memory []byte, register *uint64) {
		before := uint64(0)
		load(memory, &before)
		larger := max(before, *register)
		store(memory, &larger)
	}},
}

func load(memory []byte, register *uint64) {
	if len(memory) == 4 {
		*register = uint64(binary.LittleEndian.Uint32(memory))
		return
	}
	*register = binary.LittleEndian.Uint64(memory)
}

func store(memory []byte, register *uint64) {
	if len(memory) == 4 {
		binary.LittleEndian.PutUint32(memory, uint32(*register))
		return
	}
	binary.LittleEndian.PutUint64(memory, *register)
}
