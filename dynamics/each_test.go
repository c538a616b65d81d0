package dynamics_test

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/conform"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/stream"
)

// With the same parameters for all nothing differs, to the bit, from the dynamics that has them once.
func TestEqualParametersMakeNoDifference(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	const n, count = 7, 9
	for _, c := range []struct {
		name      string
		all, each everything
		draw      func(*rand.Rand, int) []float64
		own       []float64
	}{
		{"polarized", dynamics.Polarized{Dim: n, Lambda: 0.4, Sigma: 0.5}, dynamics.PolarizedEach{Dim: n}, direction, []float64{0.4, 0.5}},
		{"choice", dynamics.Choice{Dim: n, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.3}, dynamics.ChoiceEach{Dim: n}, probability, []float64{0.2, 0.5, 0.3}},
	} {
		u := direction(rng, n)
		var p, d, long []float64
		for range count {
			x := c.draw(rng, n)
			p, d, long = append(p, c.draw(rng, n)...), append(d, x...), append(append(long, x...), c.own...)
		}
		want, got := make([]float64, len(p)), make([]float64, len(p))
		c.all.NextRows(want, p, u, d)
		c.each.NextRows(got, p, u, long)
		near(t, c.name+" next", got, want, 0)
		a, err := c.all.SettleRows(want, u, d)
		b, err2 := c.each.SettleRows(got, u, long)
		if err != nil || err2 != nil || a != b {
			t.Errorf("%s: residuals %+v and %+v, errors %v and %v", c.name, a, b, err, err2)
		}
		near(t, c.name+" settled", got, want, 0)
	}
}

// One entry is enough, none is too few.
func TestEachHasAnEntry(t *testing.T) {
	for _, check := range []func(dim int) error{
		func(dim int) error { return dynamics.PolarizedEach{Dim: dim}.Check() },
		func(dim int) error { return dynamics.ChoiceEach{Dim: dim}.Check() },
	} {
		if err := check(1); err != nil {
			t.Errorf("one entry: %v", err)
		}
		for _, dim := range []int{0, -1} {
			if wrong := wants[*kedge.RangeError](t, "too few entries", check(dim)); wrong.Got != float64(dim) || wrong.Want != "Dim ≥ 1" {
				t.Errorf("%d entries: %v", dim, wrong)
			}
		}
	}
}

func TestOwnParametersOutOfRangeAreNamed(t *testing.T) {
	u, h := []float64{1, 0}, make([]float64, 4)
	_, err := dynamics.PolarizedEach{Dim: 2}.SettleRows(h, u, []float64{1, 0, 0.4, 0.5, 0, 1, 1.4, 0.5})
	var row *kedge.RowError
	if !errors.As(err, &row) || row.Row != 1 || !errors.As(err, new(*kedge.RangeError)) {
		t.Errorf("λ = 1.4 of individual 1: %v", err)
	}
	_, err = dynamics.ChoiceEach{Dim: 2}.SettleRows(h, u, []float64{1, 0, 0.4, 0.7, 1, 0, 1, 0.4, 0.5, 1})
	if !errors.As(err, &row) || row.Row != 0 || !errors.As(err, new(*kedge.RangeError)) {
		t.Errorf("λ₁ + λ₂ = 1.1 of individual 0: %v", err)
	}
}

// coupled are dynamics that see a mean, with a way to draw an individual and what it sees.
func TestCoupledConforms(t *testing.T) {
	unit := func(r *stream.Stream, n int, norm float64) []float64 {
		x := make([]float64, n)
		r.Normals(x)
		rows.Scale(x, norm/rows.Norm(x))
		return x
	}
	sphere, err := dynamics.NewCoupled(dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}, 0.3, dynamics.Sphere)
	if err != nil {
		t.Fatal(err)
	}
	conform.Dynamics(t, sphere, conform.Cases{Draw: func(r *stream.Stream) (p, u, d []float64) {
		return unit(r, 3, 1), append(unit(r, 3, 0.8), unit(r, 3, 0.4)...), unit(r, 3, 1)
	}})
	affine, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 2, Trait: 2}, []float64{0.5, 0.25, 0, 0.5}, []float64{1, 2}, []float64{1, 0, 0, 1})
	if err != nil {
		t.Fatal(err)
	}
	flat, err := dynamics.NewCoupled(affine, 0.3, dynamics.Flat)
	if err != nil {
		t.Fatal(err)
	}
	draw := func(r *stream.Stream) (p, u, d []float64) { return unit(r, 2, 1), unit(r, 3, 2), unit(r, 2, 1) }
	conform.Dynamics(t, flat, conform.Cases{Draw: draw})
	closed, err := affine.Coupled(0.3)
	if err != nil {
		t.Fatal(err)
	}
	for range 20 { // affine dynamics stay affine
		p, u, d := draw(stream.New(1, "draw"))
		got, want := make([]float64, 2), make([]float64, 2)
		closed.Next(got, p, u, d)
		flat.Next(want, p, u, d)
		near(t, "affine, coupled", got, want, 1e-15)
	}
	for _, weight := range []float64{-0.1, 1, 2} {
		_, err := affine.Coupled(weight)
		_, err2 := dynamics.NewCoupled(affine, weight, dynamics.Flat)
		if !errors.As(err, new(*kedge.RangeError)) || !errors.As(err2, new(*kedge.RangeError)) {
			t.Errorf("a weight of %v: %v, %v", weight, err, err2)
		}
	}
	if !slices.Equal(affine.A(), []float64{0.5, 0.25, 0, 0.5}) {
		t.Error("coupling has changed the dynamics")
	}
}
