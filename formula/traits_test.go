package formula_test

import (
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/stream"
)

// A model reads its trait exactly where gradients of people whose states are known change with it: the loss, its derivatives, or the products of derivatives
// of the next state with vectors.
func TestModelsTellWhetherTheyReadTraits(t *testing.T) {
	for _, c := range []struct {
		next, loss string
		reads      bool
	}{
		{"0.5*p + 0.2*u + d", "p*u", false},
		{"0.5*p + 0.2*u + tanh(d)*3", "p*u + u^2", false},
		{"0.5*p + 0.2*u + d", "p*u + d", true},
		{"0.5*p + 0.2*u + d", "p*u*d", true},
		{"0.5*p + 0.2*u*d", "p*u", true},
		{"tanh(d)*p + 0.2*u", "p*u", true},
		{"0.5*tanh(p + d) + 0.2*u", "p*u", true},
		{"0.5*p + 0.2*u", "p*u", false},
		{"0.5*p + 0.2*u + d - d", "p*u", false},
	} {
		m := compile(t, formula.Source{Decision: "u", State: "p", Trait: "d", Next: c.next, Minimize: c.loss})
		if m.ReadsTrait() != c.reads || c.reads != matters(m) {
			t.Errorf("next %s, loss %s: says %v, gradients depend on the trait: %v", c.next, c.loss, m.ReadsTrait(), matters(m))
		}
	}
}

// matters tells whether a gradient or a loss changes with the trait.
func matters(m *formula.Model) bool {
	r := stream.New(1, "traits")
	for range 50 {
		p, u, v := []float64{r.Normal()}, []float64{r.Normal()}, []float64{r.Normal()}
		of := func(d float64) []float64 {
			out := make([]float64, 5)
			m.Dynamics().(kedge.Smooth).Pullback(out[:1], out[1:2], p, u, []float64{d}, v)
			out[4] = m.Objective().Eval(out[2:3], out[3:4], p, u, []float64{d})
			return out
		}
		if !slices.Equal(of(r.Normal()), of(r.Normal())) {
			return true
		}
	}
	return false
}
