package population_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

// draw fills n rows of a law under a fixed seed and the test's own name.
func draw(t testing.TB, l population.Law, n, dim int) []float64 {
	t.Helper()
	x, err := population.Draw(l, n, dim, stream.New(1, t.Name()))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// column is coordinate j of every row.
func column(block []float64, dim, j int) []float64 {
	x := make([]float64, len(block)/dim)
	for i := range x {
		x[i] = block[i*dim+j]
	}
	return x
}

// kolmogorov fails when the largest distance between the empirical and the exact distribution function, times √n, is above
// 1.95. A right law exceeds that once in a thousand seeds; the seeds are fixed.
func kolmogorov(t *testing.T, what string, x []float64, cdf func(float64) float64) {
	t.Helper()
	slices.Sort(x)
	n := float64(len(x))
	worst := 0.0
	for i, v := range x {
		f := cdf(v)
		worst = max(worst, f-float64(i)/n, float64(i+1)/n-f)
	}
	if z := worst * math.Sqrt(n); !(z <= 1.95) {
		t.Errorf("%s: √n·D = %.2f, want at most 1.95", what, z)
	}
}

// meanOf fails when the mean is further from want than five of its own deviations.
func meanOf(t *testing.T, what string, x []float64, want, deviation float64) {
	t.Helper()
	s := 0.0
	for _, v := range x {
		s += v
	}
	if z := (s/float64(len(x)) - want) / (deviation / math.Sqrt(float64(len(x)))); !(math.Abs(z) <= 5) {
		t.Errorf("%s: mean is %.1f deviations off", what, z)
	}
}

func normalCDF(v float64) float64 { return math.Erfc(-v/math.Sqrt2) / 2 }

// sphereCDF is the law of one coordinate of a uniform point of the sphere: (1+t)/2 ~ Beta((m−1)/2, (m−1)/2).
func sphereCDF(dim int) func(float64) float64 {
	a := float64(dim-1) / 2
	return func(t float64) float64 { return mathext.RegIncBeta(a, a, (1+min(1, max(-1, t)))/2) }
}

// angle is the angle in degrees between unit vectors, exact also when it is small.
func angle(x, y []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += (v - y[i]) * (v - y[i])
	}
	return 2 * math.Asin(min(1, math.Sqrt(s)/2)) * 180 / math.Pi
}

// capShare is the share of the sphere within the given degrees of an axis [li2011].
func capShare(dim int, degrees float64) float64 {
	sin := math.Sin(degrees * math.Pi / 180)
	half := mathext.RegIncBeta(float64(dim-1)/2, 0.5, sin*sin) / 2
	if degrees > 90 {
		return 1 - half
	}
	return half
}

// capCDF is the law of the angle from the axis in a cap of alpha degrees; caps too small for a float64 are flat.
func capCDF(dim int, alpha float64) func(float64) float64 {
	all := capShare(dim, alpha)
	return func(v float64) float64 {
		if all < 1e-280 {
			return math.Pow(min(v, alpha)/alpha, float64(dim-1))
		}
		return capShare(dim, min(v, alpha)) / all
	}
}

// Large blocks are drawn by all processors, and are those that one draws.
func TestDrawsDoNotDependOnProcessors(t *testing.T) {
	const n, dim = 3*crew.Grain/4 + 1, 4 // three goroutines are worth it
	other, err := population.NewCorrelated(population.Normal{}, dim, []float64{0.3}, dim, stream.New(2))
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]population.Law{
		"cap": population.Cap{Angle: 70}, "normal": population.Normal{}, "dirichlet": population.Dirichlet{Concentration: []float64{0.3}}, "correlated": other,
	} {
		whole, short := draw(t, l, n, dim), singles(t, l, n, dim)
		before := runtime.GOMAXPROCS(3)
		again, shortly := draw(t, l, n, dim), singles(t, l, n, dim)
		runtime.GOMAXPROCS(1)
		alone, briefly := draw(t, l, n, dim), singles(t, l, n, dim)
		runtime.GOMAXPROCS(before)
		if !slices.Equal(whole, alone) || !slices.Equal(again, alone) || !slices.Equal(short, briefly) || !slices.Equal(shortly, briefly) {
			t.Errorf("%s: several processors draw other individuals", name)
		}
	}
	before := runtime.GOMAXPROCS(3)
	defer runtime.GOMAXPROCS(before)
	huge := population.Table{Data: make([]float64, n*dim), Width: dim}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if _, err := population.DrawWithin(ctx, huge, n, dim, stream.New(1)); !errors.Is(err, context.Canceled) {
		t.Error("drawn although nobody waits:", err)
	}
}

