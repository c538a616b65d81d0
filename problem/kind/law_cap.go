package kind

import (
	"io/fs"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/stream"
)

// CapLaw is uniform on the unit sphere within an angle of an axis.
type CapLaw struct{ around }

// Word implements [form.Kind].
func (*CapLaw) Word() form.Option {
	return form.Choice("cap", "Uniform on the unit sphere within an angle of an axis.", "")
}

// Describe implements [Law].
func (l *CapLaw) Describe(f *form.Form) { l.describe(f, 180) }

// Check implements [Law].
func (l *CapLaw) Check(s *Scene, path string, n form.Length) { l.check(s, path, "cap", n) }

// Build implements [Law].
func (l *CapLaw) Build(int, fs.FS) (population.Law, error) {
	return population.Cap{Angle: l.Angle, Axis: l.Axis}, nil
}

// Words implements [Law].
func (l *CapLaw) Words() string {
	return "uniform on the unit sphere within " + phrase.Exact(l.Angle) + "° of an axis"
}

// Habitat implements [Law].
func (*CapLaw) Habitat() Habitat { return Sphere }

// Publish implements [Published].
func (l *CapLaw) Publish(_, dim int) func(traits []float64, g *stream.NumPy) error {
	if l.Angle != 90 || l.Axis != nil || dim < 4 {
		return nil
	}
	return func(traits []float64, g *stream.NumPy) error {
		err := population.PublishedHemisphere(traits, dim, g)
		g.Shuffle(dim, func(int, int) {}) // which four axes to plot; only the numbers drawn matter
		return err
	}
}
