package dynamics

import (
	"errors"

	"github.com/kedge-opt/kedge"
)

// PolarizedEach is Polarized with everybody's own λ and σ: a trait is the initial opinion, of Dim entries, followed by λ and σ.
// Where these are equal for all, so are all results, to the bit, to those of Polarized.
type PolarizedEach struct{ Dim int }

// of returns the dynamics of one individual and its initial opinion.
func (f PolarizedEach) of(d []float64) (Polarized, []float64) {
	return Polarized{Dim: f.Dim, Lambda: d[f.Dim], Sigma: d[f.Dim+1]}, d[:f.Dim]
}

// Dims returns Dim for the decision and the state, and two more for the trait.
func (f PolarizedEach) Dims() kedge.Dims {
	return kedge.Dims{Decision: f.Dim, State: f.Dim, Trait: f.Dim + 2}
}

// Check returns a *kedge.RangeError unless Dim ≥ 1. Parameters are checked where individuals are settled.
func (f PolarizedEach) Check() error { return Polarized{Dim: f.Dim}.Check() }

// Next writes f(p, u, d) to dst.
func (f PolarizedEach) Next(dst, p, u, d []float64) {
	mustFit(f.Dims(), dst, p, u, d)
	own, home := f.of(d)
	own.step(dst, p, u, home)
}

// NextRows writes f(pᵢ, u, dᵢ) to the rows of dst.
func (f PolarizedEach) NextRows(dst, p, u, d []float64) {
	var norm2 [1]float64
	for i := range mustFitRows(f.Dims(), dst, p, u, d) {
		own, home := f.of(kedge.Row(d, i, f.Dim+2))
		own.block(norm2[:], kedge.Row(dst, i, f.Dim), kedge.Row(p, i, f.Dim), u, home)
	}
}

// Pullback adds (∂f/∂p)ᵀv to gp and (∂f/∂u)ᵀv to gu.
func (f PolarizedEach) Pullback(gp, gu, p, u, d, v []float64) {
	mustFitPull(f.Dims(), gp, gu, p, u, d, v)
	own, home := f.of(d)
	own.pull(gp, gu, p, u, home, v, 0)
}

// Settle writes the steady state reached from the initial opinion to dst, as Polarized does.
func (f PolarizedEach) Settle(dst, u, d []float64) (kedge.Residual, error) {
	if err := errors.Join(f.Check(), checkOne(f.Dims(), dst, u, d)); err != nil {
		return kedge.Residual{}, err
	}
	own, home := f.of(d)
	return own.Settle(dst, u, home)
}

// SettleRows settles every row. An error names the row; the rows before it are already written.
func (f PolarizedEach) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	return settleEach(f, dst, u, d)
}

// settleEach settles row by row.
func settleEach[F closed](f F, dst, u, d []float64) (worst kedge.Residual, err error) {
	if err := f.Check(); err != nil {
		return worst, err
	}
	n := f.Dims()
	count, err := checkBlock(n, dst, u, d)
	for i := 0; i < count && err == nil; i++ {
		var r kedge.Residual
		r, err = f.Settle(kedge.Row(dst, i, n.State), u, kedge.Row(d, i, n.Trait))
		worst, err = worst.Worst(r), inRow(i, err)
	}
	return worst, err
}
