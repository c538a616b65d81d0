package dynamics_test

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/fixpoint"
)

// Individuals of drawn dynamics move, pull back and settle as when this was recorded, after as many steps, and those who do not settle are told of in the same words.
func TestDynamicsAreAsRecorded(t *testing.T) {
	rng := rand.New(rand.NewPCG(91, 3))
	var lines []string
	say := func(name string, f kedge.Dynamics, u, d []float64) {
		dims := f.Dims()
		n := len(d) / dims.Trait
		p, next := normals(rng, n*dims.State), make([]float64, n*dims.State)
		kedge.Batched(f).NextRows(next, p, u, d)
		text := fmt.Sprintf("%s: next %s", name, sum(next))
		if s, ok := f.(kedge.Smooth); ok {
			gp, gu := make([]float64, dims.State), make([]float64, len(u))
			s.Pullback(gp, gu, p[:dims.State], u, d[:dims.Trait], next[:dims.State])
			text += ", pull " + sum(gp, gu)
		}
		if c, ok := f.(kedge.CheckedDynamics); ok && c.Check() != nil {
			text += fmt.Sprintf(", %q", c.Check())
		}
		for _, s := range []kedge.RowSettler{dynamics.Settled(f), dynamics.NewWalked(kedge.Batched(f)), &dynamics.Iterated{Of: f, Options: fixpoint.Settings{Memory: 3, MaxSteps: 40}}} {
			h := make([]float64, len(p))
			r, err := s.SettleRows(h, u, d)
			text += fmt.Sprintf(", settles %.6g %s in %d by %.3g %v", h[0], sum(h), r.Steps, r.Norm, err)
			if from, ok := s.(kedge.StartedSettler); ok {
				copy(h, p)
				r, err := from.SettleFrom(h, u, d)
				text += fmt.Sprintf(", from there %s in %d %v", sum(h), r.Steps, err)
			}
		}
		lines = append(lines, text)
	}
	for k := range 14 {
		m := 2 + rng.IntN(5)
		people := func(draw func() []float64) (all []float64) {
			for range 1 + k%4 {
				all = append(all, draw()...)
			}
			return all
		}
		l := probability(rng, 3)
		u := direction(rng, m)
		say("polarized", dynamics.Polarized{Dim: m, Lambda: l[0], Sigma: l[1]}, u, people(func() []float64 { return direction(rng, m) }))
		say("choice", dynamics.Choice{Dim: m, Lambda1: 0.9 * l[0], Lambda2: l[1], Epsilon: 4 * rng.Float64()}, u, people(func() []float64 { return probability(rng, m) }))
		say("polarized each", dynamics.PolarizedEach{Dim: m}, u, people(func() []float64 { return append(direction(rng, m), 0.5*rng.Float64(), 0.4*rng.Float64()) }))
		a, b, e := normals(rng, m*m), normals(rng, m*m), normals(rng, m*m)
		for i := range a {
			a[i] *= 0.2 * float64(1+k%3)
		}
		if f, err := dynamics.NewAffine(kedge.Dims{Decision: m, State: m, Trait: m}, a, b, e); err != nil {
			t.Fatal(err)
		} else {
			say("affine", f, u, people(func() []float64 { return normals(rng, m) }))
		}
	}
	for _, f := range []func(p, u, d float64) float64{
		func(p, u, d float64) float64 { return p + u*d*(1-p) }, func(p, u, d float64) float64 { return 2*p*p/(1+p*p) + 0.1*u }, func(p, u, d float64) float64 { return 0.999*p + d }, func(p, u, d float64) float64 { return p + 0.3*(p-p*p*p) + 0.02*u },
		func(p, u, d float64) float64 { return 3.2 * p * (1 - p) }, func(p, u, d float64) float64 { return 1.5*p + d }, func(p, u, d float64) float64 { return -p + u }, func(p, u, d float64) float64 { return math.Sqrt(math.Abs(p)) * 0.9 }, func(p, u, d float64) float64 { return p / 2 },
		func(p, u, d float64) float64 { return 0.99999*p + 1e-5*d }, func(p, u, d float64) float64 { return p * p },
	} {
		for _, d := range []float64{0.01, 0.5, 2.5, -1} {
			say("number", scalar(f), []float64{0.7}, []float64{d, d / 2})
		}
	}
	for _, o := range []fixpoint.Settings{{Memory: -1}, {MaxSteps: -1}, {Tolerance: -1}, {Tolerance: math.Inf(1)}, {Tolerance: math.NaN()}, {Tolerance: math.MaxFloat64}, {Memory: 1, MaxSteps: 1}} {
		lines = append(lines, fmt.Sprintf("%+v: %v", o, (&dynamics.Iterated{Of: scalar(func(p, u, d float64) float64 { return p / 2 }), Options: o}).Check()))
	}
	evidence.AsRecorded(t, "testdata/dynamics.txt", lines)
}

func sum(x ...[]float64) string { return fmt.Sprintf("%.5x", sha256.Sum256([]byte(fmt.Sprint(x)))) }
