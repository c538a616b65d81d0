package fixpoint_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/fixpoint"
)

// riddle is a map of n numbers: some contract and some do not, some are nowhere smooth, and some are no number here and there.
func riddle(r *rand.Rand, n int) func(dst, x []float64) error {
	a, b := randomLinear(r, n, 0.2+1.5*r.Float64()), make([]float64, n)
	for i := range b {
		b[i] = r.NormFloat64()
	}
	shape, edge := r.IntN(6), 3*r.Float64()
	inner := affine(a, b)
	return func(dst, x []float64) error {
		if err := inner(dst, x); err != nil {
			return err
		}
		for i, v := range dst {
			switch shape {
			case 1:
				dst[i] = v / (1 + math.Abs(v))
			case 2:
				dst[i] = math.Sqrt(v + edge)
			case 3:
				dst[i] = math.Floor(8*v) / 8
			case 4:
				dst[i] = v * v / 4
			case 5:
				if math.Abs(x[i]) > edge {
					dst[i] = math.Inf(1)
				} else {
					dst[i] = 0.9*x[i] + 0.1*math.Abs(v)/(1+math.Abs(v))
				}
			}
		}
		return nil
	}
}

// Riddles are solved, or given up, as when this was recorded; and however it ends, the residual is that of what is left.
func TestSearchesAsRecorded(t *testing.T) {
	var got []string
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 9))
		n := 1 + r.IntN(4)
		g := riddle(r, n)
		x := make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		o := fixpoint.Settings{Memory: r.IntN(4), MaxSteps: 20 + r.IntN(300), Tolerance: []float64{0, 1e-6, 1e-17}[r.IntN(3)]}
		s, err := fixpoint.New(n, o).Solve(g, x)
		if !math.IsInf(s.Residual, 1) && residual(t, g, x) != s.Residual {
			t.Errorf("riddle %d: claimed residual %g, measured %g", seed, s.Residual, residual(t, g, x))
		}
		got = append(got, fmt.Sprintf("riddle %d, %+v: %v, %+v, %v", seed, o, x, s, err))
	}
	evidence.AsRecorded(t, "testdata/searches.txt", got)
}

// A mixed step into a place where the map is no number is taken back, and the search goes on from the best point: x + (1/x² − 1)/20 is nearly a
// translation far right of its fixed point 1, so that from there the secant leads below zero.
func TestMixedStepsOffTheEdge(t *testing.T) {
	lost := 0
	g := scalar(func(x float64) float64 {
		if x <= 0 {
			lost++
			return math.NaN()
		}
		return x + (1/(x*x)-1)/20
	})
	for start := 0.5; start < 8; start *= 1.1 {
		x := []float64{start}
		if solve(t, g, x, fixpoint.Settings{}); math.Abs(x[0]-1) > 1e-10 {
			t.Errorf("from %g to %g", start, x[0])
		}
	}
	if lost == 0 {
		t.Error("no step has led off the edge")
	}
}

// A residual that is the tolerance itself is good enough, and the map is not asked again.
func TestToleranceIsMet(t *testing.T) {
	x := []float64{0}
	s, err := fixpoint.New(1, fixpoint.Settings{Tolerance: 0.5}).Solve(scalar(func(x float64) float64 { return x + 0.5 }), x)
	if err != nil || s != (fixpoint.Solution{Residual: 0.5, Steps: 1}) || x[0] != 0 {
		t.Errorf("%v, %+v, %v", x, s, err)
	}
}

// A map that fails at once leaves everything as it was, and nothing is known.
func TestMapsThatFailAtOnce(t *testing.T) {
	broken, x := errors.New("broken"), []float64{3, 4}
	s, err := fixpoint.New(2, fixpoint.Settings{}).Solve(func(dst, _ []float64) error { dst[0] = 7; return broken }, x)
	if err != broken || s.Steps != 1 || !math.IsInf(s.Residual, 1) || x[0] != 3 || x[1] != 4 {
		t.Errorf("%v, %+v, %v", x, s, err)
	}
}

// What is left out is as the comments of Settings say, and what is set stays.
func TestSettingsThatAreLeftOut(t *testing.T) {
	for _, c := range []struct{ given, want fixpoint.Settings }{
		{fixpoint.Settings{}, fixpoint.Settings{Memory: 5, MaxSteps: 10_000, Tolerance: 1e-13}}, {fixpoint.Settings{Memory: 1}, fixpoint.Settings{Memory: 1, MaxSteps: 10_000, Tolerance: 1e-13}},
		{fixpoint.Settings{MaxSteps: 1}, fixpoint.Settings{Memory: 5, MaxSteps: 1, Tolerance: 1e-13}}, {fixpoint.Settings{Tolerance: 1}, fixpoint.Settings{Memory: 5, MaxSteps: 10_000, Tolerance: 1}},
	} {
		if got := fixpoint.New(2, c.given).Settings(); got != c.want {
			t.Errorf("%+v becomes %+v, want %+v", c.given, got, c.want)
		}
	}
}
