package dynamics_test

import (
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
)

// Planes are given up where a decision or traits have another length, or the parameters mean nothing; SettleRows says why.
func TestPlanesOfAnotherLength(t *testing.T) {
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	ask := func(f dynamics.Polarized, u, d []float64) bool {
		h := kedge.Planes{PU: make([]float64, 1), Along: make([]float64, 1), Across: make([]float64, 1)}
		_, ok := f.SettlePlanes(h, u, d)
		return ok
	}
	u, d := []float64{0.6, 0.8}, []float64{0.8, 0.6}
	for name, x := range map[string]struct {
		f    dynamics.Polarized
		u, d []float64
		ok   bool
	}{
		"good": {f, u, d, true}, "a short decision": {f, u[:1], d, false}, "a long decision": {f, []float64{0.6, 0.8, 0}, d, false}, "a short trait": {f, u, d[:1], false},
		"two traits": {f, u, []float64{0.8, 0.6, 1, 0}, false}, "no dynamics": {dynamics.Polarized{Dim: 2, Lambda: 2}, u, d, false}, "nobody moves": {dynamics.Polarized{Dim: 2, Lambda: 1, Sigma: 0.5}, u, d, false},
	} {
		if got := ask(x.f, x.u, x.d); got != x.ok {
			t.Errorf("%s: settled in planes: %v", name, got)
		}
	}
}

// One agent is a group: by hand, who listens to herself by half and to the decision by a quarter settles at (u + d)/2. None is none.
func TestFriedkinJohnsenOfOne(t *testing.T) {
	f, err := dynamics.NewFriedkinJohnsen([]float64{1}, []float64{0.5}, []float64{0.25})
	if err != nil {
		t.Fatal(err)
	}
	h := []float64{0}
	if _, err := f.Settle(h, []float64{3}, []float64{5}); err != nil || h[0] != 4 {
		t.Errorf("settled at %v (%v), want 4", h, err)
	}
	if _, err := dynamics.NewFriedkinJohnsen(nil, nil, nil); err == nil {
		t.Error("a group of nobody is taken")
	}
}
