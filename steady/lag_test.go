package steady_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/steady"
)

// choiceLag is a crowd of n people who choose among m items, and where they are.
func choiceLag(t testing.TB, n, m int) (*steady.Lag, []float64) {
	t.Helper()
	l := &steady.Lag{}
	l.Settler = dynamics.Choice{Dim: m, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5}
	l.Objective = objective.Revenue{Entropy: 0.1, State: m}
	l.Sensitivity = &sensitivity.Choice{Dim: m, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5}
	traits := draw(t, population.Dirichlet{Concentration: []float64{2}}, n, m)
	l.Traits = kedge.Block{Data: traits, Width: m}
	states := slices.Clone(traits)
	slices.Reverse(states)
	return l, states
}

// naive is the definition of V and e, individual by individual.
func naive(t *testing.T, l *steady.Lag, u, states []float64) (v float64, e []float64) {
	t.Helper()
	dim := l.Settler.Dims()
	n, _ := l.Traits.Size()
	e = make([]float64, dim.Decision)
	for i := range n {
		p, h, d := slices.Clone(kedge.Row(states, i, dim.State)), make([]float64, dim.State), l.Traits.View(nil, i, i+1)
		for range max(1, l.Steps) {
			next := make([]float64, dim.State)
			l.Settler.Next(next, p, u, d)
			p = next
		}
		_, err := l.Settler.Settle(h, u, d)
		if err != nil {
			t.Fatal(err)
		}
		for sign, at := range map[float64][]float64{1: p, -1: h} {
			gp, g := make([]float64, dim.State), make([]float64, dim.Decision)
			l.Objective.Eval(gp, g, at, u, d)
			if err := l.Sensitivity.PullRows(g, h, u, d, gp); err != nil {
				t.Fatal(err)
			}
			rows.AddScaled(e, sign/float64(n), g)
		}
		square := 0.0
		for j := range h {
			for k := range h {
				weight := 0.0
				if l.Weight != nil {
					weight = l.Weight[j*len(h)+k]
				} else if j == k {
					weight = 1
				}
				square += weight * (p[j] - h[j]) * (p[k] - h[k])
			}
		}
		v += math.Sqrt(square) / float64(n)
	}
	return v, e
}

// What is measured is the definition, with and without a weight, for crowds of several chunks and decisions that are held.
func TestLagIsItsDefinition(t *testing.T) {
	const n, m = 300, 3
	u := []float64{0.5, -1, 2}
	for _, weight := range [][]float64{nil, {2, 0.5, 0, 0.5, 1, 0, 0, 0, 3}} {
		for _, steps := range []int{0, 1, 3} {
			l, states := choiceLag(t, n, m)
			l.Weight, l.Steps = weight, steps
			e := make([]float64, m)
			v, err := l.Measure(e, u, states)
			if err != nil {
				t.Fatal(err)
			}
			want, bias := naive(t, l, u, states)
			if math.Abs(v-want) > 1e-14 || rows.Distance(e, bias) > 1e-14 {
				t.Errorf("weight %v, %d steps: V %v and e %v, want %v and %v", weight, steps, v, e, want, bias)
			}
		}
	}
}

// A crowd that has settled has no lag, and its gradient no bias; entries of states that the model does not know are ignored.
func TestSettledCrowdsHaveNoLag(t *testing.T) {
	const n, m = 200, 4
	u := []float64{0.3, 0.1, -0.2, 0.7}
	l, states := choiceLag(t, n, m)
	l.Settled = make([]float64, n*m)
	e := make([]float64, m)
	if _, err := l.Measure(e, u, states); err != nil {
		t.Fatal(err)
	}
	wide := make([]float64, n*(m+1))
	for i := range n {
		copy(kedge.Row(wide, i, m+1), kedge.Row(l.Settled, i, m))
		wide[i*(m+1)+m] = math.NaN()
	}
	v, err := l.Measure(e, u, wide)
	if err != nil || v > 1e-15 || rows.Norm(e) > 1e-14 {
		t.Errorf("V is %v and e %v (%v), want 0", v, e, err)
	}
}

// Several workers find the same bits, and leave the same states.
func TestLagDoesNotDependOnWorkers(t *testing.T) {
	const n, m = 40_000, 3
	u := []float64{0.5, -1, 2}
	var bits [][]float64
	for _, workers := range []int{1, 5} {
		l, states := choiceLag(t, n, m)
		l.Workers, l.Answered = workers, make([]float64, n*m)
		e := make([]float64, m)
		v, err := l.Measure(e, u, states)
		if err != nil {
			t.Fatal(err)
		}
		bits = append(bits, append(append(e, v), l.Answered...))
	}
	if !slices.Equal(bits[0], bits[1]) {
		t.Errorf("5 workers find %v, one %v", bits[1][:m+1], bits[0][:m+1])
	}
}

// Whatever does not fit is refused.
func TestLagRefuses(t *testing.T) {
	u := []float64{0.5, -1, 2}
	for what, spoil := range map[string]func(l *steady.Lag, states *[]float64){
		"too few states": func(_ *steady.Lag, states *[]float64) { *states = (*states)[:6] },
		"no states":      func(_ *steady.Lag, states *[]float64) { *states = nil },
		"a broken row":   func(_ *steady.Lag, states *[]float64) { *states = append(*states, 0) },
		"a short weight": func(l *steady.Lag, _ *[]float64) { l.Weight = []float64{1} },
		"short room":     func(l *steady.Lag, _ *[]float64) { l.Settled = []float64{1} },
	} {
		l, states := choiceLag(t, 10, 3)
		spoil(l, &states)
		var dim *kedge.DimError
		if _, err := l.Measure(make([]float64, 3), u, states); !errors.As(err, &dim) {
			t.Errorf("%s: %v, want a *kedge.DimError", what, err)
		}
	}
	if _, err := new(steady.Lag).Measure(nil, nil, nil); err == nil {
		t.Error("a lag without a model measured something")
	}
}
