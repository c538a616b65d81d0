package kind

import (
	"io/fs"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
)

// ValuesLaw is individuals one by one.
type ValuesLaw struct{ Values form.RowList } // one individual a row

// Word implements [form.Kind].
func (*ValuesLaw) Word() form.Option {
	return form.Choice("values", "The individuals that values lists.", "")
}

// Describe implements [Law].
func (l *ValuesLaw) Describe(f *form.Form) {
	form.Field(f, "values", &l.Values, form.Rows(), form.Says("The individuals, one a row.", "", "[[1, 0], [0, 1]]"))
}

// Check implements [Law].
func (l *ValuesLaw) Check(s *Scene, path string, n form.Length) {
	path += ".values"
	if !s.Sound(path, "population.size") {
		return
	}
	s.FailIf(len(l.Values) != s.Size, form.Paths(path, "population.size"),
		"%s has %s, population.size is %d", path, phrase.Count(len(l.Values), "row"), s.Size)
	s.Length(path+".0", l.Values.Columns(), n)
	s.Lives(path, l.Values, s.Habitat, s.Dynamics)
}

// Build implements [Law].
func (l *ValuesLaw) Build(int, fs.FS) (population.Law, error) {
	return population.Table{Width: l.Values.Columns(), Data: l.Values.Flat()}, nil
}

// Words implements [Law].
func (*ValuesLaw) Words() string { return "given one by one" }

// Habitat implements [Law].
func (*ValuesLaw) Habitat() Habitat { return Listed }
