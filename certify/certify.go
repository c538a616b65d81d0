// Package certify turns the theory into numbers for one problem: the constants of its assumptions, the steps they allow and
// the bounds they give.
//
// Every number says how it is known. A Proof is a closed form that holds for every individual and decision the problem
// allows; an Estimate was sampled or searched for and may be too small; what is Assumed was told. A bound is as good as
// the weakest constant in it.
package certify

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
)

// Constants are those of the assumptions, in the order in which they are derived, and the contraction metric they refer to.
type Constants struct {
	List   []Constant `json:"constants"`
	Metric []float64  `json:"P,omitempty"` // P of ‖x‖_P² = xᵀPx, row-major; nil is the identity
}

// Get returns a constant. One that is not there is NaN and unknown.
func (c *Constants) Get(k Key) Constant {
	for _, x := range c.List {
		if x.Key == k {
			return x
		}
	}
	return Constant{Key: k, Value: math.NaN(), Known: Unknown}
}

// Value returns the value of a constant, NaN when it is not there.
func (c *Constants) Value(k Key) float64 { return c.Get(k).Value }

// put appends a constant.
func (c *Constants) put(k Key, value float64, known Known, how string) {
	c.List = append(c.List, Constant{Key: k, Value: value, Known: known, How: how})
}

// derive appends a constant that follows from others and is as well known as the weakest of them.
func (c *Constants) derive(k Key, value float64, how string, from ...Key) {
	c.put(k, value, c.weakest(from...), how)
}

// weakest returns how well the least known of some constants is known.
func (c *Constants) weakest(keys ...Key) Known {
	known := Proof
	for _, k := range keys {
		known = max(known, c.Get(k).Known)
	}
	return known
}

// Derive finds the constants of Assumptions 1 and 2 and what follows from them for the bounds: L, L_p, ρ₁ and ρ₂. They
// cost little where closed forms are known, which is so for polarized, choice and affine dynamics. Dynamics that do not
// contract give a *NotContractingError. The model needs dynamics, an objective and traits; estimates are sampled by streams of the
// seed.
func Derive(m kedge.Model, seed uint64) (*Constants, error) {
	p, err := problem{m, Premises{Seed: seed}}.filled()
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
	switch f := p.Dynamics.(type) {
	case dynamics.Polarized:
		if err := c.addPolarized(f); err != nil {
			return err
		}
		return insideCone(p, c.Value(Cone))
	case dynamics.Choice:
		return c.addChoice(f)
	case *dynamics.Affine:
		return c.addAffine(f)
	}
	return c.sampleDynamics(p)
}

// combine derives what the bounds are made of: L of [he2025, gradient bias], and ρ₁, ρ₂ of [he2025, distribution shift].
//
// L_p is L for couplings that keep everybody's trait, V instead of W₁: the term of M_h^d falls away, since the traits on both
// sides are the same.
func (c *Constants) combine() {
	lf, lh, top := c.Value(LfP), c.Value(LhU), c.Value(PMax)
	lp := (c.Value(MPhiU) + product(lh, c.Value(MPhiP))) / math.Sqrt(c.Value(PMin))
	c.derive(Lp, lp, "(M_Φ^u + L_h^u M_Φ^p)/√λmin(P)", MPhiU, LhU, MPhiP, PMin)
	turn := product(c.Value(LPhiP), c.Value(MhD))
	c.derive(L, max(turn, lp), "max(L_Φ^p M_h^d, L_p)", LPhiP, MhD, Lp)
	c.derive(Rho1, (1+lf*lf)/2, "(1 + (L_f^p)²)/2", LfP)
	rho2 := (1 + lf*lf) / (1 - lf*lf) * lf * lf * lh * lh * top
	c.derive(Rho2, rho2, "(1 + (L_f^p)²)/(1 − (L_f^p)²) (L_f^p L_h^u)² λmax(P)", LfP, LhU, PMax)
}

// product is a·b with 0·∞ = 0: a slope without bound does no harm where what it multiplies does not change at all.
func product(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}
