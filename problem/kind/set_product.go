package kind

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// ProductSet is a set for every group of successive entries.
type ProductSet struct{ Parts []SetPart }

// SetPart is a set of so many entries.
type SetPart struct {
	Size int
	Set  Set
}

// Word implements [form.Kind].
func (*ProductSet) Word() form.Option {
	return form.Choice("product", "A set for every group of successive entries.", "u = (u₁, u₂, …), uᵢ ∈ 𝒞ᵢ")
}

// Describe implements [Set].
func (s *ProductSet) Describe(f *form.Form, c *Catalogue) {
	says := form.Says("Sets of successive entries of the decision, each with its size and the keys of a set.", "", "")
	form.Field(f, "parts", &s.Parts, form.Parts("a list of sets, each with its size", func(f *form.Form, part *SetPart) {
		f.Shared("part", func() {
			form.Field(f, "size", &part.Size, form.Count(1, maxCount), form.Says("How many entries of the decision the part has.", "", "2"))
			c.DescribeSet(f, &part.Set)
		})
	}), says)
}

// Check implements [Set].
func (s *ProductSet) Check(c *Scene, path string, n form.Length) {
	sum := 0
	for i, p := range s.Parts {
		part := fmt.Sprintf("%s.parts.%d", path, i)
		CheckSet(c, part, p.Set, c.Known(p.Size, "the part", part+".size"))
		CheckConvex(c, part, p.Set, "a part of a product")
		sum += p.Size
	}
	c.FailIf(c.Sound(path) && n.N >= 0 && sum != n.N, append(form.Paths(path+".parts"), n.From...),
		"%s.parts have %s together, %s has %d", path, form.Entries(sum), n.Of, n.N)
}

// Build implements [Set].
func (s *ProductSet) Build(int) (kedge.Set, error) {
	var made set.Product
	for i, p := range s.Parts {
		one, err := BuildSet(p.Set, p.Size)
		if err != nil {
			return nil, form.Under(fmt.Sprintf("parts.%d", i), err)
		}
		made.Parts = append(made.Parts, set.Part{Size: p.Size, Set: one})
	}
	return made, nil
}

// Words implements [Set].
func (s *ProductSet) Words() string {
	return fmt.Sprintf("in %s, each with limits of its own", phrase.Count(len(s.Parts), "group"))
}

// Shrink implements [Shrinker].
func (s *ProductSet) Shrink(delta float64, _ int) (Set, bool) {
	out := &ProductSet{}
	for _, p := range s.Parts {
		one, ok := Shrink(p.Set, delta, p.Size)
		if !ok {
			return nil, false
		}
		out.Parts = append(out.Parts, SetPart{p.Size, one})
	}
	return out, true
}

// Separates implements [Separable].
func (s *ProductSet) Separates() bool {
	return !slices.ContainsFunc(s.Parts, func(p SetPart) bool { return !Separates(p.Set) })
}
