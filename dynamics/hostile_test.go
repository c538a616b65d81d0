package dynamics_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
)

// nasty are numbers that break arithmetic; the first three must never pass a door.
var nasty = []float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, math.Copysign(0, -1), 5e-324, -5e-324, 1e-308, 1e-150, 1, -1,
	1 - unit, 1 + 2*unit, 1e150, -1e155, 1e300, 1.7e308, -1.7e308}

// typed tells whether every leaf of an error is one that a caller can act on.
func typed(err error) bool {
	if many, ok := err.(interface{ Unwrap() []error }); ok {
		return !slices.ContainsFunc(many.Unwrap(), func(e error) bool { return !typed(e) })
	}
	switch err.(type) {
	case *kedge.DimError, *kedge.NotFiniteError, *kedge.RangeError, *kedge.NotConvergedError,
		*kedge.UnstableError, *dynamics.ElsewhereError, *dynamics.MissingError:
		return true
	}
	return errors.Is(err, kedge.ErrSingular) || errors.Unwrap(err) != nil && typed(errors.Unwrap(err))
}

// settleHostile settles inside guard bands and requires: no panic, inputs unchanged, and either a typed error with dst
// untouched or a finite state whose residual holds.
func settleHostile(t *testing.T, f kedge.Settler, length int, u, d []float64) {
	t.Helper()
	const guard = -12345.678
	band := slices.Repeat([]float64{guard}, length+2)
	dst := band[1 : 1+length : 1+length]
	wasU, wasD := slices.Clone(u), slices.Clone(d)
	r, err := f.Settle(dst, u, d)
	where := fmt.Sprintf("%T%+v.Settle(%v, %v)", f, f, u, d)
	if band[0] != guard || band[length+1] != guard {
		t.Fatalf("%s wrote beyond dst", where)
	}
	if !sameBits(u, wasU) || !sameBits(d, wasD) {
		t.Fatalf("%s changed its inputs", where)
	}
	if err != nil {
		if !typed(err) {
			t.Fatalf("%s: untyped error %v", where, err)
		}
		if slices.ContainsFunc(dst, func(v float64) bool { return v != guard }) {
			t.Fatalf("%s: error %v, but dst = %v", where, err, dst)
		}
		return
	}
	if !rows.Finite(dst) || !rows.Finite(u) || !rows.Finite(d) || !(r.Norm <= 1e-12) {
		t.Fatalf("%s: dst = %v, %+v, without an error", where, dst, r)
	}
}

func sameBits(x, y []float64) bool {
	return slices.EqualFunc(x, y, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) })
}

func pick(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = nasty[rng.IntN(len(nasty))]
	}
	return x
}

func TestHostileNumbers(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	rng := rand.New(rand.NewPCG(39, 40))
	for range 40_000 {
		m := 1 + rng.IntN(3)
		u, d := pick(rng, m), pick(rng, m)
		if rng.IntN(2) == 0 {
			d = direction(rng, m)
		}
		if rng.IntN(3) == 0 {
			u = scaled(direction(rng, m), math.Abs(u[0]))
		}
		par := pick(rng, 3)
		if rng.IntN(2) == 0 {
			par = probability(rng, 3)
		}
		polarized := dynamics.Polarized{Dim: m, Lambda: par[0], Sigma: par[1]}
		settleHostile(t, polarized, m, u, d)
		settleHostile(t, dynamics.PolarizedNorm{Polarized: polarized}, m+1, u, d)
		settleHostile(t, dynamics.Choice{Dim: m, Lambda1: par[0], Lambda2: par[1], Epsilon: par[2]}, m, u, d)
	}
}

func TestHostileLengths(t *testing.T) {
	for _, f := range []kedge.Settler{
		dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5},
		dynamics.PolarizedNorm{Polarized: dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}},
		dynamics.Choice{Dim: 2, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 1},
		lq2(t),
		&dynamics.Iterated{Of: dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}},
		dynamics.Polarized{}, dynamics.Polarized{Dim: -1}, dynamics.PolarizedNorm{}, dynamics.Choice{}, &dynamics.Iterated{},
	} {
		for _, u := range [][]float64{nil, {1}, {1, 0}, {1, 0, 0}} {
			for _, d := range [][]float64{nil, {1}, {0.6, 0.8}, {1, 0, 0}, {0.6, 0.8, math.NaN(), 1}} {
				for length := range 5 {
					settleHostile(t, f, length, u, d)
					if block, ok := f.(kedge.RowSettler); ok {
						_, err := block.SettleRows(make([]float64, length), u, d)
						if err != nil && !typed(err) {
							t.Errorf("%T.SettleRows: untyped error %v", f, err)
						}
						if err == nil && length%f.Dims().State != 0 {
							t.Errorf("%T.SettleRows: takes %d numbers", f, length)
						}
					}
				}
			}
		}
	}
}

func TestHostileMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	settled := 0
	for range 3000 {
		n := kedge.Dims{Decision: rng.IntN(3), State: 1 + rng.IntN(3), Trait: rng.IntN(3)}
		draw := func(k int) []float64 {
			if rng.IntN(2) == 0 {
				return pick(rng, k)
			}
			return scaled(normals(rng, k), 0.2)
		}
		f, err := dynamics.NewAffine(n, draw(n.State*n.State), draw(n.State*n.Decision), draw(n.State*n.Trait))
		if err != nil {
			if !typed(err) {
				t.Fatalf("untyped error %v", err)
			}
			continue
		}
		if err := f.Check(); err == nil {
			settled++
		} else if !typed(err) {
			t.Fatalf("untyped error %v", err)
		}
		settleHostile(t, f, n.State, draw(n.Decision), draw(n.Trait))
	}
	if settled < 100 {
		t.Errorf("only %d models settled: the test tests little", settled)
	}
}

