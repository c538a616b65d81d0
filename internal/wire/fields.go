package wire

import (
	"fmt"
	"io"
	"math"
	"slices"
)

// Fields is one run over what a state remembers, in order, either to write it down or to read it back. A state describes itself once,
// by a method that hands every field to a Fields; Append, Save and Restore run it.
//
// What is read stands in its field at once, so that a description can go by it and refuse it. Should anything be refused, every field
// gets back what it held. After an error fields read zeros, so a description must bear any value within the ranges it names.
type Fields struct {
	out *writer // nil: fields are read
	in  *reader

	lean  bool // without what is kept apart
	undo  []func()
	fresh bool // fields are new, so that nothing is to be undone
	then  []func()
	parts []State
	saved [][]byte // of the parts
}

// Append appends a frame of the given kind, at most 255 bytes long, with the fields.
func Append(b []byte, kind string, fields func(*Fields)) ([]byte, error) {
	w := write(b, kind)
	fields(&Fields{out: w})
	return w.finish()
}

// AppendLean is Append without what is kept apart.
func AppendLean(b []byte, kind string, fields func(*Fields)) ([]byte, error) {
	w := write(b, kind)
	fields(&Fields{out: w, lean: true})
	return w.finish()
}

// Save writes the bytes that Append would append, without having them all in memory.
func Save(to io.Writer, kind string, fields func(*Fields)) error {
	count := &writer{counts: true}
	fields(&Fields{out: count})
	if count.err != nil {
		return count.err
	}
	w := stream(to, kind, count.size())
	fields(&Fields{out: w})
	_, err := w.finish()
	return err
}

// Restore reads the fields from data, which must be one whole frame of the given kind. On an error they are unchanged.
func Restore(data []byte, kind string, fields func(*Fields)) error {
	return restore(&Fields{in: read(data, kind)}, fields)
}

// RestoreLean is Restore of what AppendLean appended. What is kept apart must have been restored before.
func RestoreLean(data []byte, kind string, fields func(*Fields)) error {
	return restore(&Fields{in: read(data, kind), lean: true}, fields)
}

func restore(f *Fields, fields func(*Fields)) error {
	if f.in.err != nil {
		return f.in.err
	}
	fields(f)
	err := f.in.finish()
	if err == nil {
		err = RestoreAll(f.parts, f.saved)
	}
	if err != nil {
		for _, undo := range slices.Backward(f.undo) {
			undo()
		}
		return err
	}
	for _, then := range f.then {
		then()
	}
	return nil
}

// Lean tells whether what is kept apart is left out.
func (f *Fields) Lean() bool { return f.lean }

// Reading tells whether fields are read.
func (f *Fields) Reading() bool { return f.in != nil }

// Then has something done once all is read and in order.
func (f *Fields) Then(do func()) { f.then = append(f.then, do) }

// Fail refuses what was read with an *Error, unless there is an earlier one.
func (f *Fields) Fail(format string, args ...any) {
	if f.Reading() {
		f.in.fail(format, args...)
	}
}

// Check refuses what was read, if there is an error and no earlier one.
func (f *Fields) Check(err error) {
	if f.Reading() && f.in.err == nil {
		f.in.err = err
	}
}

// set puts what was read into a field.
func set[T any](f *Fields, field *T, v T) {
	if old := *field; !f.fresh {
		f.undo = append(f.undo, func() { *field = old })
	}
	*field = v
}

// field writes a field or reads it.
func field[T any](f *Fields, v *T, read func(*reader) T, write func(*writer, T)) {
	if f.Reading() {
		set(f, v, read(f.in))
	} else {
		write(f.out, *v)
	}
}

// Uint64 is a number.
func (f *Fields) Uint64(v *uint64) { field(f, v, (*reader).uint64, (*writer).uint64) }

// Uint32 is a number that takes as much room as others.
func (f *Fields) Uint32(v *uint32) {
	field(f, v, func(r *reader) uint32 { return uint32(r.int(math.MaxUint32)) }, func(w *writer, v uint32) { w.uint64(uint64(v)) })
}

// Int is a number from 0 to most.
func (f *Fields) Int(v *int, most int) {
	field(f, v, func(r *reader) int { return r.int(most) }, (*writer).int)
}

