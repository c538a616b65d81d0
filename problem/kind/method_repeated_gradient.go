package kind

import (
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// RepeatedGradientMethod descends like vanilla once the crowd has settled under every decision.
type RepeatedGradientMethod struct{ VanillaMethod }

// Word implements [form.Kind].
func (*RepeatedGradientMethod) Word() form.Option {
	return form.Choice("repeated-gradient", "Descends like vanilla once the crowd has settled under every decision.", "u⁺ = Π(u − η ∇ᵤΦ(p, u)) after holding u")
}

// Facts implements [Method].
func (*RepeatedGradientMethod) Facts() Facts {
	return Facts{
		Title: "Repeated gradient descent", Assembly: "Vanilla, Wait: Hold", Needs: fromSamples(), Limit: online.Stable, Held: online.Stable,
		Proven: weak, Source: "[perdomo2020]", Hold: 10, Follows: true,
	}
}

// Usual implements [ComparedMethod].
func (*RepeatedGradientMethod) Usual(s Scales) []form.Setting { return usual("hold", s.Hold) }
