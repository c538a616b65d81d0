package kind

import (
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// EpochDerivativeFreeMethod does what OnePointMethod does after epochs that grow with the logarithm of their number.
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
