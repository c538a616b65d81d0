package kind

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// ConvexSet is where inequalities and equations hold that are written as formulas of u, and that are shown to be convex.
type ConvexSet struct {
	Where []string
	of    *formula.Convex // what they say, where a model compiled them
	made  *set.Convex     // what is made of that, where it is known already
}

// Word implements [form.Kind].
func (*ConvexSet) Word() form.Option {
	return form.Choice("convex", "Decisions for which inequalities hold that are written as formulas (docs/formula.md) of the decision u, and that are shown to be convex.", "cⱼ(u) ≤ 0")
}

// Describe implements [Set].
func (s *ConvexSet) Describe(f *form.Form, _ *Catalogue) {
	form.Field(f, "where", &s.Where, form.Formulas("an inequality such as u[0]^2 + 2*u[1]^2 <= 4, or a list of those"),
		form.Says("What holds for the decision u: formulas with <=, >= or ==, one or a list. The smaller side must be convex, the larger one concave, and both sides of an equation linear.", "cⱼ(u) ≤ 0", "[\"u[0]^2 + 2*u[1]^2 <= 4\", \"exp(u[0]) + u[1] <= 3\"]"))
}

// compile reads the formulas as those of n entries. Of one entry, u and u[0] are the same.
func (s *ConvexSet) compile(n int) (m *formula.Model, err error) {
	source := PlainNames(kedge.Dims{Decision: n, State: 1, Trait: 1})
	source.State, source.Trait, source.Subject = "p", "", s.Where
	if m, err = formula.Compile(source); err != nil && n == 1 {
		source.Decision = "u[1]"
		if other, again := formula.Compile(source); again == nil {
			return other, nil
		}
	}
	return m, err
}

// Check implements [Set].
func (s *ConvexSet) Check(c *Scene, path string, n form.Length) {
	if !c.Sound(path) || n.N < 0 {
		return
	}
	key := path + ".where"
	m, err := s.compile(n.N)
	if err == nil {
		_, err = BuildSet(Constrained(m), n.N)
		c.FailIf(err != nil, form.Paths(key), "%s: %v", key, err)
		return
	}
	ReportFormulas(c.Mistakes, c.Root, err, func(field string) string { return strings.Replace(field, "model.subject to", key, 1) })
}

// Build implements [Set].
func (s *ConvexSet) Build(n int) (kedge.Set, error) {
	switch {
	case s.made != nil:
		return *s.made, nil
	case s.of != nil:
		made, err := inhabited(*s.of)
		return made, err
	}
	m, err := s.compile(n)
	if err != nil {
		return nil, form.Under("where", err)
	}
	made, err := Constrained(m).Build(n)
	return made, form.Under("where", err)
}

// inhabited makes a set of curves and finds a decision inside.
func inhabited(c formula.Convex) (made set.Convex, err error) {
	made.Bounds = set.Box{Lower: c.Lower, Upper: c.Upper}
	made.Curves = lists.Of(c.Curves, func(one *formula.Inequality) set.ConvexCurve { return one })
	if c.Equal != nil {
		if made.Plane, err = set.NewAffine(c.Equal.A, c.Equal.B); err != nil {
			return made, err
		}
	}
	made.Inside, err = inside(made)
	return made, err
}

// inside looks for a decision inside from several starts, for a curve need not have a value everywhere, or a slope.
func inside(c set.Convex) ([]float64, error) {
	var nearest *set.NoInsideError
	var last error
	for _, start := range []float64{0, 1, -1, 0.1, 10, -10, 1000, -1000} {
		x, err := set.Inner(c.Plane, c.Bounds, c.Curves, slices.Repeat([]float64{start}, len(c.Bounds.Lower)))
		if err == nil {
			return x, nil
		}
		if none := (*set.NoInsideError)(nil); !errors.As(err, &none) {
			last = err
		} else if nearest == nil || none.Least < nearest.Least {
			nearest = none
		}
	}
	if nearest != nil {
		return nil, nearest
	}
	if none := (*kedge.NotFiniteError)(nil); errors.As(last, &none) {
		return nil, fmt.Errorf("no decision was found at which all formulas have a value; want bounds on the entries between which they do: %w", last)
	}
	return nil, last
}

// Words implements [Set].
func (s *ConvexSet) Words() string {
	if s.of != nil {
		return "within " + phrase.Count(len(s.of.Curves), "curve")
	}
	return "where " + phrase.Enumerate(s.Where)
}

// Shrink implements [Shrinker]: towards a point inside, by as much as leaves room. How far the set goes from there along the axes says how far it does any way.
func (s *ConvexSet) Shrink(delta float64, n int) (Set, bool) {
	if s.of == nil && s.made == nil {
		m, err := s.compile(n)
		if err != nil {
			return nil, false
		}
		return Shrink(Constrained(m), delta, n) // formulas may say nothing but a ball, a box or a plane
	}
	built, err := s.Build(n)
	if err != nil {
		return nil, false
	}
	c, ok := built.(set.Convex)
	if !ok || c.Plane != nil {
		return nil, false
	}
	by := 1 - float64(delta*math.Sqrt(float64(n))/room(c))
	if !(by > 0) {
		return nil, false
	}
	small := set.Convex{Inside: c.Inside, Bounds: set.Box{Lower: make([]float64, n), Upper: make([]float64, n)}}
	for i, v := range c.Inside {
		small.Bounds.Lower[i], small.Bounds.Upper[i] = v+float64(by*(c.Bounds.Lower[i]-v)), v+float64(by*(c.Bounds.Upper[i]-v))
	}
	small.Curves = lists.Of(c.Curves, func(one set.ConvexCurve) set.ConvexCurve { return shrunk{one, c.Inside, by} })
	return &ConvexSet{of: s.of, made: &small}, true
}

// room is how far the set goes from the point inside along every axis, both ways.
func room(c set.Convex) float64 {
	reach, u := math.MaxFloat64, make([]float64, len(c.Inside))
	for i := range u {
		for _, side := range []float64{-1, 1} {
			holds := func(far float64) bool {
				copy(u, c.Inside)
				u[i] += float64(side * far)
				return c.Excess(u) == 0
			}
			low, high := 0.0, 1.0
			for holds(high) && high < 1e9 {
				low, high = high, 2*high
			}
			for range 50 {
				if mid := low + float64((high-low)/2); holds(mid) {
					low = mid
				} else {
					high = mid
				}
			}
			reach = min(reach, low)
		}
	}
	return reach
}

// shrunk is a curve of what is drawn towards a point by a factor.
type shrunk struct {
	of     set.ConvexCurve
	around []float64
	by     float64
}

// Expand implements [set.ConvexCurve].
func (s shrunk) Expand(g, h, u []float64) float64 {
	at := make([]float64, len(u))
	for i, v := range u {
		at[i] = s.around[i] + float64((v-s.around[i])/s.by)
	}
	value := s.of.Expand(g, h, at)
	for i := range g {
		g[i] /= s.by
	}
	for i := range h {
		h[i] /= s.by * s.by
	}
	return value
}
