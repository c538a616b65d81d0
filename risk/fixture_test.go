package risk_test

import (
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/risk"
	"github.com/kedge-opt/kedge/sensitivity"
)

// A = [½ ¼; 0 ½], B = [½ 0; ¼ ½], E = ½I, R = 2I, S = Q = I: the rational linear-quadratic problem.
var dims = kedge.Dims{Decision: 2, State: 2, Trait: 2}

type world struct {
	dynamics    *dynamics.Affine
	sensitivity kedge.Sensitivity
	loss        *objective.Quadratic
	first       *objective.Quadratic // p₁
}

func lq2(t testing.TB) world {
	t.Helper()
	f, err := dynamics.NewAffine(dims, []float64{.5, .25, 0, .5}, []float64{.5, 0, .25, .5}, []float64{.5, 0, 0, .5})
	must(t, err)
	gain, err := f.Gain()
	must(t, err)
	h, err := sensitivity.NewAffine(dims, gain)
	must(t, err)
	identity := []float64{1, 0, 0, 1}
	loss, err := objective.NewQuadratic(dims, []float64{2, 0, 0, 2}, identity, identity, nil, nil)
	must(t, err)
	first, err := objective.NewQuadratic(dims, nil, nil, nil, nil, []float64{1, 0})
	must(t, err)
	return world{f, h, loss, first}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w world) constraint(m risk.Measure, bound float64) risk.Constraint {
	return risk.Constraint{Name: "p₁", Loss: w.first, Measure: m, Bound: bound, Sensitivity: w.sensitivity, Dims: dims}
}

// most bounds every multiplier by 100.
func most(n int) []float64 {
	list := make([]float64, n)
	for i := range list {
		list[i] = 100
	}
	return list
}

// alone settles people one by one.
type alone struct {
	kedge.RowSettler
	traits []float64
}

func (a alone) Settle(dst, u []float64) error {
	_, err := a.SettleRows(dst, u, a.traits)
	return err
}

func (w world) crowd(traits kedge.Block) func() risk.SettlingCrowd {
	return func() risk.SettlingCrowd { return alone{w.dynamics, traits.Data} }
}
