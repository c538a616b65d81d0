package dynamics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
)

// steered settles an individual and returns its affinity hᵀu.
func steered(t *testing.T, lambda, sigma float64, u, d []float64) float64 {
	t.Helper()
	h := make([]float64, len(d))
	if _, err := (dynamics.Polarized{Dim: len(d), Lambda: lambda, Sigma: sigma}).Settle(h, u, d); err != nil {
		t.Fatal(err)
	}
	return rows.Dot(h, u)
}

// Theorem [he2025, polarized steady state]. The steady state h that a polarized individual reaches from its trait d under u has
//
//	sign hᵀu = sign dᵀu,   and   |hᵀu| > |dᵀu|   unless d is parallel or orthogonal to u,
//
// and |hᵀu| grows with λ in [0, 1] and with σ > 0. Its proof finds the angle θ between h and ±u from the angle φ between d and
// ±u by the law of sines,
//
//	σ‖u‖² sin 2θ = 2(1−λ) sin(φ−θ).
//
// Here over 10⁵ random triples (d, u, (λ, σ)) in 2 to 6 dimensions, each steered harder once by λ and once by σ, many of them
// beyond λ + σ‖u‖² < 1, where other starts lead elsewhere. (The article says once that individuals with λ close to 1 stick to
// where they began; the theorem, the proof and this test say the opposite.)
func TestSteeringTheorem(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	rng := rand.New(rand.NewPCG(7, 11))
	for range 100_000 {
		dim := 2 + rng.IntN(5)
		u, d := scaled(direction(rng, dim), 0.1+1.4*rng.Float64()), direction(rng, dim)
		lambda, sigma := 0.99*rng.Float64(), 0.02+rng.Float64()
		at, norm := rows.Dot(d, u), rows.Norm(u)
		h := steered(t, lambda, sigma, u, d)
		if h*at <= 0 {
			t.Fatalf("λ %v, σ %v: the affinity %v became %v", lambda, sigma, at, h)
		}
		theta, phi := math.Acos(min(1, math.Abs(h)/norm)), math.Acos(min(1, math.Abs(at)/norm))
		if off := sigma*norm*norm*math.Sin(2*theta) - 2*(1-lambda)*math.Sin(phi-theta); math.Abs(off) > 1e-7 {
			t.Fatalf("λ %v, σ %v: the law of sines is off by %v", lambda, sigma, off)
		}
		// What is less than rounding may not be seen to grow.
		visible := theta > 0.01 && phi < math.Pi/2-0.01
		grows := func(what string, less, more float64) {
			if less, more := math.Abs(less), math.Abs(more); more < less-4*unit*norm || visible && more <= less {
				t.Fatalf("λ %v, σ %v, from %v: %s leads from affinity %v to %v", lambda, sigma, at, what, less, more)
			}
		}
		grows("the decision", at, h)
		grows("a larger λ", h, steered(t, lambda+(1-lambda)*(0.01+0.98*rng.Float64()), sigma, u, d))
		grows("a larger σ", h, steered(t, lambda, sigma*(1.01+2*rng.Float64()), u, d))
	}
}

// The limits of the theorem: who stands along u or at right angles to it stays, and with λ = 1 everybody else arrives at ±u.
func TestSteeringAtTheLimits(t *testing.T) {
	u := []float64{0, 0.8}
	for _, c := range []struct{ lambda, x, y, want float64 }{
		{0.4, 0, 1, 0.8}, {0.4, 0, -1, -0.8}, {0.4, 1, 0, 0}, {1, 0.6, 0.8, 0.8}, {1, 0.8, -0.6, -0.8},
	} {
		if got := steered(t, c.lambda, 0.5, u, []float64{c.x, c.y}); math.Abs(got-c.want) > 2*unit {
			t.Errorf("λ %v, d (%v, %v): affinity %v, want %v", c.lambda, c.x, c.y, got, c.want)
		}
	}
}
