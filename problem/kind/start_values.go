package kind

import "github.com/kedge-opt/kedge/problem/form"

// ValuesStart is a first decision that is written down.
type ValuesStart struct{ Values []float64 }

// Word implements [form.Kind].
func (*ValuesStart) Word() form.Option {
	return form.Choice("values", "The decision that values lists.", "")
}

// Describe implements [Start].
func (s *ValuesStart) Describe(f *form.Form) {
	form.Field(f, "values", &s.Values, form.Numbers(form.Finite()), form.Says("The first decision, entry by entry.", "", "[0.5, 0.5]"))
}

// Check implements [Start].
func (s *ValuesStart) Check(c *Scene) {
	if s.Values != nil && c.Sound("start.values") {
		c.Length("start.values", len(s.Values), c.Decision())
	}
}

// Fill implements [Start].
func (s *ValuesStart) Fill(u []float64, _ Numbers, _ float64) { copy(u, s.Values) }

// Divides implements [Start].
func (*ValuesStart) Divides() bool { return false }
