package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// FiniteSet is a list of decisions.
type FiniteSet struct{ Points form.RowList }

// mostPoints is how many decisions are listed or counted out: all of them are looked at.
const mostPoints = 4096

// Word implements [form.Kind].
func (*FiniteSet) Word() form.Option {
	return form.Choice("finite", "Decisions from a list.", "u ∈ {u₁, u₂, …}")
}

// Describe implements [Set].
func (s *FiniteSet) Describe(f *form.Form, _ *Catalogue) {
	form.Field(f, "points", &s.Points, form.Rows(), form.Says("The decisions there are to choose from, one a row.", "u ∈ {u₁, u₂, …}", "[[0, 1], [2, 0.5]]"))
}

// Check implements [Set].
func (s *FiniteSet) Check(c *Scene, path string, n form.Length) {
	if !c.Sound(path + ".points") {
		return
	}
	c.Length(path+".points.0", s.Points.Columns(), n)
	c.FailIf(len(s.Points) > mostPoints, form.Paths(path+".points"), "%s.points are %d, want at most %d, for every one is looked at", path, len(s.Points), mostPoints)
}

// Build implements [Set].
func (s *FiniteSet) Build(int) (kedge.Set, error) { return set.Finite{Points: s.Points}, nil }

// Words implements [Set].
func (s *FiniteSet) Words() string { return "one of " + phrase.Count(len(s.Points), "point") }
