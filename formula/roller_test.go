package formula

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// rolledModels are those of regressions, one with noise, and whether they are affine in state and noise.
func rolledModels() (list []regressed, affine []bool) {
	list = append(regressedModels(),
		regressed{Source{Decision: "q", State: "p[2]", Trait: "d", Noise: []Shock{{"w[2]", 0.5}, {"v", 0}}, Next: "tanh(a*p + q*d) + s*w*v"}, []string{"a", "s"}, []float64{0.3, 0.5}, nil},
		regressed{Source{Decision: "q", State: "p[2]", Trait: "d", Noise: []Shock{{"w[2]", 0.5}, {"v", 0}}, Next: "a*d*p + q*w + s*v"}, []string{"a", "s"}, []float64{0.3, 0.5}, nil},
		regressed{Source{Decision: "q", State: "p", Trait: "d", Noise: []Shock{{"w", 0.5}}, Next: "a*p*w + q"}, []string{"a"}, []float64{0.3}, nil})
	return list, []bool{true, false, true, false, true, false}
}

// Derivatives in unknowns and in the state are those of differences; without noise, next states and derivatives in unknowns are a Regressor's.
func TestRollersCarryDerivatives(t *testing.T) {
	models, affine := rolledModels()
	r := rand.New(rand.NewPCG(1, 3))
	draw := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		return x
	}
	for at, c := range models {
		f, err := c.source.Roll(c.unknowns)
		if err != nil {
			t.Fatal(err)
		}
		if f.Affine != affine[at] {
			t.Errorf("%s: affine %v", c.source.Next, f.Affine)
		}
		const rows = 70
		m, k, states, beside, noise := f.States, f.Unknowns, draw(rows*f.States), draw(rows*f.Beside), draw(rows*f.Shocks())
		all := func(states, theta []float64) []float64 {
			dst := make([]float64, rows*f.Width())
			f.Rows(dst, states, theta, beside, noise)
			return dst
		}
		here := all(states, c.theta)
		near := func(what string, row, entry int, got float64, low, high []float64) {
			t.Helper()
			want := (high[row*f.Width()+entry] - low[row*f.Width()+entry]) / 2e-5
			if math.Abs(got-want) > 1e-8*max(1, math.Abs(want)) {
				t.Errorf("%s, row %d, entry %d: derivative in %s is %v, by differences %v", c.source.Next, row, entry, what, got, want)
			}
		}
		moved := func(x []float64, each, j int, by float64) []float64 {
			x = slices.Clone(x)
			for i := j; i < len(x); i += each {
				x[i] += by
			}
			return x
		}
		for j := range k {
			low, high := all(states, moved(c.theta, k, j, -1e-5)), all(states, moved(c.theta, k, j, 1e-5))
			for e := range m {
				near("an unknown", rows-1, e, here[(rows-1)*f.Width()+m+e*k+j], low, high)
			}
		}
		for j := range m {
			low, high := all(moved(states, m, j, -1e-5), c.theta), all(moved(states, m, j, 1e-5), c.theta)
			for e := range m {
				near("the state", rows-1, e, here[(rows-1)*f.Width()+m+m*k+e*m+j], low, high)
			}
		}
		if f.Shocks() > 0 {
			continue
		}
		plain, err := c.source.Regress(c.unknowns)
		if err != nil {
			t.Fatal(err)
		}
		want := make([]float64, rows*plain.Width())
		plain.Rows(want, states, c.theta, beside)
		for i := range rows {
			if got := here[i*f.Width():][:plain.Width()]; !slices.Equal(got, want[i*plain.Width():][:plain.Width()]) {
				t.Fatalf("%s: row %d is %v, want %v", c.source.Next, i, got, want[i*plain.Width():][:plain.Width()])
			}
		}
	}
}
