// Package dynamics says how individuals move, p⁺ = f(p, u, d), and where they settle, h = f(h, u, d).
//
// Polarized, Choice and Affine are closed: they know their steady state, their derivatives and a block form, allocate
// nothing on the way and may be used by many goroutines at once. Func wraps a formula of one's own, and Settled gives any
// dynamics a steady state.
//
// Next, NextRows and Pullback are kernels: they panic on wrong lengths and carry a NaN through. Settle, Check and the
// constructors are doors: whatever a caller can get wrong comes back as a typed error. A steady state that repels is never
// returned; see kedge.UnstableError.
package dynamics

import "github.com/kedge-opt/kedge"

// Every closed dynamics has every ability.
type closed interface {
	kedge.RowDynamics
	kedge.Smooth
	kedge.RowSettler
	Check() error
}

var (
	_ closed            = Polarized{}
	_ closed            = PolarizedNorm{}
	_ closed            = Choice{}
	_ closed            = PolarizedEach{}
	_ closed            = ChoiceEach{}
	_ closed            = (*Affine)(nil)
	_ kedge.Smooth      = Func{}
	_ kedge.RowSettler  = (*Iterated)(nil)
	_ kedge.RowDynamics = (*Iterated)(nil)
)
