package compare

import (
	"github.com/kedge-opt/kedge"
)

// partial is the sensitivity of a crowd that is given so many steps: the part I − Aʰ of the settled answer where A = ∂f/∂p. Alternating
// it is (I − ½Aʰ)(I − Aʰ), which is what two decisions in turn show of it; see online.TwoPoint.
type partial struct {
	f           kedge.Smooth
	steps       int
	alternating bool
}

// PullRows adds the part of ∇ᵤh·v: Σ_{j<h} (∂f/∂u)ᵀ(∂f/∂p)ʲᵀ v.
func (s partial) PullRows(gu, p, u, d, v []float64) error {
	dim := s.f.Dims()
	w, next := make([]float64, dim.State), make([]float64, dim.State)
	for i := range kedge.Count(p, dim.State) {
		state, trait := kedge.Row(p, i, dim.State), kedge.Row(d, i, dim.Trait)
		pull := func(into []float64) {
			for range s.steps {
				clear(next)
				s.f.Pullback(next, into, state, u, trait, w)
				w, next = next, w
			}
		}
		copy(w, kedge.Row(v, i, dim.State))
		if s.alternating {
			pull(nil)
			for j, x := range kedge.Row(v, i, dim.State) {
				w[j] = x - w[j]/2
			}
		}
		pull(gu)
	}
	return nil
}
