package kind

import "github.com/kedge-opt/kedge/problem/form"

// ZeroStart is a first decision of zeros.
type ZeroStart struct{}

// Word implements [form.Kind].
func (*ZeroStart) Word() form.Option {
	return form.Choice("zero", "Not at all: all entries are 0.", "")
}

// Describe implements [Start].
func (*ZeroStart) Describe(*form.Form) {}

// Check implements [Start].
func (*ZeroStart) Check(*Scene) {}

// Fill implements [Start].
func (*ZeroStart) Fill([]float64, Numbers, float64) {}

// Divides implements [Start].
func (*ZeroStart) Divides() bool { return false }
