package dynamics_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
)

// Walking agrees with the closed form, to the tolerance over the distance from 1 of the slowest mode, and gives an individual
// the same bits alone and among others.
func TestWalkedAgreesWithClosedForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	const n, m = 70, 6
	f := dynamics.Polarized{Dim: m, Lambda: 0.4, Sigma: 0.5}
	s := dynamics.NewWalked(kedge.Batched(plainly{f}))
	u := direction(rng, m)
	var d []float64
	for range n {
		d = append(d, direction(rng, m)...)
	}
	got, want := make([]float64, n*m), make([]float64, n*m)
	r, err := s.SettleRows(got, u, d)
	if err != nil || r.Norm > 1e-13 || r.Steps == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if _, err := f.SettleRows(want, u, d); err != nil {
		t.Fatal(err)
	}
	near(t, "h", got, want, 2e-13/(0.2*0.6))
	for i := range n {
		h := make([]float64, m)
		if _, err := s.Settle(h, u, kedge.Row(d, i, m)); err != nil || !slices.Equal(h, kedge.Row(got, i, m)) {
			t.Errorf("individual %d settles at %v alone (%v) and at %v among others", i, h, err, kedge.Row(got, i, m))
		}
	}
}

// Slow and unstable individuals are those of Iterated; an error names the first that has one.
func TestWalkedLeavesTheRest(t *testing.T) {
	f := scalar(func(p, u, d float64) float64 { return p + u*d*(1-p) })
	s := dynamics.NewWalked(kedge.Batched(f))
	h := []float64{0, 0}
	if r, err := s.SettleRows(h, []float64{1}, []float64{0.01, 0.5}); err != nil || r.Norm > 1e-13 {
		t.Fatalf("%+v, %v", r, err)
	}
	near(t, "h", h, []float64{1, 1}, 1e-10)
	_, err := s.SettleRows(h, []float64{1}, []float64{0.5, 2.5})
	var row *kedge.RowError
	if !errors.As(err, &row) || row.Row != 1 {
		t.Errorf("an individual that leaves its steady state gives %v", err)
	}
}
