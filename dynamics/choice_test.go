package dynamics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
)

// SCIENCE 2.5: prices u = −ln(z)/ε with z = ((1−λ₁)/m − (1−λ₁−λ₂)d)/λ₂ make every item equally likely in the end.
func TestChoiceSettlesUniformly(t *testing.T) {
	rng := rand.New(rand.NewPCG(25, 26))
	const m = 100
	f := dynamics.Choice{Dim: m, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5}
	d := make([]float64, m)
	for i := range d {
		d[i] = 1 + rng.Float64()
	}
	rows.Scale(d, 1/rows.Sum(d))
	u, h, uniform := make([]float64, m), make([]float64, m), make([]float64, m)
	for i := range u {
		u[i] = -math.Log(((1-f.Lambda1)/m-(1-f.Lambda1-f.Lambda2)*d[i])/f.Lambda2) / f.Epsilon
		uniform[i] = 1. / m
	}
	r, err := f.Settle(h, u, d)
	if err != nil || r.Norm > 2*unit || r.Steps != 0 {
		t.Errorf("%+v, %v", r, err)
	}
	near(t, "h", h, uniform, 8*unit/m)
}

// From any start λ₁ᵏ of the deviation is left after k steps.
func TestChoiceSettlesWhereTheDynamicsLead(t *testing.T) {
	rng := rand.New(rand.NewPCG(27, 28))
	for range 50 {
		m := 1 + rng.IntN(9)
		l := probability(rng, 3)
		f := dynamics.Choice{Dim: m, Lambda1: 0.9 * l[0], Lambda2: l[1], Epsilon: 5 * rng.Float64()}
		u, d, h := normals(rng, m), probability(rng, m), make([]float64, m)
		if _, err := f.Settle(h, u, d); err != nil {
			t.Fatal(err)
		}
		near(t, "h", walk(f, probability(rng, m), u, d, 10_000), h, 8*unit/(1-f.Lambda1))
	}
}

// Every price and habit, 10⁶ steps: the state stays a probability, without a negative entry and without drift of its mass.
func TestChoiceStaysInTheSimplex(t *testing.T) {
	rng := rand.New(rand.NewPCG(29, 30))
	f := dynamics.Choice{Dim: 4, Lambda1: 0.9, Lambda2: 0.1, Epsilon: 3} // (1−0.9)−0.1 is −2.8e-17
	d, u := []float64{1, 0, 0, 0}, normals(rng, 4)
	p, next := probability(rng, 4), make([]float64, 4)
	for i := range 1_000_000 {
		u[i%4] = -u[i%4] * 1.001
		if i%5000 == 0 {
			u = normals(rng, 4)
		}
		f.Next(next, p, u, d)
		p, next = next, p
		for _, v := range p {
			if !(v >= 0) {
				t.Fatalf("step %d: p = %v", i, p)
			}
		}
	}
	if mass := rows.Sum(p); math.Abs(mass-1) > 40*unit {
		t.Errorf("mass drifted by %g", mass-1)
	}
	p = walk(f, p, []float64{1000, 0, 0, 0}, d, 10_000) // the first item is forgotten
	if !(p[0] >= 0) {
		t.Errorf("p = %v", p)
	}
}

// softmax at extreme prices: ties share, a cheaper item takes all, nothing overflows, and a common shift changes nothing.
func TestChoiceProbabilities(t *testing.T) {
	f := dynamics.Choice{Dim: 3, Lambda2: 1, Epsilon: 1}
	for _, c := range []struct{ u, want []float64 }{
		{[]float64{0, 0, 0}, []float64{1. / 3, 1. / 3, 1. / 3}},
		{[]float64{1e308, 1e308, 1e308}, []float64{1. / 3, 1. / 3, 1. / 3}},
		{[]float64{-1e308, 1e308, 0}, []float64{1, 0, 0}},
		{[]float64{5, 5, 900}, []float64{0.5, 0.5, 0}},
		{[]float64{1e9, 1e9, 1e9 + 1}, []float64{1 / (2 + 1/math.E), 1 / (2 + 1/math.E), 1 / (2*math.E + 1)}},
	} {
		z := make([]float64, 3)
		f.Probabilities(z, c.u)
		near(t, "softmax", z, c.want, 2*unit)
	}
	f.Epsilon = 1e-308 // ε(u−low) is 1, although u−low overflows
	z := make([]float64, 3)
	f.Probabilities(z, []float64{-1e308, 1e308, 1e308})
	near(t, "softmax of an overflowing difference", z, []float64{1 / (1 + 2*math.Exp(-2)), 1 / (2 + math.Exp(2)), 1 / (2 + math.Exp(2))}, 4*unit)
}

func TestChoiceCheck(t *testing.T) {
	good := dynamics.Choice{Dim: 2, Lambda1: 0.9, Lambda2: 0.1, Epsilon: 1}
	if err := good.Check(); err != nil {
		t.Error(err)
	}
	for _, f := range []dynamics.Choice{
		{Dim: 0, Epsilon: 1}, {Dim: -3, Epsilon: 1}, {Dim: 1, Lambda1: 1, Epsilon: 1}, {Dim: 1, Lambda1: -0.1, Epsilon: 1},
		{Dim: 1, Lambda2: -0.1, Epsilon: 1}, {Dim: 1, Lambda1: 0.6, Lambda2: 0.6, Epsilon: 1}, {Dim: 1}, {Dim: 1, Epsilon: math.Inf(1)},
		{Dim: 1, Lambda1: math.NaN(), Epsilon: 1}, {Dim: 1, Lambda2: math.NaN(), Epsilon: 1}, {Dim: 1, Epsilon: math.NaN()},
	} {
		wants[*kedge.RangeError](t, "Check", f.Check())
		_, err := f.Settle([]float64{0}, []float64{0}, []float64{0})
		wants[*kedge.RangeError](t, "Settle", err)
		_, err = f.SettleRows([]float64{0}, []float64{0}, []float64{0})
		wants[*kedge.RangeError](t, "SettleRows", err)
	}
	err := dynamics.Choice{Dim: -1, Lambda1: 2, Lambda2: -1, Epsilon: 0}.Check()
	if many := err.(interface{ Unwrap() []error }).Unwrap(); len(many) != 4 {
		t.Errorf("%d of 4 mistakes told: %v", len(many), err)
	}
}
