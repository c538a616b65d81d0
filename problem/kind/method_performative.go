package kind

import (
	"cmp"

	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// PerformativeMethod fits how the mean of the crowd answers perturbed decisions and counts that answer.
type PerformativeMethod struct {
	Trying
	Window int // deployments to learn from; 0: 2(n + 1)
}

// Word implements [form.Kind].
func (*PerformativeMethod) Word() form.Option {
	return form.Choice("performative", "Fits how the mean of the crowd answers perturbed decisions and counts that answer.", "g = ∇ᵤΦ + Jᵀ∇ₚΦ, p̄ ≈ Ju + b")
}

// Facts implements [Method].
func (m *PerformativeMethod) Facts() Facts {
	return Facts{
		Title: "Performative gradient descent, reparametrized", Assembly: "Performative, Reparametrized", Needs: fromModel(), Limit: online.Myopic, Held: online.Optimal,
		Proven: "the decision moves the mean of the states alone", Source: "[izzo2021]", Habits: m.Habits(),
	}
}

// Describe implements [Method].
func (m *PerformativeMethod) Describe(f *form.Form, h *Host) {
	m.Trying.Describe(f, h)
	form.Field(f, "window", &m.Window, form.Count(2, maxCount).Optional(), form.Says("Deployments from which the answer of the crowd is fitted, more than the decision has entries. Without it 2(n + 1).", "", "6"))
}

// Build implements [Method].
func (m *PerformativeMethod) Build(r *online.Rule, _ *Algorithm, s *Site) error {
	return m.fit(r, s, online.Reparametrized)
}

func (m *PerformativeMethod) fit(r *online.Rule, s *Site, by online.Score) error {
	return m.explore(r, s, func() (online.Estimator, error) {
		window := cmp.Or(m.Window, 2*(s.Dims().Decision+1))
		return online.NewPerformative(s.RowObjective(), s.Dims(), by, window, m.Delta, s.Directions)
	})
}

// Usual implements [ComparedMethod].
func (*PerformativeMethod) Usual(s Scales) []form.Setting {
	return append(append(s.near(), usual("window", 30*s.Entries)...), smoothed(s.Turns/s.Hold)...)
}
