package kind

import (
	"io/fs"

	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
)

// NormalLaw is independent normal entries.
type NormalLaw struct{ Mean, Deviation form.Vector }

// Word implements [form.Kind].
func (*NormalLaw) Word() form.Option { return form.Choice("normal", "Independent normal entries.", "") }

// Describe implements [Law].
func (l *NormalLaw) Describe(f *form.Form) {
	form.Field(f, "mean", &l.Mean, form.VectorOf(form.Finite()).Or(form.Vector{}), form.Says("The mean of the normal law.", "", "0"))
	form.Field(f, "deviation", &l.Deviation, form.VectorOf(form.NotNegative()).Or(form.Vector{All: 1}),
		form.Says("The standard deviation of the normal law.", "", "1"))
}

// Check implements [Law].
func (l *NormalLaw) Check(s *Scene, path string, n form.Length) {
	s.Vector(path+".mean", l.Mean, n)
	s.Vector(path+".deviation", l.Deviation, n)
}

// Build implements [Law].
func (l *NormalLaw) Build(dim int, _ fs.FS) (population.Law, error) {
	return population.Normal{Mean: l.Mean.Expand(dim), Deviation: l.Deviation.Expand(dim)}, nil
}

// Words implements [Law].
func (*NormalLaw) Words() string { return "drawn by the law normal" }

// Habitat implements [Law].
func (*NormalLaw) Habitat() Habitat { return Anywhere }