// singles are individuals in single precision.
func singles(t *testing.T, l population.Law, n, dim int) []float32 {
	t.Helper()
	_, short := shortened(t, l, n, dim)
	data, _ := short.Short(0, n)
	return data
}

// A block filled in parts, backwards and from copies of the stream that stand elsewhere, is the block filled at once.
func TestFillDoesNotDependOnTheParts(t *testing.T) {
	const n, dim = 101, 5
	for name, l := range map[string]population.Law{
		"sphere": population.Sphere{}, "cap": population.Cap{Angle: 70}, "wide cap": population.Cap{Angle: 100},
		"bimodal": population.Bimodal{Angle: 20}, "normal": population.Normal{}, "proportions": population.Proportions{},
		"dirichlet": population.Dirichlet{Concentration: []float64{0.3}}, "table": population.Table{Data: make([]float64, n*dim), Width: dim},
	} {
		whole := draw(t, l, n, dim)
		parts := make([]float64, n*dim)
		s := stream.New(1, t.Name())
		for last := n; last > 0; last -= 7 {
			first := max(0, last-7)
			mine := *s
			mine.Seek(uint64(last))
			mine.Normal() // wherever the stream stands
			l.Fill(parts[first*dim:last*dim], dim, first, &mine)
		}
		if !slices.Equal(whole, parts) {
			t.Errorf("%s: filling in parts gives other individuals", name)
		}
	}
}

func TestLawsRefuse(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	const n, dim = 4, 3
	for _, l := range []population.Law{
		population.Cap{}, population.Cap{Angle: -1}, population.Cap{Angle: 180.1}, population.Cap{Angle: nan},
		population.Cap{Angle: 10, Axis: []float64{}}, population.Cap{Angle: 10, Axis: []float64{0, 0, 0}},
		population.Cap{Angle: 10, Axis: []float64{1, 0}}, population.Cap{Angle: 10, Axis: []float64{nan, 0, 1}},
		population.Bimodal{Angle: 91}, population.Bimodal{Angle: 9, Share: 1.1}, population.Bimodal{Angle: 9, Share: nan},
		population.Normal{Mean: []float64{1, 2}}, population.Normal{Mean: []float64{inf}}, population.Normal{Deviation: []float64{-1}},
		population.Normal{Deviation: []float64{1, nan, 1}}, population.Normal{Mean: []float64{1e308}, Deviation: []float64{1e308}},
		population.Dirichlet{Concentration: []float64{0}}, population.Dirichlet{Concentration: []float64{1, 1}},
		population.Dirichlet{Concentration: []float64{1e9}}, population.Dirichlet{Concentration: []float64{1, 1, nan}},
		population.Table{}, population.Table{Data: make([]float64, 12), Width: 4}, population.Table{Data: make([]float64, 12)},
		population.Table{Data: make([]float64, 13), Width: 3}, population.Table{Data: append(make([]float64, 11), nan), Width: 3},
	} {
		if x, err := population.Draw(l, n, dim, stream.New(1)); !typed(err) || x != nil {
			t.Errorf("%T%+v: drew %v, %v", l, l, x, err)
		}
	}
}

func TestLawsRefuseSizes(t *testing.T) {
	for _, l := range []population.Law{
		population.Sphere{}, population.Cap{Angle: 90}, population.Bimodal{Angle: 90}, population.Normal{},
		population.Proportions{}, population.Dirichlet{}, population.Table{Width: 1}, population.Table{},
	} {
		for _, size := range [][2]int{{0, 3}, {3, 0}, {-1, 3}, {3, -1}, {1 << 40, 1 << 40}} {
			if err := l.Check(size[0], size[1]); !typed(err) {
				t.Errorf("%T takes %d rows of %d: %v", l, size[0], size[1], err)
			}
		}
	}
	if err := (population.Cap{Angle: 90}).Check(1, 1); !typed(err) {
		t.Error("a cap in one dimension:", err)
	}
}

func dims(n int) kedge.Dims { return kedge.Dims{Decision: n, State: n, Trait: n} }
