package kind

import (
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// EpochCompositeMethod descends like composite after epochs that grow with the logarithm of their number.
type EpochCompositeMethod struct{ Answer }

// Word implements [form.Kind].
func (*EpochCompositeMethod) Word() form.Option {
	return form.Choice("epoch-composite", "Descends like composite after epochs that grow with the logarithm of their number.", "u⁺ = Π(u − η(∇ᵤΦ + ∇ᵤh ∇ₚΦ)) after holding u for ⌈ln(j+2)/ln(1/L)⌉ + 1 turns")
}

// Facts implements [Method].
func (m *EpochCompositeMethod) Facts() Facts {
	return Facts{
		Title: "Epochs of one first-order step", Assembly: "Composite, Wait: Settling, Step: Diminishing", Needs: informed(),
		Limit: online.Optimal, Held: online.Optimal, Proven: contracting + ", Φ̃ is convex", Source: "[ray2022]",
		Epochs: true, Follows: true, Habits: m.Habits(),
	}
}

// Build implements [Method].
func (m *EpochCompositeMethod) Build(r *online.Rule, _ *Algorithm, s *Site) error {
	return m.follow(r, s)
}

// Usual implements [ComparedMethod].
func (*EpochCompositeMethod) Usual(s Scales) []form.Setting { return s.epochs() }
