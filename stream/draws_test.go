package stream_test

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/stream"
)

const eps = 0x1p-53

// Float64 is in [0, 1), on a grid of 2⁻⁵³, and uniform.
func TestFloat64(t *testing.T) {
	s := stream.New(1, "float64")
	cells := make([]int, 1000)
	low := 0
	for range 200_000 {
		v := s.Float64()
		if v < 0 || v >= 1 || v/eps != math.Trunc(v/eps) {
			t.Fatalf("%v is not on the grid", v)
		}
		if int64(v/eps)&1 == 1 {
			low++
		}
		cells[int(v*1000)]++
	}
	chiSquare(t, "thousandths", cells)
	chiSquare(t, "last bit", []int{low, 200_000 - low})
}

// Without its rejections, Intn(3·2⁶¹) would give multiples of three with probability 3/8 or 2/8.
func TestIntnIsUnbiased(t *testing.T) {
	s := stream.New(1, "intn")
	for _, n := range []int{2, 3, 7, 1000} {
		cells := make([]int, n)
		for range 100 * max(n, 100) {
			cells[s.Intn(n)]++
		}
		chiSquare(t, "small", cells)
	}
	const n = 3 << 61
	rest, third := make([]int, 3), make([]int, 3)
	for range 100_000 {
		v := s.Intn(n)
		if v < 0 || v >= n {
			t.Fatal(v)
		}
		rest[v%3]++
		third[v/(1<<61)]++
	}
	chiSquare(t, "remainders", rest)
	chiSquare(t, "thirds", third)
	if s.Intn(1) != 0 {
		t.Error("Intn(1) is not 0")
	}
}

func TestIntnPanics(t *testing.T) {
	for _, n := range []int{0, -1, math.MinInt} {
		for _, intn := range []func(int) int{stream.New(1).Intn, stream.NewNumPy(1).Intn} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("Intn(%d) gave a number", n)
					}
				}()
				intn(n)
			}()
		}
	}
}

// The moments of N(0, 1) are 0, 1, 0, 3, 0, 15, 0, 105; the mean of zᵏ has variance (E z²ᵏ − (E zᵏ)²)/n.
func TestNormalMoments(t *testing.T) {
	const n = 400_000
	moment := []float64{1, 0, 1, 0, 3, 0, 15, 0, 105}
	for name, normal := range map[string]func() float64{
		"stream": stream.New(1, "moments").Normal, "numpy": stream.NewNumPy(1).Normal,
	} {
		var sum [5]float64
		cross, last := 0.0, 0.0
		for range n {
			z := normal()
			for k, p := 1, z; k <= 4; k, p = k+1, p*z {
				sum[k] += p
			}
			cross += z * last
			last = z
		}
		for k := 1; k <= 4; k++ {
			z := (sum[k]/n - moment[k]) / math.Sqrt((moment[2*k]-moment[k]*moment[k])/n)
			if math.Abs(z) > 4.5 {
				t.Errorf("%s: moment %d is %.2f deviations off", name, k, z)
			}
		}
		if z := cross / math.Sqrt(n); math.Abs(z) > 4.5 {
			t.Errorf("%s: neighbours correlate by %.2f deviations", name, z)
		}
	}
}

// Kolmogorov–Smirnov against the exact distribution function; a right law is above 1.95 once in a thousand seeds.
func TestNormalLaw(t *testing.T) {
	s := stream.New(1, "law")
	x := make([]float64, 100_000)
	for i := range x {
		x[i] = s.Normal()
	}
	slices.Sort(x)
	n, worst := float64(len(x)), 0.0
	for i, v := range x {
		f := math.Erfc(-v/math.Sqrt2) / 2
		worst = max(worst, f-float64(i)/n, float64(i+1)/n-f)
	}
	if z := worst * math.Sqrt(n); z > 1.95 {
		t.Errorf("√n·D = %.2f, want at most 1.95", z)
	}
}

func TestDrawsDoNotAllocate(t *testing.T) {
	s, g := stream.New(1), stream.NewNumPy(1)
	if n := testing.AllocsPerRun(1000, func() {
		s.Normal()
		s.Intn(10)
		s.Seek(3)
		g.Normal()
		g.Intn(10)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Normals gives what Normal gives, wherever a batch begins and ends and whatever is drawn between.
func TestNormalsAreNormals(t *testing.T) {
	one, many := stream.New(1, "batches"), stream.New(1, "batches")
	for round := range 400 {
		got := make([]float64, one.Intn(300))
		if many.Intn(300) != len(got) {
			t.Fatal("the streams are apart before the batch")
		}
		many.Normals(got)
		many.Normals(nil) // takes nothing, not even what is left of a pair
		for i, v := range got {
			if want := one.Normal(); v != want {
				t.Fatalf("round %d: number %d of %d is %v, want %v", round, i, len(got), v, want)
			}
		}
	}
}
