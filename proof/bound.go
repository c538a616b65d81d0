package proof

import (
	"cmp"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/interval"
	"github.com/kedge-opt/kedge/internal/rows"
)

// examine bounds the values of a box from below and keeps it unless nothing in it can be better than the best by more than gap.
func (s *search) examine(r *region, gap float64) error {
	s.boxes++
	r.number = s.boxes
	center := s.center(r.box)
	inside, err := s.inside(r.box, center)
	if err != nil || inside == nil {
		return err
	}
	jet := s.enclose(r.box, 2)
	r.lower, r.slopes = jet[0].Lo, jet[1:1+s.n]
	if r.lower < s.upper-gap {
		changed, isGone, err := s.slide(r)
		if err != nil || isGone {
			return err
		}
		if changed {
			return s.examine(r, gap)
		}
		if err := s.tighten(r, jet, inside, gap); err != nil {
			return err
		}
	}
	if r.lower >= s.upper-gap {
		s.closed = min(s.closed, r.lower)
		return nil
	}
	at, _ := slices.BinarySearchFunc(s.open, r, worseFirst)
	s.open = slices.Insert(s.open, at, r)
	return nil
}

// worseFirst puts the region with the lowest bound last, of equal ones the oldest.
func worseFirst(a, b *region) int {
	return cmp.Or(cmp.Compare(b.lower, a.lower), b.number-a.number)
}

func (s *search) center(box []interval.Span) []float64 {
	c := make([]float64, s.n)
	for i, x := range box {
		c[i] = s.middle(x, i)
	}
	return c
}

// inside returns a point of the box, in the set if one is easily found, near the centre; nil where the two have nothing in
// common: the set is on one side of its nearest point to the centre, and the box is on the other.
func (s *search) inside(box []interval.Span, center []float64) ([]float64, error) {
	if s.isBox {
		return center, nil
	}
	c := slices.Clone(center)
	for k := range 8 {
		z := slices.Clone(c)
		if err := s.project(z); err != nil {
			return nil, err
		}
		if k == 0 && s.apart(box, center, z) {
			return nil, nil
		}
		for i, x := range box {
			c[i] = min(max(z[i], x.Lo), x.Hi)
		}
		if slices.Equal(c, z) {
			return c, nil
		}
	}
	return c, nil
}

// apart tells whether a box lies beyond the plane at z, the projection of c, that has the whole set on its other side.
func (s *search) apart(box []interval.Span, c, z []float64) bool {
	var beyond interval.Span
	size, length := 0.0, 0.0
	for i, x := range box {
		normal := c[i] - z[i]
		beyond = beyond.Add(x.Sub(interval.Point(z[i])).Scale(normal))
		size = max(size, math.Abs(c[i]), math.Abs(z[i]))
		if s.isCurved {
			size = max(size, x.Most())
		}
		length += math.Abs(normal)
	}
	slack, _ := s.slack()
	return beyond.Lo > slack*size*length
}

// slide uses that the function rises or falls along a side all over the box: then the best is at the end of that side, or, where
// the set goes on beyond that end, elsewhere.
func (s *search) slide(r *region) (changed, isGone bool, err error) {
	for i, g := range r.slopes {
		x := r.box[i]
		if g.Lo <= 0 && g.Hi >= 0 || x.IsPoint() {
			continue
		}
		end, edge := x.Lo, s.domain[i].Lo
		if g.Hi < 0 {
			end, edge = x.Hi, s.domain[i].Hi
		}
		switch {
		case s.isBox && end != edge:
			return false, true, nil
		case s.isBox && !math.IsInf(end, 0):
			r.box[i], changed = interval.Point(end), true
		case !s.isBox:
			if isGone, err = s.isInterior(r.box); err != nil || isGone {
				return false, isGone, err
			}
		}
	}
	return changed, false, nil
}

// isInterior tells whether a box lies in the domain and in the set with some room around it.
func (s *search) isInterior(box []interval.Span) (bool, error) {
	if s.n > MostDecisions { // too many corners
		return false, nil
	}
	for i, x := range box {
		if x.Lo <= s.domain[i].Lo || x.Hi >= s.domain[i].Hi {
			return false, nil
		}
	}
	for corner := range 1 << s.n {
		u := make([]float64, s.n)
		for i, x := range box {
			room := float64(1e-9 * (x.Hi - x.Lo + x.Most()))
			u[i] = x.Lo - room
			if corner>>i&1 == 1 {
				u[i] = x.Hi + room
			}
		}
		z := slices.Clone(u)
		if err := s.project(z); err != nil || !slices.Equal(z, u) {
			return false, err
		}
	}
	return true, nil
}

// tighten raises the lower bound of a box by what is known at one point of it.
func (s *search) tighten(r *region, jet interval.Jet, c []float64, gap float64) error {
	at, err := s.visit(c)
	if err != nil {
		return err
	}
	if err := s.raise(r, jet, c, at); err != nil || r.lower >= s.upper-gap {
		return err
	}
	if s.holds(r.box, s.best) {
		if err := s.raise(r, jet, s.best, s.atBest); err != nil || r.lower >= s.upper-gap {
			return err
		}
	}
	if bend := s.bend(r.box, c, jet); !s.isConvex && bend < 0 {
		return nil
	}
	c, at, err = s.descend(c, at) // convex here: the least value is near, or at an end of the box
	if err != nil || !s.holds(r.box, c) {
		return err
	}
	return s.raise(r, jet, c, at)
}

