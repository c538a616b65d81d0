package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Reader reads one frame in the order in which it was written. After an error it gives zeros, and Finish tells the first.
type Reader struct {
	kind string
	b    []byte // what is left of the content
	err  error
}

// Read begins to read data, which must be one whole frame of the given kind.
func Read(data []byte, kind string) *Reader {
	r := &Reader{kind: kind}
	found, frame, rest, err := Split(data)
	switch {
	case err != nil:
		r.err = err
	case found != kind:
		r.Fail("found %q instead", found)
	case len(rest) > 0:
		r.Fail("%d bytes follow", len(rest))
	default:
		r.b = frame[1+len(kind)+8 : len(frame)-4]
	}
	return r
}

// Fail makes Finish return an *Error, unless there is an earlier one.
func (r *Reader) Fail(format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Kind: r.kind, Reason: fmt.Sprintf(format, args...)}
	}
}

// Finish returns the first error; content that was not read is one. What was read is to be used only if there is none.
func (r *Reader) Finish() error {
	if len(r.b) > 0 {
		r.Fail("%d bytes of the content are one too many", len(r.b))
	}
	return r.err
}

// More tells whether there is content that was not read.
func (r *Reader) More() bool { return r.err == nil && len(r.b) > 0 }

// take returns the next n bytes.
func (r *Reader) take(n int) []byte {
	if n > len(r.b) {
		r.Fail("the content ends too early")
	}
	if r.err != nil {
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// Uint64 reads a number.
func (r *Reader) Uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// Int reads a number from 0 to most.
func (r *Reader) Int(most int) int {
	v := r.Uint64()
	if v > uint64(most) {
		r.Fail("a number is %d, at most %d is possible", v, most)
		return 0
	}
	return int(v)
}

// Bool reads 1 or 0.
func (r *Reader) Bool() bool { return r.Int(1) == 1 }

// Float reads a number's bits.
func (r *Reader) Float() float64 { return math.Float64frombits(r.Uint64()) }

// Count reads how many items follow, of which each takes so many bytes at least: never more than there are bytes for.
func (r *Reader) Count(size int) int { return r.Int(max(0, len(r.b)-8) / size) }

// list reads a count of items and returns their bytes.
func (r *Reader) list(size int) []byte { return r.take(size * r.Count(size)) }

// Floats reads a list of numbers of any length.
func (r *Reader) Floats() []float64 {
	b := r.list(8)
	x := make([]float64, len(b)/8)
	decode(x, b)
	return x
}

// SomeFloats reads a list of numbers that is nil when it is empty.
func (r *Reader) SomeFloats() []float64 {
	if x := r.Floats(); len(x) > 0 {
		return x
	}
	return nil
}

// Fill reads a list of numbers that must be as long as dst.
func (r *Reader) Fill(dst []float64) {
	if b := r.list(8); r.fits(len(b)/8, len(dst)) {
		decode(dst, b)
	}
}

// FillSingles reads a list of numbers in single precision that must be as long as dst.
func (r *Reader) FillSingles(dst []float32) {
	b := r.list(4)
	if !r.fits(len(b)/4, len(dst)) {
		return
	}
	for i := range dst {
		dst[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
}

func (r *Reader) fits(got, want int) bool {
	if got != want {
		r.Fail("a list has %d numbers, want %d", got, want)
	}
	return r.err == nil
}

func decode(dst []float64, b []byte) {
	for i := range dst {
		dst[i] = math.Float64frombits(binary.LittleEndian.Uint64(b[8*i:]))
	}
}

// Bytes reads a list of bytes, or another frame, which is part of the data and not a copy.
func (r *Reader) Bytes() []byte { return r.list(1) }
