package problem

import (
	"cmp"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Spoiled returns how the spec spoils the sensitivity of algorithm a on purpose; nil: not at all, by age alone, or what is learned.
func (p *Problem) Spoiled(a int) *kind.Wrong {
	if right, _ := p.spoiled(a); right == nil {
		return nil
	}
	return p.Spec.Algorithms[a].Facts().Wrong
}

func (p *Problem) spoiled(a int) (right, wrong kedge.Sensitivity) {
	if m, ok := p.Spec.Algorithms[a].Method.(kind.SpoiledMethod); ok {
		return m.Spoiled(p.Model)
	}
	return nil, nil
}

// Misled writes to e by how much the spoiled sensitivity of algorithm a is wrong about ∇Φ̃(u): mean (Ĥ − ∇ᵤh) ∂Φ/∂p over the
// population settled under u.
func (p *Problem) Misled(e []float64, a int, u []float64) error {
	right, wrong := p.spoiled(a)
	dim := p.Spec.Dims()
	n := p.Individuals()
	const chunk = 64
	d, s := make([]float64, chunk*dim.Trait), make([]float64, chunk*dim.State)
	v, exact := make([]float64, chunk*dim.State), make([]float64, len(u))
	clear(e)
	for first := 0; first < n; first += chunk {
		last := min(first+chunk, n)
		traits := p.Traits.View(d, first, last)
		states, pull := s[:(last-first)*dim.State], v[:(last-first)*dim.State]
		copy(states, p.States.View(states, first, last))
		if _, err := kedge.SettleRowsFrom(p.RowSettler(), states, u, traits); err != nil {
			return err
		}
		clear(pull)
		p.RowObjective().EvalRows(pull, nil, states, u, traits)
		for i := range last - first {
			if p.Weights != nil {
				rows.Scale(kedge.Row(pull, i, dim.State), p.Weights[first+i])
			}
		}
		if err := cmp.Or(wrong.PullRows(e, states, u, traits, pull), right.PullRows(exact, states, u, traits, pull)); err != nil {
			return err
		}
	}
	rows.AddScaled(e, -1, exact)
	rows.Scale(e, 1/float64(n))
	return nil
}
