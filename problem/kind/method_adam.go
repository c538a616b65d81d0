package kind

import (
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// AdamMethod descends like composite, by averages of the gradient over averages of its size.
type AdamMethod struct {
	Answer
	Scaling online.Scaling // what entries are divided by
	Decay   float64        // β₂
}

// Word implements [form.Kind].
func (*AdamMethod) Word() form.Option {
	return form.Choice("adam", "Descends like composite, by averages of the gradient over averages of its size.", "u⁺ = Π(u − η m̂/(√v̂ + 1e-8))")
}

// Facts implements [Method].
func (m *AdamMethod) Facts() Facts {
	return Facts{
		Title: "Composite gradient under Adam, projected", Assembly: "Composite, Adam", Needs: informed(), Limit: online.Optimal, Held: online.Optimal,
		Proven: "as composite, with steps that diminish", Source: "[kingma2015]", Step: Length, Momentum: 0.9, Follows: true, Habits: m.Habits(),
	}
}

// Describe implements [Method].
func (m *AdamMethod) Describe(f *form.Form, h *Host) {
	m.Answer.Describe(f, h)
	form.Field(f, "scaling", &m.Scaling, form.Which(
		form.As(online.Joint, "joint", "The size of the whole gradient.", "v⁺ = β₂v + (1−β₂)‖g‖²/n"),
		form.As(online.Each, "each", "Every entry by its own size; only where the set bounds every entry by itself.", "v⁺ = β₂v + (1−β₂)g²"),
	).Or(online.Joint), form.Says("What gradients are divided by.", "", "each"))
	form.Field(f, "decay", &m.Decay, form.Number("a number from 0 to below 1", form.Below(0, 1)).Or(0.999), form.Says("The weight of the past in the size of gradients.", "β₂ in v⁺ = β₂v + (1−β₂)g²", "0.999"))
}

// Check implements [CheckedMethod].
func (*AdamMethod) Check(c *form.Check, a *Algorithm, path string) {
	c.FailIf(a.Anticipate && c.Sound(path), form.Paths(path+".anticipate"), "%s.anticipate is true, but adam averages gradients instead; want false, or kind composite", path)
}

// Build implements [Method]. Momentum is a part of what scales the gradients, not a transform before it.
func (m *AdamMethod) Build(r *online.Rule, a *Algorithm, s *Site) error {
	if m.Scaling == online.Each && !Separates(s.Feasible) {
		return s.Fail("scaling", " is each, but entries scaled one by one and projected on a set of kind %s settle somewhere else; want joint", form.NameOf(s.Feasible))
	}
	r.Transforms = append(a.clipping(), &online.Adam{Beta1: a.Momentum, Beta2: m.Decay, Epsilon: 1e-8, Scaling: m.Scaling})
	return m.follow(r, s)
}

// Usual implements [ComparedMethod].
func (*AdamMethod) Usual(s Scales) []form.Setting {
	return usual("schedule", "diminishing", "delay", max(1, s.Turns/40))
}
