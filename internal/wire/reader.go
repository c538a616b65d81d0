package wire

import (
	"encoding/binary"
	"fmt"
	"math"
)

// reader reads one frame in the order in which it was written. After an error it gives zeros, and finish tells the first.
type reader struct {
	kind string
	b    []byte // what is left of the content
	err  error
}

// read begins to read data, which must be one whole frame of the given kind.
func read(data []byte, kind string) *reader {
	r := &reader{kind: kind}
	found, frame, rest, err := Split(data)
	switch {
	case err != nil:
		r.err = err
	case found != kind:
		r.fail("found %q instead", found)
	case len(rest) > 0:
		r.fail("%d bytes follow", len(rest))
	default:
		r.b = frame[1+len(kind)+8 : len(frame)-4]
	}
	return r
}

// fail makes finish return an *Error, unless there is an earlier one.
func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = &Error{Kind: r.kind, Reason: fmt.Sprintf(format, args...)}
	}
}

// finish returns the first error; content that was not read is one. What was read is to be used only if there is none.
func (r *reader) finish() error {
	if len(r.b) > 0 {
		r.fail("%d bytes of the content are one too many", len(r.b))
	}
	return r.err
}

// take returns the next n bytes.
func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		r.fail("the content ends too early")
	}
	if r.err != nil {
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

// uint64 reads a number.
func (r *reader) uint64() uint64 {
	if b := r.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// int reads a number from 0 to most.
func (r *reader) int(most int) int {
	v := r.uint64()
	if v > uint64(most) {
		r.fail("a number is %d, at most %d is possible", v, most)
		return 0
	}
	return int(v)
}

// bool reads 1 or 0.
func (r *reader) bool() bool { return r.int(1) == 1 }

// float reads a number's bits.
func (r *reader) float() float64 { return math.Float64frombits(r.uint64()) }

// count reads how many items follow, of which each takes so many bytes at least: never more than there are bytes for.
func (r *reader) count(size int) int { return r.int(max(0, len(r.b)-8) / size) }

// list reads a count of items and returns their bytes.
func (r *reader) list(size int) []byte { return r.take(size * r.count(size)) }

// floats reads a list of numbers of any length.
func (r *reader) floats() []float64 {
	b := r.list(8)
	if len(b) == 0 {
		return nil
	}
	x := make([]float64, len(b)/8)
	_, _ = binary.Decode(b, binary.LittleEndian, x) // as long as it must be
	return x
}

// ints reads a list of numbers from 0 to most.
func (r *reader) ints(most int) (x []int) {
	if n := r.count(8); n > 0 {
		x = make([]int, n)
	}
	for i := range x {
		x[i] = r.int(most)
	}
	return x
}

// readList reads a list of numbers that must be as long as dst.
func readList[T real](r *reader, dst []T) {
	b := r.list(bytesOf[T]())
	if got := len(b) / bytesOf[T](); got != len(dst) {
		r.fail("a list has %d numbers, want %d", got, len(dst))
	}
	if r.err == nil {
		_, _ = binary.Decode(b, binary.LittleEndian, dst)
	}
}

// bytes reads a list of bytes, or another frame, which is part of the data and not a copy.
func (r *reader) bytes() []byte { return r.list(1) }

func (r *reader) text() string { return string(r.bytes()) }
