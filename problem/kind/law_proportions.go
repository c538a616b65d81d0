package kind

import (
	"io/fs"

	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/stream"
)

// ProportionsLaw is uniform numbers divided by their sum.
type ProportionsLaw struct{}

// Word implements [form.Kind].
func (*ProportionsLaw) Word() form.Option {
	return form.Choice("proportions", "Uniform numbers divided by their sum.", "")
}

// Describe implements [Law].
func (*ProportionsLaw) Describe(*form.Form) {}

// Check implements [Law].
func (*ProportionsLaw) Check(*Scene, string, form.Length) {}

// Build implements [Law].
func (*ProportionsLaw) Build(int, fs.FS) (population.Law, error) {
	return population.Proportions{}, nil
}

// Words implements [Law].
func (*ProportionsLaw) Words() string { return "random proportions" }

// Habitat implements [Law].
func (*ProportionsLaw) Habitat() Habitat { return Simplex }

// Publish implements [Published].
func (*ProportionsLaw) Publish(size, _ int) func(traits []float64, g *stream.NumPy) error {
	if size != 1 {
		return nil
	}
	return func(traits []float64, g *stream.NumPy) error {
		population.PublishedProportions(traits, g)
		return nil
	}
}
