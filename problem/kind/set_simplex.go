package kind

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// SimplexSet is u ≥ 0, Σu = sum.
type SimplexSet struct{ Sum float64 }

// Word implements [form.Kind].
func (*SimplexSet) Word() form.Option {
	return form.Choice("simplex", "Decisions that divide a sum.", "u ≥ 0, Σu = sum")
}

// Describe implements [Set].
func (s *SimplexSet) Describe(f *form.Form, _ *Catalogue) { describeSum(f, &s.Sum) }

// Check implements [Set].
func (*SimplexSet) Check(*Scene, string, form.Length) {}

// Build implements [Set].
func (s *SimplexSet) Build(int) (kedge.Set, error) { return set.Simplex{Sum: s.Sum}, nil }

// Words implements [Set].
func (s *SimplexSet) Words() string { return "none below 0, adding up to " + phrase.Exact(s.Sum) }

// Total implements [Dividing].
func (s *SimplexSet) Total() float64 { return s.Sum }

// Sketch implements [SketchedSet].
func (*SimplexSet) Sketch(_, _, sum float64) string { return fmt.Sprintf(", sum: %v", sum) }
