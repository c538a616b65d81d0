package kind

import (
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// OnePointMethod follows the loss of a perturbed decision.
type OnePointMethod struct{ Trying }

// Word implements [form.Kind].
func (*OnePointMethod) Word() form.Option {
	return form.Choice("one-point", "Follows the loss of a perturbed decision; it knows no derivatives.", "g = (n/δ)Φ̂v at u + δv")
}

// Facts implements [Method].
func (m *OnePointMethod) Facts() Facts {
	return Facts{
		Title: "One-point feedback", Assembly: "OnePoint", Needs: fromValues(), Limit: online.Myopic, Held: online.Optimal,
		Proven: smooth, Source: "[flaxman2005]", Step: Noise, Habits: m.Habits(),
	}
}

// Build implements [Method].
func (m *OnePointMethod) Build(r *online.Rule, _ *Algorithm, s *Site) error {
	return m.explore(r, s, func() (online.Estimator, error) {
		return online.NewOnePoint(s.Dims().Decision, m.Delta, s.Directions)
	})
}

// Usual implements [ComparedMethod].
func (*OnePointMethod) Usual(s Scales) []form.Setting {
	return append(s.near(), smoothed(s.Turns/s.Hold)...)
}
