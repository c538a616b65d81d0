package optimum_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/set"
)

// plain is a function given by its value, with slopes by differences.
type plain func(u []float64) float64

func (f plain) Gradient(g, u []float64) (float64, error) {
	for i, v := range u {
		const h = 1e-5
		u[i] = v + h
		ahead := f(u)
		u[i] = v - h
		g[i] = (ahead - f(u)) / (2 * h)
		u[i] = v
	}
	return f(u), nil
}

// hilly is a quadratic with waves on it, so that its best whole point is not the one nearest to its minimum.
func hilly(r *rand.Rand, n int, waves float64) plain {
	a, c := make([]float64, n*n), make([]float64, n)
	for i := range a {
		a[i] = r.NormFloat64()
	}
	for i := range c {
		c[i] = 3 * r.NormFloat64()
	}
	return func(u []float64) float64 {
		sum := 0.0
		for i := range n {
			dot := 0.0
			for j, v := range u {
				dot += a[i*n+j] * (v - c[j])
			}
			sum += dot*dot + 0.1*(u[i]-c[i])*(u[i]-c[i]) + waves*math.Sin(5*u[i]+float64(i))
		}
		return sum
	}
}

// brute looks at all whole points between two numbers.
func brute(n, lower, upper int, f plain, kept func(u []float64) bool) (best []float64, least float64) {
	wide := upper - lower + 1
	least = math.Inf(1)
	for k := range int(math.Pow(float64(wide), float64(n))) {
		u := make([]float64, n)
		for i := n - 1; i >= 0; i-- {
			u[i] = float64(lower + k%wide)
			k /= wide
		}
		if v := f(u); kept(u) && v < least {
			best, least = u, v
		}
	}
	return best, least
}

func cube(n, lower, upper int) set.Lattice {
	return set.Lattice{Lower: slices.Repeat([]float64{float64(lower) - 0.4}, n), Upper: slices.Repeat([]float64{float64(upper) + 0.4}, n)}
}

// Whole numbers are searched as by looking at each: all of few, and around several starts of many, where the loss is a bowl however narrow.
func TestWholeNumbersAgainstBruteForce(t *testing.T) {
	always := func([]float64) bool { return true }
	for k := range 40 {
		r := rand.New(rand.NewPCG(uint64(k), 1))
		n, upper, waves, all := 1+k%3, 7, 2.0, true
		if k%4 == 3 {
			n, upper, waves, all = 3, 20, 0, false // 26³ points
		}
		f := hilly(r, n, waves)
		want, least := brute(n, -5, upper, f, always)
		got, err := optimum.Find(context.Background(), f, cube(n, -5, upper), [][]float64{make([]float64, n)}, optimum.Effort{Starts: 4})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Decision, want) || got.Loss != least || (got.All > 0) != all {
			t.Errorf("%d: %v with %v after %d of all %d, want %v with %v", k, got.Decision, got.Loss, got.Steps, got.All, want, least)
		}
		one, err := optimum.Minimize(context.Background(), f, cube(n, -5, upper), make([]float64, n), optimum.Effort{})
		if err != nil || !slices.Equal(one.Decision, want) {
			t.Errorf("%d: Minimize finds %v, %v", k, one, err)
		}
	}
}

