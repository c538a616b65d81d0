package rows_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

var nan, inf = math.NaN(), math.Inf(1)

// same is equality that holds NaN equal to NaN.
func same(x, y float64) bool { return x == y || math.IsNaN(x) && math.IsNaN(y) }

// A NaN or an infinity anywhere, in a lane or in the rest, comes out.
func TestNotFiniteComesOut(t *testing.T) {
	for _, n := range sizes[1:] {
		for i := range n {
			x, y := make([]float64, n), make([]float64, n)
			for _, v := range []float64{nan, inf} {
				x[i], y[i] = v, 1
				for name, got := range map[string]float64{
					"Dot": rows.Dot(x, y), "Sum": rows.Sum(x), "Norm": rows.Norm(x), "Distance": rows.Distance(x, y), "MaxAbs": rows.MaxAbs(x),
				} {
					if !same(got, v) {
						t.Errorf("%s with %v at %d of %d is %v", name, v, i, n, got)
					}
				}
			}
		}
	}
	if got := rows.MaxAbs([]float64{inf, nan, 1}); !math.IsNaN(got) {
		t.Error("NaN is hidden behind an infinity:", got)
	}
}

// Sum adds by halves down to eight entries in order, to the bit.
func TestSumAddsByHalves(t *testing.T) {
	var halves func(x []float64) float64
	halves = func(x []float64) (s float64) {
		if h := len(x) / 2; len(x) > 8 {
			return halves(x[:h]) + halves(x[h:])
		}
		for _, v := range x {
			s += v
		}
		return s
	}
	x := make([]float64, 1100)
	stream.New(1, "halves").Normals(x)
	for n := range x {
		if got, want := rows.Sum(x[:n]), halves(x[:n]); got != want {
			t.Errorf("the sum of %d is %v, want %v", n, got, want)
		}
	}
	if s := rows.Sum(slices.Repeat([]float64{math.Copysign(0, -1)}, 16)); math.Signbit(s) {
		t.Error("the sum of 16 zeros has a sign")
	}
}

func TestFinite(t *testing.T) {
	for _, n := range sizes {
		x := make([]float64, n)
		for i := range x {
			x[i] = math.MaxFloat64 * float64(1-2*(i%2))
		}
		if !rows.Finite(x) {
			t.Errorf("%d large numbers are not finite", n)
		}
		for i := range x {
			for _, v := range []float64{nan, inf, -inf} {
				keep := x[i]
				if x[i] = v; rows.Finite(x) {
					t.Errorf("%v at %d of %d is finite", v, i, n)
				}
				x[i] = keep
			}
		}
	}
	if !rows.Finite([]float64{5e-324, math.Copysign(0, -1)}) {
		t.Error("small numbers are not finite")
	}
}

// Norm and Distance scale exactly with powers of two, past where squares overflow or vanish.
func TestNormScales(t *testing.T) {
	if got := rows.Norm([]float64{3e200, 4e200}); math.Abs(got/5e200-1) > 4*eps {
		t.Error(got)
	}
	if got := rows.Distance([]float64{3e-200, 1}, []float64{0, 1}); got != 3e-200 {
		t.Error(got)
	}
	if got := rows.Norm([]float64{5e-324}); got != 5e-324 {
		t.Error(got)
	}
	if got := rows.MaxAbs([]float64{-3, 2}); got != 3 {
		t.Error(got)
	}
	if here := []float64{3, -4}; rows.Norm([]float64{0, 0}) != 0 || rows.Norm(nil) != 0 || rows.Distance(here, here) != 0 {
		t.Error("what is nothing has a length")
	}
}

