package emulated

import (
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/heap"
)

const written = ".version 7.0\n.target sm_70\n.address_size 64\n"

// body is a kernel of one parameter with some registers of each kind.
func body(lines string) string {
	return written + ".visible .entry k(.param .u64 at)\n{\n\t.reg .u64 %at, %u0, %u1; .reg .b64 %b<3>; .reg .u32 %w0, %w1; .reg .pred %p, %q; .reg .f64 %x, %y, %z; .reg .f32 %s, %t, %r;\n\tld.param.u64 %at, [at];\n" + lines + "DONE:\n\tret;\n}\n"
}

// ran runs a kernel of one block on some numbers, and returns what they have become.
func ran(t *testing.T, lines string, threads int, numbers ...uint64) ([]uint64, int) {
	t.Helper()
	d := New()
	all, err := read(body(lines), "")
	if err != nil {
		t.Fatal(err)
	}
	from := d.take(8*len(numbers), true)
	words := d.memory[0].whole[clearance:]
	copy(words, numbers)
	code := d.run(all["k"], 1, 1, threads, []uint64{from})
	return words[:len(numbers)], code
}

// A kernel may begin with a label.
func TestLabelsAtTheBeginning(t *testing.T) {
	if _, err := read(written+".visible .entry k(.param .u64 at)\n{\nDONE:\n\tret;\n}\n", ""); err != nil {
		t.Error(err)
	}
}

func bits(x float64) uint64  { return math.Float64bits(x) }
func short(x float32) uint64 { return uint64(math.Float32bits(x)) }

