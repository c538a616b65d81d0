package fixpoint_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/fixpoint"
	"github.com/kedge-opt/kedge/internal/rows"
)

// fails requires a *StoppedError of the given kind whose residual is that of the x left behind.
func fails(t *testing.T, g func(dst, x []float64) error, x []float64, o fixpoint.Settings, why fixpoint.Stop) fixpoint.Solution {
	t.Helper()
	r, err := fixpoint.New(len(x), o).Solve(g, x)
	var e *fixpoint.StoppedError
	if !errors.As(err, &e) {
		t.Fatalf("got %v %v, want a *StoppedError; x = %v", r, err, x)
	}
	if e.Why != why || e.Residual != r.Residual || e.Steps != r.Steps {
		t.Fatalf("got %+v and %+v, want %v", e, r, why)
	}
	if !math.IsInf(r.Residual, 1) && residual(t, g, x) != r.Residual {
		t.Fatalf("claimed residual %g, measured %g", r.Residual, residual(t, g, x))
	}
	return r
}

// x + c has no fixed point. A leap so far that c vanishes beside x would look like one.
func TestTranslationsAreNotSolved(t *testing.T) {
	for _, c := range []float64{1, -1, 1e-5, 1e-9, 1e100} {
		for _, start := range []float64{0, 0.1, -7.3} {
			g := scalar(func(x float64) float64 { return x + c })
			fails(t, g, []float64{start}, fixpoint.Settings{MaxSteps: 3000}, fixpoint.OutOfSteps)
		}
	}
	for _, ripple := range []float64{1e-14, 1e-12, 1e-10, 1e-6} {
		g := scalar(func(x float64) float64 { return x + 1 + ripple*math.Sin(x) })
		fails(t, g, []float64{0.1}, fixpoint.Settings{MaxSteps: 3000}, fixpoint.OutOfSteps)
	}
	g := affine([]float64{1, 0, 0, 0.5}, []float64{1, 1}) // one direction drifts, the other settles
	fails(t, g, []float64{0.1, 0.1}, fixpoint.Settings{MaxSteps: 3000}, fixpoint.OutOfSteps)
}

func TestJumpsAreNotSolved(t *testing.T) {
	flip := scalar(func(x float64) float64 { return -math.Copysign(1, x) })
	if r := fails(t, flip, []float64{0.1}, fixpoint.Settings{MaxSteps: 500}, fixpoint.OutOfSteps); r.Steps != 500 {
		t.Errorf("spent %d evaluations of 500", r.Steps)
	}
}

func TestRunawaysAreNoticed(t *testing.T) {
	for name, g := range map[string]func(float64) float64{
		"x²+1": func(x float64) float64 { return x*x + 1 },
		"exp":  math.Exp,
		"NaN":  func(float64) float64 { return math.NaN() },
		"+Inf": func(float64) float64 { return math.Inf(1) },
		"√":    func(x float64) float64 { return math.Sqrt(x) - 1 },
	} {
		r := fails(t, scalar(g), []float64{0.5}, fixpoint.Settings{}, fixpoint.NotFinite)
		if r.Steps > 1000 {
			t.Errorf("%s: noticed after %d steps", name, r.Steps)
		}
	}
}

func TestBrokenStartIsLeftAlone(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		x := []float64{1, bad}
		r := fails(t, affine([]float64{0.5, 0, 0, 0.5}, []float64{1, 1}), x, fixpoint.Settings{}, fixpoint.NotFinite)
		if !math.IsInf(r.Residual, 1) || x[0] != 1 {
			t.Errorf("got %v, x = %v", r, x)
		}
	}
}

// A tolerance below the rounding of g cannot be met: the search ends soon and tells how far it came.
func TestToleranceBelowRounding(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	a, b := randomLinear(rng, 30, 0.9), fill(30, 1)
	noisy := func(dst, x []float64) error {
		copy(dst, b)
		rows.AddMul(dst, a, x)
		for i := range dst {
			dst[i] += 1e-14 * (rng.Float64() + 0.5)
		}
		return nil
	}
	x := make([]float64, 30)
	r, err := fixpoint.New(30, fixpoint.Settings{Tolerance: 1e-30}).Solve(noisy, x)
	var e *fixpoint.StoppedError
	if !errors.As(err, &e) || e.Why != fixpoint.Stagnated {
		t.Fatalf("got %v %v", r, err)
	}
	if r.Residual > 1e-13 || r.Steps > 1000 {
		t.Errorf("got %+v", r)
	}
}

// A map that contracts in some norm is solved, however much a deviation grows first: all eigenvalues of this one are ½, but
// the chain of twos above them multiplies a deviation by thousands before it dies out.
func TestTransientGrowth(t *testing.T) {
	const n = 12
	a, b := make([]float64, n*n), fill(n, 1)
	for i := range n {
		a[i*n+i] = 0.5
		if i+1 < n {
			a[i*n+i+1] = 2
		}
	}
	x := make([]float64, n)
	solve(t, affine(a, b), x, fixpoint.Settings{Memory: 2})
	// The last unknown is 1/(1−½), each before it (1 + 2·next)/(1−½).
	want := 2.0
	for i := n - 1; i >= 0; i-- {
		if math.Abs(x[i]-want) > 1e-9*want {
			t.Errorf("x[%d] = %g, want %g", i, x[i], want)
		}
		want = 2 * (1 + 2*want)
	}
}

// Whatever mixing did, at least every other step is plain in the end: a map on which mixing only harms is solved as well.
func TestMixingThatOnlyHarms(t *testing.T) {
	g := scalar(func(x float64) float64 { // slope 0.2 between the jumps of a staircase that on the whole has slope 0.5
		return 0.5*x + 0.3*(math.Floor(40*x)/40-x)
	})
	solve(t, g, []float64{0.93}, fixpoint.Settings{MaxSteps: 2000, Tolerance: 1e-10})
}

func TestWrongUse(t *testing.T) {
	for name, use := range map[string]func(){
		"negative n":    func() { fixpoint.New(-1, fixpoint.Settings{}) },
		"no steps":      func() { fixpoint.New(1, fixpoint.Settings{MaxSteps: -1}) },
		"negative":      func() { fixpoint.New(1, fixpoint.Settings{Memory: -1}) },
		"NaN tolerance": func() { fixpoint.New(1, fixpoint.Settings{Tolerance: math.NaN()}) },
		"length":        func() { _, _ = fixpoint.New(2, fixpoint.Settings{}).Solve(scalar(math.Cos), []float64{0}) },
	} {
		func() {
			defer func() {
				if text, _ := recover().(string); !strings.HasPrefix(text, "fixpoint: ") {
					t.Errorf("%s: panics with %q", name, text)
				}
			}()
			use()
		}()
	}
}

func TestStopsHaveNames(t *testing.T) {
	err := &fixpoint.StoppedError{Residual: 0.5, Tolerance: 1e-13, Steps: 7, Why: fixpoint.Stagnated}
	want := "fixed point not found (stagnated): residual 0.5 after 7 steps, want 1e-13"
	if err.Error() != want {
		t.Errorf("got %q", err)
	}
	for s, want := range map[fixpoint.Stop]string{fixpoint.OutOfSteps: "out of steps", fixpoint.NotFinite: "not finite", 0: "solved"} {
		if s.String() != want {
			t.Errorf("got %q, want %q", s, want)
		}
	}
}
