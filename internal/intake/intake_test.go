package intake_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/internal/intake"
)

func TestWholeNumbersAreExactOrRefused(t *testing.T) {
	for bits, want := range map[uint64][2]bool{
		1 << 53: {true, true}, 1<<53 + 1: {false, false}, math.MaxUint64: {true, false}, 1 << 63: {false, false},
	} {
		b := binary.LittleEndian.AppendUint64(nil, bits)
		v, signed := intake.Int64(b)
		w, unsigned := intake.Uint64(b)
		if signed != want[0] || unsigned != want[1] || signed && int64(v) != int64(bits) || unsigned && uint64(w) != bits {
			t.Errorf("%x: %v %v, %v %v", bits, v, signed, w, unsigned)
		}
	}
	b := binary.LittleEndian.AppendUint32(nil, math.MaxUint32)
	v, _ := intake.Int32(b)
	if w, _ := intake.Uint32(b); v != -1 || w != math.MaxUint32 {
		t.Errorf("%v, %v", v, w)
	}
}

func TestUnpackedIsBounded(t *testing.T) {
	for _, c := range []struct {
		limits     intake.Limits
		size, want int64
	}{
		{intake.Limits{}, 0, 1 << 20},
		{intake.Limits{}, 1000, 1<<20 + 200_000},
		{intake.Limits{}, math.MaxInt64, 1 << 30},
		{intake.Limits{Bytes: 5}, 1000, 5},
		{intake.Limits{Bytes: math.MaxInt64, Ratio: math.MaxInt64}, 2, math.MaxInt64},
	} {
		if got := c.limits.Unpacked(c.size); got != c.want {
			t.Errorf("%+v, %d bytes: %d, want %d", c.limits, c.size, got, c.want)
		}
	}
}
