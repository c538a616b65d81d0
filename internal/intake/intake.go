// Package intake is what readers of files that other programs wrote have in common: how much a file may unpack to, and which
// of its numbers a float64 holds.
package intake

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// Limits bound what a reader takes in. A field of zero or less means its default.
type Limits struct {
	Bytes int64 // of all numbers and texts together; 1 GiB
	Ratio int64 // how many times its own size a file may unpack to, not counting the first MB; 200
}

// Most is the bound on bytes.
func (l Limits) Most() int64 {
	if l.Bytes <= 0 {
		return 1 << 30
	}
	return l.Bytes
}

// Unpacked is how many bytes a file of the given size may unpack to.
func (l Limits) Unpacked(size int64) int64 {
	ratio := l.Ratio
	if ratio <= 0 {
		ratio = 200
	}
	const free = 1 << 20
	if size > (l.Most()-free)/ratio {
		return l.Most()
	}
	return free + size*ratio
}

// ErrTooLarge is wrapped by what says that a file takes more memory than may be taken.
var ErrTooLarge = errors.New("more than may be read into memory")

// FormatError says why bytes are not what they are read as, or why something cannot be written.
type FormatError struct {
	Of     string // what is read, as in "table"
	Member string // its name in an archive, otherwise empty
	What   string // what is wrong
	Err    error  // the cause, when another package found it
}

func (e *FormatError) Error() string {
	s := e.Of + ": "
	if e.Member != "" {
		s += fmt.Sprintf("member %q: ", e.Member)
	}
	s += e.What
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *FormatError) Unwrap() error { return e.Err }

// Catch, deferred, makes a *FormatError that a reader panics with the error of the function.
func Catch(err *error) {
	switch v := recover().(type) {
	case nil:
	case *FormatError:
		*err = v
	default:
		panic(v)
	}
}

// Float64 reads a double. Like all that follow it takes little-endian bytes and is false for what no float64 holds.
func Float64(b []byte) (float64, bool) {
	return math.Float64frombits(binary.LittleEndian.Uint64(b)), true
}

// Float32 reads a single.
func Float32(b []byte) (float64, bool) {
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(b))), true
}

// Int32 reads a whole number of 32 bits.
func Int32(b []byte) (float64, bool) { return float64(int32(binary.LittleEndian.Uint32(b))), true }

// Uint32 reads one without a sign.
func Uint32(b []byte) (float64, bool) { return float64(binary.LittleEndian.Uint32(b)), true }

// Int64 reads a whole number of 64 bits, which is exact up to 2⁵³.
func Int64(b []byte) (float64, bool) {
	v := int64(binary.LittleEndian.Uint64(b))
	return float64(v), -1<<53 <= v && v <= 1<<53
}

// Uint64 reads one without a sign.
func Uint64(b []byte) (float64, bool) {
	v := binary.LittleEndian.Uint64(b)
	return float64(v), v <= 1<<53
}