// Every instruction makes what NVIDIA's book of PTX says it makes; numbers are closed forms.
func TestInstructions(t *testing.T) {
	tiny := float32(math.Ldexp(1, -30))
	for name, one := range map[string]struct {
		x, y, z, want uint64
	}{
		"add.rn.f64": {bits(1), bits(0x1p-53), 0, bits(1)}, "sub.rn.f64": {bits(1), bits(3), 0, bits(-2)}, "mul.rn.f64": {bits(3), bits(-2), 0, bits(-6)},
		"div.rn.f64": {bits(1), bits(4), 0, bits(0.25)}, "sqrt.rn.f64": {bits(9), 0, 0, bits(3)},
		"fma.rn.f64": {bits(1 + 0x1p-30), bits(1 - 0x1p-30), bits(-1), bits(-0x1p-60)}, // a product that is rounded gives 0
		"neg.f64":    {bits(0), 0, 0, bits(math.Copysign(0, -1))}, "abs.f64": {bits(-2), 0, 0, bits(2)},
		"add.rn.f32": {short(1), short(2), 0, short(3)}, "sub.rn.f32": {short(1), short(2), 0, short(-1)}, "mul.rn.f32": {short(3), short(5), 0, short(15)}, "div.rn.f32": {short(1), short(3), 0, short(1.0 / 3)},
		"sqrt.rn.f32": {short(2), 0, 0, short(math.Sqrt2)}, "neg.f32": {short(2), 0, 0, short(-2)}, "abs.f32": {short(-2), 0, 0, short(2)},
		"fma.rn.f32":  {short(2), short(3), short(1), short(7)},
		"cvt.u64.u32": {1<<40 + 7, 0, 0, 7}, "cvt.u32.u64": {1<<40 + 7, 0, 0, 7}, "cvt.f64.f32": {short(1.5), 0, 0, bits(1.5)}, "cvt.rn.f32.f64": {bits(1 + 0x1p-40), 0, 0, short(1)},
		"cvt.rmi.f64.f64": {bits(-1.5), 0, 0, bits(-2)}, "cvt.rzi.f64.f64": {bits(-1.5), 0, 0, bits(-1)}, "cvt.rn.f64.s64": {^uint64(0), 0, 0, bits(-1)},
		"add.u64": {5, 7, 0, 12}, "add.s64": {5, ^uint64(0), 0, 4}, "sub.u64": {5, 7, 0, ^uint64(1)}, "min.u64": {5, 7, 0, 5}, "max.u64": {5, 7, 0, 7}, "div.u64": {17, 1, 0, 17}, "rem.u64": {17, 5, 0, 2},
		"shl.b64": {3, 40, 0, 3 << 40}, "shr.u64": {1 << 63, 63, 0, 1}, "and.b64": {6, 3, 0, 2}, "or.b64": {6, 3, 0, 7}, "add.u32": {1<<32 - 1, 2, 0, 1}, "shl.b32": {3, 31, 0, 1 << 31},
		"mul.lo.u32": {1 << 31, 3, 0, 1 << 31}, "mul.wide.u32": {1<<32 - 1, 3, 0, 3 * (1<<32 - 1)}, "mad.wide.u32": {1<<32 - 1, 3, 5, 3*(1<<32-1) + 5}, "mad.lo.u64": {1 << 40, 3, 5, 3<<40 + 5},
		"and.pred": {1, 0, 0, 0}, "or.pred": {1, 0, 0, 1}, "not.pred": {1, 0, 0, 0}, "selp.f64": {5, 7, 1, 5}, "selp.f32": {5, 7, 0, 7}, "selp.b64": {5, 7, 0, 7}, "selp.pred": {0, 1, 1, 0},
		"setp.lt.f64": {bits(-1), bits(1), 0, 1}, "setp.le.f64": {bits(1), bits(1), 0, 1}, "setp.eq.f64": {bits(0), bits(math.Copysign(0, -1)), 0, 1}, "setp.neu.f64": {bits(math.NaN()), bits(1), 0, 1},
		"setp.lt.f32": {short(1), short(1), 0, 0}, "setp.le.f32": {short(tiny), short(0), 0, 0}, "setp.eq.f32": {short(2), short(2), 0, 1}, "setp.neu.f32": {short(2), short(2), 0, 0},
		"setp.eq.u32": {1<<32 + 1, 1, 0, 1}, "setp.ne.u32": {1, 2, 0, 1}, "setp.lt.u32": {1, 1, 0, 0}, "setp.ge.u32": {1, 1, 0, 1}, "setp.lt.u64": {1, 1 << 40, 0, 1}, "setp.gt.u64": {1, 1, 0, 0}, "setp.ge.u64": {1, 1, 0, 1},
		"testp.finite.f64": {bits(math.Inf(1)), 0, 0, 0}, "testp.finite.f32": {short(1), 0, 0, 1},
		"mov.u32": {9, 0, 0, 9}, "mov.u64": {9, 0, 0, 9}, "mov.b64": {9, 0, 0, 9}, "mov.f64": {9, 0, 0, 9}, "mov.f32": {9, 0, 0, 9}, "mov.pred": {1, 0, 0, 1},
	} {
		if got := values[name].of(one.x, one.y, one.z); got != one.want {
			t.Errorf("%s of %x, %x, %x is %x, want %x", name, one.x, one.y, one.z, got, one.want)
		}
	}
	for name := range values {
		want := 2
		switch word, _, _ := strings.Cut(name, "."); word {
		case "mov", "sqrt", "neg", "abs", "cvt", "not", "testp":
			want = 1
		case "fma", "mad", "selp":
			want = 3
		}
		for n := 1; n < 5; n++ {
			_, err := read(body("\t"+name+" %b0"+strings.Repeat(", %b1", n)+";\n"), "")
			if (err == nil) != (n == want) {
				t.Errorf("%s of %d numbers: %v", name, n, err)
			}
		}
	}
}

