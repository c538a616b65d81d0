package dynamics_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/fixpoint"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Every parameter is told with its range, and what stands just at an end of it is taken.
func TestRangesOfParameters(t *testing.T) {
	below, above := math.Nextafter(0, -1), math.Nextafter(1, 2)
	type checked interface{ Check() error }
	for want, f := range map[string]checked{
		"Dim is 0, want Dim ≥ 1":                             dynamics.Polarized{Lambda: 0.5},
		fmt.Sprintf("Lambda is %v, want 0 ≤ λ ≤ 1", below):   dynamics.Polarized{Dim: 1, Lambda: below},
		fmt.Sprintf("Lambda is %v, want 0 ≤ λ ≤ 1", above):   dynamics.Polarized{Dim: 1, Lambda: above},
		fmt.Sprintf("Sigma is %v, want 0 ≤ σ < ∞", below):    dynamics.Polarized{Dim: 1, Sigma: below},
		"Sigma is +Inf, want 0 ≤ σ < ∞":                      dynamics.Polarized{Dim: 1, Sigma: math.Inf(1)},
		"Dim is -1, want Dim ≥ 1":                            dynamics.Choice{Dim: -1, Epsilon: 1},
		"Lambda1 is 1, want 0 ≤ λ₁ < 1":                      dynamics.Choice{Dim: 1, Lambda1: 1, Epsilon: 1},
		fmt.Sprintf("Lambda1 is %v, want 0 ≤ λ₁ < 1", below): dynamics.Choice{Dim: 1, Lambda1: below, Epsilon: 1},
		fmt.Sprintf("Lambda2 is %v, want 0 ≤ λ₂ ≤ 1", below): dynamics.Choice{Dim: 1, Lambda2: below, Epsilon: 1},
		fmt.Sprintf("Lambda2 is %v, want 0 ≤ λ₂ ≤ 1\nLambda1+Lambda2 is %v, want λ₁+λ₂ ≤ 1", above, above): dynamics.Choice{Dim: 1, Lambda2: above, Epsilon: 1},
		"Lambda1+Lambda2 is 1.25, want λ₁+λ₂ ≤ 1":                                                          dynamics.Choice{Dim: 1, Lambda1: 0.5, Lambda2: 0.75, Epsilon: 1},
		"Epsilon is 0, want 0 < ε < ∞":                                                                     dynamics.Choice{Dim: 1},
		"Epsilon is +Inf, want 0 < ε < ∞":                                                                  dynamics.Choice{Dim: 1, Epsilon: math.Inf(1)},
		"F is missing, want a function that writes f(p, u, d) to dst\nState is 0, want State ≥ 1\nDecision is -1, want Decision ≥ 0\nTrait is -2, want Trait ≥ 0": dynamics.Func{Size: kedge.Dims{Decision: -1, Trait: -2}},
		"Of is missing, want the dynamics to settle": &dynamics.Iterated{},
		"Memory is -1, want Memory ≥ 0\nMaxSteps is -1, want MaxSteps ≥ 0\nTolerance is -1, want 0 ≤ Tolerance < ∞": &dynamics.Iterated{Of: dynamics.Polarized{Dim: 1}, Options: fixpoint.Settings{Memory: -1, MaxSteps: -1, Tolerance: -1}},
		"Dim is 0, want Dim ≥ 1\nState is 0, want State ≥ 1":                                                        &dynamics.Iterated{Of: dynamics.Polarized{}},
	} {
		if err := f.Check(); err == nil || err.Error() != want {
			t.Errorf("%+v: %v, want %s", f, err, want)
		}
	}
	for _, f := range []checked{
		dynamics.Polarized{Dim: 1}, dynamics.Polarized{Dim: 1, Lambda: 1, Sigma: math.MaxFloat64}, dynamics.Choice{Dim: 1, Epsilon: math.MaxFloat64}, dynamics.Choice{Dim: 1, Lambda2: 1, Epsilon: 5e-324},
		dynamics.Choice{Dim: 1, Lambda1: math.Nextafter(1, 0), Epsilon: 1}, dynamics.Func{Size: kedge.Dims{State: 1}, F: func(_, _, _, _ []float64) {}}, dynamics.PolarizedEach{Dim: 1}, dynamics.ChoiceEach{Dim: 1},
		&dynamics.Iterated{Of: dynamics.Polarized{Dim: 1}, Options: fixpoint.Settings{Tolerance: math.MaxFloat64}},
	} {
		if err := f.Check(); err != nil {
			t.Errorf("%+v: %v", f, err)
		}
	}
}