// The root of the sum of squares is taken as it is where that is above 1e-280 and below 1e280; from the bounds on entries are divided by the largest, which has other bits.
func TestWhereNormsAreScaled(t *testing.T) {
	direct := func(a, b float64) float64 { return math.Sqrt(float64(a*a) + float64(b*b)) }
	scaled := func(a, b float64) float64 { return b * math.Sqrt(float64(a/b*(a/b))+1) }
	r, told := stream.New(4, "bounds"), 0
	for k := range 400 {
		b := []float64{1.0001e-140, 1.2e-140, 1.99e-141, 0.9e-140, 0.9e140, 0.6e140, 1.0001e140, 1.9e140}[k%8]
		a := b * 0.01 * r.Float64()
		want := direct(a, b)
		if s := float64(a*a) + float64(b*b); !(s > 1e-280 && s < 1e280) {
			want = scaled(a, b)
		}
		if direct(a, b) != scaled(a, b) {
			told++
		}
		if got, far := rows.Norm([]float64{a, b}), rows.Distance([]float64{a, 0}, []float64{0, b}); got != want || far != want {
			t.Errorf("%v and %v are %v long and %v apart, want %v", a, b, got, far, want)
		}
	}
	for _, c := range []struct{ a, b, want float64 }{ // of which the sum of squares is a bound to the bit
		{0x1.ac6dda9adb276p-468, 0x1.dbde4f99310e1p-466, 1.0000000000000001e-140}, {0x1.c580090e70006p+464, 0x1.2063cf64a5622p+464, 9.999999999999998e+139},
	} {
		if got, far := rows.Norm([]float64{c.a, c.b}), rows.Distance([]float64{c.a, 0}, []float64{0, c.b}); got != c.want || far != c.want {
			t.Errorf("%v and %v are %v long and %v apart, want %v", c.a, c.b, got, far, c.want)
		}
	}
	if told < 40 {
		t.Errorf("%d of 400 tell one way from the other", told)
	}
}

func TestAddScaledAndScale(t *testing.T) {
	x := []float64{1, 2, 3}
	rows.AddScaled(x, 2, []float64{10, 20, 0})
	if !slices.Equal(x, []float64{21, 42, 3}) {
		t.Error(x)
	}
	rows.Scale(x, -0.5)
	if !slices.Equal(x, []float64{-10.5, -21, -1.5}) {
		t.Error(x)
	}
}

// Products are rounded before they are added: with x = 1 + 2⁻³⁰, x² rounds to 1 + 2⁻²⁹, and a fused step would keep 2⁻⁶⁰.
func TestProductsAreRounded(t *testing.T) {
	x, want := 1+0x1p-30, 0.0
	y := []float64{-(1 + 0x1p-29)}
	rows.AddScaled(y, x, []float64{x})
	if y[0] != want {
		t.Errorf("AddScaled fused: %g", y[0])
	}
	for n := 5; n <= 8; n++ { // every lane, in the loop and in the rest
		for i := 4; i < n; i++ {
			a, b := make([]float64, n), make([]float64, n)
			a[i-4], b[i-4], a[i], b[i] = 1, -(1 + 0x1p-29), x, x
			if got := rows.Dot(a, b); got != want {
				t.Errorf("Dot of %d fused at %d: %g", n, i, got)
			}
		}
	}
}

// partials are the sums of fixed chunks of 7 rows, computed in the order in which workers happen to come by.
func partials(block []float64, width int, order []int) []float64 {
	const chunk = 7
	parts := make([]float64, len(order)*width)
	for _, c := range order {
		part := parts[c*width : (c+1)*width]
		for i := c * chunk; i < min((c+1)*chunk, len(block)/width); i++ {
			rows.AddScaled(part, 1, block[i*width:(i+1)*width])
		}
	}
	return parts
}

// Whoever computes which chunk, and when: the total has the same bits, and it is the sum.
func TestAddTreeDoesNotDependOnWorkers(t *testing.T) {
	const width = 3
	s := stream.New(4, "tree")
	for _, n := range []int{1, 6, 7, 8, 50, 1000} {
		block := vector(s, n*width, 1)
		order := make([]int, (n+6)/7)
		for i := range order {
			order[i] = i
		}
		want := partials(block, width, order)
		rows.AddTree(want, width)
		for range 10 {
			for i := range order {
				j := s.Intn(i + 1)
				order[i], order[j] = order[j], order[i]
			}
			got := partials(block, width, order)
			rows.AddTree(got, width)
			if !slices.Equal(got[:width], want[:width]) {
				t.Fatalf("%d rows: %v in one order, %v in another", n, got[:width], want[:width])
			}
		}
		for j := range width {
			x := make([]float64, n)
			for i := range x {
				x[i] = block[i*width+j]
			}
			if diff := math.Abs(want[j] - rows.Sum(x)); diff > 20*eps*float64(n) {
				t.Errorf("%d rows: total %v, sum %v", n, want[j], rows.Sum(x))
			}
		}
	}
}

