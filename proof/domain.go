package proof

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/interval"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/set"
)

// isBox tells whether every entry of a decision has bounds of its own and nothing else restricts it.
func isBox(s kedge.Set) bool {
	switch s := s.(type) {
	case nil, set.Box, set.Interval, set.Whole:
		return true
	case set.Product:
		return !slices.ContainsFunc(s.Parts, func(p set.Part) bool { return !isBox(p.Set) })
	case set.Intersection:
		return !slices.ContainsFunc(s.Of, func(member kedge.Set) bool { return !isBox(member) })
	}
	return false
}

// curved tells whether a set is bounded by curves, on which nearest points are found by steps and are good to 10⁻⁹ of the distance at most.
func curved(s kedge.Set) bool {
	switch s := s.(type) {
	case set.Convex:
		return true
	case set.Product:
		return slices.ContainsFunc(s.Parts, func(p set.Part) bool { return curved(p.Set) })
	case set.Intersection:
		return slices.ContainsFunc(s.Of, curved)
	}
	return false
}

// slack is what projections miss, relative to the sizes of what is compared: for planes between a box and the set, and for slopes along the set.
func (s *search) slack() (apart, along float64) {
	if s.isCurved {
		return 1e-8, 1e-8
	}
	return 1e-9, 1e-11
}

// curveWork is how many spans are computed in the time of a projection onto curves, about.
const curveWork = 1 << 14

func (s *search) project(u []float64) error {
	if s.set == nil {
		return nil
	}
	if s.isCurved {
		s.work += curveWork
	}
	if err := s.set.Project(u); err != nil {
		return fmt.Errorf("project a decision: %w", err)
	}
	return nil
}

const far = 1e6 // times the size of a set: as good as infinitely far away

// bounds returns a box that holds the set. The projection z of a point far out along an axis is nearly the last of the set that
// way: (x − z)ᵀ(y − z) ≤ 0 for all y in the set, so none reaches farther than z by more than the square of the set's size over
// the distance, and none at all where x − z is along the axis.
func (s *search) bounds(u []float64) ([]interval.Span, error) {
	n, size := len(u), 0.0
	reach := make([]float64, 2*n)
	for k := range reach {
		var err error
		if reach[k], err = s.reach(u, k); err != nil {
			return nil, err
		}
		size += reach[k]
	}
	box := make([]interval.Span, n)
	for k := range reach {
		end, err := s.end(u, k, reach[k], size)
		if err != nil {
			return nil, err
		}
		if k%2 == 0 {
			box[k/2].Lo = end
		} else {
			box[k/2].Hi = end
		}
	}
	return box, nil
}

// outward returns the projection of the point that is t away from u along an axis: k = 2i is down, k = 2i+1 up axis i.
func (s *search) outward(u []float64, k int, t float64) (z []float64, err error) {
	z = slices.Clone(u)
	z[k/2] += float64(t * float64(k%2*2-1))
	return z, s.project(z)
}

// reach is how far from u the set goes in a direction, roughly; +Inf where it has no end.
func (s *search) reach(u []float64, k int) (float64, error) {
	for t := 1.0; t < 1e40; t *= far {
		z, err := s.outward(u, k, t)
		if err != nil {
			return 0, err
		}
		if moved := rows.Farthest(z, u); moved <= t/far {
			return moved, nil
		}
	}
	return math.Inf(1), nil
}

// end is where the set ends in a direction.
func (s *search) end(u []float64, k int, reach, size float64) (float64, error) {
	sign := float64(k%2*2 - 1)
	if math.IsInf(reach, 1) || reach == 0 {
		return u[k/2] + float64(sign*reach), nil
	}
	t := far * size
	if math.IsInf(size, 1) {
		t = far * reach
	}
	z, err := s.outward(u, k, t)
	if err != nil {
		return 0, err
	}
	end := z[k/2]
	z[k/2] = u[k/2]
	if !slices.Equal(z, u) {
		beyond := 4 * float64(len(u)) * size / far
		if s.isCurved {
			beyond = 0.01 * size
		}
		end += float64(sign * beyond)
	}
	return end, nil
}

// stretch is how much larger than a neighbourhood the part of a convex function's domain is for which the neighbourhood speaks.
const stretch = 10

// neighbourhood is a box around the best decision, not quite in the middle, where a kink might be. What holds there for a convex
// function holds elsewhere: a value that is lower by some gap would make one at the edge lower by a tenth of it.
func (s *search) neighbourhood() []interval.Span {
	size := s.size()
	box := make([]interval.Span, s.n)
	for i, d := range s.domain {
		radius := (d.Hi - d.Lo) / stretch
		if math.IsInf(radius, 1) {
			radius = size
		}
		box[i], _ = d.Meet(interval.Span{Lo: s.best[i] - radius, Hi: s.best[i] + float64(1.0625*radius)})
	}
	return box
}

// size is that of the decisions that matter.
func (s *search) size() float64 {
	return cmp.Or(max(s.budget.Size, rows.MaxAbs(s.best)), 1)
}

// middle is where a side is cut; an infinite one, farther out each time.
func (s *search) middle(x interval.Span, side int) float64 {
	size := s.size()
	switch {
	case x.IsFinite():
		return x.Mid()
	case math.IsInf(x.Hi, 1) && math.IsInf(x.Lo, -1):
		return s.best[side]
	case math.IsInf(x.Hi, 1):
		return max(x.Lo+size, 2*x.Lo)
	}
	return min(x.Hi-size, 2*x.Hi)
}