// What a crowd cannot be coupled by is told.
func TestWhatCannotBeCoupled(t *testing.T) {
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	for want, ask := range map[string]func() error{
		"f is missing, want the dynamics to couple": func() error { _, err := dynamics.NewCoupled(nil, 0.5, dynamics.Flat); return err },
		"weight is 1, want 0 ≤ κ < 1":               func() error { _, err := dynamics.NewCoupled(f, 1, dynamics.Flat); return err },
		"weight is -0.5, want 0 ≤ κ < 1":            func() error { _, err := lq2(t).Coupled(-0.5); return err },
		"State is 0, want State ≥ 1\nweight is 2, want 0 ≤ κ < 1": func() error {
			_, err := dynamics.NewCoupled(dynamics.Func{}, 2, dynamics.Flat)
			return err
		},
	} {
		if err := ask(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	for _, weight := range []float64{0, math.Nextafter(1, 0)} {
		if _, err := dynamics.NewCoupled(f, weight, dynamics.Sphere); err != nil {
			t.Error(err)
		}
	}
}

// A matrix whose eigenvalues overflow can be run, and does not settle.
func TestEigenvaluesThatOverflow(t *testing.T) {
	big := math.MaxFloat64
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 2, Trait: 1}, []float64{big, -big, big, big}, []float64{1, 1}, []float64{1, 1})
	if err != nil {
		t.Fatal(err)
	}
	var not *kedge.NotConvergedError
	var unstable *kedge.UnstableError
	_, settled := f.Settle(make([]float64, 2), []float64{1}, []float64{1})
	_, gain := f.Gain()
	for _, err := range []error{f.Check(), settled, gain} {
		if !(errors.As(err, &not) && not.What == "eigenvalues of A" || errors.As(err, &unstable) && math.IsInf(unstable.Rate, 1)) {
			t.Errorf("%v", err)
		}
	}
}

// Whoever walks alone and does not settle is told of without a row, and stays where it was.
func TestWhoWalksAloneHasNoRow(t *testing.T) {
	s := dynamics.NewWalked(kedge.Batched(scalar(func(p, u, d float64) float64 { return p + 1 })))
	h := []float64{7}
	_, err := s.Settle(h, []float64{0}, []float64{3})
	var row *kedge.RowError
	var not *kedge.NotConvergedError
	if errors.As(err, &row) || !errors.As(err, &not) || not.What != "steady state" || h[0] != 7 {
		t.Errorf("%v at %v", err, h)
	}
	for name, ask := range map[string]func() error{
		"dst has 2 entries, want 1":         func() error { _, err := s.Settle(make([]float64, 2), []float64{0}, []float64{3}); return err },
		"u has 0 entries, want 1":           func() error { _, err := s.Settle(h, nil, []float64{3}); return err },
		"d has 2 entries, want 1":           func() error { _, err := s.SettleRows(h, []float64{0}, []float64{3, 4}); return err },
		"u[0] is NaN, want a finite number": func() error { _, err := s.SettleFrom(h, []float64{math.NaN()}, []float64{3}); return err },
	} {
		if err := ask(); err == nil || err.Error() != name || h[0] != 7 {
			t.Errorf("%v at %v, want %s", err, h, name)
		}
	}
}

