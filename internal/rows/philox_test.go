package rows

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestPhiloxGivesTheBitsOfPlainCode(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 0))
	word := func() uint64 {
		return []uint64{r.Uint64(), 0, 1, 1<<64 - 1, 1<<52 - 1, 1 << 52, 1 << 63, r.Uint64() >> 52, r.Uint64() << 52}[r.IntN(9)]
	}
	for range 2000 {
		key, counter := [2]uint64{word(), word()}, [4]uint64{word(), word(), word(), word()}
		got, want := make([]uint64, 4*r.IntN(70)), make([]uint64, 0)
		for i := range len(got) / 4 {
			a, b, c, d := rounds(key[0], key[1], counter[0]+uint64(i), counter[1], counter[2], counter[3])
			want = append(want, a, b, c, d)
		}
		levels(func(level string) {
			clear(got)
			if Philox(got, key, counter); !slices.Equal(got, want) {
				t.Fatalf("%s: key %x, counter %x: %x, want %x", level, key, counter, got, want)
			}
		})
	}
}
