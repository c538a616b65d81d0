package stream_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/stream"
)

func intns(g *stream.NumPy, n, count int) []int {
	x := make([]int, count)
	for i := range x {
		x[i] = g.Intn(n)
	}
	return x
}

// Source: the C++ standard, [rand.predef]: the 10000th number of a default-seeded mt19937.
func TestMersenneTwister(t *testing.T) {
	g := stream.NewNumPy(5489)
	for range 9999 {
		g.Uint32()
	}
	if got := g.Uint32(); got != 4123659995 {
		t.Errorf("the 10000th number is %d, want 4123659995", got)
	}
}

// Source: NumPy 2.4.6, SHA-256 of RandomState(seed)._bit_generator.random_raw(3000) and of RandomState(seed).rand(2000), little-endian.
func TestNumPyWords(t *testing.T) {
	for seed, want := range map[uint32]string{
		0:          "e672322db8508e1310228cb371cda57e3e6b1bbb18b359239f4b37f044b46f71",
		1:          "2d6acb6254596f5ffb1a5423b3a13c649309f4c00b9a6b7563e5c5d9232b8592",
		20:         "c7d980891c417d157ec6c33a4e60177649fd7a5f71dc2b0db55553312485af8d",
		5489:       "eca0f89be5a10225672e34675c3aaeea4b3d3a993e65ebf8713648a76802ee63",
		4294967295: "69720dfc3071bf8f619e2b80d3822dd0188060735847f6582c6d0c8dce307b0d",
	} {
		g, h := stream.NewNumPy(seed), sha256.New()
		for range 3000 {
			binary.Write(h, binary.LittleEndian, g.Uint32())
		}
		if got := fmt.Sprintf("%x", h.Sum(nil)); got != want {
			t.Errorf("words of seed %d: %s, want %s", seed, got, want)
		}
	}
	g, h := stream.NewNumPy(20), sha256.New()
	for range 2000 {
		binary.Write(h, binary.LittleEndian, g.Float64())
	}
	if got, want := fmt.Sprintf("%x", h.Sum(nil)), "e27c6934fd4bfe635411a8ab42bd0ad9a1813e24a307e3d23045bc1fded49b48"; got != want {
		t.Errorf("numbers of seed 20: %s, want %s", got, want)
	}
}

// Source: goldens.json, mt19937_numpy_legacy_seed10: numpy.random.rand(3).
func TestNumPyRand(t *testing.T) {
	g := stream.NewNumPy(10)
	for _, want := range []float64{0.771320643266746, 0.0207519493594015, 0.6336482349262754} {
		if got := g.Float64(); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// Source: goldens.json, mt19937_numpy_legacy_seed20: numpy.random.randn(5); numbers 143, 168 and 169 from NumPy 2.4 with glibc
// 2.36. Bit for bit: these are numbers that the published runs drew.
func TestNumPyRandn(t *testing.T) {
	want := map[int]float64{
		0: 0.8838931126173458, 1: 0.1958650220376449, 2: 0.3575365158852867, 3: -2.3432619056402113, 4: -1.0848325873173328,
		143: -0x1.d8aea28353af0p-1, 168: 0x1.d99c79c2a2c08p+0, 169: -0x1.680d3730b9d47p-3,
	}
	g := stream.NewNumPy(20)
	for i := range 170 {
		got := g.Normal()
		if w, ok := want[i]; ok && got != w {
			t.Errorf("number %d is %v, want %v", i, got, w)
		}
	}
}

// Source: goldens.json, mt19937_numpy_legacy_seed7: numpy.random.randint(0, 1000, 6).
func TestNumPyRandint(t *testing.T) {
	got := intns(stream.NewNumPy(7), 1000, 6)
	if want := []int{175, 196, 537, 502, 579, 211}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Source: NumPy 2.4, numpy.random.seed(11) and randint(0, n, k) for these n one after the other; n = 1 draws nothing.
func TestNumPyRandintOfAnySize(t *testing.T) {
	g := stream.NewNumPy(11)
	for _, c := range []struct {
		n    int
		want []int
	}{
		{1 << 32, []int{774252441, 293375679, 83645520}},
		{1, []int{0, 0, 0}},
		{2, []int{1, 1, 1, 1, 0, 1, 1, 0}},
		{1<<31 + 5, []int{969428760, 54893165, 2093245104}},
		{1024, []int{765, 416, 813}},
	} {
		if got := intns(g, c.n, len(c.want)); !slices.Equal(got, c.want) {
			t.Errorf("randint(0, %d): got %v, want %v", c.n, got, c.want)
		}
	}
}

// Source: NumPy 2.4, numpy.random.seed(5), shuffle(arange(10)), then randint(0, 1000).
func TestNumPyShuffle(t *testing.T) {
	g := stream.NewNumPy(5)
	x := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}
	swaps := 0
	g.Shuffle(10, func(i, j int) { swaps, x[i], x[j] = swaps+1, x[j], x[i] })
	if swaps != 9 {
		t.Errorf("%d swaps of ten, want 9", swaps)
	}
	if want := []int{9, 5, 2, 4, 7, 1, 0, 8, 6, 3}; !slices.Equal(x, want) {
		t.Errorf("got %v, want %v", x, want)
	}
	if got := g.Intn(1000); got != 624 {
		t.Errorf("after the shuffle %d, want 624", got)
	}
}

// Source: NumPy 2.4, numpy.random.seed(20): randn(3), rand(), randn(2), rand(). The spare normal waits through other draws.
func TestNumPyKeepsTheSpareNormal(t *testing.T) {
	g := stream.NewNumPy(20)
	for range 3 {
		g.Normal()
	}
	got := []float64{g.Float64(), g.Normal(), g.Normal(), g.Float64()}
	want := []float64{0.657951465558813, -2.3432619056402113, -0.6206421573499208, 0.7186059336011658}
	for i, v := range got {
		if math.Abs(v-want[i]) > 4*eps*math.Abs(want[i]) {
			t.Errorf("draw %d is %v, want %v", i, v, want[i])
		}
	}
}

func TestNumPyCopyIsASnapshot(t *testing.T) {
	g := stream.NewNumPy(1)
	g.Normal()
	snapshot := *g
	for i := range 2000 {
		if a, b := g.Normal(), snapshot.Normal(); a != b {
			t.Fatalf("draw %d after the snapshot: %v and %v", i, a, b)
		}
	}
}

func ExampleNewNumPy() {
	g := stream.NewNumPy(7) // numpy.random.seed(7)
	fmt.Println(g.Intn(1000), g.Intn(1000))
	// Output: 175 196
}
