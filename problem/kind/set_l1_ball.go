package kind

import (
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// L1BallSet is Σ|u − center| ≤ radius.
type L1BallSet struct {
	Radius float64
	Center form.Vector
}

const inL1Ball = "Σ|u − center| ≤ radius"

// Word implements [form.Kind].
func (*L1BallSet) Word() form.Option {
	return form.Choice("l1-ball", "Decisions whose entries together stay near a center: a budget for all changes.", inL1Ball)
}

// Describe implements [Set].
func (s *L1BallSet) Describe(f *form.Form, _ *Catalogue) { describeBall(f, &s.Radius, &s.Center) }

// Check implements [Set].
func (s *L1BallSet) Check(c *Scene, path string, n form.Length) {
	c.Vector(path+".center", s.Center, n)
}

// Build implements [Set].
func (s *L1BallSet) Build(n int) (kedge.Set, error) {
	return set.L1Ball{Radius: s.Radius, Center: s.Center.Expand(n)}, nil
}

// Words implements [Set].
func (s *L1BallSet) Words() string {
	return "with distances from " + centerWords(s.Center) + " that add up to at most " + phrase.Exact(s.Radius)
}

// Shrink implements [Shrinker]: a ball around a point reaches a face of this set √n times as far as its radius goes along one axis.
func (s *L1BallSet) Shrink(delta float64, n int) (Set, bool) {
	return &L1BallSet{Radius: s.Radius - float64(delta*math.Sqrt(float64(n))), Center: s.Center}, true
}
