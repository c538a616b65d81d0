package set

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// slice is what a box and one equation have in common: {x : lower ≤ x ≤ upper, qᵀx = offset}, or ≤ offset. Its projection has
// a single unknown: x = clamp(u − θq), where θ is the root of the piecewise linear, non-increasing qᵀx(θ) − offset.
type slice struct {
	box      Box
	interval Interval // cuts the box
	q        []float64
	offset   float64
	below    bool // qᵀx ≤ offset is enough
}

// sliceOf recognises the intersection of a box or an interval with one equation or a half-space, in either order.
func sliceOf(of []kedge.Set) (s slice, ok bool) {
	if len(of) != 2 {
		return s, false
	}
	s.interval = Interval{math.Inf(-1), math.Inf(1)}
	for i, member := range of {
		switch m := member.(type) {
		case *Affine:
			if len(m.offset) == 1 {
				s.q, s.offset = m.basis, m.offset[0]
				return s.within(of[1-i])
			}
		case HalfSpace:
			s.q, s.offset, s.below = m.Normal, m.Bound, true
			return s.within(of[1-i])
		}
	}
	return s, false
}

func (s slice) within(member kedge.Set) (slice, bool) {
	switch b := member.(type) {
	case Box:
		s.box = b
	case Interval:
		s.interval = b
	default:
		return s, false
	}
	return s, true
}

func (s *slice) bounds(i int) (lower, upper float64) {
	lower, upper = s.box.bounds(i)
	return max(lower, s.interval.Lower), min(upper, s.interval.Upper)
}

// project moves u to the nearest point of the slice. An empty slice gives an error that wraps kedge.ErrInfeasible.
func (s *slice) project(u []float64) error {
	if least, most := s.reach(math.Inf(1)), s.reach(math.Inf(-1)); s.offset < least || s.offset > most && !s.below {
		return fmt.Errorf("no point within the bounds satisfies the equation or inequality: %w", kedge.ErrInfeasible)
	}
	if s.below && s.along(u, 0) <= s.offset {
		s.move(u, 0)
		return nil
	}
	var room [2 * onStack]float64
	kinks := s.kinks(room[:0], u)
	// Between kinks[after−1] and kinks[after] the root lies on one straight piece.
	after, _ := slices.BinarySearchFunc(kinks, s.offset, func(theta, offset float64) int {
		if s.along(u, theta) > offset {
			return -1
		}
		return 1
	})
	s.move(u, between(kinks, after))
	s.polish(u)
	return nil
}

// move puts x(θ) in the place of u.
func (s *slice) move(u []float64, theta float64) {
	for i, v := range u {
		u[i] = s.at(i, v, theta)
	}
}

// polish moves the entries between their bounds along q until the equation holds: the rest of the way on the straight piece
// where the root lies, and then what rounding left, much when u was far away.
func (s *slice) polish(x []float64) {
	for range 4 {
		var left, slope rows.Total
		left.High = s.offset
		for i, v := range x {
			left = left.AddProduct(-s.q[i], v)
			if lower, upper := s.bounds(i); lower < v && v < upper {
				slope = slope.AddProduct(s.q[i], s.q[i])
			}
		}
		step := left.Value() / slope.Value()
		if step == 0 || slope.Value() == 0 {
			return
		}
		for i, v := range x {
			if lower, upper := s.bounds(i); lower < v && v < upper {
				x[i] = clamp(v+float64(step*s.q[i]), lower, upper)
			}
		}
	}
}

// at is entry i of x(θ).
func (s *slice) at(i int, v, theta float64) float64 {
	lower, upper := s.bounds(i)
	return clamp(v-float64(theta*s.q[i]), lower, upper)
}

// along is qᵀx(θ).
func (s *slice) along(u []float64, theta float64) float64 {
	var total rows.Total
	for i, v := range u {
		total = total.AddProduct(s.q[i], s.at(i, v, theta))
	}
	return total.Value()
}

// reach is the limit of qᵀx(θ) as θ goes to an infinity: rounding in it must not make a slice empty, hence the margin.
func (s *slice) reach(theta float64) float64 {
	var total rows.Total
	size := math.Abs(s.offset)
	for i, q := range s.q {
		if q == 0 {
			continue
		}
		lower, end := s.bounds(i)
		if q*theta > 0 {
			end = lower
		}
		if math.IsInf(end, 0) {
			return math.Copysign(math.Inf(1), -theta)
		}
		total = total.AddProduct(q, end)
		size += math.Abs(float64(q * end))
	}
	return total.Value() - math.Copysign(8*unit*float64(len(s.q))*size, theta)
}

// kinks appends the θ at which an entry of x(θ) reaches a bound, in order.
func (s *slice) kinks(kinks, u []float64) []float64 {
	for i, v := range u {
		lower, upper := s.bounds(i)
		for _, bound := range [...]float64{lower, upper} {
			if theta := (v - bound) / s.q[i]; s.q[i] != 0 && !math.IsInf(theta, 0) {
				kinks = append(kinks, theta)
			}
		}
	}
	slices.Sort(kinks)
	return kinks
}

// between returns a point inside piece i of the pieces into which kinks cut the line.
func between(kinks []float64, i int) float64 {
	switch {
	case len(kinks) == 0:
		return 0
	case i == 0:
		return kinks[0] - max(1, math.Abs(kinks[0]))
	case i == len(kinks):
		return kinks[i-1] + max(1, math.Abs(kinks[i-1]))
	}
	return kinks[i-1] + (kinks[i]-kinks[i-1])/2
}
