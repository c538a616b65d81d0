package wire_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/wire"
)

// list is a state of one list of numbers, at most three.
type list []float64

func (l *list) fields(f *wire.Fields) {
	if f.Floats((*[]float64)(l)); len(*l) > 3 {
		f.Fail("too long")
	}
}

func (l *list) AppendBinary(b []byte) ([]byte, error) { return wire.Append(b, "list/1", l.fields) }

func (l *list) UnmarshalBinary(data []byte) error { return wire.Restore(data, "list/1", l.fields) }

// everything has one of every kind of field.
type everything struct {
	big           uint64
	word          uint32
	seven         int
	yes           bool
	zero          float64
	any           []float64
	fixed         [3]float64
	now, spare    []float64
	short, shorts []float32
	numbers       []int
	raw           []byte
	text          string
	pairs         []pair
	perhaps, no   *pair
	within        list
	thens         int // how often something was done afterwards
}

type pair struct{ a, b int }

func (e *everything) fields(f *wire.Fields) {
	f.Uint64(&e.big)
	f.Uint32(&e.word)
	f.Int(&e.seven, 7)
	f.Bool(&e.yes)
	f.Float(&e.zero)
	f.Floats(&e.any)
	f.Fixed(e.fixed[:])
	wire.Swap(f, &e.now, &e.spare)
	wire.Swap(f, &e.short, &e.shorts)
	f.Finite("a list", e.fixed[:], e.now)
	f.Ints(&e.numbers, 9)
	f.Bytes(&e.raw)
	f.Text(&e.text)
	both := func(p *pair) {
		f.Int(&p.a, 1)
		f.Int(&p.b, 1)
	}
	wire.List(f, &e.pairs, 16, both)
	wire.Optional(f, &e.perhaps, both)
	wire.Optional(f, &e.no, both)
	f.Same("thirteen", 13)
	f.Part("list", &e.within)
	f.Then(func() { e.thens++ })
}

// full has something in every field, and empty nothing.
func full() *everything {
	return &everything{
		big: math.MaxUint64, word: math.MaxUint32, seven: 7, yes: true, zero: math.Copysign(0, -1), any: []float64{1, math.Inf(1), math.NaN()},
		fixed: [3]float64{4, 5, 6}, now: []float64{7, 8}, spare: []float64{0, 0}, short: []float32{0.1, -2}, shorts: []float32{0, 0},
		numbers: []int{9, 0}, raw: []byte{1, 2}, text: "text", pairs: []pair{{0, 1}, {1, 1}}, perhaps: &pair{1, 0}, within: list{3, 4},
	}
}

func empty() *everything {
	return &everything{no: &pair{1, 1}, now: make([]float64, 2), spare: make([]float64, 2), short: make([]float32, 2), shorts: make([]float32, 2)}
}

