package kind

import (
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/stream"
)

// ProportionsStart is uniform numbers, scaled to the sum of the set.
type ProportionsStart struct{}

// Word implements [form.Kind].
func (*ProportionsStart) Word() form.Option {
	return form.Choice("proportions", "Uniform numbers, scaled to the sum of the set, which must be a simplex.", "")
}

// Describe implements [Start].
func (*ProportionsStart) Describe(*form.Form) {}

// Check implements [Start].
func (*ProportionsStart) Check(*Scene) {}

// Fill implements [Start].
func (*ProportionsStart) Fill(u []float64, r Numbers, total float64) {
	if g, ok := r.(*stream.NumPy); ok {
		population.PublishedBudget(u, total, g)
		return
	}
	for i := range u {
		u[i] = r.Float64()
	}
	sum := rows.Sum(u)
	for i := range u {
		u[i] = u[i] * total / sum
	}
}

// Divides implements [Start].
func (*ProportionsStart) Divides() bool { return true }
