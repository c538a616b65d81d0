package kind

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// BoxSet is lower ≤ u ≤ upper; infinite bounds are allowed.
type BoxSet struct{ Lower, Upper form.Vector }

// Word implements [form.Kind].
func (*BoxSet) Word() form.Option {
	return form.Choice("box", "Decisions between bounds.", "lower ≤ u ≤ upper")
}

// Describe implements [Set].
func (s *BoxSet) Describe(f *form.Form, _ *Catalogue) {
	form.Field(f, "lower", &s.Lower, form.VectorOf(form.Number("a number or -.inf", form.Below(math.Inf(-1), math.Inf(1)))),
		form.Says("The least value of the entries, one for all or one each; -.inf: none.", "lower ≤ u", "0"))
	describeUpper(f, &s.Upper, form.Number("a number or .inf", form.Above(math.Inf(-1), math.Inf(1))))
}

// Check implements [Set].
func (s *BoxSet) Check(c *Scene, path string, n form.Length) {
	lower, upper := path+".lower", path+".upper"
	fits := c.Vector(lower, s.Lower, n)
	if !c.Vector(upper, s.Upper, n) || !fits {
		return
	}
	for i := range max(len(s.Lower.Each), len(s.Upper.Each), 1) {
		if lo, hi := s.Lower.Entry(i), s.Upper.Entry(i); lo > hi {
			c.Fail(form.Paths(upper, lower), "%s is %v, less than %s, which is %v in entry %d: the set is empty", upper, hi, lower, lo, i)
			return
		}
	}
}

// Build implements [Set].
func (s *BoxSet) Build(n int) (kedge.Set, error) {
	return set.Box{Lower: s.Lower.Expand(n), Upper: s.Upper.Expand(n)}, nil
}

// Words implements [Set].
func (s *BoxSet) Words() string {
	return "each between " + boundWords(s.Lower) + " and " + boundWords(s.Upper)
}

// Shrink implements [Shrinker].
func (s *BoxSet) Shrink(delta float64, n int) (Set, bool) {
	lower, upper := s.Lower.Expand(n), s.Upper.Expand(n)
	for i := range lower {
		lower[i] += delta
		upper[i] -= delta
	}
	return &BoxSet{form.Vector{Each: lower}, form.Vector{Each: upper}}, true
}

// Separates implements [Separable].
func (*BoxSet) Separates() bool { return true }

// Sketch implements [SketchedSet].
func (*BoxSet) Sketch(lower, upper, _ float64) string {
	return fmt.Sprintf(", lower: %v, upper: %v", lower, upper)
}
