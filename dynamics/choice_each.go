package dynamics

import (
	"errors"

	"github.com/kedge-opt/kedge"
)

// ChoiceEach is Choice with everybody's own λ₁, λ₂ and ε: a trait is the habit, of Dim entries, followed by λ₁, λ₂ and ε. Where
// these are equal for all, so are all results, to the bit, to those of Choice.
type ChoiceEach struct{ Dim int }

// of returns the dynamics of one individual and its habit.
func (f ChoiceEach) of(d []float64) (Choice, []float64) {
	n := f.Dim
	return Choice{Dim: n, Lambda1: d[n], Lambda2: d[n+1], Epsilon: d[n+2]}, d[:n]
}

// Dims returns Dim for the decision and the state, and three more for the trait.
func (f ChoiceEach) Dims() kedge.Dims {
	return kedge.Dims{Decision: f.Dim, State: f.Dim, Trait: f.Dim + 3}
}

// Check returns a *kedge.RangeError unless Dim ≥ 1. Parameters are checked where individuals are settled.
func (f ChoiceEach) Check() error { return Choice{Dim: f.Dim, Epsilon: 1}.Check() }

// Next writes f(p, u, d) to dst.
func (f ChoiceEach) Next(dst, p, u, d []float64) {
	mustFit(f.Dims(), dst, p, u, d)
	own, habit := f.of(d)
	own.Next(dst, p, u, habit)
}

// NextRows writes f(pᵢ, u, dᵢ) to the rows of dst.
func (f ChoiceEach) NextRows(dst, p, u, d []float64) {
	for i := range mustFitRows(f.Dims(), dst, p, u, d) {
		own, habit := f.of(kedge.Row(d, i, f.Dim+3))
		own.Next(kedge.Row(dst, i, f.Dim), kedge.Row(p, i, f.Dim), u, habit)
	}
}

// Pullback adds (∂f/∂p)ᵀv to gp and (∂f/∂u)ᵀv to gu.
func (f ChoiceEach) Pullback(gp, gu, p, u, d, v []float64) {
	mustFitPull(f.Dims(), gp, gu, p, u, d, v)
	own, habit := f.of(d)
	own.Pullback(gp, gu, p, u, habit, v)
}

// Settle writes the steady state to dst, as Choice does.
func (f ChoiceEach) Settle(dst, u, d []float64) (kedge.Residual, error) {
	if err := errors.Join(f.Check(), checkOne(f.Dims(), dst, u, d)); err != nil {
		return kedge.Residual{}, err
	}
	own, habit := f.of(d)
	return own.Settle(dst, u, habit)
}

// SettleRows settles every row. An error names the row; the rows before it are already written.
func (f ChoiceEach) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	return settleEach(f, dst, u, d)
}
