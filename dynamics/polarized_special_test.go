package dynamics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
)

func TestPolarizedSpecialCases(t *testing.T) {
	d := []float64{0.6, 0.8}
	for _, c := range []struct {
		name          string
		lambda, sigma float64
		u, want       []float64
	}{
		{"no decision", 0.4, 0.5, []float64{0, 0}, d},
		{"no decision, λ = 1", 1, 0.5, []float64{0, 0}, d},
		{"no influence", 0.4, 0, []float64{1, 2}, d},
		{"nothing at all", 1, 0, []float64{1, 2}, d},
		{"indifferent, attracting", 0.4, 0.5, []float64{0.8, -0.6}, d},
		{"parallel", 0.4, 5, []float64{6, 8}, d},
		{"antiparallel", 0.4, 5, []float64{-6, -8}, d},
		{"no home, liked", 1, 0.3, []float64{3, 0}, []float64{1, 0}},
		{"no home, disliked", 1, 0.3, []float64{-3, 0}, []float64{1, 0}},
		{"no home, disliked across", 1, 0.3, []float64{3, -4}, []float64{-0.6, 0.8}},
		{"no stay", 0, 0.5, []float64{1e-200, 0}, d},
		{"faint decision", 0.4, 0.5, []float64{1e-170, 0}, d},
		{"faint decision, hardly home", 0.999, 1, []float64{1e-80, 0}, d},
		{"subnormal decision, hardly home", 0.999, 1, []float64{1e-155, 0}, d},
		{"subnormal decision", 1, 1e308, []float64{5e-324, 0}, d},
		{"huge decision", 0.4, 0.5, []float64{1e150, 0}, []float64{1, 0}},
		{"huge decision, no home", 1, 0.5, []float64{-1e150, 0}, []float64{1, 0}},
	} {
		f := dynamics.Polarized{Dim: 2, Lambda: c.lambda, Sigma: c.sigma}
		h := []float64{7, 7}
		r, err := f.Settle(h, c.u, d)
		if err != nil || r.Norm > 4*unit {
			t.Errorf("%s: %+v, %v", c.name, r, err)
		}
		near(t, c.name, h, c.want, 4*unit)
	}
}

// An indifferent individual stays at d, but at the edge of two attractors when σ‖u‖² ≥ 1−λ: kedge says so instead of
// answering. Just below, the answer is d.
func TestPolarizedIndifferentAndUnstable(t *testing.T) {
	d, h := []float64{0, 1}, []float64{7, 7}
	for _, c := range []struct{ lambda, sigma float64 }{{0.5, 0.5}, {0.4, 0.9}, {1, 1e-9}, {0, 1}} {
		f := dynamics.Polarized{Dim: 2, Lambda: c.lambda, Sigma: c.sigma}
		_, err := f.Settle(h, []float64{1, 0}, d)
		if e := wants[*kedge.UnstableError](t, "indifferent", err); e.Rate != c.lambda+c.sigma {
			t.Errorf("λ %g σ %g: rate %g", c.lambda, c.sigma, e.Rate)
		}
		if h[0] != 7 || h[1] != 7 {
			t.Errorf("dst changed to %v", h)
		}
	}
	for _, c := range []float64{1e-291, 1e-300, 1e-310, 5e-324} { // too faint to compute with, liked or not
		_, err := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.9}.Settle(h, []float64{1, 0}, []float64{c, 1})
		wants[*kedge.UnstableError](t, "as good as indifferent", err)
	}
	f := dynamics.Polarized{Dim: 2, Lambda: 0.5, Sigma: 0.4999}
	if _, err := f.Settle(h, []float64{1, 0}, d); err != nil || h[1] != 1 || h[0] != 0 {
		t.Errorf("got %v, %v", h, err)
	}
}

// Beyond λ + σR² = 1 the steady state jumps as dᵀu changes sign; below, it does not.
func TestPolarizedContracts(t *testing.T) {
	for _, sigma := range []float64{0.1, 0.5, 0.599, 0.6, 0.9} {
		f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: sigma}
		jump := 0.0
		for _, sign := range []float64{1, -1} {
			h := make([]float64, 2)
			if _, err := f.Settle(h, []float64{1, 0}, []float64{sign * 1e-14, 1}); err != nil {
				t.Fatal(err)
			}
			jump += sign * h[0]
		}
		if got := f.Contracts(1); got != (sigma < 0.6) {
			t.Errorf("σ = %g: Contracts is %v", sigma, got)
		}
		if f.Contracts(1) && jump > 1e-10 || sigma > 0.7 && jump < 1 {
			t.Errorf("σ = %g: h jumps by %g", sigma, jump)
		}
	}
	if f := (dynamics.Polarized{Dim: 1, Lambda: 0.4, Sigma: 0.5}); f.Contracts(math.NaN()) || f.Contracts(math.Inf(1)) {
		t.Error("a radius that is no number contracts")
	}
}

