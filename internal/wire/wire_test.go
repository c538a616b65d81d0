package wire_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/wire"
)

// list is a state of one list of numbers, at most three.
type list []float64

func (l *list) AppendBinary(b []byte) ([]byte, error) {
	w := wire.Write(b, "list/1")
	w.Floats(*l)
	return w.Finish()
}

func (l *list) UnmarshalBinary(data []byte) error {
	r := wire.Read(data, "list/1")
	x := r.Floats()
	if len(x) > 3 {
		r.Fail("too long")
	}
	if err := r.Finish(); err != nil {
		return err
	}
	*l = x
	return nil
}

// every writes one of everything.
func every(t testing.TB) []byte {
	w := wire.Write([]byte("before"), "every/2")
	w.Uint64(math.MaxUint64)
	w.Int(7)
	w.Bool(true)
	w.Float(math.Copysign(0, -1))
	w.Floats([]float64{1, math.Inf(1), math.NaN()})
	w.Singles([]float32{0.1, -2})
	w.Bytes([]byte("text"))
	w.State(&list{3, 4})
	b, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// read reads what every wrote.
func read(data []byte) (sub []byte, err error) {
	r := wire.Read(data, "every/2")
	x, short := make([]float64, 3), make([]float32, 2)
	big, seven, yes, zero := r.Uint64(), r.Int(7), r.Bool(), r.Float()
	r.Fill(x)
	r.FillSingles(short)
	text := string(r.Bytes())
	sub = r.Bytes()
	if err := r.Finish(); err != nil {
		return nil, err
	}
	if big != math.MaxUint64 || seven != 7 || !yes || !math.Signbit(zero) || x[0] != 1 || !math.IsInf(x[1], 1) ||
		!math.IsNaN(x[2]) || !slices.Equal(short, []float32{0.1, -2}) || text != "text" {
		return nil, errors.New("read something else than was written")
	}
	return sub, nil
}

func TestReadsWhatWasWritten(t *testing.T) {
	b := every(t)
	frame, ok := bytes.CutPrefix(b, []byte("before"))
	if !ok {
		t.Fatalf("what was there before is gone: %q", b)
	}
	sub, err := read(frame)
	if err != nil {
		t.Fatal(err)
	}
	var l list
	if err := l.UnmarshalBinary(sub); err != nil || !slices.Equal(l, list{3, 4}) {
		t.Errorf("the frame within is %v (%v)", l, err)
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
		if _, err := read(seal(content[:n])); err == nil {
			t.Errorf("%d of %d bytes of content are enough", n, len(content))
		}
	}
	if _, err := read(seal(append(bytes.Clone(content), 0))); err == nil {
		t.Error("a byte that nobody reads does not matter")
	}
}

// A stream that does not keep to the size it announced is an error.
func TestStreamsKeepTheirWord(t *testing.T) {
	for size, want := range map[int]bool{31: false, 32: true, 33: false} {
		var b bytes.Buffer
		w := wire.Stream(&b, "list/1", size)
		w.Floats([]float64{1, 2, 3})
		_, err := w.Finish()
		var l list
		if ok := err == nil; ok != want || ok && l.UnmarshalBinary(b.Bytes()) != nil {
			t.Errorf("announced %d bytes: %v", size, err)
		}
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
		_, _ = read(content)
		_, _ = read(seal(content))
		r := wire.Read(seal(content), "every/2")
		if x := r.Floats(); 8*len(x) > len(content) {
			t.Errorf("%d bytes hold %d numbers", len(content), len(x))
		}
		if x := r.Bytes(); len(x) > len(content) {
			t.Errorf("%d bytes hold %d", len(content), len(x))
		}
	})
}
