package kind

import (
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// DerivativeFreeMethod compares the losses of successive perturbed decisions.
type DerivativeFreeMethod struct {
	Trying
	First string // on the first turn, without a loss to compare with: "skip" the step, or compare with "zero"
	Carry bool   // begin a trial with the last loss of the trial before
}

// Word implements [form.Kind].
func (*DerivativeFreeMethod) Word() form.Option {
	return form.Choice("derivative-free", "Compares the losses of successive perturbed decisions; it knows no derivatives.", "g = (n/δ)(Φ̂ₖ − Φ̂ₖ₋₁)v at u + δv")
}

// Facts implements [Method].
func (m *DerivativeFreeMethod) Facts() Facts {
	known := Facts{
		Title: "One-point residual feedback", Assembly: "DerivativeFree", Needs: fromValues(), Limit: online.Myopic, Held: online.Optimal,
		Proven: smooth, Source: "[zhang2022] [he2025, derivative-free update]", Step: Residual, Published: true, Habits: m.Habits(),
	}
	known.Carries = m.Carry
	return known
}

// Describe implements [Method].
func (m *DerivativeFreeMethod) Describe(f *form.Form, h *Host) {
	m.Trying.Describe(f, h)
	form.Field(f, "first", &m.First, form.OneOf(
		form.Choice("skip", "It takes no step.", ""),
		form.Choice("zero", "It compares with 0, as in the published run.", ""),
	).Or("skip"), form.Says("What the first turn does, which has no loss to compare with.", "", "zero"))
	form.Field(f, "carry", &m.Carry, form.Boolean().Or(false), form.Says("Whether a trial begins with the last loss of the one before, as in the published run.", "", "true"))
}

// Build implements [Method].
func (m *DerivativeFreeMethod) Build(r *online.Rule, _ *Algorithm, s *Site) error {
	return m.explore(r, s, func() (online.Estimator, error) {
		e, err := online.NewDerivativeFree(s.Dims().Decision, m.Delta, s.Directions)
		if err == nil && m.First == "zero" {
			e.Resume(0)
		}
		return e, err
	})
}

// Usual implements [ComparedMethod].
func (*DerivativeFreeMethod) Usual(s Scales) []form.Setting {
	return append(s.near(), smoothed(s.Turns/s.Hold)...)
}
