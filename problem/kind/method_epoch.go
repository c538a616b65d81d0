package kind

import (
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// EpochMethod descends like vanilla after epochs that grow with the logarithm of their number.
type EpochMethod struct{ VanillaMethod }

// Word implements [form.Kind].
func (*EpochMethod) Word() form.Option {
	return form.Choice("epoch", "Descends like vanilla after epochs that grow with the logarithm of their number.", "u⁺ = Π(u − η ∇ᵤΦ(p, u)) after holding u for ⌈ln(j+2)/ln(1/L)⌉ + 1 turns")
}

// Facts implements [Method].
func (*EpochMethod) Facts() Facts {
	return Facts{
		Title: "Epochs of one first-order step, blind to the answer", Assembly: "Vanilla, Wait: Settling, Step: Diminishing", Needs: fromSamples(),
		Limit: online.Stable, Held: online.Stable, Proven: weak + ", and " + contracting, Source: "[ray2022]", Epochs: true, Follows: true,
	}
}

// Usual implements [ComparedMethod].
func (*EpochMethod) Usual(s Scales) []form.Setting { return s.epochs() }
