package rows

import (
	"slices"
	"testing"
)

// Source: the known answers of the authors' library Random123 for philox4x64 with 10 rounds: counter, key, words.
func TestPhiloxHasTheKnownAnswers(t *testing.T) {
	const all = 1<<64 - 1
	for _, x := range []struct {
		counter, want [4]uint64
		key           [2]uint64
	}{
		{[4]uint64{}, [4]uint64{0x16554d9eca36314c, 0xdb20fe9d672d0fdc, 0xd7e772cee186176b, 0x7e68b68aec7ba23b}, [2]uint64{}},
		{[4]uint64{all, all, all, all}, [4]uint64{0x87b092c3013fe90b, 0x438c3c67be8d0224, 0x9cc7d7c69cd777b6, 0xa09caebf594f0ba0}, [2]uint64{all, all}},
		{
			[4]uint64{0x243f6a8885a308d3, 0x13198a2e03707344, 0xa4093822299f31d0, 0x082efa98ec4e6c89},
			[4]uint64{0xa528f45403e61d95, 0x38c72dbd566e9788, 0xa5a1610e72fd18b5, 0x57bd43b5e52b7fe6}, [2]uint64{0x452821e638d01377, 0xbe5466cf34e90c6c},
		},
	} {
		got := make([]uint64, 4)
		if Philox(got, x.key, x.counter); !slices.Equal(got, x.want[:]) {
			t.Errorf("counter %x, key %x: %x, want %x", x.counter, x.key, got, x.want)
		}
	}
}
