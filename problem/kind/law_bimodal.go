package kind

import (
	"io/fs"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
)

// BimodalLaw is two caps, around an axis and its opposite.
type BimodalLaw struct {
	around
	Share float64 // the expected share of individuals around the axis, the rest is around its opposite
}

// Word implements [form.Kind].
func (*BimodalLaw) Word() form.Option {
	return form.Choice("bimodal", "Two caps, around an axis and its opposite.", "")
}

// Describe implements [Law].
func (l *BimodalLaw) Describe(f *form.Form) {
	l.describe(f, 90)
	form.Field(f, "share", &l.Share, form.Number("a number above 0 and up to 1", form.Above(0, 1)).Or(0.5),
		form.Says("The expected share of individuals around the axis; the others are around its opposite.", "", "0.5"))
}

// Check implements [Law].
func (l *BimodalLaw) Check(s *Scene, path string, n form.Length) { l.check(s, path, "bimodal", n) }

// Build implements [Law].
func (l *BimodalLaw) Build(int, fs.FS) (population.Law, error) {
	return population.Bimodal{Angle: l.Angle, Axis: l.Axis, Share: l.Share}, nil
}

// Words implements [Law].
func (l *BimodalLaw) Words() string {
	return "on the unit sphere within " + phrase.Exact(l.Angle) + "° of an axis or of its opposite"
}

// Habitat implements [Law].
func (*BimodalLaw) Habitat() Habitat { return Sphere }
