package online_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// steadily is an estimator, and a restriction, that always says the same.
type steadily struct {
	g      []float64
	excess float64
	err    error
}

func (s steadily) Estimate(g []float64, _ kedge.Observation) error { copy(g, s.g); return s.err }
func (s steadily) Assess(g []float64, _ kedge.Observation) (float64, error) {
	copy(g, s.g)
	return s.excess, s.err
}
func (steadily) Commit(kedge.Observation)              {}
func (steadily) AppendBinary(b []byte) ([]byte, error) { return b, nil }
func (steadily) UnmarshalBinary([]byte) error          { return nil }

// By hand, with η = ½ and ε = ⅒: multipliers begin at 0, rise by half of the excess less a tenth of themselves, and stay at their largest; the gradient (1, 0) + λ₁(0, 1) + λ₂(1, 1) is divided by
// their sum where that is above 1.
func TestLagrangianByHand(t *testing.T) {
	l, err := online.NewLagrangian(2, steadily{g: []float64{1, 0}}, []online.Restriction{steadily{g: []float64{0, 1}, excess: 2}, steadily{g: []float64{1, 1}, excess: 2}}, online.Dual{Step: online.Constant(0.5), Leak: 0.1, Most: []float64{10, 0.4}})
	if err != nil {
		t.Fatal(err)
	}
	d := must(online.Rule{Gradient: l, Step: online.Constant(1), Set: set.Whole{}}.From([]float64{0, 0}))
	for k, x := range []struct{ g, multipliers []float64 }{{[]float64{1, 0}, []float64{0, 0}}, {[]float64{1, 1}, []float64{1, 0.4}}, {[]float64{1.4 / 2.35, 1}, []float64{1.95, 0.4}}} {
		g := make([]float64, 2)
		if err := l.Estimate(g, kedge.Observation{}); err != nil || rows.Distance(g, x.g) > 1e-15 || rows.Distance(l.Multipliers(), x.multipliers) > 1e-15 || !slices.Equal(d.Multipliers(), l.Multipliers()) {
			t.Errorf("turn %d: %v with %v (%v), want %v with %v", k, g, l.Multipliers(), err, x.g, x.multipliers)
		}
		l.Commit(kedge.Observation{})
	}
	calm := must(online.NewLagrangian(1, steadily{g: []float64{1}}, []online.Restriction{steadily{g: []float64{1}, excess: -3}}, online.Dual{Step: online.Constant(1), Most: []float64{1}}))
	for range 3 {
		if err := calm.Estimate(make([]float64, 1), kedge.Observation{}); err != nil || calm.Multipliers()[0] != 0 {
			t.Errorf("what is kept has the multiplier %v (%v)", calm.Multipliers(), err)
		}
		calm.Commit(kedge.Observation{})
	}
	dithered := must(online.NewDither(calm, 1, online.Dithering{Size: 1}, set.Whole{}, stream.New(1)))
	if d := must(online.Rule{Gradient: dithered, Step: online.Constant(1), Set: set.Whole{}}.From([]float64{0})); len(d.Multipliers()) != 1 {
		t.Errorf("of what is dithered: %v", d.Multipliers())
	}
	if d := must(online.Rule{Gradient: still{}, Step: online.Constant(1), Set: set.Whole{}}.From([]float64{0})); d.Multipliers() != nil {
		t.Errorf("without constraints: %v", d.Multipliers())
	}
}

// What cannot be estimated or assessed is told, and what makes no Lagrangian is refused.
func TestLagrangiansRefuse(t *testing.T) {
	fine, bad := steadily{g: []float64{1}}, steadily{g: []float64{1}, err: errBarred}
	good := online.Dual{Step: online.Constant(1), Most: []float64{1}}
	for name, l := range map[string]*online.Lagrangian{
		"estimate": must(online.NewLagrangian(1, bad, []online.Restriction{fine}, good)), "assess": must(online.NewLagrangian(1, fine, []online.Restriction{bad}, good)),
	} {
		if err := l.Estimate(make([]float64, 1), kedge.Observation{}); !errors.Is(err, errBarred) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, x := range map[string]struct {
		of   online.Estimator
		list []online.Restriction
		dual online.Dual
	}{
		"no estimator": {nil, []online.Restriction{fine}, good}, "no restriction": {fine, nil, good}, "no restriction, and none has a largest": {fine, nil, online.Dual{Step: online.Constant(1)}}, "no step": {fine, []online.Restriction{fine}, online.Dual{Most: []float64{1}}},
		"an explorer": {must(online.NewOnePoint(1, 1, stream.New(1))), []online.Restriction{fine}, good}, "a leak below 0": {fine, []online.Restriction{fine}, online.Dual{Step: online.Constant(1), Leak: -1, Most: []float64{1}}},
		"a leak that is none": {fine, []online.Restriction{fine}, online.Dual{Step: online.Constant(1), Leak: math.NaN(), Most: []float64{1}}}, "a largest of 0": {fine, []online.Restriction{fine}, online.Dual{Step: online.Constant(1), Most: []float64{0}}},
		"two largest of one": {fine, []online.Restriction{fine}, online.Dual{Step: online.Constant(1), Most: []float64{1, 2}}},
	} {
		if _, err := online.NewLagrangian(1, x.of, x.list, x.dual); err == nil {
			t.Errorf("%s makes a Lagrangian", name)
		}
	}
	for _, c := range []online.Dithering{{Size: 0}, {Size: math.NaN()}, {Size: math.Inf(1)}, {Size: 1, HalfLife: -1}, {Size: 1, HalfLife: math.NaN()}, {Size: 1, Hold: -1}} {
		if _, err := online.NewDither(still{}, 1, c, set.Whole{}, stream.New(1)); err == nil {
			t.Errorf("%+v is a dither", c)
		}
	}
	if got := (online.Needs{Samples: true, Panel: true, Model: true}).String(); got != "samples, panel, model" {
		t.Errorf("needs %q", got)
	}
}
