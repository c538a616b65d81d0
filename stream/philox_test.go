package stream

import "testing"

// Source: Random123's known answers (kat_vectors, philox4x64 10): zeros, ones, and the digits of π. NumPy 2.4's Philox gives
// the same three when its counter starts one below.
func TestPhiloxKnownAnswers(t *testing.T) {
	const ones = 1<<64 - 1
	for _, c := range []struct {
		key     [2]uint64
		counter [4]uint64
		want    [4]uint64
	}{
		{want: [4]uint64{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}},
		{
			key:     [2]uint64{ones, ones},
			counter: [4]uint64{ones, ones, ones, ones},
			want:    [4]uint64{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0},
		},
		{
			key:     [2]uint64{0x452821e638d01377, 0xbe5466cf34e90c6c},
			counter: [4]uint64{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
			want:    [4]uint64{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6},
		},
	} {
		if got := philox(c.key, c.counter); got != c.want {
			t.Errorf("philox(%x, %x) = %x, want %x", c.key, c.counter, got, c.want)
		}
	}
}

// A range's draws are the blocks of its own counters, in order, and touch no other counter.
func TestSeekIsTheCounter(t *testing.T) {
	s := New(3, "counter")
	for _, i := range []uint64{0, 1, 1 << 40, 1<<64 - 1} {
		s.Seek(i)
		for block := range uint64(5) {
			for _, want := range philox(s.key, [4]uint64{block, i, 0, 0}) {
				if got := s.Uint64(); got != want {
					t.Fatalf("range %d, block %d: %x, want %x", i, block, got, want)
				}
			}
		}
	}
}
