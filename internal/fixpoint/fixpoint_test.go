package fixpoint_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/internal/fixpoint"
	"github.com/kedge-opt/kedge/internal/rows"
)

// affine returns x ↦ Ax + b.
func affine(a, b []float64) func(dst, x []float64) error {
	return func(dst, x []float64) error {
		copy(dst, b)
		rows.AddMul(dst, a, x)
		return nil
	}
}

// scalar lifts a function of one number.
func scalar(g func(float64) float64) func(dst, x []float64) error {
	return func(dst, x []float64) error {
		dst[0] = g(x[0])
		return nil
	}
}

// residual measures a claim independently of the solver.
func residual(t *testing.T, g func(dst, x []float64) error, x []float64) float64 {
	t.Helper()
	image := make([]float64, len(x))
	if err := g(image, x); err != nil {
		t.Fatal(err)
	}
	worst, size := 0.0, 1.0
	for i, v := range x {
		worst = max(worst, math.Abs(image[i]-v))
		size = max(size, math.Abs(v))
	}
	return worst / size
}

// solve runs a fresh solver, requires success and checks its claim.
func solve(t *testing.T, g func(dst, x []float64) error, x []float64, o fixpoint.Settings) fixpoint.Solution {
	t.Helper()
	s := fixpoint.New(len(x), o)
	r, err := s.Solve(g, x)
	if err != nil {
		t.Fatalf("%v", err)
	}
	if got := residual(t, g, x); got != r.Residual {
		t.Fatalf("claimed residual %g, measured %g", r.Residual, got)
	}
	if r.Residual > s.Settings().Tolerance {
		t.Fatalf("residual %g above the tolerance", r.Residual)
	}
	return r
}

// randomLinear returns a matrix with row sums of |aᵢⱼ| equal to rho: a positive matrix has that spectral radius.
func randomLinear(rng *rand.Rand, n int, rho float64) []float64 {
	a := make([]float64, n*n)
	for i := range n {
		row := a[i*n : (i+1)*n]
		for j := range row {
			row[j] = rng.Float64()
		}
		rows.Scale(row, rho/rows.Sum(row))
	}
	return a
}

// spread returns a symmetric matrix with the eigenvalues rho·k/n, k = 1 … n, mixed by a reflection I − 2vvᵀ.
func spread(rng *rand.Rand, n int, rho float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	rows.Scale(v, 1/rows.Norm(v))
	mirror := make([]float64, n*n)
	for i := range n {
		rows.AddScaled(mirror[i*n:(i+1)*n], -2*v[i], v)
		mirror[i*n+i]++
	}
	a := make([]float64, n*n)
	for k := range n {
		for i := range n {
			rows.AddScaled(a[i*n:(i+1)*n], rho*float64(k+1)/float64(n)*mirror[k*n+i], mirror[k*n:(k+1)*n])
		}
	}
	return a
}

// The error of a solved contraction is at most residual/(1−ρ) in the ∞-norm; here the answer is 1 by construction.
func TestSlowContractions(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 3, 5, 16, 50} {
		for _, rho := range []float64{0, 0.5, 0.9, 0.99, 0.999} {
			a := randomLinear(rng, n, rho)
			b := make([]float64, n)
			for i := range b {
				b[i] = 1 - rho
			}
			x := make([]float64, n)
			r := solve(t, affine(a, b), x, fixpoint.Settings{})
			for i, v := range x {
				if math.Abs(v-1) > 2e-13/(1-rho) {
					t.Errorf("n %d ρ %g: x[%d] = %.17g, want 1", n, rho, i, v)
				}
			}
			if r.Steps > 30 {
				t.Errorf("n %d ρ %g took %d steps", n, rho, r.Steps)
			}
		}
	}
}

// Eigenvalues spread over (0, ρ] are the hard case of a short memory: plain steps at ρ = 0.999 would take 30 000.
func TestSpreadSpectrum(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{10, 50, 100} {
		a, b := spread(rng, n, 0.999), make([]float64, n)
		for i := range b {
			b[i] = rng.NormFloat64()
		}
		if r := solve(t, affine(a, b), make([]float64, n), fixpoint.Settings{}); r.Steps > 2000 {
			t.Errorf("n = %d took %d steps", n, r.Steps)
		}
	}
}

// With memory n a linear map of n unknowns is solved in n+2 evaluations, contracting or not [walker2011].
func TestLinearMapsThatDoNotContract(t *testing.T) {
	for _, scale := range []float64{1.5, 10, 100, 1e4} {
		rotation := []float64{0, -scale, scale, 0}
		x := []float64{3, 4}
		r := solve(t, affine(rotation, []float64{1, 2}), x, fixpoint.Settings{})
		// (I − sJ)x = b has the solution (b + sJb)/(1+s²).
		want := []float64{(1 - 2*scale) / (1 + scale*scale), (2 + scale) / (1 + scale*scale)}
		if rows.Distance(x, want) > 1e-12 {
			t.Errorf("scale %g: got %v, want %v", scale, x, want)
		}
		if r.Steps > 6 {
			t.Errorf("scale %g took %d steps", scale, r.Steps)
		}
	}
	rng := rand.New(rand.NewPCG(3, 3))
	for n := 1; n <= 5; n++ {
		a := randomLinear(rng, n, 3)
		if r := solve(t, affine(a, make([]float64, n)), fill(n, 1), fixpoint.Settings{}); r.Steps > n+3 {
			t.Errorf("n = %d took %d steps", n, r.Steps)
		}
	}
}

