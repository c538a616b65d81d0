package emulated

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// Codes are those of the driver's book, by their numbers there.
func TestCodesAreThoseOfTheBook(t *testing.T) {
	for name, is := range map[string][2]int{
		"INVALID_VALUE": {codeInvalid, 1}, "OUT_OF_MEMORY": {codeNoRoom, 2}, "INVALID_DEVICE": {codeNoDevice, 101}, "INVALID_CONTEXT": {codeNoContext, 201}, "INVALID_PTX": {codeBadText, 218},
		"INVALID_HANDLE": {codeHandle, 400}, "NOT_FOUND": {codeNotFound, 500}, "ILLEGAL_ADDRESS": {codeAddress, 700}, "LAUNCH_TIMEOUT": {codeTimeout, 702}, "MISALIGNED_ADDRESS": {codeMisaligned, 716}, "UNKNOWN": {codeUnknown, 999},
	} {
		if is[0] != is[1] {
			t.Errorf("CUDA_ERROR_%s is %d, want %d", name, is[0], is[1])
		}
	}
}

// Numbers are compared as PTX has it: what is not a number is neither less than, nor equal to, nor as much as anything, and neu is true of it. Numbers of 32 bits have no others.
func TestComparisons(t *testing.T) {
	const high = 1 << 40
	nan := math.NaN()
	for name, want := range map[string][5]uint64{ // of 1 and 2, 2 and 2, 2 and 1, none and 1, 1 and none
		"setp.lt.f64": {1, 0, 0, 0, 0}, "setp.le.f64": {1, 1, 0, 0, 0}, "setp.eq.f64": {0, 1, 0, 0, 0}, "setp.neu.f64": {1, 0, 1, 1, 1},
		"setp.lt.f32": {1, 0, 0, 0, 0}, "setp.le.f32": {1, 1, 0, 0, 0}, "setp.eq.f32": {0, 1, 0, 0, 0}, "setp.neu.f32": {1, 0, 1, 1, 1},
		"setp.eq.u32": {0, 1, 0}, "setp.ne.u32": {1, 0, 1}, "setp.lt.u32": {1, 0, 0}, "setp.ge.u32": {0, 1, 1},
		"setp.lt.u64": {1, 0, 0}, "setp.gt.u64": {0, 0, 1}, "setp.ge.u64": {0, 1, 1},
	} {
		for i, pair := range [][2]float64{{1, 2}, {2, 2}, {2, 1}, {nan, 1}, {1, nan}} {
			var x, y uint64
			switch name[len(name)-3:] {
			case "f64":
				x, y = bits(pair[0]), bits(pair[1])
			case "f32":
				x, y = short(float32(pair[0]))|high, short(float32(pair[1]))
			case "u32":
				x, y = uint64(pair[0])|high, uint64(pair[1])
			default:
				x, y = uint64(pair[0])<<40, uint64(pair[1])<<40
			}
			if isWhole := name[len(name)-3] == 'u'; isWhole && i > 2 {
				continue
			}
			if got := values[name].of(x, y, 0); got != want[i] {
				t.Errorf("%s of %v is %d, want %d", name, pair, got, want[i])
			}
		}
	}
}

// Quotients and rests of nothing are those by 1, of all others their own; by hand.
func TestQuotientsAndRests(t *testing.T) {
	for _, one := range [][4]uint64{{17, 0, 17, 0}, {17, 1, 17, 0}, {17, 2, 8, 1}, {17, 3, 5, 2}, {17, 18, 0, 17}} {
		if q, r := values["div.u64"].of(one[0], one[1], 0), values["rem.u64"].of(one[0], one[1], 0); q != one[2] || r != one[3] {
			t.Errorf("%d by %d is %d, and %d is left; want %d and %d", one[0], one[1], q, r, one[2], one[3])
		}
	}
}

// A product and a sum in single precision are rounded once, as numbers of any length say: of numbers of all sizes, and of those that lie just beside what separates two.
func TestFusedAgainstBigFloats(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	number := func() float32 {
		switch x := math.Float32frombits(r.Uint32()); {
		case x != x || math.IsInf(float64(x), 0):
			return 1
		case r.IntN(2) == 0:
			return float32(math.Copysign(1+float64(r.IntN(1<<12))*0x1p-12, float64(x))) // whose products lie halfway
		default:
			return x
		}
	}
	for range 20_000 {
		x, y, z := number(), number(), number()
		if r.IntN(2) == 0 {
			z = float32(math.Ldexp(r.Float64()-0.5, -r.IntN(80)))
		}
		sum := new(big.Float).SetPrec(1000).SetFloat64(float64(x))
		sum.Mul(sum, new(big.Float).SetFloat64(float64(y)))
		sum.Add(sum, new(big.Float).SetFloat64(float64(z)))
		want, _ := sum.Float32()
		if got := single(fused(short(x), short(y), short(z))); got != want {
			t.Fatalf("%v · %v + %v is %v, want %v", x, y, z, got, want)
		}
	}
}

