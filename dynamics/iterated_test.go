package dynamics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/fixpoint"
)

// scalar is dynamics of one number whose decision and trait are numbers too.
func scalar(f func(p, u, d float64) float64) dynamics.Func {
	return dynamics.Func{
		Size: kedge.Dims{Decision: 1, State: 1, Trait: 1},
		F:    func(dst, p, u, d []float64) { dst[0] = f(p[0], u[0], d[0]) },
	}
}

func settleScalar(f dynamics.Func, u, d float64) (float64, kedge.Residual, error) {
	h := []float64{math.NaN()}
	r, err := dynamics.Settled(f).Settle(h, []float64{u}, []float64{d})
	return h[0], r, err
}

// Iteration agrees with every closed form, to the tolerance over the distance from 1 of the slowest mode.
func TestIteratedAgreesWithClosedForms(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	for range 100 {
		m := 2 + rng.IntN(8)
		lambda := rng.Float64() * 0.9
		f := dynamics.Polarized{Dim: m, Lambda: lambda, Sigma: 0.8 * (1 - lambda)}
		u, d := direction(rng, m), direction(rng, m)
		h, want := make([]float64, m), make([]float64, m)
		if _, err := f.Settle(want, u, d); err != nil {
			t.Fatal(err)
		}
		r, err := dynamics.Settled(dynamics.Func{Size: f.Dims(), F: f.Next}).Settle(h, u, d)
		if err != nil {
			t.Fatalf("%+v: %v", f, err)
		}
		near(t, "h", h, want, 2e-13/(0.2*(1-lambda)))
		if r.Norm > 1e-13 || r.Steps == 0 {
			t.Errorf("%+v", r)
		}
	}
}

// Settled keeps a settler that settles itself.
func TestSettledKeepsClosedForms(t *testing.T) {
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	if s, ok := dynamics.Settled(f).(dynamics.Polarized); !ok || s != f {
		t.Errorf("Settled wrapped a settler: %T", s)
	}
	h := make([]float64, 2)
	r, err := dynamics.Settled(plainly{f}).SettleRows(h, []float64{1, 0}, []float64{0.6, 0.8})
	if err != nil || r.Norm > 4*unit {
		t.Errorf("%+v, %v", r, err)
	}
}

// A slow individual settles as well: 0.9999 of a deviation is left after a step, 7 000 steps to halve it.
func TestIteratedSlow(t *testing.T) {
	for _, rate := range []float64{0.99, 0.999, 0.9999, 0.99999} {
		f := scalar(func(p, u, d float64) float64 { return rate*p + (1-rate)*(u+d) })
		h, r, err := settleScalar(f, 2, 3)
		if err != nil || math.Abs(h-5) > 1e-12/(1-rate) || r.Steps > 200 {
			t.Errorf("rate %g: %g, %+v, %v", rate, h, r, err)
		}
	}
}

// The logistic map settles at 1−1/r up to r = 3, where this point begins to repel at the rate r−2; 0 repels at the rate r.
func TestIteratedRefusesRepellingPoints(t *testing.T) {
	for _, growth := range []float64{1.5, 2, 2.9, 3.1, 3.5, 3.9} {
		f := scalar(func(p, u, d float64) float64 { return u * p * (1 - p) })
		h, _, err := settleScalar(f, growth, 0.3)
		if growth < 3 {
			if err != nil || math.Abs(h-(1-1/growth)) > 1e-12 {
				t.Errorf("r = %g: %g, %v", growth, h, err)
			}
			continue
		}
		if e := wants[*kedge.UnstableError](t, "logistic", err); min(math.Abs(e.Rate-(growth-2)), math.Abs(e.Rate-growth)) > 1e-4 || !math.IsNaN(h) {
			t.Errorf("r = %g: rate %g, h = %g", growth, e.Rate, h)
		}
	}
	for _, rate := range []float64{1.001, 1.5, -1.2, 1} {
		f := scalar(func(p, u, d float64) float64 { return rate*p + 1e-3*u })
		_, _, err := settleScalar(f, 0, 0)
		if e := wants[*kedge.UnstableError](t, "linear", err); math.Abs(e.Rate-math.Abs(rate)) > 1e-6 {
			t.Errorf("rate %g told as %g", rate, e.Rate)
		}
	}
}

