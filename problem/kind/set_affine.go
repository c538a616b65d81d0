package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// AffineSet is matrix·u = rhs.
type AffineSet struct {
	Matrix form.RowList
	RHS    []float64
}

// Word implements [form.Kind].
func (*AffineSet) Word() form.Option {
	return form.Choice("affine", "Decisions that solve linear equations.", "matrix·u = rhs")
}

// Describe implements [Set].
func (s *AffineSet) Describe(f *form.Form, _ *Catalogue) {
	form.Field(f, "matrix", &s.Matrix, form.Rows(), form.Says("The left-hand sides of the equations, one a row.", "matrix·u = rhs", "[[1, 1]]"))
	form.Field(f, "rhs", &s.RHS, form.Numbers(form.Finite()), form.Says("The right-hand sides of the equations.", "matrix·u = rhs", "[1]"))
}

// Check implements [Set].
func (s *AffineSet) Check(c *Scene, path string, n form.Length) {
	if !c.Sound(path+".matrix", path+".rhs") {
		return
	}
	c.Length(path+".matrix.0", s.Matrix.Columns(), n)
	c.FailIf(len(s.RHS) != len(s.Matrix), form.Paths(path+".rhs", path+".matrix"),
		"%s.rhs has %s, %s.matrix has %s", path, form.Entries(len(s.RHS)), path, phrase.Count(len(s.Matrix), "row"))
}

// Build implements [Set].
func (s *AffineSet) Build(int) (kedge.Set, error) { return set.NewAffine(s.Matrix.Flat(), s.RHS) }

// Words implements [Set].
func (s *AffineSet) Words() string {
	return "subject to " + phrase.Count(len(s.Matrix), "linear equation")
}