// Bool is 1 or 0.
func (f *Fields) Bool(v *bool) { field(f, v, (*reader).bool, (*writer).bool) }

// Float is a number's bits.
func (f *Fields) Float(v *float64) { field(f, v, (*reader).float, (*writer).float) }

// Same is a number that must be the same wherever the state is read.
func (f *Fields) Same(what string, n int) {
	got := n
	if f.Int(&got, math.MaxInt); got != n {
		f.Fail("the %s are %d, want %d", what, got, n)
	}
}

// Floats is a list of numbers of any length; an empty one is read as nil.
func (f *Fields) Floats(x *[]float64) { field(f, x, (*reader).floats, writeList[float64]) }

// Fixed are lists of numbers, each as long wherever the state is read.
func (f *Fields) Fixed(lists ...[]float64) {
	for _, x := range lists {
		if f.Reading() {
			old := slices.Clone(x)
			f.undo = append(f.undo, func() { copy(x, old) })
			readList(f.in, x)
		} else {
			writeList(f.out, x)
		}
	}
}

// Swap is a fixed list of numbers in double or single precision of which there is a second that holds nothing, to read into: the two
// change places.
func Swap[T real](f *Fields, x, spare *[]T) {
	if !f.Reading() {
		writeList(f.out, *x)
		return
	}
	readList(f.in, *spare)
	first, second := *x, *spare
	set(f, x, second)
	set(f, spare, first)
}

// Finite refuses lists with infinite numbers or NaNs.
func (f *Fields) Finite(what string, lists ...[]float64) {
	for _, x := range lists {
		if f.Reading() && slices.ContainsFunc(x, func(v float64) bool { return v-v != 0 }) {
			f.Fail("%s is not finite", what)
		}
	}
}

// Bytes is a list of bytes, which when read is part of the data and not a copy.
func (f *Fields) Bytes(x *[]byte) { field(f, x, (*reader).bytes, (*writer).bytes) }

// Text is a text.
func (f *Fields) Text(s *string) { field(f, s, (*reader).text, (*writer).text) }

// List is a list whose items take so many bytes each, at least; item describes one and nothing besides. An empty one is read as nil.
func List[T any](f *Fields, x *[]T, size int, item func(*T)) {
	n := len(*x)
	if f.Reading() {
		n = f.in.count(size)
		set(f, x, slices.Grow[[]T](nil, n)[:n])
	} else {
		f.out.int(n)
	}
	defer func(before bool) { f.fresh = before }(f.fresh)
	f.fresh = true
	for i := range *x {
		item(&(*x)[i])
	}
}

// Optional is what there may be, or nil; item describes it and nothing besides.
func Optional[T any](f *Fields, x **T, item func(*T)) {
	there := *x != nil
	if f.Bool(&there); f.Reading() {
		set(f, x, nil)
	}
	if there && f.Reading() {
		*x = new(T)
	}
	if there {
		item(*x)
	}
}

// Ints is a list of numbers from 0 to most; an empty one is read as nil.
func (f *Fields) Ints(x *[]int, most int) {
	field(f, x, func(r *reader) []int { return r.ints(most) }, (*writer).ints)
}

// Part is what a part remembers: the fields of a Described, after the name of its type, or the frame of a State, which is read once all
// else is in order.
func (f *Fields) Part(what string, part any) {
	switch p := part.(type) {
	case Described:
		want := fmt.Sprintf("%T", part)
		kind := want
		if f.Text(&kind); kind != want {
			f.Fail("the %s is a %s, want a %s", what, kind, want)
		}
		p.Describe(f)
	case State:
		f.frame(p)
	default:
		f.refuse(fmt.Errorf("the %s, a %T, cannot be saved: it is no wire.State", what, part))
	}
}

// frame is a state within this one.
func (f *Fields) frame(s State) {
	if f.Reading() {
		f.parts, f.saved = append(f.parts, s), append(f.saved, f.in.bytes())
	} else {
		f.out.state(s)
	}
}

// refuse is for states that can neither be written nor read.
func (f *Fields) refuse(err error) {
	if f.Check(err); !f.Reading() && f.out.err == nil {
		f.out.err = err
	}
}