// Scaling u by 2ʲ and σ by 4⁻ʲ changes nothing, not one bit; nor does the order of magnitude of u matter to the accuracy.
func TestPolarizedScaling(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, j := range []int{-400, -100, -3, 5, 200, 400} {
		u, d := normals(rng, 6), direction(rng, 6)
		a, b := make([]float64, 6), make([]float64, 6)
		f := dynamics.Polarized{Dim: 6, Lambda: 0.3, Sigma: 0.7}
		if _, err := f.Settle(a, u, d); err != nil {
			t.Fatal(err)
		}
		f.Sigma = math.Ldexp(f.Sigma, -2*j)
		r, err := f.Settle(b, scaled(u, math.Ldexp(1, j)), d)
		if err != nil || r.Norm > 4*unit {
			t.Fatalf("2^%d: %+v, %v", j, r, err)
		}
		if distance(a, b) != 0 {
			t.Errorf("2^%d: %v became %v", j, a, b)
		}
	}
}

// The steady state belongs to d as it is, also when d is off the sphere by an allowed amount.
func TestPolarizedTraitSlightlyOff(t *testing.T) {
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	h := make([]float64, 2)
	for _, off := range []float64{1 - 9e-10, 1 + 9e-10} {
		if r, err := f.Settle(h, []float64{1, 1}, []float64{0.6 * off, 0.8 * off}); err != nil || r.Norm > 4*unit {
			t.Errorf("%+v, %v", r, err)
		}
	}
	_, err := f.Settle(h, []float64{1, 1}, []float64{0.6, 0.81})
	if e := wants[*kedge.RangeError](t, "d off the sphere", err); e.Arg != "‖d‖" {
		t.Errorf("names %s", e.Arg)
	}
	_, err = f.Settle(h, []float64{1, 1}, []float64{0, 0})
	wants[*kedge.RangeError](t, "d = 0", err)
	_, err = f.Settle(h, []float64{1e200, 1}, []float64{0.6, 0.8})
	wants[*kedge.RangeError](t, "σ‖u‖² overflows", err)
}

// The remembered norm is that of the step that led to p, and the positions are those of Polarized.
func TestPolarizedNormRemembers(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	f := dynamics.Polarized{Dim: 4, Lambda: 0.4, Sigma: 0.5}
	g := dynamics.PolarizedNorm{Polarized: f}
	d := direction(rng, 4)
	p, next := append([]float64(nil), d...), make([]float64, 4)
	q, nextQ := append(append([]float64(nil), d...), 1), make([]float64, 5)
	for range 20 {
		u := direction(rng, 4)
		f.Next(next, p, u, d)
		g.Next(nextQ, q, u, d)
		near(t, "p", nextQ[:4], next, 0)
		if c := f.Stretch(p, u, d); math.Abs(nextQ[4]-c) > 4*unit*c {
			t.Errorf("c = %.17g, want %.17g", nextQ[4], c)
		}
		p, next, q, nextQ = next, p, nextQ, q
	}
	u := direction(rng, 4)
	h := make([]float64, 5)
	r, err := g.Settle(h, u, d)
	if err != nil || r.Norm > 4*unit {
		t.Fatalf("%+v, %v", r, err)
	}
	near(t, "settled", walk(g, h, u, d, 1), h, 8*unit)
}

// Where p̃ vanishes there is no direction: at λ = ½, p = −d and u ⟂ p.
func TestPolarizedWithoutDirection(t *testing.T) {
	f := dynamics.Polarized{Dim: 2, Lambda: 0.5, Sigma: 0.5}
	next := make([]float64, 2)
	f.Next(next, []float64{0, -1}, []float64{1, 0}, []float64{0, 1})
	if !math.IsNaN(next[0]) || rows.Finite(next) {
		t.Errorf("got %v, want NaN", next)
	}
	if c := f.Stretch([]float64{0, -1}, []float64{1, 0}, []float64{0, 1}); c != 0 {
		t.Errorf("stretch %g", c)
	}
}
