package kind

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// BallSet is ‖u − center‖ ≤ radius.
type BallSet struct {
	Radius float64
	Center form.Vector
}

// Word implements [form.Kind].
func (*BallSet) Word() form.Option {
	return form.Choice("ball", "Decisions near a center.", "‖u − center‖ ≤ radius")
}

// Describe implements [Set].
func (s *BallSet) Describe(f *form.Form, _ *Catalogue) {
	form.Field(f, "radius", &s.Radius, form.Positive(), form.Says("The radius of the ball.", "‖u − center‖ ≤ radius", "1"))
	form.Field(f, "center", &s.Center, form.VectorOf(form.Finite()).Or(form.Vector{}), form.Says("The center of the ball.", "‖u − center‖ ≤ radius", "0"))
}

// Check implements [Set].
func (s *BallSet) Check(c *Scene, path string, n form.Length) { c.Vector(path+".center", s.Center, n) }

// Build implements [Set].
func (s *BallSet) Build(n int) (kedge.Set, error) {
	return set.Ball{Radius: s.Radius, Center: s.Center.Expand(n)}, nil
}

// Words implements [Set].
func (s *BallSet) Words() string {
	center := "a given point"
	if s.Center.Each == nil && s.Center.All == 0 {
		center = "0"
	}
	return "within a distance of " + phrase.Exact(s.Radius) + " from " + center
}

// Shrink implements [Shrinker].
func (s *BallSet) Shrink(delta float64, _ int) (Set, bool) {
	return &BallSet{Radius: s.Radius - delta, Center: s.Center}, true
}

// Sketch implements [SketchedSet].
func (*BallSet) Sketch(_, upper, _ float64) string { return fmt.Sprintf(", radius: %v", max(1, upper)) }
