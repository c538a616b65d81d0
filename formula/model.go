// Package formula turns a model written as on paper into dynamics, an objective and constraints with everything the
// built-in ones have: block kernels, derivatives, steady states and sensitivities where they have a closed form.
//
//	decision: q[20]
//	state:    p[20]
//	trait:    p0[20]
//	let:      { lambda: 0.4, sigma: 0.5 }
//	next:     normalize(lambda*p + (1-lambda)*p0 + sigma*dot(p,q)*q)
//	maximize: dot(p, q)
//	subject to: norm(q) <= 1
//
// The language is total: scalars, vectors and matrices of fixed shapes, no loops, no input. Compile finds all mistakes of a
// Source and gives each its field, line and column. docs/formula.md describes the language.
//
// A formula becomes a graph in which equal parts are one part and constant parts are numbers. Derivatives are built in the
// same graph by reverse accumulation. A graph is then laid out as a program: what depends on the decision alone is computed
// once a call, the rest for blocks of individuals, one pass of a kernel for a whole block. Programs are safe for concurrent
// use, allocate nothing once warm, and give an individual the same bits alone and in a block.
package formula

import (
	"slices"

	"github.com/kedge-opt/kedge"
)

// Model is a compiled Source. It is safe for concurrent use.
type Model struct {
	dims        kedge.Dims
	next, loss  *node
	field       string // that of the loss
	dynamics    *dynamics
	stirred     *Stirred // nil without noise
	objective   *objective
	constraints []Constraint
}

// Dims returns the lengths of decision, state and trait.
func (m *Model) Dims() kedge.Dims { return m.dims }

// AffineInState tells whether the next state is an affine function of the state. Then steady states are exact.
func (m *Model) AffineInState() bool { return m.next != nil && m.next.degP <= 1 }

// Dynamics returns the dynamics, nil for a model without next.
func (m *Model) Dynamics() Dynamics {
	switch {
	case m.dynamics == nil:
		return nil
	case m.AffineInState() && m.dynamics.resolvent != nil:
		return settled{m.dynamics}
	}
	return m.dynamics
}

// ReadsTrait tells whether gradients of the loss need the traits of people whose states are known: the loss reads them, or how people answer depends on
// them. A trait that is only added to the next state does not matter. It is for samples of people whose traits are unknown.
func (m *Model) ReadsTrait() bool {
	return m.dynamics != nil && m.dynamics.reads || m.objective != nil && m.objective.reads
}

// Social tells whether the next state depends on the mean state of the crowd. Dynamics, settler and sensitivity then take it behind the
// decision, as a kedge.Model says by Social.
func (m *Model) Social() bool { return m.next != nil && m.next.deps&onCrowd != 0 }

// Stirred returns the dynamics with their noise, nil for a model without.
func (m *Model) Stirred() *Stirred { return m.stirred }

// Objective returns the loss, that of a maximize formula with its sign turned; nil for a model without either.
func (m *Model) Objective() kedge.RowObjective {
	if m.objective == nil {
		return nil
	}
	return m.objective
}

// Constraints returns the sets whose intersection is feasible; none means that every decision is.
func (m *Model) Constraints() []Constraint { return slices.Clone(m.constraints) }

// Sensitivity returns the sensitivity of steady states [he2025, steady-state sensitivity],
//
//	∇ᵤh v = (∂f/∂u)ᵀw,   (I − ∂f/∂p)ᵀw = v,
//
// where the linear system has a closed form: ∂f/∂p is a diagonal and up to four rank-one terms, as that of
// normalize(λp + (1−λ)p₀ + σ(pᵀq)q), or next is affine in the state. It is nil for other models, which
// sensitivity.Implicit serves.
func (m *Model) Sensitivity() kedge.Sensitivity {
	if m.dynamics == nil || m.dynamics.resolvent == nil {
		return nil
	}
	return sensitivity{m.dynamics}
}
