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
func (s *BallSet) Describe(f *form.Form, _ *Catalogue) { describeBall(f, &s.Radius, &s.Center) }

// Check implements [Set].
func (s *BallSet) Check(c *Scene, path string, n form.Length) { c.Vector(path+".center", s.Center, n) }

// Build implements [Set].
func (s *BallSet) Build(n int) (kedge.Set, error) {
	return set.Ball{Radius: s.Radius, Center: s.Center.Expand(n)}, nil
}

// Words implements [Set].
func (s *BallSet) Words() string {
	return "within a distance of " + phrase.Exact(s.Radius) + " from " + centerWords(s.Center)
}

// Shrink implements [Shrinker].
func (s *BallSet) Shrink(delta float64, _ int) (Set, bool) {
	return &BallSet{Radius: s.Radius - delta, Center: s.Center}, true
}

// Sketch implements [SketchedSet].
func (*BallSet) Sketch(_, upper, _ float64) string { return fmt.Sprintf(", radius: %v", max(1, upper)) }
