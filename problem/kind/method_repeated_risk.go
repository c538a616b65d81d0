package kind

import (
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// RepeatedRiskMethod takes the decision that is best for the crowd as it was sampled.
type RepeatedRiskMethod struct{}

// Word implements [form.Kind].
func (*RepeatedRiskMethod) Word() form.Option {
	return form.Choice("repeated-risk", "Takes the decision that is best for the crowd as it was sampled.", "u⁺ = argmin Φ(p, ·)")
}

// Facts implements [Method].
func (*RepeatedRiskMethod) Facts() Facts {
	return Facts{
		Title: "Repeated risk minimization", Assembly: "Retrain", Needs: fromSamples(), Limit: online.Stable, Held: online.Stable,
		Proven: weak, Asks: Conditions{StronglyConvex: true}, Source: "[perdomo2020]", Step: Share,
	}
}

// Describe implements [Method].
func (*RepeatedRiskMethod) Describe(*form.Form, *Host) {}

// Build implements [Method].
func (*RepeatedRiskMethod) Build(r *online.Rule, _ *Algorithm, s *Site) error {
	r.Gradient = online.NewRetrain(s.RowObjective(), s.Dims(), r.Set)
	return nil
}