func fill(n int, v float64) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = v
	}
	return x
}

func TestNonlinearMaps(t *testing.T) {
	for _, c := range []struct {
		name  string
		g     func(float64) float64
		start float64
		want  float64 // closed form; the Dottie number for cos
		steps int
	}{
		{"cos", math.Cos, 0, 0.73908513321516064, 10},
		{"logistic 1.5", func(x float64) float64 { return 1.5 * x * (1 - x) }, 0.3, 1. / 3, 12},
		{"logistic 2.8", func(x float64) float64 { return 2.8 * x * (1 - x) }, 0.3, 1 - 1/2.8, 12},
		{"logistic 3.9, repelling", func(x float64) float64 { return 3.9 * x * (1 - x) }, 0.3, 1 - 1/3.9, 12},
		{"2/x, neutral", func(x float64) float64 { return 2 / x }, 0.1, math.Sqrt2, 20},
		{"x^0.999", func(x float64) float64 { return math.Pow(x, 0.999) }, 1e10, 1, 40},
		{"expanding, far", func(x float64) float64 { return 3*x - 1e200 }, 0.5, 5e199, 4},
	} {
		x := []float64{c.start}
		r := solve(t, scalar(c.g), x, fixpoint.Settings{})
		if math.Abs(x[0]-c.want) > 1e-10*max(1, c.want) {
			t.Errorf("%s: got %.17g, want %.17g", c.name, x[0], c.want)
		}
		if r.Steps > c.steps {
			t.Errorf("%s took %d steps", c.name, r.Steps)
		}
	}
}

func TestNothingToSolve(t *testing.T) {
	r, err := fixpoint.New(0, fixpoint.Settings{}).Solve(nil, nil)
	if err != nil || r != (fixpoint.Solution{}) {
		t.Errorf("n = 0 gave %v, %v", r, err)
	}
	x := []float64{2}
	if r := solve(t, scalar(func(float64) float64 { return 2 }), x, fixpoint.Settings{}); r.Steps != 1 {
		t.Errorf("a start that solves took %d steps", r.Steps)
	}
}

// A solver may be used again and remembers nothing.
func TestReuse(t *testing.T) {
	s := fixpoint.New(1, fixpoint.Settings{})
	first := []float64{0}
	a, err := s.Solve(scalar(math.Cos), first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Solve(scalar(func(x float64) float64 { return x*x + 1 }), []float64{0}); err == nil {
		t.Fatal("x² + 1 has no fixed point")
	}
	second := []float64{0}
	b, err := s.Solve(scalar(math.Cos), second)
	if err != nil || a != b || first[0] != second[0] {
		t.Errorf("first %v %v, then %v %v %v", first, a, second, b, err)
	}
}

// Nor does one of several unknowns use differences of an earlier search, and a new one finds the same.
func TestReuseForManyUnknowns(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	const n = 8
	one, other := affine(spread(rng, n, 0.99), fill(n, 1)), affine(randomLinear(rng, n, 3), fill(n, 2))
	s := fixpoint.New(n, fixpoint.Settings{})
	var want string
	for range 3 {
		x := make([]float64, n)
		r, err := s.Solve(one, x)
		got := fmt.Sprintf("%x %+v %v", x, r, err)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
		if _, err := s.Solve(other, fill(n, 1)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestSolveDoesNotAllocate(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	s, x, start := fixpoint.New(20, fixpoint.Settings{}), make([]float64, 20), fill(20, 1)
	g := affine(spread(rng, 20, 0.9), start)
	if n := testing.AllocsPerRun(20, func() {
		copy(x, start)
		if _, err := s.Solve(g, x); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestErrorOfTheMapIsReturned(t *testing.T) {
	broken := errors.New("broken")
	calls := 0
	g := func(dst, x []float64) error {
		if calls++; calls == 4 {
			return broken
		}
		dst[0] = math.Cos(x[0])
		return nil
	}
	x := []float64{0}
	r, err := fixpoint.New(1, fixpoint.Settings{}).Solve(g, x)
	if err != broken || r.Steps != 4 {
		t.Fatalf("got %v %v", r, err)
	}
	if got := residual(t, scalar(math.Cos), x); got != r.Residual {
		t.Errorf("x has residual %g, claimed %g", got, r.Residual)
	}
}

func BenchmarkSolve(b *testing.B) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 20
	s, x, start := fixpoint.New(n, fixpoint.Settings{}), make([]float64, n), fill(n, 1)
	g := affine(randomLinear(rng, n, 0.9), start)
	b.ReportAllocs()
	for b.Loop() {
		clear(x)
		if _, err := s.Solve(g, x); err != nil {
			b.Fatal(err)
		}
	}
}