// The row of a NaN among the traits is named, and nothing is written.
func TestRowOfABadTraitIsNamed(t *testing.T) {
	for _, s := range subjects(t) {
		n := s.f.Dims()
		d := slices.Clone(s.d)
		d[3*n.Trait+1] = math.NaN()
		dst := slices.Repeat([]float64{7}, len(s.p))
		_, err := s.f.SettleRows(dst, s.u, d)
		row := wants[*kedge.RowError](t, s.name, err)
		entry := wants[*kedge.NotFiniteError](t, s.name, err)
		if row.Row != 3 || entry.Index != 1 || entry.Arg != "d" {
			t.Errorf("%s: %v", s.name, err)
		}
		if slices.ContainsFunc(dst, func(v float64) bool { return v != 7 }) {
			t.Errorf("%s: dst changed", s.name)
		}
	}
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	_, err := f.SettleRows(make([]float64, 4), []float64{1, 0}, []float64{1, 0, 1, 1})
	if row := wants[*kedge.RowError](t, "off the sphere", err); row.Row != 1 {
		t.Errorf("%v", err)
	}
}

// A block too large to compute with is refused as a whole.
func TestBlocksThatOverflow(t *testing.T) {
	dst := []float64{7, 7, 7, 7}
	d := []float64{0.5, 0.5, 1.7e308, 0}
	for _, f := range []kedge.RowSettler{dynamics.Choice{Dim: 2, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 1}, lq2(t)} {
		_, err := f.SettleRows(dst, []float64{0, 0}, d)
		wants[*kedge.RangeError](t, "SettleRows", err)
	}
	norm := dynamics.PolarizedNorm{Polarized: dynamics.Polarized{Dim: 1, Lambda: 0.4, Sigma: 0.5}}
	_, err := norm.SettleRows(dst, []float64{1}, []float64{1, 3})
	if row := wants[*kedge.RowError](t, "SettleRows", err); row.Row != 1 || dst[2] != 7 {
		t.Errorf("%v, dst %v", err, dst)
	}
}

func TestErrorsSpeak(t *testing.T) {
	for want, err := range map[string]error{
		"the steady state does not attract: a deviation is multiplied by 1.5 in a step, want less than 1":   &kedge.UnstableError{Rate: 1.5},
		"the steady state found is not the one reached from the start: the individual stays 2 away from it": &dynamics.ElsewhereError{Distance: 2},
		"F is missing, want a function": &dynamics.MissingError{Arg: "F", Want: "a function"},
	} {
		if err.Error() != want {
			t.Errorf("got %q", err)
		}
	}
}

func TestKernelsPanicOnWrongLengths(t *testing.T) {
	for _, s := range subjects(t) {
		n := s.f.Dims()
		p, d, dst := s.p[:n.State], s.d[:n.Trait], make([]float64, n.State)
		gu := make([]float64, n.Decision)
		for what, f := range map[string]func(){
			"Next dst":    func() { s.f.Next(dst[1:], p, s.u, d) },
			"Next p":      func() { s.f.Next(dst, p[1:], s.u, d) },
			"Next u":      func() { s.f.Next(dst, p, s.u[1:], d) },
			"Next d":      func() { s.f.Next(dst, p, s.u, d[1:]) },
			"NextRows":    func() { s.f.NextRows(dst, p, s.u, d[1:]) },
			"NextRows p":  func() { s.f.NextRows(dst[1:], p[1:], s.u, d) },
			"NextRows u":  func() { s.f.NextRows(dst, p, append(s.u, 1), d) },
			"Pullback v":  func() { s.f.Pullback(dst, gu, p, s.u, d, p[1:]) },
			"Pullback gp": func() { s.f.Pullback(dst[1:], gu, p, s.u, d, p) },
			"Pullback gu": func() { s.f.Pullback(dst, append(gu, 1), p, s.u, d, p) },
		} {
			panics(t, s.name+" "+what, f)
		}
	}
	panics(t, "Func", func() {
		scalar(func(p, u, d float64) float64 { return p }).Next(nil, []float64{1}, []float64{1}, []float64{1})
	})
}

func TestPolarizedCheck(t *testing.T) {
	for _, f := range []dynamics.Polarized{
		{Dim: 0, Lambda: 0.5, Sigma: 1}, {Dim: 1, Lambda: -0.1}, {Dim: 1, Lambda: 1.1}, {Dim: 1, Lambda: math.NaN()}, {Dim: 1, Sigma: -1},
		{Dim: 1, Sigma: math.Inf(1)}, {Dim: 1, Sigma: math.NaN()},
	} {
		wants[*kedge.RangeError](t, "Check", f.Check())
	}
	for _, f := range []dynamics.Polarized{{Dim: 1}, {Dim: 3, Lambda: 1, Sigma: math.MaxFloat64}} {
		if err := f.Check(); err != nil {
			t.Error(err)
		}
	}
}
