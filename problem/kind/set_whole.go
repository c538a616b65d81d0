package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// WholeSet is every decision.
type WholeSet struct{}

// Word implements [form.Kind].
func (*WholeSet) Word() form.Option { return form.Choice("whole", "Every decision is feasible.", "") }

// Describe implements [Set].
func (*WholeSet) Describe(*form.Form, *Catalogue) {}

// Check implements [Set].
func (*WholeSet) Check(*Scene, string, form.Length) {}

// Build implements [Set].
func (*WholeSet) Build(int) (kedge.Set, error) { return set.Whole{}, nil }

// Words implements [Set].
func (*WholeSet) Words() string { return "any" }

// Shrink implements [Shrinker].
func (s *WholeSet) Shrink(float64, int) (Set, bool) { return s, true }

// Separates implements [Separable].
func (*WholeSet) Separates() bool { return true }

// Sketch implements [SketchedSet].
func (*WholeSet) Sketch(_, _, _ float64) string { return "" }
