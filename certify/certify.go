// Package certify turns the theory into numbers for one problem: the constants of its assumptions, the steps they allow and
// the bounds they give.
//
// Every number says how it is known. A Proof is a closed form that holds for every individual and decision the problem
// allows; an Estimate was sampled or searched for and may be too small; what is Assumed was told. A bound is as good as
// the weakest constant in it.
package certify

import (
	"context"
	"errors"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

// Derive finds the constants of Assumptions 1 and 2 and what follows from them for the bounds: L, L_p, ρ₁ and ρ₂. They
// cost little where closed forms are known, which is so for polarized, choice and affine dynamics. Dynamics that do not
// contract give a *NotContractingError. The model needs dynamics, an objective and traits; estimates are sampled by streams of the
// seed.
func Derive(m kedge.Model, seed uint64) (*Constants, error) { return Premises{Seed: seed}.Derive(m) }

// Derive does so with the Q of the premises, which is for affine dynamics alone.
func (run Premises) Derive(m kedge.Model) (*Constants, error) {
	p, err := problem{m, run}.filled()
	if err != nil {
		return nil, err
	}
	c := &Constants{}
	for _, add := range []func(problem) error{c.addRadius, c.addDynamics, c.addObjective} {
		if err := add(p); err != nil {
			return nil, err
		}
	}
	c.combine()
	return c, nil
}

// addDynamics finds the constants of Assumption 1 [he2025, contraction].
func (c *Constants) addDynamics(p problem) error {
	f, affine := p.Dynamics.(*dynamics.Affine)
	switch {
	case affine:
		return c.addAffine(f, p.Q)
	case p.Q != nil:
		return errors.New("certify: Q belongs to AᵀPA − P + Q = 0 of affine dynamics; these are of another kind")
	}
	switch f := p.Dynamics.(type) {
	case dynamics.Polarized:
		if err := c.addPolarized(f); err != nil {
			return err
		}
		return insideCone(p, c.Value(Cone))
	case dynamics.Choice:
		return c.addChoice(f)
	}
	return c.sampleDynamics(p)
}

// combine derives what the bounds are made of: L of [he2025, gradient bias], and ρ₁, ρ₂ of [he2025, distribution shift].
//
// L_p is L for couplings that keep everybody's trait, V instead of W₁: the term of M_h^d falls away, since the traits on both
// sides are the same.
func (c *Constants) combine() {
	lf, lh, top := c.Value(LfP), c.Value(LhU), c.Value(PMax)
	lf2 := float64(lf * lf)
	lp := (c.Value(MPhiU) + product(lh, c.Value(MPhiP))) / math.Sqrt(c.Value(PMin))
	c.derive(Lp, lp, "(M_Φ^u + L_h^u M_Φ^p)/√λmin(P)", MPhiU, LhU, MPhiP, PMin)
	turn := product(c.Value(LPhiP), c.Value(MhD))
	c.derive(L, max(turn, lp), "max(L_Φ^p M_h^d, L_p)", LPhiP, MhD, Lp)
	c.derive(Rho1, (1+lf2)/2, "(1 + (L_f^p)²)/2", LfP)
	rho2 := (1 + lf2) / (1 - lf2) * lf * lf * lh * lh * top
	c.derive(Rho2, rho2, "(1 + (L_f^p)²)/(1 − (L_f^p)²) (L_f^p L_h^u)² λmax(P)", LfP, LhU, PMax)
}

// Certify derives all constants of a model, checks the assumptions and evaluates steps and bounds of a run. It needs all that
// Derive does, steady states, their sensitivity and the first decision. What it computes is bounded by counts, never by a clock,
// and the same problem gives the same certificate.
func Certify(ctx context.Context, m kedge.Model, run Premises) (*Certificate, error) {
	c, err := run.Derive(m)
	if err != nil {
		return nil, err
	}
	return c.Certify(ctx, m, run)
}

// Certify goes on from constants that Derive found for the same model, to which it adds.
func (c *Constants) Certify(ctx context.Context, m kedge.Model, run Premises) (*Certificate, error) {
	p, err := problem{m, run}.ready()
	if err != nil {
		return nil, err
	}
	f, err := steady.New(p.Model)
	if err != nil {
		return nil, err
	}
	for _, add := range []func(problem, *steady.Objective) error{c.addTransient, c.addSmooth, c.addStart, c.addNoise} {
		if err := add(p, f); err != nil {
			return nil, err
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c.derive(Kappa, c.Value(MV)/float64(p.Batch)+1, "M_V/n_mb + 1", MV)
	out := &Certificate{Constants: c, Horizon: p.Horizon, Tau: p.Tau, Beyond: beyond(p, c)}
	out.Assumptions = assumptions(p, c)
	out.addBounds(p)
	out.Extensions = out.extend(p)
	if out.Generalization, err = generalize(ctx, p, c); err != nil {
		return nil, err
	}
	out.Verdict = out.judge(p)
	return out, nil
}

// beyond lists what the theorems do not cover.
func beyond(p problem, c *Constants) []string {
	list := append([]string(nil), p.Beyond...)
	if !is[set.Whole](p.Set) {
		list = append(list, "decisions are projected onto a set; the theorems are about descent without constraints")
	}
	if c.biasByV() == LPsi {
		list = append(list, "the sensitivity is taken at sampled states; the theorems take it at settled ones, and L_Ψ stands in for L_p")
	}
	return list
}