// One repelling direction among many that attract is enough, wherever it points.
func TestIteratedRefusesSaddles(t *testing.T) {
	rng := rand.New(rand.NewPCG(37, 38))
	for _, n := range []int{2, 10, 50} {
		for _, rate := range []float64{1.01, 1.1, 2} {
			q := direction(rng, n)
			f := dynamics.Func{Size: kedge.Dims{State: n}, F: func(dst, p, _, _ []float64) {
				along := 0.0
				for i, v := range p {
					along += q[i] * v
				}
				for i, v := range p {
					dst[i] = 0.9*v + (rate-0.9)*along*q[i]
				}
			}}
			err := second(dynamics.Settled(f).Settle(make([]float64, n), nil, nil))
			if e := wants[*kedge.UnstableError](t, "saddle", err); math.Abs(e.Rate-rate) > 1e-3 {
				t.Errorf("n %d: rate %g told as %g", n, rate, e.Rate)
			}
		}
	}
}

// The indifferent individual at the pitchfork sits on a repelling point without moving.
func TestIteratedAtThePitchfork(t *testing.T) {
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.9}
	_, err := dynamics.Settled(dynamics.Func{Size: f.Dims(), F: f.Next}).Settle(make([]float64, 2), []float64{1, 0}, []float64{0, 1})
	if e := wants[*kedge.UnstableError](t, "pitchfork", err); math.Abs(e.Rate-1.3) > 1e-6 {
		t.Errorf("rate %g, want λ+σ = 1.3", e.Rate)
	}
}

// p ↦ p + ε(p − p³) has two attractors ±1; each start must find its own, however slow the map.
func TestIteratedReachesItsOwnAttractor(t *testing.T) {
	for _, speed := range []float64{1e-4, 1e-3, 0.01, 0.1, 0.5} {
		for _, start := range []float64{-1.3, -0.9, -0.01, 0.01, 0.3, 1.2} {
			f := scalar(func(p, u, d float64) float64 { return p + speed*(p-p*p*p) })
			h, _, err := settleScalar(f, 0, start)
			if err != nil { // never the wrong one: an honest refusal is allowed where the map is slow
				if speed > 0.005 {
					t.Errorf("speed %g, start %g: %v", speed, start, err)
				}
				continue
			}
			if math.Abs(h-math.Copysign(1, start)) > 1e-8 {
				t.Errorf("speed %g: from %g to %g", speed, start, h)
			}
		}
	}
}

// turning rotates by a radian a step. Its centre attracts what is nearer than 1, at the rate 0.9; all else ends in an orbit
// of radius 2, to which the linear extrapolation of acceleration is blind.
func turning(dst, p, _, _ []float64) {
	r := math.Hypot(p[0], p[1])
	grow := 1 + 0.1*(r*r-1)*(4-r*r)/4
	sin, cos := math.Sincos(1)
	dst[0], dst[1] = grow*(cos*p[0]-sin*p[1]), grow*(sin*p[0]+cos*p[1])
}

func TestIteratedRefusesPointsNotReached(t *testing.T) {
	f := dynamics.Settled(dynamics.Func{Size: kedge.Dims{State: 2, Trait: 2}, F: turning})
	h := []float64{7, 7}
	err := second(f.Settle(h, nil, []float64{1.5, 0}))
	if e := wants[*dynamics.ElsewhereError](t, "orbit", err); math.Abs(e.Distance-2) > 1e-6 || h[0] != 7 {
		t.Errorf("stays %g away, dst %v", e.Distance, h)
	}
	if _, err := f.Settle(h, nil, []float64{0.9, 0}); err != nil || distance(h, []float64{0, 0}) > 1e-12 {
		t.Errorf("from within: %v, %v", h, err)
	}
}

// At the edge of a domain only one side of h can be nudged. Both edges are tried, since the nudge has a sign.
func TestIteratedAtTheEdgeOfItsDomain(t *testing.T) {
	for _, side := range []float64{1, -1} {
		f := scalar(func(p, u, d float64) float64 { return side * u * math.Pow(math.Sqrt(side*p), 2) })
		if h, _, err := settleScalar(f, 0.5, 0); err != nil || h != 0 {
			t.Errorf("side %g: %g, %v", side, h, err)
		}
		_, _, err := settleScalar(f, 1.5, 0)
		wants[*kedge.UnstableError](t, "edge", err)
	}
	alone := scalar(func(p, u, d float64) float64 { return p / (1 - math.Ceil(min(1, math.Abs(p)))) }) // finite at 0 only
	_, _, err := settleScalar(alone, 0, 0)
	wants[*kedge.UnstableError](t, "no neighbour", err)
}

