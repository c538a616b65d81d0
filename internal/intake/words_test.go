package intake_test

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/internal/intake"
)

// By hand, and the cause is found in it.
func TestFormatErrors(t *testing.T) {
	for want, e := range map[string]*intake.FormatError{
		"table: too short":                            {Of: "table", What: "too short"},
		"array: member \"a\\n\": too short":           {Of: "array", Member: "a\n", What: "too short"},
		"table: read: EOF":                            {Of: "table", What: "read", Err: io.EOF},
		"archive: member \"x\": read: unexpected EOF": {Of: "archive", Member: "x", What: "read", Err: io.ErrUnexpectedEOF},
	} {
		if e.Error() != want || errors.Unwrap(e) != e.Err {
			t.Errorf("%s, want %s", e, want)
		}
	}
}

// caught is the error of a function that panics with v.
func caught(v any) (err error) {
	defer intake.Catch(&err)
	if v != nil {
		panic(v)
	}
	return io.EOF
}

// Readers' own panics are errors, others go on, and without one the error stays what it is.
func TestCatch(t *testing.T) {
	of := &intake.FormatError{Of: "table"}
	if err := caught(of); err != error(of) {
		t.Error(err)
	}
	if err := caught(nil); err != io.EOF {
		t.Error(err)
	}
	defer func() {
		if v := recover(); v != "other" {
			t.Errorf("another panic became %v", v)
		}
	}()
	t.Error(caught("other"))
}

// Numbers of floating point are as they are, and whole ones exact to either side of 2⁵³.
func TestNumbers(t *testing.T) {
	for _, v := range []float64{0, math.Copysign(0, -1), 0.1, math.Inf(-1), math.MaxFloat64} {
		if got, ok := intake.Float64(binary.LittleEndian.AppendUint64(nil, math.Float64bits(v))); !ok || math.Float64bits(got) != math.Float64bits(v) {
			t.Errorf("%v is read as %v, %t", v, got, ok)
		}
		if got, ok := intake.Float32(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v)))); !ok || got != float64(float32(v)) {
			t.Errorf("%v is read as %v, %t", v, got, ok)
		}
	}
	for v, want := range map[int64]bool{0: true, -1 << 53: true, -1<<53 - 1: false, 1 << 53: true, 1<<53 + 1: false, 1<<53 - 1: true, math.MinInt64: false} {
		if got, ok := intake.Int64(binary.LittleEndian.AppendUint64(nil, uint64(v))); ok != want || ok && got != float64(v) {
			t.Errorf("%d is read as %v, %t", v, got, ok)
		}
	}
	for bits, want := range map[uint32][2]float64{0: {0, 0}, 7: {7, 7}, 1 << 31: {-1 << 31, 1 << 31}} {
		b := binary.LittleEndian.AppendUint32(nil, bits)
		signed, ok := intake.Int32(b)
		if unsigned, is := intake.Uint32(b); !ok || !is || signed != want[0] || unsigned != want[1] {
			t.Errorf("%d is read as %v and %v", bits, signed, unsigned)
		}
	}
}

// The defaults are 1 GiB and 200 times the size beyond 1 MiB; what would be more than the bytes is the bytes.
func TestDefaults(t *testing.T) {
	if got := (intake.Limits{Bytes: -1}).Most(); got != 1<<30 {
		t.Error(got)
	}
	for _, c := range []struct {
		lim        intake.Limits
		size, want int64
	}{
		{intake.Limits{Bytes: 1, Ratio: 5}, 0, 1}, {intake.Limits{Bytes: 1 << 20}, 0, 1 << 20}, {intake.Limits{Bytes: 1<<20 + 10, Ratio: 5}, 2, 1<<20 + 10}, {intake.Limits{Bytes: 1<<20 + 10, Ratio: 5}, 1, 1<<20 + 5},
		{intake.Limits{Ratio: -1}, 3, 1<<20 + 600}, {intake.Limits{Ratio: 1}, 3, 1<<20 + 3},
	} {
		if got := c.lim.Unpacked(c.size); got != c.want {
			t.Errorf("%+v of %d bytes: %d, want %d", c.lim, c.size, got, c.want)
		}
	}
}

// Numbers that no float64 holds are keys' values as others are.
func TestRepeatedBesideLargeNumbers(t *testing.T) {
	for text, want := range map[string]string{`{"a":1e999,"b":[1e999],"a":2}`: "a", `{"a":[],"a":1}`: "a", `{"a":{},"a":1}`: "a", `{"a":{"b":1},"b":{"a":2},"c":[{"a":1}],"b":0}`: "b"} {
		if got := intake.Repeated([]byte(text)); got != want {
			t.Errorf("%s has %q twice, want %q", text, got, want)
		}
	}
}
