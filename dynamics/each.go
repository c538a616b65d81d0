package dynamics

import (
	"errors"

	"github.com/kedge-opt/kedge"
)

// Each is a dynamics with everybody's own parameters: a trait is one of F, of Dim entries, followed by them. Where they are equal for
// all, so are all results, to the bit, to those of F.
type Each[F personal[F]] struct{ Dim int }

// PolarizedEach is Polarized with everybody's own λ and σ, which follow the initial opinion in a trait.
type PolarizedEach = Each[Polarized]

// ChoiceEach is Choice with everybody's own λ₁, λ₂ and ε, which follow the habit in a trait.
type ChoiceEach = Each[Choice]

// personal is a dynamics whose parameters may be somebody's own.
type personal[F any] interface {
	closed
	parameters() int               // how many
	with(dim int, own []float64) F // the dynamics that has these
	row(dst, p, u, d []float64)
}

func (Polarized) parameters() int { return 2 }

func (Polarized) with(dim int, own []float64) Polarized {
	return Polarized{Dim: dim, Lambda: own[0], Sigma: own[1]}
}

// row is Next without its checks.
func (f Polarized) row(dst, p, u, d []float64) {
	var norm2 [1]float64
	f.block(norm2[:], dst, p, u, d)
}

func (Choice) parameters() int { return 3 }

func (Choice) with(dim int, own []float64) Choice {
	return Choice{Dim: dim, Lambda1: own[0], Lambda2: own[1], Epsilon: own[2]}
}

// of returns the dynamics of one individual and the rest of its trait.
func (f Each[F]) of(d []float64) (F, []float64) {
	var anybody F
	return anybody.with(f.Dim, d[f.Dim:]), d[:f.Dim]
}

// Dims returns Dim for the decision and the state, and the parameters more for the trait.
func (f Each[F]) Dims() kedge.Dims {
	var anybody F
	return kedge.Dims{Decision: f.Dim, State: f.Dim, Trait: f.Dim + anybody.parameters()}
}

// Check returns a *kedge.RangeError unless Dim ≥ 1. Parameters are checked where individuals are settled.
func (f Each[F]) Check() error {
	return kedge.CheckRange("Dim", float64(f.Dim), f.Dim >= 1, "Dim ≥ 1")
}

// Next writes f(p, u, d) to dst.
func (f Each[F]) Next(dst, p, u, d []float64) {
	mustFit(f.Dims(), dst, p, u, d)
	own, trait := f.of(d)
	own.row(dst, p, u, trait)
}

// NextRows writes f(pᵢ, u, dᵢ) to the rows of dst.
func (f Each[F]) NextRows(dst, p, u, d []float64) {
	n := f.Dims()
	for i := range mustFitRows(n, dst, p, u, d) {
		own, trait := f.of(kedge.Row(d, i, n.Trait))
		own.row(kedge.Row(dst, i, n.State), kedge.Row(p, i, n.State), u, trait)
	}
}

// Pullback adds (∂f/∂p)ᵀv to gp and (∂f/∂u)ᵀv to gu.
func (f Each[F]) Pullback(gp, gu, p, u, d, v []float64) {
	mustFitPull(f.Dims(), gp, gu, p, u, d, v)
	own, trait := f.of(d)
	own.Pullback(gp, gu, p, u, trait, v)
}

// Settle writes the steady state to dst, as F does.
func (f Each[F]) Settle(dst, u, d []float64) (kedge.Residual, error) {
	if err := errors.Join(f.Check(), checkOne(nil, f.Dims(), dst, u, d)); err != nil {
		return kedge.Residual{}, err
	}
	own, trait := f.of(d)
	return own.Settle(dst, u, trait)
}

// SettleRows settles every row. An error names the row; the rows before it are already written.
func (f Each[F]) SettleRows(dst, u, d []float64) (kedge.Residual, error) {
	return settleRows(f.Check(), f.Dims(), dst, u, d, func(dst, d []float64) (kedge.Residual, error) { return f.Settle(dst, u, d) })
}
