package problem

import (
	"github.com/kedge-opt/kedge/internal/rows"
)

// Spoiled tells whether the spec spoils the sensitivity of algorithm a on purpose, other than by age, and does not learn it.
func (p *Problem) Spoiled(a int) bool {
	from := &p.Spec.Algorithms[a]
	return from.Kind == "composite" && from.Sensitivity != "learned" && !from.Wrong.fresh().none()
}

// Misled writes to e by how much the spoiled sensitivity of algorithm a is wrong about ∇Φ̃(u): mean (Ĥ − ∇ᵤh) ∂Φ/∂p over the
// population settled under u.
func (p *Problem) Misled(e []float64, a int, u []float64) error {
	from := p.Spec.Algorithms[a]
	from.Norm = ""
	h := answer(p.Model, &from)
	wrong := from.Wrong.fresh().spoil(h)
	dim := p.Spec.Dims()
	n := p.Individuals()
	const chunk = 64
	d, s := make([]float64, chunk*dim.Trait), make([]float64, chunk*dim.State)
	v, right := make([]float64, chunk*dim.State), make([]float64, len(u))
	clear(e)
	for first := 0; first < n; first += chunk {
		last := min(first+chunk, n)
		traits := p.Traits.View(d, first, last)
		states, pull := s[:(last-first)*dim.State], v[:(last-first)*dim.State]
		if _, err := p.RowSettler().SettleRows(states, u, traits); err != nil {
			return err
		}
		clear(pull)
		p.RowObjective().EvalRows(pull, nil, states, u, traits)
		if err := wrong.PullRows(e, states, u, traits, pull); err != nil {
			return err
		}
		if err := h.PullRows(right, states, u, traits, pull); err != nil {
			return err
		}
	}
	rows.AddScaled(e, -1, right)
	rows.Scale(e, 1/float64(n))
	return nil
}
