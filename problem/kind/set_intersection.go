package kind

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// IntersectionSet is what several sets have in common.
type IntersectionSet struct{ Of []Set }

// Word implements [form.Kind].
func (*IntersectionSet) Word() form.Option {
	return form.Choice("intersection", "What several sets have in common.", "u ∈ 𝒞₁ ∩ 𝒞₂ ∩ …")
}

// Describe implements [Set].
func (s *IntersectionSet) Describe(f *form.Form, c *Catalogue) {
	form.Field(f, "of", &s.Of, form.Parts("a list of sets", c.DescribeSet), form.Says("The sets to intersect, each with the keys of a set.", "", ""))
}

// Check implements [Set].
func (s *IntersectionSet) Check(c *Scene, path string, n form.Length) {
	for i, one := range s.Of {
		member := fmt.Sprintf("%s.of.%d", path, i)
		CheckSet(c, member, one, n)
		CheckConvex(c, member, one, "a member of an intersection, which itself may,")
	}
}

// Build implements [Set].
func (s *IntersectionSet) Build(n int) (kedge.Set, error) {
	var made set.Intersection
	for i, part := range s.Of {
		one, err := BuildSet(part, n)
		if err != nil {
			return nil, form.Under(fmt.Sprintf("of.%d", i), err)
		}
		made.Of = append(made.Of, one)
	}
	return made, nil
}

// Words implements [Set].
func (s *IntersectionSet) Words() string {
	return fmt.Sprintf("within %s at once", phrase.Count(len(s.Of), "set"))
}

// Shrink implements [Shrinker].
func (s *IntersectionSet) Shrink(delta float64, n int) (Set, bool) {
	out := &IntersectionSet{}
	for _, part := range s.Of {
		one, ok := Shrink(part, delta, n)
		if !ok {
			return nil, false
		}
		out.Of = append(out.Of, one)
	}
	return out, true
}
