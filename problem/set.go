package problem

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/form"
)

// Set is the set of feasible decisions u.
type Set struct {
	Kind string // "whole", "ball", "box", "simplex", "capped-simplex", "half-space", "affine", "product" or "intersection"

	Radius float64     // of ball: ‖u − center‖ ≤ radius
	Center form.Vector // of ball

	Lower form.Vector // of box: lower ≤ u ≤ upper; −∞ is allowed
	Upper form.Vector // of box and capped-simplex; +∞ is allowed

	Sum float64 // of simplex: u ≥ 0, Σu = sum; of capped-simplex: also u ≤ upper

	Normal []float64 // of half-space: normalᵀu ≤ bound
	Bound  float64

	Matrix form.RowList // of affine: matrix·u = rhs
	RHS    []float64    // of affine

	Parts []Set // of product: sets of successive entries of u
	Size  int   // of a part: how many entries it has
	Of    []Set // of intersection
}

func (s *Set) describe(f *form.Form) {
	f.Shared("set", func() { s.describeKeys(f) })
}

func (s *Set) describeKeys(f *form.Form) {
	f.Choose("kind", &s.Kind, form.Says("The shape of the set.", "", "ball"), form.Choice("whole", "Every decision is feasible.", ""), form.Choice("ball", "Decisions near a center.", "‖u − center‖ ≤ radius"), form.Choice("box", "Decisions between bounds.", "lower ≤ u ≤ upper"), form.Choice("simplex", "Decisions that divide a sum.", "u ≥ 0, Σu = sum"), form.Choice("capped-simplex", "Decisions that divide a sum, none above its bound.", "0 ≤ u ≤ upper, Σu = sum"), form.Choice("half-space", "Decisions on one side of a plane.", "normalᵀu ≤ bound"), form.Choice("affine", "Decisions that solve linear equations.", "matrix·u = rhs"), form.Choice("product", "A set for every group of successive entries.", "u = (u₁, u₂, …), uᵢ ∈ 𝒞ᵢ"), form.Choice("intersection", "What several sets have in common.", "u ∈ 𝒞₁ ∩ 𝒞₂ ∩ …"))
	switch s.Kind {
	case "ball":
		form.Field(f, "radius", &s.Radius, form.Positive(), form.Says("The radius of the ball.", "‖u − center‖ ≤ radius", "1"))
		form.FieldOr(f, "center", &s.Center, form.VectorOf(form.Finite()), form.Vector{}, form.Says("The center of the ball.", "‖u − center‖ ≤ radius", "0"))
	case "box":
		form.Field(f, "lower", &s.Lower, form.VectorOf(form.LowerBound()), form.Says("The least value of the entries, one for all or one each; -.inf: none.", "lower ≤ u", "0"))
		form.Field(f, "upper", &s.Upper, form.VectorOf(form.UpperBound()), form.Says("The largest value of the entries, one for all or one each; .inf: none.", "u ≤ upper", "5"))
	case "simplex":
		form.Field(f, "sum", &s.Sum, form.NotNegative(), form.Says("What the entries add up to, such as a budget.", "Σu = sum", "250"))
	case "capped-simplex":
		form.Field(f, "sum", &s.Sum, form.NotNegative(), form.Says("What the entries add up to, such as a budget.", "Σu = sum", "250"))
		form.Field(f, "upper", &s.Upper, form.VectorOf(form.Number("a number ≥ 0 or .inf", form.Closed(0, math.Inf(1)))), form.Says("The largest value of the entries, one for all or one each; .inf: none.", "u ≤ upper", "5"))
	default:
		s.describeMore(f)
	}
}

func (s *Set) describeMore(f *form.Form) {
	switch s.Kind {
	case "half-space":
		form.Field(f, "normal", &s.Normal, form.Numbers(form.Finite()), form.Says("The direction in which decisions are bounded.", "normalᵀu ≤ bound", "[1, 1]"))
		form.Field(f, "bound", &s.Bound, form.Finite(), form.Says("How far they may go.", "normalᵀu ≤ bound", "1"))
	case "affine":
		form.Field(f, "matrix", &s.Matrix, form.Rows(), form.Says("The left-hand sides of the equations, one a row.", "matrix·u = rhs", "[[1, 1]]"))
		form.Field(f, "rhs", &s.RHS, form.Numbers(form.Finite()), form.Says("The right-hand sides of the equations.", "matrix·u = rhs", "[1]"))
	case "product":
		form.Items(f, "parts", &s.Parts, "a list of sets, each with its size", form.Says("Sets of successive entries of the decision, each with its size and the keys of a set.", "", ""), func(f *form.Form, part *Set) {
			f.Shared("part", func() {
				form.Field(f, "size", &part.Size, form.Count(1, maxCount), form.Says("How many entries of the decision the part has.", "", "2"))
				part.describe(f)
			})
		})
	case "intersection":
		form.Items(f, "of", &s.Of, "a list of sets", form.Says("The sets to intersect, each with the keys of a set.", "", ""), func(f *form.Form, part *Set) { part.describe(f) })
	}
}

// set checks lengths and refuses sets that are plainly empty.
func (c *check) set(path string, s *Set, n form.Length) {
	c.Vector(path+".center", s.Center, n)
	switch s.Kind {
	case "box":
		c.box(path, s, n)
	case "capped-simplex":
		c.cappedSimplex(path, s, n)
	case "half-space":
		c.Direction(path+".normal", s.Normal, n)
	case "affine":
		c.equations(path, s, n)
	case "product":
		c.product(path, s, n)
	case "intersection":
		for i := range s.Of {
			c.set(fmt.Sprintf("%s.of.%d", path, i), &s.Of[i], n)
		}
	}
}

func (c *check) box(path string, s *Set, n form.Length) {
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

func (c *check) cappedSimplex(path string, s *Set, n form.Length) {
	if !c.Vector(path+".upper", s.Upper, n) || n.N < 0 || !c.Sound(path+".sum") {
		return
	}
	most := float64(float64(n.N)*s.Upper.All) + rows.Sum(s.Upper.Each)
	if s.Sum > most {
		c.Fail(append(form.Paths(path+".sum", path+".upper"), n.From...),
			"%s.sum is %v, but %s up to %s.upper add up to at most %v: the set is empty", path, s.Sum, form.Entries(n.N), path, most)
	}
}

func (c *check) equations(path string, s *Set, n form.Length) {
	if !c.Sound(path+".matrix", path+".rhs") {
		return
	}
	c.Length(path+".matrix.0", s.Matrix.Columns(), n)
	if len(s.RHS) != len(s.Matrix) {
		c.Fail(form.Paths(path+".rhs", path+".matrix"), "%s.rhs has %s, %s.matrix has %s", path, form.Entries(len(s.RHS)), path, form.Plural(len(s.Matrix), "row", "rows"))
	}
}

func (c *check) product(path string, s *Set, n form.Length) {
	sum := 0
	for i := range s.Parts {
		part := fmt.Sprintf("%s.parts.%d", path, i)
		c.set(part, &s.Parts[i], c.Known(s.Parts[i].Size, "the part", part+".size"))
		sum += s.Parts[i].Size
	}
	if c.Sound(path) && n.N >= 0 && sum != n.N {
		c.Fail(append(form.Paths(path+".parts"), n.From...), "%s.parts have %s together, %s has %d", path, form.Entries(sum), n.Of, n.N)
	}
}
