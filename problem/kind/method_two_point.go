package kind

import (
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// TwoPointMethod compares the losses of two opposite perturbed decisions.
type TwoPointMethod struct{ Trying }

// Word implements [form.Kind].
func (*TwoPointMethod) Word() form.Option {
	return form.Choice("two-point", "Compares the losses of two opposite perturbed decisions; it knows no derivatives.", "g = (n/2δ)(Φ̂₊ − Φ̂₋)v at u + δv and u − δv")
}

// Facts implements [Method].
func (m *TwoPointMethod) Facts() Facts {
	return Facts{
		Title: "Two-point feedback", Assembly: "TwoPoint", Needs: fromValues(), Limit: online.Myopic, Held: online.Optimal,
		Proven: smooth, Source: "[agarwal2010]", Step: Noise, Alternates: true, Habits: m.Habits(),
	}
}

// Build implements [Method].
func (m *TwoPointMethod) Build(r *online.Rule, _ *Algorithm, s *Site) error {
	return m.explore(r, s, func() (online.Estimator, error) {
		return online.NewTwoPoint(s.Dims().Decision, m.Delta, s.Directions)
	})
}

// Usual implements [ComparedMethod].
func (*TwoPointMethod) Usual(s Scales) []form.Setting {
	return append(s.near(), smoothed(s.Turns/s.Hold/2)...)
}
