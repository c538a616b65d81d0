package dynamics_test

import (
	"errors"
	"math"
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

// pulled people go so large a part of the way to where they are pulled: p⁺ = p + d₀(d₁c − p) for a fixed c.
type pulled struct{}

func (pulled) Dims() kedge.Dims { return kedge.Dims{Decision: 1, State: 3, Trait: 2} }

func (pulled) Next(dst, p, _, d []float64) {
	for j, c := range []float64{0.3, -1.7, 1} {
		dst[j] = p[j] + float64(d[0]*(float64(d[1]*c)-p[j]))
	}
}

// People of all speeds and sizes rest where each comes to rest walking alone, as written down here plainly, with the same bits, whoever else is in the block: also somebody
// who runs away to where numbers end. The error is that of the first who does.
func TestWalkedTakeTheirOwnSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	const n = 300
	d, want := make([]float64, 2*n), make([]float64, 3*n)
	for i := range n {
		d[2*i], d[2*i+1] = 0.1+rng.Float64(), math.Pow(10, 12*rng.Float64()-3)
		alone(kedge.Row(want, i, 3), kedge.Row(d, i, 2))
	}
	s, got := dynamics.NewWalked(kedge.Batched(pulled{})), make([]float64, 3*n)
	if r, err := s.SettleRows(got, []float64{0}, d); err != nil || r.Norm > 1e-13 || !slices.Equal(got, want) {
		t.Errorf("%v, %v: people rest elsewhere than alone", r, err)
	}
	for _, far := range []float64{-1, -1e10} { // to 2⁵⁰⁰, or to no number
		d[2*40], d[2*7], d[2*299] = far, far, far
		clear(got)
		_, err := s.SettleRows(got, []float64{0}, d)
		var row *kedge.RowError
		if !errors.As(err, &row) || row.Row != 7 {
			t.Errorf("the first of those who run away is 7: %v", err)
		}
		for i := range n {
			if d[2*i] > 0 && !slices.Equal(kedge.Row(got, i, 3), kedge.Row(want, i, 3)) {
				t.Fatalf("beside somebody who runs away, %d rests at %v, alone at %v", i, kedge.Row(got, i, 3), kedge.Row(want, i, 3))
			}
		}
	}
}

// counted notes how many rows it is asked to step.
type counted struct {
	dynamics.Func
	rows *[]int
}

func (c counted) NextRows(dst, p, u, d []float64) {
	*c.rows = append(*c.rows, len(p))
	for i := range p {
		c.Next(dst[i:i+1], p[i:i+1], u, d[i:i+1])
	}
}

// Steps are taken of those who walk, as long as there is somebody, and five hundred at most. By hand: of p⁺ = d the first person rests, and the second does after a step.
func TestOnlyWhoWalksTakesSteps(t *testing.T) {
	var rows []int
	settle := func(f dynamics.Func, p, d []float64) (kedge.Residual, error) {
		rows = nil
		return dynamics.NewWalked(counted{f, &rows}).SettleFrom(p, []float64{0}, d)
	}
	h := []float64{3, 5}
	r, err := settle(scalar(func(_, _, d float64) float64 { return d }), h, []float64{3, 4})
	if err != nil || r != (kedge.Residual{Steps: 2}) || !slices.Equal(h, []float64{3, 4}) || !slices.Equal(rows, []int{2, 1}) {
		t.Errorf("%v, %+v, %v: steps of %v people, want 2, then 1", h, r, err, rows)
	}
	if r, err := settle(scalar(func(p, _, _ float64) float64 { return p }), nil, nil); err != nil || r != (kedge.Residual{}) || len(rows) > 0 {
		t.Errorf("nobody: %+v, %v after %d steps", r, err, len(rows))
	}
	_, err = settle(scalar(func(p, _, _ float64) float64 { return p + 1 }), []float64{0}, []float64{0})
	wants[*kedge.NotConvergedError](t, "a drift", err)
	if len(rows) != 500 {
		t.Errorf("a drift is followed for %d steps, want 500", len(rows))
	}
}

// alone walks until a step moves p by no more than 10⁻¹³ of its size.
func alone(p, d []float64) {
	next := make([]float64, len(p))
	for {
		pulled{}.Next(next, p, nil, d)
		far, size := 0.0, 1.0
		for j, v := range p {
			far, size = max(far, math.Abs(next[j]-v)), max(size, math.Abs(v))
		}
		if far/size <= 1e-13 {
			return
		}
		copy(p, next)
	}
}
