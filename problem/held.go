package problem

import (
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/set"
)

// held is an individual of a crowd whose mean is held where it settles under the first decision: to look at one by itself.
type held struct {
	moves   kedge.Smooth
	settler kedge.RowSettler
	answer  kedge.Sensitivity
	mean    []float64
}

var (
	_ kedge.Smooth         = held{}
	_ kedge.StartedSettler = held{}
	_ kedge.Sensitivity    = held{}
)

// Alone returns the model of individuals as they are without the others: of a crowd that sees its mean with that mean held where
// it settles under the first decision.
func (p *Problem) Alone() kedge.Model {
	m := p.Model
	if !m.Social {
		return m
	}
	h := held{m.Smooth(), m.RowSettler(), m.Sensitivity, make([]float64, m.Dims().State)}
	if f, err := p.Steady(); err == nil {
		_ = f.Mean(h.mean, p.Start) // a mean that does not settle is found elsewhere; 0 is as good as any
	}
	m.Dynamics, m.Settler, m.Sensitivity, m.Social = h, h, h, false
	return m
}

func (h held) see(u []float64) []float64 { return slices.Concat(u, h.mean) }

// Dims implements [kedge.Dynamics].
func (h held) Dims() kedge.Dims {
	dim := h.moves.Dims()
	dim.Decision -= dim.State
	return dim
}

// Next implements [kedge.Dynamics].
func (h held) Next(dst, p, u, d []float64) { h.moves.Next(dst, p, h.see(u), d) }

// Pullback implements [kedge.Smooth].
func (h held) Pullback(gp, gu, p, u, d, v []float64) {
	if gu == nil {
		h.moves.Pullback(gp, nil, p, h.see(u), d, v)
		return
	}
	g := slices.Concat(gu, h.mean)
	h.moves.Pullback(gp, g, p, h.see(u), d, v)
	copy(gu, g)
}

// Settle implements [kedge.Settler].
func (h held) Settle(dst, u, d []float64) (kedge.Residual, error) {
	return h.settler.Settle(dst, h.see(u), d)
}

// SettleRows implements [kedge.RowSettler].
func (h held) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	return h.settler.SettleRows(dst, h.see(u), d)
}

// SettleFrom implements [kedge.StartedSettler].
func (h held) SettleFrom(p, u, d []float64) (kedge.Residual, error) {
	return kedge.SettleRowsFrom(h.settler, p, h.see(u), d)
}

// PullRows implements [kedge.Sensitivity].
func (h held) PullRows(gu, p, u, d, v []float64) error {
	g := slices.Concat(gu, make([]float64, len(h.mean)))
	if err := h.answer.PullRows(g, p, h.see(u), d, v); err != nil {
		return err
	}
	copy(gu, g)
	return nil
}

// Deployed is Alone with the decisions that an algorithm deploys, which lie outside the set by as much as it perturbs them.
func (p *Problem) Deployed(algorithm int) kedge.Model {
	m, known := p.Alone(), p.Spec.Algorithms[algorithm].Facts()
	if known.Reach > 0 && !known.Inside {
		m.Set = set.Ball{Radius: p.farthest() + known.Reach}
	}
	return m
}
