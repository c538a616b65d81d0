package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// HalfSpaceSet is normalᵀu ≤ bound.
type HalfSpaceSet struct {
	Normal []float64
	Bound  float64
}

// Word implements [form.Kind].
func (*HalfSpaceSet) Word() form.Option {
	return form.Choice("half-space", "Decisions on one side of a plane.", "normalᵀu ≤ bound")
}

// Describe implements [Set].
func (s *HalfSpaceSet) Describe(f *form.Form, _ *Catalogue) {
	form.Field(f, "normal", &s.Normal, form.Numbers(form.Finite()),
		form.Says("The direction in which decisions are bounded.", "normalᵀu ≤ bound", "[1, 1]"))
	form.Field(f, "bound", &s.Bound, form.Finite(), form.Says("How far they may go.", "normalᵀu ≤ bound", "1"))
}

// Check implements [Set].
func (s *HalfSpaceSet) Check(c *Scene, path string, n form.Length) {
	c.Direction(path+".normal", s.Normal, n)
}

// Build implements [Set].
func (s *HalfSpaceSet) Build(int) (kedge.Set, error) {
	return set.HalfSpace{Normal: s.Normal, Bound: s.Bound}, nil
}

// Words implements [Set].
func (*HalfSpaceSet) Words() string { return "on one side of a plane" }

// Shrink implements [Shrinker].
func (s *HalfSpaceSet) Shrink(delta float64, _ int) (Set, bool) {
	return &HalfSpaceSet{s.Normal, s.Bound - float64(delta*rows.Norm(s.Normal))}, true
}
