package loop_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/conform"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// learner returns a rule that learns the sensitivity of the linear-quadratic problem.
func learner(t testing.TB, step float64, c sensitivity.Learning) (*online.Descent, *sensitivity.Learned) {
	t.Helper()
	c.Dims = kedge.Dims{Decision: 2, State: 2, Trait: 2}
	h, err := sensitivity.NewLearned(c)
	if err != nil {
		t.Fatal(err)
	}
	f, err := objective.NewQuadratic(c.Dims, []float64{2, 0, 0, 2}, []float64{1, 0, 0, 1}, []float64{1, 0, 0, 1}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := online.NewDither(online.NewLearning(f, h, c.Dims), 2, online.Dithering{Size: 0.01, Hold: 2}, set.Whole{}, stream.New(1, "dither"))
	if err != nil {
		t.Fatal(err)
	}
	d, err := online.Rule{Gradient: e, Step: online.Constant(step), Set: set.Whole{}}.From([]float64{0, 0})
	if err != nil {
		t.Fatal(err)
	}
	return d, h
}

func everyLearning() map[string]sensitivity.Learning {
	return map[string]sensitivity.Learning{
		"least squares, state": {}, "Kalman, filtered": {Method: sensitivity.Kalman, Lag: sensitivity.Filtered, Trend: 20},
		"window, naive":         {Method: sensitivity.Window, Lag: sensitivity.Naive, Memory: 6},
		"panel":                 {Form: sensitivity.Panel, Every: 2},
		"conditional, filtered": {Form: sensitivity.Conditional, Lag: sensitivity.Filtered, Every: 3},
		"alignment":             {Controls: sensitivity.Alignment, Every: 2},
	}
}

func TestLearningConforms(t *testing.T) {
	for name, c := range everyLearning() {
		t.Run(name, func(t *testing.T) {
			c.Least = 0.01
			conform.Algorithm(t, func() kedge.Algorithm { d, _ := learner(t, 0.05, c); return d }, conform.Turns{
				Decision: 2, Count: 16, Observe: func(r *stream.Stream, round int, u []float64) kedge.Observation {
					o := kedge.Observation{Round: round, U: u, P: make([]float64, 6), D: []float64{1, 2, 3, 4, 5, 6}, Loss: 1}
					for i := range o.P {
						o.P[i] = u[i%2] + 0.01*r.Normal()
					}
					return o
				}})
		})
	}
}

// lq2Loop is the linear-quadratic problem, all of whose individuals are seen.
func lq2Loop(t testing.TB, a kedge.Algorithm, turns int) *loop.Loop {
	t.Helper()
	q := newLQ2(t)
	return &loop.Loop{Population: q.crowd, Algorithm: a, Objective: q.loss, Turns: turns, Batch: 4}
}

// Without the dynamics, the rule finds the optimum (−56/229, 99/229); the naive regression ends at the myopic side of it.
func TestLearnedCompositeFindsTheOptimum(t *testing.T) {
	best := []float64{-56.0 / 229, 99.0 / 229}
	for name, c := range map[string]sensitivity.Learning{"state": {}, "panel": {Form: sensitivity.Panel}, "naive": {Lag: sensitivity.Naive}} {
		d, h := learner(t, 0.05, c)
		if err := lq2Loop(t, d, 3000).Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		u := make([]float64, 2)
		d.Center(u)
		off := rows.Distance(u, best)
		if (name == "naive") != (off > 5e-3) {
			t.Errorf("%s ends at %.5f, %.2g from the optimum, with the gain %.3f", name, u, off, h.Gain())
		}
	}
}

func TestLearningAllocatesNothingATurn(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector pools forget at random")
	}
	d, _ := learner(t, 0.05, sensitivity.Learning{Every: 1})
	o := kedge.Observation{U: make([]float64, 2), P: []float64{1, 2, 3, 4}, D: []float64{1, 2, 3, 4}}
	turn := func() {
		d.Ask(o.U)
		o.P[0], o.P[3] = o.U[0], o.U[1]
		if err := d.Tell(o); err != nil {
			t.Fatal(err)
		}
	}
	for range 50 {
		turn()
	}
	if n := testing.AllocsPerRun(100, turn); n > 0 {
		t.Errorf("%v allocations a turn", n)
	}
}

// With ∇ᵤh wrong by a factor or an angle the rule settles off the optimum, by no more than ‖e‖/μ. For this problem both are known:
// e = (Ĝ − G)ᵀ∂Φ/∂p at the settled population, and μ is the least eigenvalue of [101 34; 34 84]/16.
func TestWrongSensitivityIsOffByNoMoreThanTheBound(t *testing.T) {
	dim := kedge.Dims{Decision: 2, State: 2, Trait: 2}
	mu := (185 - math.Sqrt(17*17+4*34*34)) / 32
	for _, w := range []*sensitivity.Wrong{{Scale: 0.5}, {Scale: 2}, {Scale: 1.2, Degrees: 30}, {Scale: 0.9, Degrees: -30}, {Scale: 1.5, Degrees: 15}, {Scale: 1}} {
		right, err := sensitivity.NewAffine(dim, []float64{1.25, 0.5, 0.5, 1})
		if err != nil {
			t.Fatal(err)
		}
		w.Of = right
		l := lq2Loop(t, nil, 2000)
		e := &online.Composite{Objective: l.Objective, Sensitivity: w, Dims: dim}
		d, err := online.Rule{Gradient: e, Step: online.Constant(0.05), Set: set.Whole{}}.From([]float64{0, 0})
		if err != nil {
			t.Fatal(err)
		}
		l.Algorithm = d
		if err := l.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		u := make([]float64, 2)
		d.Center(u)
		// ∂Φ/∂p = u + p, and p = Gu + Fμ on average.
		v := []float64{u[0] + 1.25*u[0] + 0.5*u[1] + 0.5, u[1] + 0.5*u[0] + u[1] - 1}
		wrong, exact := make([]float64, 2), make([]float64, 2)
		if err := w.PullRows(wrong, v, u, v, v); err != nil {
			t.Fatal(err)
		}
		if err := right.PullRows(exact, v, u, v, v); err != nil {
			t.Fatal(err)
		}
		off, bound := rows.Distance(u, []float64{-56.0 / 229, 99.0 / 229}), rows.Distance(wrong, exact)/mu
		name := fmt.Sprintf("scale %v, %v degrees", w.Scale, w.Degrees)
		if off > bound+1e-9 || (w.Scale != 1) != (off > 1e-3) {
			t.Errorf("%s: off by %.4g, bound %.4g", name, off, bound)
		}
	}
}