func (s *search) holds(box []interval.Span, u []float64) bool {
	for i, x := range box {
		if !x.Has(u[i]) {
			return false
		}
	}
	return true
}

// raise bounds the values of a box from a point c of it by slopes over the box, and by the slope at c and the least eigenvalue of the
// Hessian over the box [adjiman1998].
func (s *search) raise(r *region, jet interval.Jet, c []float64, at interval.Jet) error {
	lower := at[0].Lo
	r.lower = max(r.lower, below(lower, s.along(r.box, c, jet[1:1+s.n])))
	slope := s.along(r.box, c, at[1:1+s.n])
	if !s.isBox {
		projected, err := s.alongSet(r.box, c, at[1:1+s.n])
		if err != nil {
			return err
		}
		slope = max(slope, projected)
	}
	bend := s.bend(r.box, c, jet)
	switch {
	case bend < 0 && s.isConvex:
		bend = 0
	case bend > 0:
		sum := 0.0
		for i, x := range r.box {
			w := at[1+i].Most() * x.Sub(interval.Point(c[i])).Most()
			sum += float64(w * w)
		}
		slope, bend = max(slope, -sum/(2*bend)*(1+1e-12)), 0
	}
	r.lower = max(r.lower, below(below(lower, slope), bend/2*float64(s.n)))
	return nil
}

// below is a + b, rounded down.
func below(a, b float64) float64 {
	return interval.Between(a, math.Inf(1)).Add(interval.Between(b, math.Inf(1))).Lo
}

// along is the least of gᵀ(y − c) over a box.
func (s *search) along(box []interval.Span, c []float64, g []interval.Span) float64 {
	var sum interval.Span
	for i, x := range box {
		sum = sum.Add(g[i].Mul(x.Sub(interval.Point(c[i]))))
	}
	return sum.Lo
}

// alongSet is the least of gᵀ(y − c) over what a box and the set have in common: with z the projection of c − tg on the set,
// t·gᵀ(y − z) ≥ (c − z)ᵀ(y − z) for every y of the set.
func (s *search) alongSet(box []interval.Span, c []float64, g []interval.Span) (float64, error) {
	size, length := 0.0, 0.0
	for i, x := range box {
		size = max(size, x.Sub(interval.Point(c[i])).Most())
		length = max(length, math.Abs(g[i].Mid()))
	}
	t := 0.1 * size / length
	if !(t > 0) || math.IsInf(t, 0) {
		return math.Inf(-1), nil
	}
	z := make([]float64, s.n)
	for i := range z {
		z[i] = c[i] - float64(t*g[i].Mid())
	}
	if !rows.Finite(z) {
		return math.Inf(-1), nil
	}
	if err := s.project(z); err != nil {
		return 0, err
	}
	var sum, rest interval.Span
	noise := 0.0
	for i, x := range box {
		sum = sum.Add(x.Sub(interval.Point(z[i])).Mul(interval.Point(c[i]).Sub(interval.Point(z[i]))))
		middle := interval.Point(g[i].Mid())
		rest = rest.Add(middle.Mul(interval.Point(z[i]).Sub(interval.Point(c[i]))))
		rest = rest.Add(g[i].Sub(middle).Mul(x.Sub(interval.Point(c[i]))))
		noise = max(noise, math.Abs(c[i]))
	}
	// Projections are good to a few units of 1e-12, relative to the point and to the plane that is touched, and less so on curves.
	_, slack := s.slack()
	return sum.Scale(1/t).Add(rest).Lo - float64(slack*length*(noise+size)), nil
}

// bend is a bound b ≤ 0 for which sᵀHs ≥ b·n with s the way from c to any point of the box, or b > 0 with sᵀHs ≥ b·Σ(sᵢ/wᵢ)² where wᵢ
// is the farthest the box goes from c along side i.
func (s *search) bend(box []interval.Span, c []float64, jet interval.Jet) float64 {
	jets := interval.Jets{Variables: s.n, Order: 2}
	return leastEigenvalue(s.n, func(i, k int) interval.Span {
		wi, wk := box[i].Sub(interval.Point(c[i])).Most(), box[k].Sub(interval.Point(c[k])).Most()
		return jet[jets.Hessian(i, k)].Scale(wi).Scale(wk)
	})
}

// leastEigenvalue bounds the eigenvalues of all symmetric matrices with entries in spans, given for k ≤ i, from below.
func leastEigenvalue(n int, entry func(i, k int) interval.Span) float64 {
	middle, off := make([]float64, n*n), make([]float64, n)
	for i := range n {
		for k := range i + 1 {
			x := entry(i, k)
			if i == k { // more on the diagonal only raises eigenvalues
				x = interval.Point(x.Lo)
			}
			if !x.IsFinite() {
				return math.Inf(-1)
			}
			middle[i*n+k], middle[k*n+i] = x.Mid(), x.Mid()
			off[i] += x.Radius()
			off[k] += x.Radius()
		}
	}
	least, most := dense.Eigenvalues(middle, n)
	if math.IsNaN(least) {
		return math.Inf(-1)
	}
	rounding := 1e-14 * max(-least, most)
	if least >= 0 && isDiagonal(middle, n) {
		rounding = 0
	}
	return least - slices.Max(off) - rounding
}

// isDiagonal tells whether all other entries are 0, so that the eigenvalues are exact.
func isDiagonal(a []float64, n int) bool {
	for i, v := range a {
		if i%(n+1) != 0 && v != 0 {
			return false
		}
	}
	return true
}
