package kind

import (
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/form"
)

// SphereStart is a first decision that is uniform on the unit sphere.
type SphereStart struct{}

// Word implements [form.Kind].
func (*SphereStart) Word() form.Option {
	return form.Choice("sphere", "Uniform on the unit sphere.", "")
}

// Describe implements [Start].
func (*SphereStart) Describe(*form.Form) {}

// Check implements [Start].
func (*SphereStart) Check(*Scene) {}

// Fill implements [Start].
func (*SphereStart) Fill(u []float64, r Numbers, _ float64) {
	for i := range u {
		u[i] = r.Normal()
	}
	norm := rows.Norm(u)
	for i := range u {
		u[i] /= norm
	}
}

// Divides implements [Start].
func (*SphereStart) Divides() bool { return false }