func TestIteratedMovesLikeItsDynamics(t *testing.T) {
	for _, s := range subjects(t) {
		slow := &dynamics.Iterated{Of: s.f}
		got, want := make([]float64, len(s.p)), make([]float64, len(s.p))
		slow.NextRows(got, s.p, s.u, s.d)
		s.f.NextRows(want, s.p, s.u, s.d)
		near(t, s.name, got, want, 0)
		n := s.f.Dims().State
		slow.Next(got[:n], s.p[:n], s.u, s.d[:s.f.Dims().Trait])
		near(t, s.name, got[:n], want[:n], 0)
	}
}

func TestIteratedFindsNothing(t *testing.T) {
	for name, f := range map[string]func(p, u, d float64) float64{
		"p+1":  func(p, _, _ float64) float64 { return p + 1 },
		"p²+1": func(p, _, _ float64) float64 { return p*p + 1 },
		"NaN":  func(_, _, _ float64) float64 { return math.NaN() },
		"flip": func(p, _, _ float64) float64 { return -math.Copysign(1, p) },
	} {
		h, r, err := settleScalar(scalar(f), 0, 0)
		e := wants[*kedge.NotConvergedError](t, name, err)
		if r != (kedge.Residual{}) || !math.IsNaN(h) || !(e.Residual > e.Tolerance) || e.Steps == 0 {
			t.Errorf("%s: %g, %+v, %+v", name, h, r, e)
		}
	}
}

func TestIteratedStart(t *testing.T) {
	// Without a common length the start is 0; this map keeps its start.
	f := dynamics.Func{Size: kedge.Dims{State: 2, Trait: 1}, F: func(dst, p, u, d []float64) {
		dst[0], dst[1] = 0.5*p[0]+d[0], 0.5*p[1]
	}}
	h := make([]float64, 2)
	if _, err := dynamics.Settled(f).Settle(h, nil, []float64{3}); err != nil || math.Abs(h[0]-6) > 1e-12 || h[1] != 0 {
		t.Errorf("%v, %v", h, err)
	}
	two := scalar(func(p, u, d float64) float64 { return p + 0.1*(p-p*p*p) })
	s := &dynamics.Iterated{Of: two, Start: func(dst, d []float64) { dst[0] = -d[0] }, Options: fixpoint.Settings{Tolerance: 1e-10}}
	one := make([]float64, 1)
	if _, err := s.Settle(one, []float64{0}, []float64{0.2}); err != nil || math.Abs(one[0]+1) > 1e-8 {
		t.Errorf("%v, %v", one, err)
	}
	if r, err := s.SettleRows(h, []float64{0}, []float64{0.2, -0.4}); err != nil || math.Abs(h[0]+1) > 1e-8 || math.Abs(h[1]-1) > 1e-8 || r.Norm > 1e-10 {
		t.Errorf("%v, %+v, %v", h, r, err)
	}
	_, err := s.SettleRows(h, []float64{0}, []float64{0.2, 0}) // 0 repels
	wants[*kedge.UnstableError](t, "second row", err)
	if e := wants[*kedge.RowError](t, "second row", err); e.Row != 1 {
		t.Errorf("names row %d", e.Row)
	}
}

func TestIteratedCheck(t *testing.T) {
	f := scalar(func(p, u, d float64) float64 { return p / 2 })
	for _, s := range []*dynamics.Iterated{
		{Of: f, Options: fixpoint.Settings{Memory: -1}}, {Of: f, Options: fixpoint.Settings{MaxSteps: -1}},
		{Of: f, Options: fixpoint.Settings{Tolerance: math.NaN()}}, {Of: f, Options: fixpoint.Settings{Tolerance: -1}},
		{Of: dynamics.Func{Size: kedge.Dims{State: 0}, F: f.F}}, {Of: dynamics.Polarized{Dim: 2, Lambda: 7}},
	} {
		err := second(s.Settle([]float64{0}, []float64{0}, []float64{0}))
		wants[*kedge.RangeError](t, "Settle", err)
		err = second(s.SettleRows([]float64{0}, []float64{0}, []float64{0}))
		wants[*kedge.RangeError](t, "SettleRows", err)
	}
	for _, s := range []*dynamics.Iterated{{}, {Of: dynamics.Func{Size: f.Size}}} {
		wants[*dynamics.MissingError](t, "Check", s.Check())
		err := second(s.Settle([]float64{0}, []float64{0}, []float64{0}))
		wants[*dynamics.MissingError](t, "Settle", err)
	}
}