// Sums of single precision are rounded once: of numbers whose sum in double precision lies on what separates two, the exact one does not.
func TestFusedIsRoundedOnce(t *testing.T) {
	for _, one := range []struct {
		x, y, z, want float32
	}{
		{1, 1, 0x1p-24, 1},                         // halfway, to even
		{1 + 0x1p-12, 1 + 0x1p-12, 0, 1 + 0x1p-11}, // 1 + 2⁻¹¹ + 2⁻²⁴: halfway, to even
		{1 + 0x1p-12, 1 + 0x1p-12, 0x1p-80, 1 + 0x1p-11 + 0x1p-23},
		{1 + 0x1p-12, 1 + 0x1p-12, -0x1p-80, 1 + 0x1p-11},
		{-1 - 0x1p-12, 1 + 0x1p-12, -0x1p-80, -1 - 0x1p-11 - 0x1p-23},
		{-1 - 0x1p-12, 1 + 0x1p-12, 0x1p-80, -1 - 0x1p-11},
		{1 + 0x1p-23, 1, 0x1p-24, 1 + 0x1p-22}, // exactly halfway, to the even one above
		{math.MaxFloat32, 2, 0, float32(math.Inf(1))},
		{0.5 + 0x1p-13, 1 + 0x1p-12, 0x1p-80, 0.5 + 0x1p-12 + 0x1p-24},
		{1 + 0x1p-12, 1 + 3*0x1p-12, -0x1p-80, 1 + 0x1p-10 + 0x1p-23},          // below 1 + 2⁻¹⁰ + 2⁻²³ + 2⁻²⁴, from where it goes up, to even
		{1 + 0x1p-12, 1 + 3*0x1p-12, 0x1p-75 - 0x1p-51, 1 + 0x1p-10 + 0x1p-23}, // the same, rounded to the second number below
		{1 + 0x1p-12, 1 + 0x1p-12, 0x1p-52 - 0x1p-76, 1 + 0x1p-11 + 0x1p-23},   // above halfway, rounded to the next number above
		{1 + 0x1p-12, 1 + 0x1p-12, 0x1p-51 - 0x1p-75, 1 + 0x1p-11 + 0x1p-23},   // and to the second
		{float32(math.Inf(1)), 1, 1, float32(math.Inf(1))},                     // which has no odd neighbour
		{float32(math.Inf(1)), -1, 1, float32(math.Inf(-1))},
	} {
		if got := single(fused(short(one.x), short(one.y), short(one.z))); got != one.want {
			t.Errorf("%v · %v + %v is %v, want %v", one.x, one.y, one.z, got, one.want)
		}
	}
}

// Neither infinity is finite, in both precisions, nor is what is no number; the largest numbers of both signs are.
func TestFiniteNumbers(t *testing.T) {
	for _, one := range []struct {
		x, most float64
		want    uint64
	}{
		{math.Inf(1), math.Inf(1), 0}, {math.Inf(-1), math.Inf(-1), 0}, {math.NaN(), math.NaN(), 0},
		{math.MaxFloat64, math.MaxFloat32, 1}, {-math.MaxFloat64, -math.MaxFloat32, 1}, {0, 0, 1},
	} {
		double, single := values["testp.finite.f64"].of(bits(one.x), 0, 0), values["testp.finite.f32"].of(short(float32(one.most)), 0, 0)
		if double != one.want || single != one.want {
			t.Errorf("%v is finite: %d, and %v: %d, want %d", one.x, double, one.most, single, one.want)
		}
	}
}

// Threads wait for each other, branch, read what their neighbours wrote, and keep the largest of all.
func TestThreadsOfABlock(t *testing.T) {
	got, code := ran(t, `	.shared .align 16 .b8 odd[4];
	.shared .align 16 .b8 room[64];
	mov.u32 %w0, %tid.x;
	mov.u64 %u0, room;
	mad.wide.u32 %u0, %w0, 8, %u0;
	cvt.u64.u32 %u1, %w0;
	add.u64 %u1, %u1, 10;
	st.shared.u64 [%u0], %u1;
	bar.sync 0;
	mov.u64 %u0, room;
	mul.lo.u32 %w1, %w0, 7;
	add.u32 %w1, %w1, 7;
	cvt.u64.u32 %u1, %w1;
	and.b64 %u1, %u1, 7;
	mad.lo.u64 %u0, %u1, 8, %u0;
	ld.shared.u64 %b0, [%u0];
	mad.wide.u32 %u1, %w0, 8, %at;
	st.global.u64 [%u1+8], %b0;
	setp.lt.u32 %p, %w0, 5;
	@!%p bra DONE;
	red.global.max.u64 [%at], %b0;
`, 8, 12, 0, 0, 0, 0, 0, 0, 0, 0)
	want := []uint64{17, 17, 16, 15, 14, 13, 12, 11, 10} // thread k reads number 7(k + 1) mod 8
	for i, v := range want {
		if got[i] != v || code != 0 {
			t.Errorf("%v, %d, want %v", got, code, want)
			break
		}
	}
}

