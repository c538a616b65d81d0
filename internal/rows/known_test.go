package rows

import (
	"math"
	"math/rand/v2"
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

// Bits are the same where lengths and all bits are: zeros of two signs differ, and what is not a number is like itself.
func TestSameBits(t *testing.T) {
	nan, minus := math.NaN(), math.Copysign(0, -1)
	other := math.Float64frombits(math.Float64bits(nan) ^ 1)
	for _, c := range []struct {
		x, y []float64
		same bool
	}{
		{nil, []float64{}, true}, {[]float64{1, nan, minus}, []float64{1, nan, minus}, true}, {[]float64{0}, []float64{minus}, false}, {[]float64{nan}, []float64{other}, false},
		{[]float64{1, 2}, []float64{1}, false}, {[]float64{1}, []float64{1, 2}, false}, {[]float64{1, 2}, []float64{1, 3}, false},
	} {
		if SameBits(c.x, c.y) != c.same {
			t.Errorf("%v and %v have the same bits: %t", c.x, c.y, !c.same)
		}
	}
}

// A matrix may have more numbers than are needed, also where none are.
func TestLongMatrices(t *testing.T) {
	levels(func(level string) {
		long := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9}
		dst := []float64{1, 1, 1, 1}
		AddMulT(dst, long, nil)
		AddMulT(nil, long, []float64{1, 2})
		if AddMulT(dst, long, []float64{1, 10}); !slices.Equal(dst, []float64{52, 63, 74, 85}) {
			t.Errorf("%s: %v", level, dst)
		}
	})
}

// The tree adds neighbours first, whatever their number and length; by its definition, from the root on.
func TestTreesByTheirDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 0))
	for count := range 40 {
		for _, n := range []int{1, 2, 5, 9} {
			parts := random(r, count*n, false)
			before := clone(parts)
			var sum func(j, from, span int) float64
			sum = func(j, from, span int) float64 {
				if span == 1 {
					return before[from*n+j]
				}
				left := sum(j, from, span/2)
				if right := from + span/2; right < count {
					left += sum(j, right, span/2)
				}
				return left
			}
			AddTree(parts, n)
			for j := range min(n, len(parts)) {
				if want := sum(j, 0, 64); parts[j] != want {
					t.Errorf("number %d of %d blocks of %d is %v, want %v", j, count, n, parts[j], want)
				}
			}
		}
	}
}