// every writes one of everything.
func every(t testing.TB) []byte {
	b, err := wire.Append([]byte("before"), "every/2", full().fields)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// read reads what every wrote. On an error nothing must have changed.
func read(data []byte) (*everything, error) {
	e, was := empty(), empty()
	err := wire.Restore(data, "every/2", e.fields)
	if &e.now[0] == &e.spare[0] || &e.short[0] == &e.shorts[0] {
		err = errors.New("a list is its own spare")
	}
	if e.spare, e.shorts = was.spare, was.shorts; err != nil && !reflect.DeepEqual(e, was) {
		err = fmt.Errorf("%+v was left behind", e)
	}
	return e, err
}

func TestReadsWhatWasWritten(t *testing.T) {
	b := every(t)
	frame, ok := bytes.CutPrefix(b, []byte("before"))
	if !ok {
		t.Fatalf("what was there before is gone: %q", b)
	}
	got, err := read(frame)
	if err != nil {
		t.Fatal(err)
	}
	want := full()
	want.thens = 1
	if !math.Signbit(got.zero) || !math.IsNaN(got.any[2]) {
		t.Errorf("read %v and %v", got.zero, got.any)
	}
	if got.any[2], want.any[2] = 0, 0; !reflect.DeepEqual(got, want) {
		t.Errorf("read %+v, want %+v", got, want)
	}
	kind, first, rest, err := wire.Split(append(frame, "after"...))
	if kind != "every/2" || !bytes.Equal(first, frame) || string(rest) != "after" || err != nil {
		t.Errorf("split into %q, %d bytes and %q (%v)", kind, len(first), rest, err)
	}
}

// Cut anywhere, with any bit turned, with a byte more, of another kind: always an *Error, and only cuts are torn.
func TestRefusesWhatWasNotWritten(t *testing.T) {
	frame := every(t)[len("before"):]
	refuse := func(what string, data []byte, cut bool) {
		t.Helper()
		var e *wire.Error
		if _, err := read(data); !errors.As(err, &e) || cut != e.Torn {
			t.Errorf("%s: %v", what, err)
		}
	}
	for n := range frame {
		refuse("cut", frame[:n], true)
		var e *wire.Error
		if _, err := read(frame[:n]); errors.As(err, &e) && (e.Kind == "every/2") != (n >= 1+len("every/2")+8) {
			t.Errorf("cut after %d bytes it is said to be %q", n, e.Kind)
		}
		for bit := range 8 {
			bad := bytes.Clone(frame)
			bad[n] ^= 1 << bit
			if _, err := read(bad); err == nil {
				t.Errorf("bit %d of byte %d does not matter", bit, n)
			}
		}
	}
	refuse("a byte more", append(bytes.Clone(frame), 0), false)
	other, _ := (&list{1}).AppendBinary(nil)
	refuse("another kind", other, false)
}

func seal(content []byte) []byte { return wire.Seal("every/2", content) }

func TestContentsMustBeReadWhole(t *testing.T) {
	frame := every(t)[len("before"):]
	content := frame[1+len("every/2")+8 : len(frame)-4]
	if _, err := read(seal(content)); err != nil {
		t.Fatal(err)
	}
	for n := range content {
		var e *wire.Error
		if _, err := read(seal(content[:n])); !errors.As(err, &e) {
			t.Errorf("%d of %d bytes of content: %v", n, len(content), err)
		}
	}
	if _, err := read(seal(append(bytes.Clone(content), 0))); err == nil {
		t.Error("a byte that nobody reads does not matter")
	}
}

// What is saved piece by piece are the same bytes; a description that does not say the same twice is an error.
func TestSavesWhatIsAppended(t *testing.T) {
	var b bytes.Buffer
	if err := wire.Save(&b, "every/2", full().fields); err != nil || !bytes.Equal(b.Bytes(), every(t)[len("before"):]) {
		t.Errorf("saved %d other bytes (%v)", b.Len(), err)
	}
	for second, want := range map[int]bool{2: false, 3: true, 4: false} {
		lengths := []int{3, second}
		err := wire.Save(io.Discard, "list/1", func(f *wire.Fields) {
			x := make([]float64, lengths[0])
			f.Floats(&x)
			lengths = lengths[1:]
		})
		if (err == nil) != want {
			t.Errorf("announced 3 numbers, then wrote %d: %v", second, err)
		}
	}
}

// A part that cannot be saved is an error in both directions, and appends nothing.
func TestPartsMustBeStates(t *testing.T) {
	fields := func(f *wire.Fields) { f.Part("clock", t) }
	if b, err := wire.Append([]byte("x"), "list/1", fields); err == nil || string(b) != "x" {
		t.Errorf("appended %q (%v)", b, err)
	}
	both := func(f *wire.Fields) { fields(f); f.Part("bell", t) }
	if _, err := wire.Append(nil, "list/1", both); err == nil || !strings.Contains(err.Error(), "clock") {
		t.Errorf("of two parts that cannot be saved the first is told: %v", err)
	}
	if wire.Save(io.Discard, "list/1", fields) == nil || wire.Restore(wire.Seal("list/1", nil), "list/1", fields) == nil {
		t.Error("saved or restored")
	}
}

// hand and watch are parts of the same fields.
type (
	hand  struct{ at int }
	watch struct{ hand }
)

func (h *hand) Describe(f *wire.Fields) { f.Int(&h.at, 12) }

// A part stands in the frame of its state under the name of its type: another type is refused, and so is what it refuses.
func TestPartsDescribeThemselves(t *testing.T) {
	before := 7
	around := func(part any) func(*wire.Fields) {
		return func(f *wire.Fields) {
			f.Int(&before, 100)
			f.Part("hand", part)
		}
	}
	saved, err := wire.Append(nil, "clock/1", around(&hand{5}))
	if err != nil {
		t.Fatal(err)
	}
	before = 8
	back := &hand{1}
	if err := wire.Restore(saved, "clock/1", around(back)); err != nil || back.at != 5 || before != 7 {
		t.Errorf("restored %v and %d: %v", back, before, err)
	}
	before = 8
	other := &watch{hand{1}}
	if err := wire.Restore(saved, "clock/1", around(other)); err == nil || other.at != 1 || before != 8 {
		t.Errorf("a part of another type took %v and %d: %v", other, before, err)
	}
	late, _ := wire.Append(nil, "clock/1", around(&hand{13}))
	if err := wire.Restore(late, "clock/1", around(back)); err == nil || back.at != 5 {
		t.Errorf("a part took what it refuses, %v: %v", back, err)
	}
}

func TestRestoreAllOrNone(t *testing.T) {
	a, b := list{1}, list{2}
	states := []wire.State{&a, &b}
	good, _ := (&list{5}).AppendBinary(nil)
	bad, _ := (&list{1, 2, 3, 4}).AppendBinary(nil)
	if err := wire.RestoreAll(states, [][]byte{good, bad}); err == nil || a[0] != 1 || b[0] != 2 {
		t.Errorf("after %v the states are %v and %v, want them as before", err, a, b)
	}
	if err := wire.RestoreAll(states, [][]byte{good, good}); err != nil || a[0] != 5 || b[0] != 5 {
		t.Errorf("after %v the states are %v and %v", err, a, b)
	}
}

// Whatever the content: no panic, and no list longer than the content.
func FuzzRead(f *testing.F) {
	frame := every(f)[len("before"):]
	f.Add(frame[1+len("every/2")+8 : len(frame)-4])
	f.Add(bytes.Repeat([]byte{0xff}, 64))
	f.Fuzz(func(t *testing.T, content []byte) {
		for _, data := range [][]byte{content, seal(content)} {
			var e *wire.Error
			if _, err := read(data); err != nil && !errors.As(err, &e) {
				t.Error(err)
			}
		}
		_ = wire.Restore(seal(content), "every/2", func(f *wire.Fields) {
			var x []float64
			var b []byte
			if f.Floats(&x); 8*len(x) > len(content) {
				t.Errorf("%d bytes hold %d numbers", len(content), len(x))
			}
			if f.Bytes(&b); len(b) > len(content) {
				t.Errorf("%d bytes hold %d", len(content), len(b))
			}
		})
	})
}

// torn is a state that cannot be written.
type torn struct{ err error }

func (s torn) AppendBinary(b []byte) ([]byte, error) { return append(b, "half"...), s.err }

func (torn) UnmarshalBinary([]byte) error { return nil }

// What keeps a part from being written is told, the first of several, and nothing is appended or saved.
func TestPartsTellErrors(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	fields := func(f *wire.Fields) {
		f.Part("a", torn{first})
		f.Part("b", torn{second})
	}
	if b, err := wire.Append([]byte("x"), "list/1", fields); !errors.Is(err, first) || string(b) != "x" {
		t.Errorf("appended %q (%v), want the error %v", b, err, first)
	}
	if err := wire.Save(io.Discard, "list/1", fields); !errors.Is(err, first) {
		t.Errorf("saved with %v, want %v", err, first)
	}
}

// Where one of several states could not be put back as it was, none is restored.
func TestNothingIsRestoredThatCannotBePutBack(t *testing.T) {
	why, a := errors.New("why"), list{1}
	good, _ := (&list{5}).AppendBinary(nil)
	if err := wire.RestoreAll([]wire.State{&a, torn{why}, &list{}}, [][]byte{good, good, good}); !errors.Is(err, why) || a[0] != 1 {
		t.Errorf("%v, %v", a, err)
	}
}

// dry is a sink that takes so many writes.
type dry struct{ left int }

func (d *dry) Write(p []byte) (int, error) {
	if d.left--; d.left < 0 {
		return 0, io.ErrShortWrite
	}
	return len(p), nil
}

// A sink that fails at any write is told of.
func TestSaveTellsErrors(t *testing.T) {
	fields := func(f *wire.Fields) {
		x := make([]float64, 10000)
		f.Floats(&x)
	}
	count := &dry{1 << 20}
	if err := wire.Save(count, "list/1", fields); err != nil {
		t.Fatal(err)
	}
	writes := 1<<20 - count.left
	for left := range writes {
		if err := wire.Save(&dry{left}, "list/1", fields); !errors.Is(err, io.ErrShortWrite) {
			t.Errorf("after %d of %d writes: %v", left, writes, err)
		}
	}
}

// After an error fields read zeros, the refused one too: descriptions go by what they read.
func TestFieldsReadZerosAfterAnError(t *testing.T) {
	nine, five, yes := 9, 5, true
	saved, err := wire.Append(nil, "list/1", func(f *wire.Fields) {
		f.Int(&nine, 9)
		f.Int(&five, 9)
		f.Bool(&yes)
	})
	if err != nil {
		t.Fatal(err)
	}
	err = wire.Restore(saved, "list/1", func(f *wire.Fields) {
		f.Int(&nine, 8)
		f.Int(&five, 9)
		if f.Bool(&yes); nine != 0 || five != 0 || yes {
			t.Errorf("read %d, %d and %v after an error", nine, five, yes)
		}
	})
	if err == nil || nine != 9 || five != 5 || !yes {
		t.Errorf("%v left %d, %d and %v", err, nine, five, yes)
	}
}

// A frame may be empty. Lean frames are described as such, both ways, and others are not.
func TestLeanAndEmptyFrames(t *testing.T) {
	var lean []bool
	note := func(f *wire.Fields) { lean = append(lean, f.Lean()) }
	plain, err := wire.Append(nil, "none/1", note)
	if err != nil || !bytes.Equal(plain, wire.Seal("none/1", nil)) {
		t.Fatalf("%q, %v", plain, err)
	}
	short, err := wire.AppendLean(nil, "none/1", note)
	if err := errors.Join(err, wire.Restore(plain, "none/1", note), wire.RestoreLean(short, "none/1", note)); err != nil {
		t.Fatal(err)
	}
	if want := []bool{false, true, false, true}; !reflect.DeepEqual(lean, want) {
		t.Errorf("described as lean: %v, want %v", lean, want)
	}
}

// Where a sink fails and a description says less than it announced, the sink came first.
func TestTheFirstErrorOfASaveIsTold(t *testing.T) {
	lengths := []int{3, 2}
	err := wire.Save(&dry{0}, "list/1", func(f *wire.Fields) {
		x := make([]float64, lengths[0])
		f.Floats(&x)
		lengths = lengths[1:]
	})
	if !errors.Is(err, io.ErrShortWrite) {
		t.Errorf("told %v", err)
	}
}

// A part that refuses its own frame is told of, and nothing of the state around it is taken; nor of one whose fixed numbers are others.
func TestRefusedPartsAreTold(t *testing.T) {
	fields := func(n *int, part *list, same int) func(*wire.Fields) {
		return func(f *wire.Fields) {
			f.Int(n, 100)
			f.Same("items", same)
			f.Part("list", part)
		}
	}
	seven, long, short := 7, list{1, 2, 3, 4}, list{1, 2}
	for _, x := range []struct {
		part *list
		same int
		ok   bool
	}{{&short, 13, true}, {&long, 13, false}, {&short, 14, false}} {
		saved, err := wire.Append(nil, "around/1", fields(&seven, x.part, x.same))
		if err != nil {
			t.Fatal(err)
		}
		n, part := 1, list{9}
		if err := wire.Restore(saved, "around/1", fields(&n, &part, 13)); (err == nil) != x.ok || !x.ok && (n != 1 || part[0] != 9) {
			t.Errorf("%v of %d items: %v, left %d and %v", *x.part, x.same, err, n, part)
		}
	}
}

// Lists of nothing are read as nil, whatever was there, and such as were nil.
func TestEmptyListsAreNil(t *testing.T) {
	for _, of := range []*everything{empty(), {any: []float64{}, numbers: []int{}, pairs: []pair{}, now: make([]float64, 2), short: make([]float32, 2)}} {
		b, err := wire.Append(nil, "every/2", of.fields)
		if err != nil {
			t.Fatal(err)
		}
		e := full()
		if err := wire.Restore(b, "every/2", e.fields); err != nil || e.any != nil || e.numbers != nil || e.pairs != nil {
			t.Errorf("%#v, %#v, %#v, %v", e.any, e.numbers, e.pairs, err)
		}
	}
}
