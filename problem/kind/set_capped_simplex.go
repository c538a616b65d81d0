package kind

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// CappedSimplexSet is 0 ≤ u ≤ upper, Σu = sum.
type CappedSimplexSet struct {
	Sum   float64
	Upper form.Vector
}

// Word implements [form.Kind].
func (*CappedSimplexSet) Word() form.Option {
	return form.Choice("capped-simplex", "Decisions that divide a sum, none above its bound.", "0 ≤ u ≤ upper, Σu = sum")
}

// Describe implements [Set].
func (s *CappedSimplexSet) Describe(f *form.Form, _ *Catalogue) {
	describeSum(f, &s.Sum)
	describeUpper(f, &s.Upper, form.Number("a number ≥ 0 or .inf", form.Closed(0, math.Inf(1))))
}

// Check implements [Set].
func (s *CappedSimplexSet) Check(c *Scene, path string, n form.Length) {
	if !c.Vector(path+".upper", s.Upper, n) || n.N < 0 || !c.Sound(path+".sum") {
		return
	}
	most := float64(float64(n.N)*s.Upper.All) + rows.Sum(s.Upper.Each)
	c.FailIf(s.Sum > most, append(form.Paths(path+".sum", path+".upper"), n.From...),
		"%s.sum is %v, but %s up to %s.upper add up to at most %v: the set is empty", path, s.Sum, form.Entries(n.N), path, most)
}

// Build implements [Set]. There is an exact projection under one bound for all entries; under bounds of their own the set is where
// a plane and a box meet.
func (s *CappedSimplexSet) Build(n int) (kedge.Set, error) {
	if s.Upper.Each == nil {
		return set.CappedSimplex{Sum: s.Sum, Upper: s.Upper.All}, nil
	}
	plane, err := set.NewAffine(form.Vector{All: 1}.Expand(n), []float64{s.Sum})
	if err != nil {
		return nil, err
	}
	return set.Intersection{Of: []kedge.Set{plane, set.Box{Lower: make([]float64, n), Upper: s.Upper.Each}}}, nil
}

// Words implements [Set].
func (s *CappedSimplexSet) Words() string {
	return "none below 0 or above " + boundWords(s.Upper) + ", adding up to " + phrase.Exact(s.Sum)
}

// Total implements [Dividing].
func (s *CappedSimplexSet) Total() float64 { return s.Sum }

// Sketch implements [SketchedSet].
func (*CappedSimplexSet) Sketch(_, upper, sum float64) string {
	return fmt.Sprintf(", sum: %v, upper: %v", sum, upper)
}
