package kind

import (
	"cmp"

	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// PlugInMethod tries some decisions, fits how the crowd answers, goes to where the fitted crowd is best and stays there.
type PlugInMethod struct {
	Trying
	Tries  int // decisions tried; 0: 4(n + 1)
	Family online.Family
}

// Word implements [form.Kind].
func (*PlugInMethod) Word() form.Option {
	return form.Choice("plug-in", "Tries some decisions, fits how the crowd answers, goes to where the fitted crowd is best and stays there.", "u⁺ = argmin mean Φ(Gu + b + r, u)")
}

// Facts implements [Method].
func (m *PlugInMethod) Facts() Facts {
	return Facts{
		Title: "Two-stage plug-in", Assembly: "PlugIn", Needs: fromModel(), Limit: online.Myopic, Held: online.Optimal,
		Proven: "a location family (or location–scale family) that is affine in the decision", Asks: Conditions{Affine: true}, Source: "[miller2021]", Step: Share, Habits: m.Habits(),
	}
}

// Describe implements [Method].
func (m *PlugInMethod) Describe(f *form.Form, h *Host) {
	m.Trying.Describe(f, h)
	form.Field(f, "tries", &m.Tries, form.Count(2, maxCount).Optional(), form.Says("Decisions that are tried before the answer of the crowd is fitted, more than the decision has entries. Without it 4(n + 1).", "", "12"))
	form.Field(f, "family", &m.Family, form.Which(
		form.As(online.Location, "location", "Everybody moves alike.", "p = Gu + b + r"),
		form.As(online.LocationScale, "location-scale", "Everybody moves alike, and differences grow or shrink with the decision.", "p = Gu + b + (Ku + c)∘r"),
	).Or(online.Location), form.Says("How the crowd is taken to answer.", "", "location-scale"))
}

// Build implements [Method].
func (m *PlugInMethod) Build(r *online.Rule, _ *Algorithm, s *Site) error {
	return m.explore(r, s, func() (online.Estimator, error) {
		tries := cmp.Or(m.Tries, 4*(s.Dims().Decision+1))
		return online.NewPlugIn(s.RowObjective(), s.Dims(), m.Family, tries, m.Delta, s.Directions, r.Set)
	})
}

// Usual implements [ComparedMethod].
func (*PlugInMethod) Usual(s Scales) []form.Setting { return usual("delta", s.Part(4), "hold", s.Hold) }
