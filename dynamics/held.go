package dynamics

import (
	"slices"

	"github.com/kedge-opt/kedge"
)

// Held is an individual of a crowd whose mean is held where it settles under the first decision: to look at one by itself.
type Held struct {
	Moves   kedge.Smooth
	Settler kedge.RowSettler
	Answer  kedge.Sensitivity
	Mean    []float64
}

var (
	_ kedge.Smooth         = Held{}
	_ kedge.StartedSettler = Held{}
	_ kedge.Sensitivity    = Held{}
)

func (h Held) see(u []float64) []float64 { return slices.Concat(u, h.Mean) }

// Dims implements [kedge.Dynamics].
func (h Held) Dims() kedge.Dims {
	dim := h.Moves.Dims()
	dim.Decision -= dim.State
	return dim
}

// Next implements [kedge.Dynamics].
func (h Held) Next(dst, p, u, d []float64) { h.Moves.Next(dst, p, h.see(u), d) }

// Pullback implements [kedge.Smooth].
func (h Held) Pullback(gp, gu, p, u, d, v []float64) {
	if gu == nil {
		h.Moves.Pullback(gp, nil, p, h.see(u), d, v)
		return
	}
	g := slices.Concat(gu, h.Mean)
	h.Moves.Pullback(gp, g, p, h.see(u), d, v)
	copy(gu, g)
}

// Settle implements [kedge.Settler].
func (h Held) Settle(dst, u, d []float64) (kedge.Residual, error) {
	return h.Settler.Settle(dst, h.see(u), d)
}

// SettleRows implements [kedge.RowSettler].
func (h Held) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	return h.Settler.SettleRows(dst, h.see(u), d)
}

// SettleFrom implements [kedge.StartedSettler].
func (h Held) SettleFrom(p, u, d []float64) (kedge.Residual, error) {
	return kedge.SettleRowsFrom(h.Settler, p, h.see(u), d)
}

// PullRows implements [kedge.Sensitivity].
func (h Held) PullRows(gu, p, u, d, v []float64) error {
	g := slices.Concat(gu, make([]float64, len(h.Mean)))
	if err := h.Answer.PullRows(g, p, h.see(u), d, v); err != nil {
		return err
	}
	copy(gu, g)
	return nil
}
