package problem

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/internal/rows"
)

// Set is the set of feasible decisions u.
type Set struct {
	Kind string // "whole", "ball", "box", "simplex", "capped-simplex", "half-space", "affine", "product" or "intersection"

	Radius float64 // of ball: ‖u − center‖ ≤ radius
	Center Vector  // of ball

	Lower Vector // of box: lower ≤ u ≤ upper; −∞ is allowed
	Upper Vector // of box and capped-simplex; +∞ is allowed

	Sum float64 // of simplex: u ≥ 0, Σu = sum; of capped-simplex: also u ≤ upper

	Normal []float64 // of half-space: normalᵀu ≤ bound
	Bound  float64

	Matrix Rows      // of affine: matrix·u = rhs
	RHS    []float64 // of affine

	Parts []Set // of product: sets of successive entries of u
	Size  int   // of a part: how many entries it has
	Of    []Set // of intersection
}

func (s *Set) describe(f *form) {
	f.shared("set", func() { s.describeKeys(f) })
}

func (s *Set) describeKeys(f *form) {
	f.choose("kind", &s.Kind, says("The shape of the set.", "", "ball"), option("whole", "Every decision is feasible.", ""), option("ball", "Decisions near a center.", "‖u − center‖ ≤ radius"), option("box", "Decisions between bounds.", "lower ≤ u ≤ upper"), option("simplex", "Decisions that divide a sum.", "u ≥ 0, Σu = sum"), option("capped-simplex", "Decisions that divide a sum, none above its bound.", "0 ≤ u ≤ upper, Σu = sum"), option("half-space", "Decisions on one side of a plane.", "normalᵀu ≤ bound"), option("affine", "Decisions that solve linear equations.", "matrix·u = rhs"), option("product", "A set for every group of successive entries.", "u = (u₁, u₂, …), uᵢ ∈ 𝒞ᵢ"), option("intersection", "What several sets have in common.", "u ∈ 𝒞₁ ∩ 𝒞₂ ∩ …"))
	switch s.Kind {
	case "ball":
		field(f, "radius", &s.Radius, positive(), says("The radius of the ball.", "‖u − center‖ ≤ radius", "1"))
		fieldOr(f, "center", &s.Center, vector(finite()), Vector{}, says("The center of the ball.", "‖u − center‖ ≤ radius", "0"))
	case "box":
		field(f, "lower", &s.Lower, vector(lowerBound()), says("The least value of the entries, one for all or one each; -.inf: none.", "lower ≤ u", "0"))
		field(f, "upper", &s.Upper, vector(upperBound()), says("The largest value of the entries, one for all or one each; .inf: none.", "u ≤ upper", "5"))
	case "simplex":
		field(f, "sum", &s.Sum, notNegative(), says("What the entries add up to, such as a budget.", "Σu = sum", "250"))
	case "capped-simplex":
		field(f, "sum", &s.Sum, notNegative(), says("What the entries add up to, such as a budget.", "Σu = sum", "250"))
		field(f, "upper", &s.Upper, vector(number("a number ≥ 0 or .inf", closed(0, math.Inf(1)))), says("The largest value of the entries, one for all or one each; .inf: none.", "u ≤ upper", "5"))
	default:
		s.describeMore(f)
	}
}

func (s *Set) describeMore(f *form) {
	switch s.Kind {
	case "half-space":
		field(f, "normal", &s.Normal, numbers(finite()), says("The direction in which decisions are bounded.", "normalᵀu ≤ bound", "[1, 1]"))
		field(f, "bound", &s.Bound, finite(), says("How far they may go.", "normalᵀu ≤ bound", "1"))
	case "affine":
		field(f, "matrix", &s.Matrix, matrixRows(), says("The left-hand sides of the equations, one a row.", "matrix·u = rhs", "[[1, 1]]"))
		field(f, "rhs", &s.RHS, numbers(finite()), says("The right-hand sides of the equations.", "matrix·u = rhs", "[1]"))
	case "product":
		items(f, "parts", &s.Parts, "a list of sets, each with its size", says("Sets of successive entries of the decision, each with its size and the keys of a set.", "", ""), func(f *form, part *Set) {
			f.shared("part", func() {
				field(f, "size", &part.Size, count(1, maxCount), says("How many entries of the decision the part has.", "", "2"))
				part.describe(f)
			})
		})
	case "intersection":
		items(f, "of", &s.Of, "a list of sets", says("The sets to intersect, each with the keys of a set.", "", ""), func(f *form, part *Set) { part.describe(f) })
	}
}

// set checks lengths and refuses sets that are plainly empty.
func (c *check) set(path string, s *Set, n length) {
	c.vector(path+".center", s.Center, n)
	switch s.Kind {
	case "box":
		c.box(path, s, n)
	case "capped-simplex":
		c.cappedSimplex(path, s, n)
	case "half-space":
		c.direction(path+".normal", s.Normal, n)
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

func (c *check) box(path string, s *Set, n length) {
	lower, upper := path+".lower", path+".upper"
	fits := c.vector(lower, s.Lower, n)
	if !c.vector(upper, s.Upper, n) || !fits {
		return
	}
	for i := range max(len(s.Lower.Each), len(s.Upper.Each), 1) {
		if lo, hi := s.Lower.entry(i), s.Upper.entry(i); lo > hi {
			c.fail(keys(upper, lower), "%s is %v, less than %s, which is %v in entry %d: the set is empty", upper, hi, lower, lo, i)
			return
		}
	}
}

func (c *check) cappedSimplex(path string, s *Set, n length) {
	if !c.vector(path+".upper", s.Upper, n) || n.n < 0 || !c.sound(path+".sum") {
		return
	}
	most := float64(float64(n.n)*s.Upper.All) + rows.Sum(s.Upper.Each)
	if s.Sum > most {
		c.fail(append(keys(path+".sum", path+".upper"), n.from...),
			"%s.sum is %v, but %s up to %s.upper add up to at most %v: the set is empty", path, s.Sum, entries(n.n), path, most)
	}
}

func (c *check) equations(path string, s *Set, n length) {
	if !c.sound(path+".matrix", path+".rhs") {
		return
	}
	c.length(path+".matrix.0", s.Matrix.Columns(), n)
	if len(s.RHS) != len(s.Matrix) {
		c.fail(keys(path+".rhs", path+".matrix"), "%s.rhs has %s, %s.matrix has %s", path, entries(len(s.RHS)), path, plural(len(s.Matrix), "row", "rows"))
	}
}

func (c *check) product(path string, s *Set, n length) {
	sum := 0
	for i := range s.Parts {
		part := fmt.Sprintf("%s.parts.%d", path, i)
		c.set(part, &s.Parts[i], c.known(length{s.Parts[i].Size, "the part", keys(part + ".size")}))
		sum += s.Parts[i].Size
	}
	if c.sound(path) && n.n >= 0 && sum != n.n {
		c.fail(append(keys(path+".parts"), n.from...), "%s.parts have %s together, %s has %d", path, entries(sum), n.of, n.n)
	}
}
