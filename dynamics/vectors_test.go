package dynamics_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/internal/rows"
)

// unit is the rounding unit 2⁻⁵³.
const unit = 0x1p-53

func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	return x
}

// direction returns a uniform point of the unit sphere.
func direction(rng *rand.Rand, n int) []float64 {
	x := normals(rng, n)
	rows.Scale(x, 1/rows.Norm(x))
	return x
}

// probability returns a random point of the simplex.
func probability(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = rng.ExpFloat64()
	}
	rows.Scale(x, 1/rows.Sum(x))
	return x
}

func scaled(x []float64, a float64) []float64 {
	y := append([]float64(nil), x...)
	rows.Scale(y, a)
	return y
}

// distance is ‖x − y‖∞.
func distance(x, y []float64) float64 {
	m := 0.0
	for i, v := range x {
		m = max(m, math.Abs(v-y[i]))
	}
	return m
}

func near(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	if d := distance(got, want); !(d <= tolerance) || len(got) != len(want) {
		t.Errorf("%s: got %v, want %v: off by %.3g, allowed %.3g", what, got, want, d, tolerance)
	}
}

// wants requires an error of type E.
func wants[E error](t *testing.T, what string, err error) E {
	t.Helper()
	var e E
	if !errors.As(err, &e) {
		t.Fatalf("%s: got error %v, want a %T", what, err, e)
	}
	return e
}

func panics(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", what)
		}
	}()
	f()
}