// Constraints are kept by the best whole point, which may lie on a bound exactly.
func TestWholeNumbersUnderConstraints(t *testing.T) {
	for k := range 30 {
		r := rand.New(rand.NewPCG(uint64(k), 2))
		n := 1 + k%3
		f := hilly(r, n, 2)
		load := plain(func(u []float64) (sum float64) {
			for i, v := range u {
				sum += float64(1+i) * v
			}
			return sum/3 - 2.0/3 // whole numbers meet it but for rounding
		})
		want, least := brute(n, -5, 6, f, func(u []float64) bool { return load(u) <= 1e-12 })
		got, err := optimum.Constrain(context.Background(), f, []optimum.Function{load}, cube(n, -5, 6), [][]float64{make([]float64, n)}, optimum.Effort{Starts: 4})
		if err != nil || !slices.Equal(got.Decision, want) || got.Loss != least || got.Multipliers != nil || got.Excess[0] != load(want) {
			t.Errorf("%d: %+v, %v, want %v with %v", k, got, err, want, least)
		}
	}
	never := plain(func([]float64) float64 { return 1 })
	_, err := optimum.Constrain(context.Background(), hilly(rand.New(rand.NewPCG(1, 2)), 2, 1), []optimum.Function{never}, cube(2, 0, 3), [][]float64{{0, 0}}, optimum.Effort{})
	if missing := (*kedge.NotConvergedError)(nil); !errors.As(err, &missing) {
		t.Errorf("constraints that nothing keeps: %v", err)
	}
}

// Where some entries are whole, the others are best for those: of a quadratic, by a closed form in every slice.
func TestSomeWholeNumbersAgainstSlices(t *testing.T) {
	for k := range 20 {
		r := rand.New(rand.NewPCG(uint64(k), 3))
		a, b, c, d := 1+r.Float64(), r.NormFloat64(), 3*r.NormFloat64(), 3*r.NormFloat64()
		// f = a(z−c)² + b(z−c)(x−d) + (x−d)², best over x at d − b(z−c)/2, within −4 … 4.
		f := plain(func(u []float64) float64 {
			z, x := u[0]-c, u[1]-d
			return a*z*z + b*z*x + x*x
		})
		best, least := []float64(nil), math.Inf(1)
		upper := 6 + 100*(k%2) // many slices every other time
		for z := -6; z <= upper; z++ {
			u := []float64{float64(z), min(max(d-b*(float64(z)-c)/2, -4), 4)}
			if v := f(u); v < least {
				best, least = u, v
			}
		}
		s := set.Lattice{Lower: []float64{-6, -4}, Upper: []float64{float64(upper), 4}, Whole: []bool{true, false}}
		got, err := optimum.Find(context.Background(), f, s, [][]float64{{0, 0}}, optimum.Effort{Starts: 3})
		if err != nil || got.Decision[0] != best[0] || !(math.Abs(got.Decision[1]-best[1]) <= 1e-6) || got.All != 0 {
			t.Errorf("%d: %+v, %v, want %v", k, got, err, best)
		}
	}
}

// A list is looked at from end to end; where the function has no value it is passed over, and the first of equals wins.
func TestListsAreLookedAt(t *testing.T) {
	f := broken{plain(func(u []float64) float64 { return math.Abs(u[0]) })}
	s := set.Finite{Points: [][]float64{{-9}, {5}, {2}, {-2}, {-1}}}
	got, err := optimum.Find(context.Background(), f, s, [][]float64{{0}}, optimum.Effort{})
	if err != nil || got.Decision[0] != 2 || got.All != 5 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := optimum.Find(context.Background(), f, set.Finite{Points: [][]float64{{-9}}}, [][]float64{{0}}, optimum.Effort{}); !errors.Is(err, errBroken) {
		t.Errorf("without a value anywhere: %v", err)
	}
	if _, err := optimum.Rests(context.Background(), f.Gradient, s, []float64{0}, optimum.Effort{}); !errors.Is(err, optimum.ErrGaps) {
		t.Errorf("points of rest: %v", err)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := optimum.Find(ctx, f, s, [][]float64{{0}}, optimum.Effort{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after a stop: %v", err)
	}
}

var errBroken = fmt.Errorf("no value")

// broken has no value from −1 to 0 and below −8.
type broken struct{ plain }

func (b broken) Gradient(g, u []float64) (float64, error) {
	if u[0] < -8 || u[0] >= -1 && u[0] < 0 {
		return 0, errBroken
	}
	return b.plain.Gradient(g, u)
}
