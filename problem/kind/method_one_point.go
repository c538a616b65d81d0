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

// EpochDerivativeFreeMethod does so after epochs that grow with the logarithm of their number.
type EpochDerivativeFreeMethod struct{ OnePointMethod }

// Word implements [form.Kind].
func (*EpochDerivativeFreeMethod) Word() form.Option {
	return form.Choice("epoch-derivative-free", "Follows the losses of perturbed decisions after epochs that grow with the logarithm of their number.", "g = (n/δ)Φ̂v after holding u + δv for ⌈ln(j+2)/ln(1/L)⌉ + 1 turns")
}

// Facts implements [Method].
func (m *EpochDerivativeFreeMethod) Facts() Facts {
	return Facts{
		Title: "Epochs of one-point feedback", Assembly: "OnePoint, Wait: Settling, Step: Diminishing", Needs: fromValues(), Limit: online.Optimal, Held: online.Optimal,
		Proven: contracting + ", " + smooth, Source: "[ray2022] [flaxman2005]", Step: Noise, Epochs: true, Habits: m.Habits(),
	}
}

// Usual implements [ComparedMethod].
func (*EpochDerivativeFreeMethod) Usual(s Scales) []form.Setting {
	return append(usual("delta", s.Part(10), "contraction", s.Contraction), smoothed(s.Epochs())...)
}