// An instruction that is bent makes another last bit, and no other instruction does.
func TestBent(t *testing.T) {
	for bent, want := range map[string]uint64{"": 12, "add.u64": 13, "sub.u64": 12} {
		d := New()
		all, err := read(body("\tld.global.u64 %u0, [%at];\n\tadd.u64 %u0, %u0, 5;\n\tst.global.u64 [%at], %u0;\n"), bent)
		if err != nil {
			t.Fatal(err)
		}
		from := d.take(8, true)
		word := &d.memory[0].whole[clearance]
		*word = 7
		if code := d.run(all["k"], 1, 1, 1, []uint64{from}); code != 0 || *word != want {
			t.Errorf("bent %q: %d, %d", bent, *word, code)
		}
	}
}

// Two numbers are read at once, and short ones as they are.
func TestVectorsAndShortNumbers(t *testing.T) {
	got, code := ran(t, "\tld.global.nc.v2.f64 {%x, %y}, [%at+16];\n\tst.global.f64 [%at], %y;\n\tst.global.f64 [%at+8], %x;\n\tld.global.nc.v2.f32 {%s, %t}, [%at+32];\n\tst.global.f32 [%at+36], %s;\n\tld.volatile.global.u64 %u0, [%at+24];\n\tst.global.f32 [%at+32], %t;\n", 1, 0, 0, 5, 6, 7|8<<32)
	if code != 0 || got[0] != 6 || got[1] != 5 || got[4] != 8|7<<32 {
		t.Errorf("%v, %d", got, code)
	}
}

// Who reaches beyond memory, or for half a number, faults; so does who never ends.
func TestFaults(t *testing.T) {
	for lines, want := range map[string]int{
		"\tld.global.u64 %u0, [%at+8];\n":                                                        codeAddress,
		"\tst.global.u64 [%at+16], %u0;\n":                                                       codeAddress,
		"\tld.global.f64 %x, [%at+4];\n":                                                         codeMisaligned,
		"\tmov.u64 %u0, 8;\n\tld.global.f64 %x, [%u0];\n":                                        codeAddress,
		"\tmov.u64 %u0, 0;\n\tld.shared.f64 %x, [%u0];\n":                                        codeAddress,
		"\t.shared .align 8 .b8 room[12];\n\tmov.u64 %u0, room;\n\tld.shared.f64 %x, [%u0+8];\n": codeAddress,
		"AGAIN:\n\tbra AGAIN;\n":                                                                 codeTimeout,
		"\tld.global.f64 %x, [%at];\n":                                                           0,
	} {
		if heap.Race && want == codeTimeout {
			continue // one goroutine, and many steps
		}
		if _, code := ran(t, lines, 1, 1); code != want {
			t.Errorf("%q ends with %d, want %d", lines, code, want)
		}
	}
}

// Who has reached memory once does not reach beyond it with a wider number.
func TestFaultsOfWideNumbers(t *testing.T) {
	const wide = "\tld.global.u64 %u0, [%at];\n\tld.global.nc.v2.f64 {%x, %y}, [%at+16];\n"
	for words, want := range map[int]int{3: codeAddress, 4: 0} {
		if _, code := ran(t, wide, 1, make([]uint64, words)...); code != want {
			t.Errorf("%d words: %d, want %d", words, code, want)
		}
	}
}

