package kind

import (
	"math"

	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// LazyMethod descends like vanilla and deploys the decision only after several steps.
type LazyMethod struct {
	VanillaMethod
	Deploy float64 // steps on the first deployment
	Growth float64 // power with which later deployments take more
}

// Word implements [form.Kind].
func (*LazyMethod) Word() form.Option {
	return form.Choice("lazy", "Descends like vanilla, and deploys the decision only after several steps.", "u⁺ = Π(u − η ∇ᵤΦ(p, u)), deployed after ⌈deploy·(j+1)^growth⌉ steps")
}

// Facts implements [Method].
func (*LazyMethod) Facts() Facts {
	return Facts{
		Title: "Lazy deployment", Assembly: "Vanilla, Inner: Polynomial", Needs: fromSamples(), Limit: online.Stable, Held: online.Stable,
		Proven: weak, Asks: Conditions{StronglyConvex: true}, Source: "[mendlerdunner2020]",
	}
}

// Describe implements [Method].
func (m *LazyMethod) Describe(f *form.Form, _ *Host) {
	form.Field(f, "deploy", &m.Deploy, form.Number("a number ≥ 1", form.Below(1, math.Inf(1))).Or(1), form.Says("Steps before the first decision after the start is deployed.", "deploy in ⌈deploy·(j+1)^growth⌉", "1"))
	form.Field(f, "growth", &m.Growth, form.NotNegative().Or(1), form.Says("How fast the steps between deployments grow.", "growth in ⌈deploy·(j+1)^growth⌉", "1"))
}

// Build implements [Method].
func (m *LazyMethod) Build(r *online.Rule, a *Algorithm, s *Site) error {
	r.Inner = online.Polynomial{First: m.Deploy, Power: m.Growth}
	return m.VanillaMethod.Build(r, a, s)
}

// Usual implements [ComparedMethod].
func (*LazyMethod) Usual(Scales) []form.Setting { return usual("deploy", 5, "growth", 0.5) }
