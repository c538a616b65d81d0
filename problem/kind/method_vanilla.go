package kind

import (
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// VanillaMethod descends as if the crowd did not answer.
type VanillaMethod struct{}

// Word implements [form.Kind].
func (*VanillaMethod) Word() form.Option {
	return form.Choice("vanilla", "Descends as if the crowd did not answer.", "u⁺ = Π(u − η ∇ᵤΦ(p, u))")
}

// Facts implements [Method].
func (*VanillaMethod) Facts() Facts {
	return Facts{
		Title: "Greedy stochastic gradient descent", Assembly: "Vanilla", Needs: fromSamples(), Limit: online.Stable, Held: online.Stable,
		Proven: weak, Source: "[mendlerdunner2020] [he2025, vanilla update]", Follows: true, Published: true,
	}
}

// Describe implements [Method].
func (*VanillaMethod) Describe(*form.Form, *Host) {}

// Build implements [Method].
func (*VanillaMethod) Build(r *online.Rule, _ *Algorithm, s *Site) (err error) {
	r.Gradient, err = s.Keep(online.Vanilla{Objective: s.RowObjective(), Dims: s.Dims()}, nil)
	return err
}