// The tree is the one documented: neighbours first.
func TestAddTreeShape(t *testing.T) {
	x := []float64{1e16, 1, -1e16, 1, 1}
	want := ((x[0] + x[1]) + (x[2] + x[3])) + x[4] // 1, where from left to right it would be 2
	rows.AddTree(x, 1)
	if x[0] != want || want != 1 {
		t.Errorf("got %v, want %v", x[0], want)
	}
	rows.AddTree(nil, 3)
	rows.AddTree(nil, 0)
}

func TestNothingAllocates(t *testing.T) {
	s := stream.New(5)
	x, y, a := vector(s, 20, 1), vector(s, 20, 1), vector(s, 400, 1)
	if n := testing.AllocsPerRun(100, func() {
		rows.AddMul(x, a, y)
		rows.AddMulT(y, a, x)
		rows.AddTree(a, 20)
		rows.Scale(x, rows.Dot(x, y)+rows.Sum(x)+rows.Norm(x)+rows.Distance(x, y)+rows.MaxAbs(x))
		rows.Scale(x, 1/rows.Norm(x))
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkDot(b *testing.B) {
	s := stream.New(6)
	for _, n := range []int{20, 100, 1000} {
		x, y := vector(s, n, 1), vector(s, n, 1)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rows.Dot(x, y)
			}
		})
	}
}

func ExampleAddTree() {
	// Three chunks of two sums each; the total is left in front.
	parts := []float64{1, 10, 2, 20, 3, 30}
	rows.AddTree(parts, 2)
	fmt.Println(parts[:2])
	// Output: [6 60]
}

// By hand: between neighbours in proportion, the last with itself.
func TestQuantilesAndWeights(t *testing.T) {
	list := []float64{1, 2, 4}
	for share, want := range map[float64]float64{0: 1, 0.25: 1.5, 0.5: 2, 0.75: 3, 1: 4} {
		if got := rows.Quantile(list, share); got != want {
			t.Errorf("quantile %g of %v is %g, want %g", share, list, got, want)
		}
	}
	if got := rows.Quantile(nil, 0.5); !math.IsNaN(got) {
		t.Errorf("the median of nothing is %g", got)
	}
	if rows.Weight(nil, 2) != 1 || rows.Weight(list, 2) != 4 {
		t.Errorf("weights are %g without a list and %g with one, want 1 and 4", rows.Weight(nil, 2), rows.Weight(list, 2))
	}
}

// Whoever hands in a vector that is too short is stopped before memory behind it is read or written.
func TestShortVectorsAreRefused(t *testing.T) {
	long, short := slices.Repeat([]float64{1}, 20), make([]float64, 30)[:16]
	room, tiles := make([]float64, 20), slices.Repeat([]float64{1}, 24)
	for name, do := range map[string]func(){
		"Dot": func() { rows.Dot(long, short) }, "Distance": func() { rows.Distance(long, short) }, "AddScaled": func() { rows.AddScaled(short, 1, long) },
		"Mul, at first": func() { rows.Mul(room, short, long) }, "Mul": func() { rows.Mul(room, long, short) },
		"Add, at first": func() { rows.Add(room, short, long) }, "Add": func() { rows.Add(room, long, short) },
		"Sub, at first": func() { rows.Sub(room, short, long) }, "Sub": func() { rows.Sub(room, long, short) },
		"Entropy": func() { rows.Entropy(short, long) }, "Softmax": func() { rows.Softmax(short, long, 1) },
		"Walk, at first": func() { g := rows.NewGaps(); g.Walk(long, short, long, 1) }, "Walk": func() { g := rows.NewGaps(); g.Walk(long, long, short, 1) },
		"AlignTiles": func() { rows.AlignTiles(make([]float64, 24), make([]float64, 23), tiles, tiles, long[:1], 1, 0, 0, 1) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s takes fewer numbers than it needs", name)
				}
			}()
			do()
		}()
	}
}

func TestFarthest(t *testing.T) {
	for want, y := range map[float64][]float64{3: {-2, 2, 4}, 2: {1, 2, 6}, 0: {1, 2, 4}, inf: {1, inf, 0}} {
		if got := rows.Farthest([]float64{1, 2, 4}, y); got != want {
			t.Errorf("%v is %g away, want %g", y, got, want)
		}
	}
	if got := rows.Farthest([]float64{1, nan, 4}, []float64{9, 9, 9}); !math.IsNaN(got) {
		t.Errorf("a NaN is %g away", got)
	}
}
