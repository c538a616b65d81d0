package emulated

import (
	"slices"
	"strings"
	"testing"
)

// Whoever waits goes on when all others wait or have ended, wherever they were meanwhile: who is first far behind the others writes, and all read it.
func TestWaitingForWhoIsFarAway(t *testing.T) {
	got, code := ran(t, `	.shared .align 8 .b8 room[8];
	mov.u32 %w0, %tid.x;
	mov.u64 %u0, room;
	mad.wide.u32 %u1, %w0, 8, %at;
	setp.eq.u32 %p, %w0, 2;
	@%p bra FAR;
	setp.eq.u32 %p, %w0, 3;
	@%p bra DONE;
MEET:
	bar.sync 0;
	ld.shared.u64 %b0, [%u0];
	st.global.u64 [%u1], %b0;
	setp.eq.u32 %p, %w0, 0;
	@%p ret;
	st.global.u64 [%u1], %w0;
	bra DONE;
FAR:
	st.shared.u64 [%u0], 42;
	bra MEET;
	st.global.u64 [%u1], 13;
`, 4, 7, 7, 7, 7)
	if want := []uint64{42, 1, 2, 7}; code != 0 || !slices.Equal(got, want) {
		t.Errorf("%v, %d, want %v", got, code, want)
	}
}

// Who has said that it is at its end does nothing more, and who goes back does it again.
func TestEndsAndLoops(t *testing.T) {
	got, code := ran(t, `	mov.u32 %w0, %tid.x;
	mad.wide.u32 %u1, %w0, 8, %at;
	setp.eq.u32 %p, %w0, 1;
	@%p ret;
AGAIN:
	ld.global.u64 %u0, [%u1];
	add.u64 %u0, %u0, 1;
	st.global.u64 [%u1], %u0;
	setp.lt.u64 %q, %u0, 9;
	@%q bra AGAIN;
`, 3, 5, 6, 7)
	if want := []uint64{9, 6, 9}; code != 0 || !slices.Equal(got, want) {
		t.Errorf("%v, %d, want %v", got, code, want)
	}
}

// Registers that were declared by their number are different ones, and lists need no blanks, nor do lines begin at the margin.
func TestRegistersOfANumber(t *testing.T) {
	got, code := ran(t, "\n  \n\tmov.u32 %w0,%tid.x;\n\tmov.b64 %b0,5;mov.b64 %b1,7; mov.b64 %b2,9;\n  HERE:\n\tadd.u64 %u0,%b0,%b1;\n\tst.global.u64 [%at],%u0;\n\tadd.u64 %u0,%u0,%b2;\n\tst.global.u64 [%at+8],%u0;\n\tcvt.u64.u32 %u1,%w0;\n\tst.global.u64 [%at+16],%u1;\n", 1, 0, 0, 3)
	if want := []uint64{12, 21, 0}; code != 0 || !slices.Equal(got, want) {
		t.Errorf("%v, %d, want %v", got, code, want)
	}
	indented := strings.NewReplacer("{\n", " {\n", "}\n", "\t}\t\n", ".visible", "  .visible").Replace(body(""))
	if _, err := read(indented, ""); err != nil {
		t.Errorf("with margins: %v", err)
	}
}

// What is wrong with a text is said with its line, in these words.
func TestWhatIsWrongWithTexts(t *testing.T) {
	for lines, want := range map[string]string{
		"\tadd.u64 %u0, %u1;\n": "line 4: add.u64 %u0, %u1: 2 operands, want 3", "\tmov.u64 %u0, %u1, 2;\n": "line 4: mov.u64 %u0, %u1, 2: 3 operands, want 2", "\tld.param.u64 %u0;\n": "line 4: ld.param.u64 %u0: 1 operands, want 2",
		"\n\tret\n": `line 5: "ret" does not end`, "AGAIN:\n\tret;\nAGAIN:\n": "line 6: AGAIN is there twice", "\tbra NOWHERE;\n": "nothing is called NOWHERE", "\tmov.u64 %u0, none;\n": "line 4: mov.u64 %u0, none: nothing is called none",
		"\t.reg .f64 x;\n": `line 4: what register is "x"?`, "\tld.global.f64 %x, %at;\n": "line 4: ld.global.f64 %x, %at: what place is %at?", "\tld.param.u64 %u0, [of];\n": "line 4: ld.param.u64 %u0, [of]: there is no such parameter, or register",
	} {
		if _, err := read(body(lines), ""); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", lines, err, want)
		}
	}
	for text, want := range map[string]string{
		written + ".visible .entry k(.param .f64 at)\n{\n\tret;\n}\n": `what parameter is ".param .f64 at"?`, written + "\tret;\n": "line 0 is outside of a kernel: ret;", written + "\n{\n": "line 1 is outside of a kernel: {",
		"ret;\n": "the text does not say what it is written for", written + ".visible .entry k(.param .u64 at)\n{\n": "a kernel does not end",
	} {
		if all, err := read(text, ""); err == nil || err.Error() != want || all != nil {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// Bytes go neither from nor to where there is no memory.
func TestMovesFromNowhere(t *testing.T) {
	d := New()
	slab := d.take(64, false)
	if d.move(slab, 8, 8, false, false) != codeInvalid || d.move(8, slab, 8, false, false) != codeInvalid || d.move(slab, slab+60, 8, false, false) != codeInvalid || d.move(slab, slab+32, 32, false, false) != 0 {
		t.Error("bytes are moved from nowhere, or to it")
	}
}
