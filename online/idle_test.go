package online_test

import (
	"runtime"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/risk"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// A rule that waits for its next turn keeps no sample: after samples of 50 people × 20 numbers it takes at most 2 kB beyond what it would save, and
// with a constraint, which has vectors of the decision of its own, 3 kB.
func TestIdleRulesAreSmall(t *testing.T) {
	const n, people, count = 20, 50, 400
	dim := kedge.Dims{Decision: n, State: n, Trait: n}
	o := kedge.Observation{U: make([]float64, n), P: make([]float64, people*n), D: make([]float64, people*n)}
	r := stream.New(1, "idle")
	for _, x := range [][]float64{o.U, o.P, o.D} {
		r.Normals(x)
	}
	h := &sensitivity.Polarized{Dim: n, Lambda: 0.4, Sigma: 0.5}
	composite := func() online.Estimator {
		return &online.Composite{Objective: objective.Affinity{}, Sensitivity: h, Dims: dim}
	}
	constrained := func() online.Estimator {
		g := must(risk.NewGauge(risk.Constraint{Name: "c", Loss: objective.Affinity{}, Measure: risk.CVaR{Level: 0.9}, Sensitivity: h, Dims: dim}))
		return must(online.NewLagrangian(n, composite(), []online.Restriction{g}, online.Dual{Step: online.Constant(0.1), Most: []float64{100}}))
	}
	for name, c := range map[string]struct {
		estimator func() online.Estimator
		most      int
	}{"composite": {composite, 2048}, "constrained": {constrained, 3072}} {
		rules := make([]*online.Descent, count)
		before := int(heap.Live())
		for i := range rules {
			rules[i] = must(online.Rule{Gradient: c.estimator(), Step: online.Constant(0.1), Set: set.Ball{Radius: 1}}.From(make([]float64, n)))
			if err := rules[i].Tell(o); err != nil {
				t.Fatal(err)
			}
		}
		each, state := (int(heap.Live())-before)/count, len(must(rules[0].AppendBinary(nil)))
		t.Logf("%s: %d bytes, its state %d", name, each, state)
		if each > state+c.most {
			t.Errorf("an idle rule, %s, takes %d bytes, its state %d", name, each, state)
		}
		runtime.KeepAlive(rules)
	}
}