// Texts that a driver would not take are not taken here.
func TestTextsThatAreNotTaken(t *testing.T) {
	if _, err := read(body(""), ""); err != nil {
		t.Fatal(err)
	}
	for _, one := range []string{
		"", strings.TrimPrefix(body(""), ".version 7.0\n"), written + "\tret;\n", strings.TrimSuffix(body(""), "}\n"), strings.Replace(body(""), ".u64 at)", ".f64 at)", 1),
		body("\tmov.u64 %nobody, 1;\n"), body("\tmov.u64 %u0, nothing;\n"), body("\tadd.u64 %u0, %u1;\n"), body("\tadd.f16 %x, %y, %z;\n"), body("\tbra NOWHERE;\n"), body("\t@%p2 bra DONE;\n"),
		body("\tmov.u64 %u0, 1\n"), body("DONE:\n"), body("\tld.param.u64 %u0, [of];\n"), body("\tld.param.u64 %u0;\n"), body("\tld.global.f16 %x, [%at];\n"), body("\tld.global.f64 %x, %at;\n"),
		body("\tld.global.f64 {%x, %y}, [%at];\n"), body("\tld.nowhere.f64 %x, [%at];\n"), body("\tld.global.f64 %x, [%no];\n"), body("\tld.global.f64 %no, [%at];\n"), body("\t.reg .f64 x;\n"),
		body("\tmov.f64 %x, 0dxyz0000000000000;\n"), body("\tmov.f64 %x, 0d3ff0;\n"), body("\tmov.f64 %x, 0d03ff0000000000000;\n"), body("\tld.global.f64 %x;\n"),
		written + ".visible .entry outer(.param .u64 at)\n{\n" + strings.TrimPrefix(body(""), written), // a kernel begins where another has not ended
	} {
		if _, err := read(one, ""); err == nil {
			t.Errorf("taken: %s", one)
		}
	}
}

// Functions that nobody calls are not there, and nothing is done without a context.
func TestCallsThatAreNotKnown(t *testing.T) {
	d := New()
	if code := d.Call("cuStreamSynchronize", 0); code != codeNoContext {
		t.Errorf("without a context: %d", code)
	}
	if code := d.Call("cuCtxSetCurrent", 1); code != codeNoContext {
		t.Errorf("a context of nobody: %d", code)
	}
	if code := d.Call("cuCtxSetCurrent", context); code != 0 {
		t.Errorf("its context: %d", code)
	}
	for name, args := range map[string][]uintptr{"cuMemFree_v2": {77}, "cuMemFreeHost": {77}} {
		if code := d.Call(name, args...); code != codeInvalid {
			t.Errorf("%s of nothing: %d", name, code)
		}
	}
	if code := d.Call("cuTexRefCreate"); code != codeUnknown {
		t.Errorf("a function that is not there: %d", code)
	}
	slab := d.take(64, false)
	host := d.take(64, true)
	for _, one := range []struct {
		to, from         uint64
		bytes            int
		toHost, fromHost bool
		want             int
	}{
		{slab, host, 64, false, true, 0}, {host, slab, 64, true, false, 0}, {slab, slab + 8, 56, false, false, 0},
		{slab, host, 65, false, true, codeInvalid}, {slab, slab, 8, false, true, codeInvalid}, {host, host, 8, false, true, codeInvalid}, {slab, 8, 8, false, true, codeInvalid}, {slab + 60, host, 8, false, true, codeInvalid},
	} {
		if code := d.move(one.to, one.from, one.bytes, one.toHost, one.fromHost); code != one.want {
			t.Errorf("%+v: %d", one, code)
		}
	}
	if d.fill(slab, 3, 64) != 0 || d.fill(slab, 3, 65) != codeInvalid || d.fill(host, 3, 8) != codeInvalid {
		t.Error("memory is filled as it should not be")
	}
	if d.giveBack(slab, true) != codeInvalid || d.giveBack(slab, false) != 0 || d.giveBack(slab, false) != codeInvalid || d.Taken() != 0 {
		t.Error("memory is given back as it should not be")
	}
}
