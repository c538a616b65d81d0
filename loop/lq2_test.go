package loop_test

import (
	"context"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// The rational linear-quadratic problem: p⁺ = Ap + Bu + Ed with Φ = |u|² + uᵀp + ½|p|² and E d = (1, −1). In closed form,
// with G = (I−A)⁻¹B = [5/4 1/2; 1/2 1] and F = (I−A)⁻¹E:
//
//	optimal  u = −H⁻¹(I+Gᵀ)F μ, H = 2I + G + Gᵀ + GᵀG            = (−56/229, 99/229)
//	stable   u = −(2I+G)⁻¹F μ                                     = (−4/19, 7/19)
//	myopic   u = −(2I + G + Bᵀ + BᵀG)⁻¹(I+Bᵀ)F μ, one step's answer = (−0.22710623, 0.41758242)
var (
	lq2Optimal = []float64{-56.0 / 229, 99.0 / 229}
	lq2Stable  = []float64{-4.0 / 19, 7.0 / 19}
	lq2Myopic  = []float64{-0.22710623, 0.41758242}
	lq2Dims    = kedge.Dims{Decision: 2, State: 2, Trait: 2}
)

type lq2 struct {
	model *dynamics.Affine
	loss  *objective.Quadratic
	crowd *population.Crowd
}

// newLQ2 has four individuals whose traits have exactly the mean (1, −1).
func newLQ2(t testing.TB) lq2 {
	t.Helper()
	f, err := dynamics.NewAffine(lq2Dims, []float64{0.5, 0.25, 0, 0.5}, []float64{0.5, 0, 0.25, 0.5}, []float64{0.5, 0, 0, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	one := []float64{1, 0, 0, 1}
	phi, err := objective.NewQuadratic(lq2Dims, []float64{2, 0, 0, 2}, one, one, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	traits := []float64{2, -0.5, 0, -0.5, 2, -1.5, 0, -1.5}
	crowd, err := population.New(f, nil, traits, population.Everyone{})
	if err != nil {
		t.Fatal(err)
	}
	return lq2{f, phi, crowd}
}

func (q lq2) sensitivity(t testing.TB) kedge.Sensitivity {
	t.Helper()
	gain, err := q.model.Gain()
	if err != nil {
		t.Fatal(err)
	}
	h, err := sensitivity.NewAffine(lq2Dims, gain)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func (q lq2) loop(t testing.TB, g online.Estimator, step float64, turns, hold int) (*loop.Loop, *online.Descent) {
	t.Helper()
	rule, err := online.Rule{Gradient: g, Step: online.Constant(step), Set: set.Whole{}}.From([]float64{0.5, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	return &loop.Loop{Population: q.crowd, Algorithm: rule, Objective: q.loss, Turns: turns, Batch: 4, Hold: hold}, rule
}

func settle(t *testing.T, g online.Estimator, q lq2) []float64 {
	t.Helper()
	l, rule := q.loop(t, g, 0.1, 400, 1)
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	u := make([]float64, 2)
	rule.Center(u)
	return u
}

func TestCompositeReachesTheOptimum(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "lq2-composite", Text: "LQ2: composite, from the optimum"})
	q := newLQ2(t)
	u := settle(t, &online.Composite{Objective: q.loss, Sensitivity: q.sensitivity(t), Dims: lq2Dims}, q)
	off.AtMost("", rows.Distance(u, lq2Optimal), 1e-8)
}

func TestVanillaReachesTheStablePoint(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "lq2-vanilla", Text: "LQ2: vanilla, from the stable point"})
	q := newLQ2(t)
	u := settle(t, online.Vanilla{Objective: q.loss, Dims: lq2Dims}, q)
	off.AtMost("", rows.Distance(u, lq2Stable), 1e-8)
}

// tail averages the second half of the iterates: the estimate is noisy by design.
type tail struct {
	from, n int
	mean    []float64
}

func (a *tail) Record(s *kedge.Step) error {
	if s.K >= a.from {
		a.n++
		for i, v := range s.U {
			a.mean[i] += (v - a.mean[i]) / float64(a.n)
		}
	}
	return nil
}

func derivativeFree(t *testing.T, hold, turns int) []float64 {
	t.Helper()
	g, err := online.NewDerivativeFree(2, 0.05, stream.New(3, "directions"))
	if err != nil {
		t.Fatal(err)
	}
	l, _ := newLQ2(t).loop(t, g, 0.002, turns, hold)
	a := &tail{from: turns / 2, mean: make([]float64, 2)}
	l.Recorder = a
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return a.mean
}

// The three answers are 0.02 and more apart; sampling error of the averages is about a tenth of that.
func TestDerivativeFreeIsMyopicUnlessItWaits(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "lq2-derivative-free", Text: "LQ2: derivative-free, from the myopic point, and held 12 steps from the optimum"})
	u := derivativeFree(t, 1, 400_000)
	t.Logf("hold 1: %.1e from the myopic point, %.1e from the optimum", rows.Distance(u, lq2Myopic), rows.Distance(u, lq2Optimal))
	off.AtMost("one step", rows.Distance(u, lq2Myopic), 3e-3)
	if e := rows.Distance(u, lq2Optimal); e < 1.5e-2 {
		t.Errorf("held for one step it settles only %.2e from the optimum", e)
	}
	u = derivativeFree(t, 12, 400_000)
	off.AtMost("twelve", rows.Distance(u, lq2Optimal), 3e-3)
}
