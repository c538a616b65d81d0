package kind

import (
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// ReinforceMethod does what PerformativeMethod does by scores of a normal crowd, without derivatives by the state.
type ReinforceMethod struct{ PerformativeMethod }

// Word implements [form.Kind].
func (*ReinforceMethod) Word() form.Option {
	return form.Choice("reinforce", "The same by scores of a normal crowd, without derivatives by the state.", "g = ∇ᵤΦ + Jᵀcov(p)⁻¹cov(p, Φ), p̄ ≈ Ju + b")
}

// Facts implements [Method].
func (m *ReinforceMethod) Facts() Facts {
	return Facts{
		Title: "Performative gradient descent by scores", Assembly: "Performative, Gaussian", Needs: online.Needs{Samples: true, Values: true, Model: true}, Limit: online.Myopic, Held: online.Optimal,
		Proven: "states are normal, and the decision moves their mean alone", Asks: Conditions{Normal: true}, Source: "[izzo2021]", Habits: m.Habits(),
	}
}

// Build implements [Method].
func (m *ReinforceMethod) Build(r *online.Rule, _ *Algorithm, s *Site) error {
	return m.fit(r, s, online.Gaussian)
}
