package optimum_test

import (
	"context"
	"math"
	"testing"

	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/set"
)

// On decisions that divide a sum, the field ±a(u − c) around c inside has the eigenvalues ±a along the set, one fewer than decisions, and
// none across it: there the set holds decisions, which counts as a large one.
func TestRestOfASimplex(t *testing.T) {
	for _, a := range []float64{2, -2} {
		c := []float64{.2, .3, .5}
		field := optimum.Field(func(g, u []float64) (float64, error) {
			for i := range g {
				g[i] = a * (u[i] - c[i])
			}
			return 0, nil
		})
		start := []float64{.3, .3, .4}
		if a < 0 {
			start = c
		}
		rests, err := optimum.Rests(context.Background(), field, set.Simplex{Sum: 1}, start, optimum.Effort{})
		if err != nil {
			t.Fatal(err)
		}
		r := rests[0]
		if r.Attracting != (a > 0) || len(r.Eigenvalues) != 3 {
			t.Errorf("%v: attracting %v, eigenvalues %v", a, r.Attracting, r.Eigenvalues)
			continue
		}
		for _, v := range r.Eigenvalues[:2] {
			if !(math.Abs(v[0]-a) <= 1e-5) {
				t.Errorf("%v: eigenvalue %v along the set", a, v)
			}
		}
		if r.Eigenvalues[2][0] < 10 {
			t.Errorf("%v: eigenvalue %v across the set", a, r.Eigenvalues[2])
		}
	}
}

// Where a field has no value nothing is solved: it is looked at once.
func TestNothingIsSolvedWithoutAField(t *testing.T) {
	looks := 0
	field := optimum.Field(func(g, u []float64) (float64, error) {
		if looks++; looks > 9 { // as many are asked for the units
			return 0, errBroken
		}
		g[0] = 1 + u[0]*u[0]
		return 0, nil
	})
	if list, err := optimum.Rests(context.Background(), field, set.Box{Lower: []float64{-1}, Upper: []float64{5}}, []float64{0.5}, optimum.Effort{Starts: 1}); err == nil || looks != 9+3 {
		t.Errorf("%+v after %d looks, %v", list, looks, err)
	}
}
