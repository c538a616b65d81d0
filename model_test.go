package kedge_test

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
)

// half moves half of the way to the decision and says nothing else about itself.
type half struct{ n int }

func (h half) Dims() kedge.Dims { return kedge.Dims{Decision: 2 * h.n, State: h.n, Trait: 1} }
func (h half) Next(dst, p, u, _ []float64) {
	for i := range dst {
		dst[i] = (p[i] + u[i]) / 2
	}
}

// able is half with every optional ability, settled at the decision.
type able struct{ half }

func (able) Pullback(_, _, _, _, _, _ []float64) {}
func (able) Settle(dst, u, _ []float64) (kedge.Residual, error) {
	copy(dst, u)
	return kedge.Residual{}, nil
}
func (able) AlignRows(_, _, _ []float64) (kedge.Residual, error) { return kedge.Residual{}, nil }

// aligned is a loss of pᵀu alone.
type aligned struct{}

func (aligned) Eval(_, _, _, _, _ []float64) float64 { return 0 }
func (aligned) EvalAligned(_ []float64) float64      { return 0 }

// A part that is missing is nil, and one that another part implies is found there.
func TestModelFindsAbilities(t *testing.T) {
	for name, m := range map[string]kedge.Model{
		"dynamics": {Dynamics: able{half{3}}, Objective: aligned{}},
		"settler":  {Settler: able{half{3}}, Objective: aligned{}},
	} {
		aligner, judge := m.Aligned()
		if m.Smooth() == nil || m.RowSettler() == nil || m.RowDynamics() == nil || aligner == nil || judge == nil || m.Dims().State != 3 {
			t.Errorf("%s: an ability is missing", name)
		}
	}
	plain := kedge.Model{Dynamics: half{2}, Social: true}
	aligner, judge := plain.Aligned()
	if plain.Smooth() != nil || plain.RowSettler() != nil || plain.RowObjective() != nil || aligner != nil || judge != nil {
		t.Error("plain dynamics have an ability that they do not have")
	}
	if got := plain.Dims(); got != (kedge.Dims{Decision: 2, State: 2, Trait: 1}) {
		t.Errorf("dimensions %v count the mean of the crowd", got)
	}
	if (kedge.Model{}).Dims() != (kedge.Dims{}) || (kedge.Model{}).RowDynamics() != nil {
		t.Error("an empty model has dimensions")
	}
}

func TestCheckRows(t *testing.T) {
	for _, r := range []kedge.Rows{nil, kedge.Block{Width: 2}, kedge.Block{Data: make([]float64, 3), Width: 2}, kedge.Block{Data: make([]float64, 3), Width: 3}} {
		var dim *kedge.DimError
		if err := kedge.CheckRows("traits", r, 2); !errors.As(err, &dim) || dim.Arg != "traits" {
			t.Errorf("%v: %v", r, err)
		}
	}
	var finite *kedge.NotFiniteError
	if err := kedge.CheckRows("traits", kedge.Block{Data: []float64{0, math.NaN()}, Width: 2}, 2); !errors.As(err, &finite) {
		t.Errorf("a NaN gives %v", err)
	}
	if err := kedge.CheckRows("traits", kedge.Block{Data: []float64{0, 1}, Width: 2}, 2); err != nil {
		t.Error(err)
	}
}
