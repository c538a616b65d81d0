package set

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/portable"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Farthest returns R = max ‖u‖ over a set of n-vectors, +Inf where it has no end, and whether that is known for sure. Of a set that it does
// not know it looks at the projections of far points.
func Farthest(s kedge.Set, n int) (r float64, sure bool, err error) {
	if r, sure = radius(s, n); sure {
		return r, true, nil
	}
	r, err = around(s, n)
	return r, false, err
}

// radius returns a bound on ‖u‖ over a set it knows.
func radius(s kedge.Set, n int) (r float64, ok bool) {
	switch s := s.(type) {
	case Ball:
		return rows.Norm(s.Center) + s.Radius, true
	case L1Ball:
		return vertex(s), true
	case Box:
		return corner(n, s.Lower, s.Upper), true
	case Interval:
		return math.Sqrt(float64(n)) * max(math.Abs(s.Lower), math.Abs(s.Upper)), true
	case Simplex:
		return s.Sum, true
	case CappedSimplex:
		return capped(s.Sum, s.Upper), true
	case Lattice:
		return corner(n, s.Lower, s.Upper), true
	case Finite:
		return longest(s.Points), true
	case Whole, HalfSpace, *Affine:
		return math.Inf(1), true
	case Convex:
		r = corner(n, s.Bounds.Lower, s.Bounds.Upper)
		return r, !math.IsInf(r, 1)
	case Product:
		return parts(s)
	case Intersection:
		return members(s.Of, n)
	}
	return 0, false
}

// vertex returns the norm of the farthest vertex of an L1 ball: the one beyond the longest entry of its center.
func vertex(b L1Ball) float64 {
	most, rest := 0.0, 0.0 // the longest entry, and the norm of the others
	for _, c := range b.Center {
		if c = math.Abs(c); c > most {
			most, c = c, most
		}
		rest = portable.Hypot(rest, c)
	}
	return portable.Hypot(rest, most+b.Radius)
}

func longest(points [][]float64) (r float64) {
	for _, p := range points {
		r = max(r, rows.Norm(p))
	}
	return r
}

// corner returns the norm of the farthest corner of a box; a nil side is unbounded.
func corner(n int, lower, upper []float64) float64 {
	if lower == nil || upper == nil {
		return math.Inf(1)
	}
	far := make([]float64, n)
	for i := range far {
		far[i] = max(math.Abs(lower[i]), math.Abs(upper[i]))
	}
	if math.IsInf(rows.MaxAbs(far), 0) {
		return math.Inf(1)
	}
	return rows.Norm(far)
}

// capped returns the norm of the farthest point of a capped simplex, as many entries at the cap as the sum pays for.
func capped(sum, upper float64) float64 {
	if upper >= sum {
		return sum
	}
	full := math.Floor(sum / upper)
	rest := max(0, sum-float64(full*upper))
	return math.Sqrt(float64(full*upper*upper) + float64(rest*rest))
}

func parts(s Product) (r float64, ok bool) {
	for _, part := range s.Parts {
		x, ok := radius(part.Set, part.Size)
		if !ok {
			return 0, false
		}
		r = portable.Hypot(r, x)
	}
	return r, true
}

// members returns the least of the bounds that the members of an intersection give. An intersection of unbounded members may
// still be bounded, which only looking tells.
func members(of []kedge.Set, n int) (r float64, ok bool) {
	r = math.Inf(1)
	for _, s := range of {
		if x, ok := radius(s, n); ok {
			r = min(r, x)
		}
	}
	return r, !math.IsInf(r, 1)
}

// far is how far away points are projected from to find the ends of a set; an end beyond a thousandth of it is none.
const far = 1e9

// around estimates R by the box around the projections of far points along the axes.
func around(s kedge.Set, n int) (float64, error) {
	ends, u := make([]float64, n), make([]float64, n)
	for i := range n {
		for _, side := range []float64{-far, far} {
			clear(u)
			u[i] = side
			if err := s.Project(u); err != nil {
				return 0, err
			}
			ends[i] = max(ends[i], math.Abs(u[i]))
		}
	}
	if slices.Max(ends) > far/1000 {
		return math.Inf(1), nil
	}
	return rows.Norm(ends), nil
}