// Kernels say in which way lengths are wrong, and rows have tiles where the processor has.
func TestKernelsSayWhatIsWrong(t *testing.T) {
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	if f.Tiles() != rows.HasTiles() {
		t.Error("tiles are not those of the processor")
	}
	x := make([]float64, 2)
	for want, call := range map[string]func(){
		"a vector does not have the length":   func() { f.Next(x, x, x, x[:1]) },
		"a block does not have the size":      func() { f.NextRows(x, x, x, x[:1]) },
		"a gradient does not have the length": func() { f.Pullback(x[:1], nil, x, x, x, x) },
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.HasPrefix(said, "dynamics: "+want+" the dynamics asks for") {
					t.Errorf("%q, want %q", said, want)
				}
			}()
			call()
		}()
	}
	norm := dynamics.PolarizedNorm{Polarized: f}
	if dims := norm.Dims(); dims != (kedge.Dims{Decision: 2, State: 3, Trait: 2}) {
		t.Errorf("%+v", dims)
	}
	a := lq2(t)
	if !slices.Equal(a.A(), []float64{0.5, 0.25, 0, 0.5}) || !slices.Equal(a.B(), []float64{0.5, 0, 0.25, 0.5}) || !slices.Equal(a.E(), []float64{0.5, 0, 0, 0.5}) || a.Check() != nil {
		t.Errorf("%v, %v, %v, %v", a.A(), a.B(), a.E(), a.Check())
	}
	carry, err := a.Carry()
	if near(t, "F", carry, []float64{1, 0.5, 0, 1}, 0); err != nil {
		t.Error(err)
	}
}

// A trait may be off the sphere by 10⁻⁹, and a force be as large as numbers go.
func TestTraitsNearTheSphere(t *testing.T) {
	f := dynamics.Polarized{Dim: 1, Lambda: 0.5, Sigma: 1}
	h := []float64{0}
	for d, ok := range map[float64]bool{1 + 0.9e-9: true, 1 - 0.9e-9: true, 1 + 1.5e-9: false, 1 - 1.5e-9: false} {
		_, err := f.Settle(h, []float64{0.5}, []float64{d})
		if (err == nil) != ok || err != nil && err.Error() != fmt.Sprintf("‖d‖ is %v, want a trait of unit length", d) {
			t.Errorf("a trait of %v: %v", d, err)
		}
	}
	_, err := f.Settle(h, []float64{1.5e154}, []float64{1})
	if err == nil || err.Error() != "σ‖u‖² is +Inf, want a finite number" {
		t.Errorf("a force without end: %v", err)
	}
	if _, err := f.Settle(h, []float64{1.3e154}, []float64{1}); err != nil {
		t.Errorf("a large force: %v", err)
	}
	f.Sigma = math.MaxFloat64
	if _, err := f.Settle(h, []float64{1}, []float64{1}); err != nil || h[0] != 1 {
		t.Errorf("the largest force: %v, %v", h, err)
	}
}

// How far a state with its norm is off is told for the size of both: by the definition, what Polarized says over the norm where that is above 1.
func TestResidualsWithNorms(t *testing.T) {
	rng, off := rand.New(rand.NewPCG(51, 52)), 0
	for k := range 60 {
		f := dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: []float64{0.1, 0.5, 3}[k%3]}
		u, d, h, g := direction(rng, 3), direction(rng, 3), make([]float64, 3), make([]float64, 4)
		plain, err := f.Settle(h, u, d)
		r, fault := dynamics.PolarizedNorm{Polarized: f}.Settle(g, u, d)
		if err := errors.Join(err, fault); err != nil || r.Norm != plain.Norm/max(1, g[3]) || r.Steps != plain.Steps {
			t.Errorf("%+v at the norm %v, plainly %+v (%v)", r, g[3], plain, err)
		}
		if plain.Norm > 0 {
			off++
		}
	}
	if off < 20 {
		t.Errorf("%d of 60 states are off at all", off)
	}
}
