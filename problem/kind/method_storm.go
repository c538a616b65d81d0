package kind

import (
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/form"
)

// StormMethod descends like composite, with less noise: half of a sample is seen a second time in the next turn.
type StormMethod struct {
	Answer
	Weight float64 // a
}

// Word implements [form.Kind].
func (*StormMethod) Word() form.Option {
	return form.Choice("storm", "Descends like composite, with less noise: half of a sample is seen a second time in the next turn.", "gₖ = ĝ(uₖ, pₖ) + (1−a)(gₖ₋₁ − ĝ(uₖ₋₁, pₖ₋₁)), both ĝ of the same people")
}

// Facts implements [Method].
func (m *StormMethod) Facts() Facts {
	return Facts{
		Title: "Composite gradient with recursive momentum", Assembly: "Recursive of Composite", Needs: online.Needs{Samples: true, Traits: true, Panel: true, Sensitivity: true},
		Limit: online.Optimal, Held: online.Optimal, Proven: "as composite", Source: "[cutkosky2019]", Habits: m.Habits(),
	}
}

// Describe implements [Method].
func (m *StormMethod) Describe(f *form.Form, h *Host) {
	m.Answer.Describe(f, h)
	form.Field(f, "weight", &m.Weight, form.Number("a number above 0, at most 1", form.Above(0, 1)).Or(0.1), form.Says("How much of a gradient is taken anew in every turn.", "a in gₖ = ĝₖ + (1−a)(gₖ₋₁ − ĝₖ₋₁)", "0.1"))
}

// Check implements [CheckedMethod].
func (m *StormMethod) Check(c *form.Check, a *Algorithm, path string) {
	c.FailIf(a.Batch%2 != 0 && c.Sound(path+".batch"), form.Paths(path+".batch"),
		"%s.batch is %d, but storm wants an even number: half of a sample is seen again", path, a.Batch)
	c.FailIf(a.Hold > 1 && c.Sound(path+".hold"), form.Paths(path+".hold"),
		"%s.hold is %d, but storm sees people again in the next turn; hold decisions by the key hold of the spec", path, a.Hold)
}

// Build implements [Method].
func (m *StormMethod) Build(r *online.Rule, _ *Algorithm, s *Site) (err error) {
	r.Gradient, err = online.NewRecursive(m.gradient(s), s.Dims(), m.Weight)
	return err
}

// Usual implements [ComparedMethod].
func (*StormMethod) Usual(s Scales) []form.Setting { return smoothed(s.Turns) }
