package population_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/stream"
)

func TestNormalLaw(t *testing.T) {
	const n, dim = 20_000, 3
	x := draw(t, population.Normal{Mean: []float64{-1, 0, 5}, Deviation: []float64{0.5, 1, 4}}, n, dim)
	for j, p := range [][2]float64{{-1, 0.5}, {0, 1}, {5, 4}} {
		kolmogorov(t, fmt.Sprint("coordinate ", j), column(x, dim, j), func(v float64) float64 { return normalCDF((v - p[0]) / p[1]) })
	}
	cross := make([]float64, n)
	for i := range cross {
		cross[i] = (x[i*dim] + 1) * x[i*dim+1] / 0.5
	}
	meanOf(t, "product of independent coordinates", cross, 0, 1)
	for _, v := range draw(t, population.Normal{Mean: []float64{3}, Deviation: []float64{0}}, 5, 2) {
		if v != 3 {
			t.Error("deviation 0 leaves the mean:", v)
		}
	}
}

// Marginals of Dirichlet(a) are Beta(aⱼ, Σa − aⱼ); E xᵢxⱼ = aᵢaⱼ/(A(A+1)).
func TestDirichletLaw(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	const n = 20_000
	for _, a := range [][]float64{{1, 1, 1}, {0.05, 0.1, 0.2}, {0.7, 1.5, 40}, {1e-8, 1, 1}, {3e5, 1e5, 2e5}} {
		x := draw(t, population.Dirichlet{Concentration: a}, n, 3)
		total := a[0] + a[1] + a[2]
		for j := range a {
			if a[j] < 1e-6 {
				continue // 0 but for a share of about a[j]
			}
			kolmogorov(t, fmt.Sprintf("%v, coordinate %d", a, j), column(x, 3, j),
				func(v float64) float64 { return mathext.RegIncBeta(a[j], total-a[j], min(1, v)) })
		}
		cross := make([]float64, n)
		for i := range cross {
			cross[i] = x[i*3+1] * x[i*3+2]
		}
		meanOf(t, fmt.Sprint(a, " product"), cross, a[1]*a[2]/(total*(total+1)), deviation(cross))
	}
}

func deviation(x []float64) float64 {
	mean, s := 0.0, 0.0
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		s += (v - mean) * (v - mean) / float64(len(x))
	}
	return math.Sqrt(s)
}

func TestProportionsSumToOne(t *testing.T) {
	const dim = 100
	for name, l := range map[string]population.Law{
		"proportions": population.Proportions{}, "dirichlet": population.Dirichlet{}, "spiky": population.Dirichlet{Concentration: []float64{1e-8}}, "even": population.Dirichlet{Concentration: []float64{1e8}},
	} {
		x := draw(t, l, 200, dim)
		for i := range 200 {
			s := 0.0
			for _, v := range x[i*dim : (i+1)*dim] {
				if v < 0 {
					t.Fatalf("%s: negative proportion %v", name, v)
				}
				s += v
			}
			if math.Abs(s-1) > dim*0x1p-53 {
				t.Fatalf("%s: individual %d sums to 1%+g", name, i, s-1)
			}
		}
	}
}

// For two coordinates the first is U/(U+V), with distribution function x/(2(1−x)) up to ½ and symmetric beyond.
func TestProportionsLaw(t *testing.T) {
	kolmogorov(t, "ratio of uniforms", column(draw(t, population.Proportions{}, 20_000, 2), 2, 0), func(x float64) float64 {
		if x > 0.5 {
			return 1 - (1-x)/(2*x)
		}
		return x / (2 * (1 - x))
	})
}

func TestSphereLaw(t *testing.T) {
	const n = 20_000
	for _, dim := range []int{2, 3, 20} {
		x := draw(t, population.Sphere{}, n, dim)
		kolmogorov(t, fmt.Sprintf("%d dimensions", dim), column(x, dim, dim-1), sphereCDF(dim))
		axis := make([]float64, dim)
		for j := range axis {
			axis[j] = 1 / math.Sqrt(float64(dim))
		}
		kolmogorov(t, fmt.Sprintf("%d dimensions, diagonal", dim), along(x, axis), sphereCDF(dim))
	}
	for _, v := range draw(t, population.Sphere{}, 50, 1) {
		if math.Abs(v) != 1 {
			t.Error("in one dimension the sphere is {−1, 1}:", v)
		}
	}
}

// along is xᵢᵀa for every row.
func along(x, a []float64) []float64 {
	d := make([]float64, len(x)/len(a))
	for i := range d {
		for j, v := range a {
			d[i] += x[i*len(a)+j] * v
		}
	}
	return d
}

func BenchmarkFill(b *testing.B) {
	const n, dim = 1000, 20
	for _, l := range []population.Law{
		population.Sphere{}, population.Cap{Angle: 30}, population.Cap{Angle: 90}, population.Cap{Angle: 120},
		population.Dirichlet{}, population.Proportions{}, population.Normal{},
	} {
		b.Run(fmt.Sprintf("%T%v", l, l), func(b *testing.B) {
			x, s := make([]float64, n*dim), stream.New(1)
			for b.Loop() {
				l.Fill(x, dim, 0, s)
			}
		})
	}
}