// Blocks run one after the other, in rows of blocks, each with shared memory that others have left; a kernel need not say that it ends.
func TestBlocksAndRows(t *testing.T) {
	all, err := read(written+`.visible .entry k(.param .u64 at, .param .u64 step)
{
	.reg .u64 %at, %step, %u, %v; .reg .u32 %x, %y, %t; .reg .pred %p;
	.shared .align 8 .b8 odd[17];
	.shared .align 16 .b8 room[16];
	.shared .align 16 .b8 last[8];
	ld.param.u64 %at, [at];
	ld.param.u64 %step, [step];
	mov.u32 %x, %ctaid.x;
	mov.u32 %y, %ctaid.y;
	mov.u32 %t, %tid.x;
	mad.wide.u32 %u, %y, 96, %at;
	mad.wide.u32 %u, %x, 32, %u;
	mad.wide.u32 %u, %t, 8, %u;
	setp.eq.u32 %p, %t, 1;
	@%p st.global.u64 [%u], %step;
	@%p ret;
	setp.eq.u32 %p, %t, 2;
	mov.u64 %v, room;
	@%p mov.u64 %v, last;
	@%p st.global.u64 [%u], %v;
	setp.eq.u32 %p, %t, 3;
	mov.u64 %v, last;
	ld.shared.b64 %v, [%v];
	@%p st.global.b64 [%u], %v;
	mov.u64 %v, last;
	@%p st.shared.u64 [%v], 5;
	setp.eq.u32 %p, %t, 0;
	mov.u64 %v, room;
	@%p st.global.u64 [%u], %v;
}
`, "")
	if err != nil {
		t.Fatal(err)
	}
	d := New()
	from := d.take(8*26, true)
	got := d.memory[0].whole[clearance:][:26]
	if code := d.run(all["k"], 3, 2, 4, []uint64{from, 77}); code != 0 {
		t.Fatal(code)
	}
	// Shared memory: odd from 0 to 17, room at 32, last at 48.
	if want := append(slices.Repeat([]uint64{32, 77, 48, 0xa5a5a5a5a5a5a5a5}, 6), 0, 0); !slices.Equal(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	if all["k"].bytes != 56 {
		t.Errorf("%d bytes are shared, want 56", all["k"].bytes)
	}
}

// After a fault no other block runs, and its code is told.
func TestAFaultStopsBlocks(t *testing.T) {
	all, err := read(body("\tmov.u32 %w0, %ctaid.x;\n\tmad.wide.u32 %u0, %w0, 8, %at;\n\tst.global.u64 [%u0], 1;\n\tsetp.eq.u32 %p, %w0, 1;\n\t@%p st.global.u64 [%at+4], 1;\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	d := New()
	from := d.take(32, true)
	if code := d.run(all["k"], 4, 1, 1, []uint64{from}); code != codeMisaligned || !slices.Equal(d.memory[0].whole[clearance:][:4], []uint64{1, 1, 0, 0}) {
		t.Errorf("%d, %v", code, d.memory[0].whole[clearance:][:4])
	}
}

// Every instruction reads or writes as many numbers as it says, of 4 bytes or of 8, where it says: of 64 bits in shared memory they are those that were written there, and the
// largest of two words is kept whole.
func TestReadingAndWriting(t *testing.T) {
	got, code := ran(t, `	.shared .align 16 .b8 room[32];
	mov.u64 %u0, room;
	ld.global.nc.f64 %x, [%at];
	ld.volatile.global.f64 %y, [%at+8];
	st.shared.f64 [%u0], %y;
	st.shared.f64 [%u0+8], %x;
	ld.shared.v2.f64 {%x, %z}, [%u0];
	st.global.f64 [%at+16], %x;
	st.global.f64 [%at+24], %z;
	ld.global.nc.f32 %s, [%at+4];
	ld.volatile.global.f32 %t, [%at];
	st.shared.f32 [%u0+20], %s;
	st.shared.f32 [%u0+16], %t;
	ld.shared.v2.f32 {%t, %s}, [%u0+16];
	ld.shared.f32 %r, [%u0+20];
	st.global.f32 [%at+32], %s;
	st.global.f32 [%at+36], %t;
	st.global.f32 [%at+40], %r;
	red.global.max.u64 [%at+48], 5;
	red.global.max.u64 [%at+56], 5;
`, 1, 1<<33|7, 1<<40|2, 0, 0, 0, 9<<32, 4, 1<<60)
	if want := []uint64{1<<33 | 7, 1<<40 | 2, 1<<40 | 2, 1<<33 | 7, 7<<32 | 2, 9<<32 | 2, 5, 1 << 60}; code != 0 || !slices.Equal(got, want) {
		t.Errorf("%x, %d, want %x", got, code, want)
	}
	for _, wrong := range []string{"ld.global.nc.f64 {%x, %y}, [%at]", "ld.shared.f64 {%x, %y}, [0]", "ld.shared.v2.f64 %x, [0]", "ld.volatile.global.f64 {%x, %y}, [%at]", "st.global.f64 [%at], {%x, %y}", "st.shared.f64 [0], {%x, %y}", "red.global.max.u64 [%at], {%x, %y}"} {
		if _, err := read(body("\t"+wrong+";\n"), ""); err == nil {
			t.Errorf("taken: %s", wrong)
		}
	}
}

// After a fault nothing more is done by the threads that are there, and one that has nothing to do with it has its steps before.
func TestNothingIsDoneAfterAFault(t *testing.T) {
	got, code := ran(t, "\tst.global.u64 [%at], 1;\n\tst.global.u64 [%at+12], 1;\n\tst.global.u64 [%at+8], 1;\n\tbra DONE;\n", 2, 0, 0, 0)
	if code != codeMisaligned || !slices.Equal(got, []uint64{1, 0, 0}) {
		t.Errorf("%v, %d", got, code)
	}
}

// A block may take 2²⁶ steps of its threads, and not one more.
func TestStepsOfABlock(t *testing.T) {
	all, err := read(body("\tmov.u64 %u0, 1;\n"), "") // three steps with the parameter and the end, of two threads
	if err != nil {
		t.Fatal(err)
	}
	k := all["k"]
	for before, want := range map[int]int{0: 0, 1<<26 - 6: 0, 1<<26 - 5: codeTimeout, 1 << 26: codeTimeout} {
		b := &block{driver: New(), args: []uint64{0}, threads: 2, x: make([]uint64, 2*len(k.first)), at: make([]int, 2), waits: make([]bool, 2), ended: make([]bool, 2), done: before}
		if b.together(k); b.fault != want || want == 0 && b.done != before+6 {
			t.Errorf("after %d steps: %d, %d are done", before, b.fault, b.done)
		}
	}
}

// Texts may have numbers as bits, offsets and names of shared memory; what is nearly that is refused.
func TestNearlyTexts(t *testing.T) {
	got, code := ran(t, "\tmov.f64 %x, 0dbff8000000000000;\n\tst.global.f64 [%at], %x;\n\tmov.b64 %b0, 0dffffffffffffffff;\n\tst.global.b64 [%at+8], %b0;\n\tmov.u64 %u0, -19;\n\tst.global.u64 [%at+16], %u0;\n\tld.global.b64 %b1, [%at+16];\n\tst.global.b64 [%at+24], %b1;\n", 1, 0, 0, 0, 0)
	if want := []uint64{bits(-1.5), 1<<64 - 1, 1<<64 - 19, 1<<64 - 19}; code != 0 || !slices.Equal(got, want) {
		t.Errorf("%x, %d, want %x", got, code, want)
	}
	for _, one := range []string{
		written + "{\n", body("") + "{\n", written + ".visible .entry k(.param .u64 at)\n{\nDONE:\nDONE:\n\tret;\n}\n", body("\tld.param.u64 %no, [at];\n"), body("\tmov.f64 %x, 0d3ff000000000000g;\n"),
		body("\tld.global.v2.f64 {%x, %y}, [%at];\n"), body("\tld.global.nc.v2.f64 %x, [%at];\n"), body("\tld.global.f64 %x, [%at], 8;\n"), body("\tmov.u64 %u0, 9223372036854775808;\n"),
	} {
		if _, err := read(one, ""); err == nil {
			t.Errorf("taken: %s", one)
		}
	}
}
