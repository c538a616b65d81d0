package set

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Intersection is the set of the points common to all sets of Of, projected on by Dykstra's method [boyle1986].
//
// The result lies in the last member as exactly as that member's own projection, and within Tolerance·‖result‖∞ of every
// other. List last what must hold to the last bit.
//
// The number of rounds grows with the distance of u in units of the set: a step that leads a thousand times its size away
// takes thousands of rounds to come back. A Box or an Interval and one equation or half-space, two members in all, are projected
// on at once from any distance; if they have no point in common, the error wraps kedge.ErrInfeasible.
//
// Any other empty intersection cannot be told from a slow one in finitely many steps; both give a *kedge.NotConvergedError.
type Intersection struct {
	Of        []kedge.Set
	Tolerance float64 // relative to the size of the vectors, 1e−12 if zero
	MaxSteps  int     // rounds through all members, 10 000 if zero
}

// Check tells whether every member is a non-empty set of n-vectors. Whether they have a point in common only Project finds.
func (s Intersection) Check(n int) error {
	err := errors.Join(kedge.CheckRange("Tolerance", s.Tolerance, s.Tolerance >= 0 && s.Tolerance < 1, "0 ≤ Tolerance < 1"),
		kedge.CheckRange("MaxSteps", s.MaxSteps, s.MaxSteps >= 0, "a number ≥ 0"))
	for i, member := range s.Of {
		if e := Check(member, n); e != nil {
			err = errors.Join(err, fmt.Errorf("member %d: %w", i, e))
		}
	}
	return err
}

// Project moves u to the nearest common point.
//
// It stops when the projections of a whole round move the point by no more than the tolerance in total, a rule that
// stalling cannot deceive [birgin2005]. A point much smaller than what was projected is projected once more at its own
// scale, so that the distance to every member is small against the result and not against u.
func (s Intersection) Project(u []float64) error {
	if err := errors.Join(s.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	var room [4 * onStack]float64
	n := len(u)
	need := n * (len(s.Of) + 2)
	work := slices.Grow(room[:0], need)[:need]
	start := work[:n]
	copy(start, u)
	d := dykstra{Intersection: s.withDefaults(), before: work[n : 2*n], increments: work[2*n:]}
	err := d.cut(u, start)
	if err == nil {
		err = d.run(u)
	}
	if err != nil {
		copy(u, start)
	}
	return err
}

func (s Intersection) withDefaults() Intersection {
	s.Tolerance, s.MaxSteps = cmp.Or(s.Tolerance, 1e-12), cmp.Or(s.MaxSteps, 10_000)
	return s
}

// dykstra is one run of the method. The point x is passed beside it, because members see x and nothing else: what they do
// not see can stay on the stack.
type dykstra struct {
	Intersection
	before     []float64
	increments []float64 // what each member took off last time, one a row
	steps      int
}

// cut projects x at once where only a box and one equation or half-space meet. What rounding spoils in that is left to the method itself.
func (d *dykstra) cut(x, start []float64) error {
	s, ok := sliceOf(d.Of)
	if !ok || d.within(x) {
		return nil
	}
	if err := s.project(x); err != nil {
		return err
	}
	if !d.within(x) {
		copy(x, start)
	}
	return nil
}

func (d *dykstra) run(x []float64) error {
	for {
		far, err := d.farthest(x)
		if err != nil || far <= d.Tolerance*rows.MaxAbs(x) {
			return err
		}
		if err := d.converge(x); err != nil {
			return err
		}
	}
}

// within tells whether x is as good as common to all members.
func (d *dykstra) within(x []float64) bool {
	far, err := d.farthest(x)
	return err == nil && far <= d.Tolerance*rows.MaxAbs(x)
}

// farthest returns the largest distance of x to a member.
func (d *dykstra) farthest(x []float64) (far float64, err error) {
	copy(d.before, x)
	for i, member := range d.Of {
		if err := member.Project(x); err != nil {
			return 0, fmt.Errorf("member %d: %w", i, err)
		}
		far = max(far, rows.Distance(x, d.before))
		copy(x, d.before)
	}
	return far, nil
}

// converge projects x on the intersection, to half the tolerance at the scale of x.
func (d *dykstra) converge(x []float64) error {
	clear(d.increments)
	size, moved := rows.MaxAbs(x), math.Inf(1)
	for ; d.steps < d.MaxSteps; d.steps++ {
		var err error
		moved, err = d.round(x)
		size = max(size, rows.MaxAbs(x))
		if err != nil || moved <= d.Tolerance/2*size {
			d.steps++
			return err
		}
	}
	return &kedge.NotConvergedError{
		What: "a point common to all sets", Residual: moved, Tolerance: d.Tolerance / 2 * size, Steps: d.steps,
	}
}

// round projects x on every member in turn, each time with what that member took off in the last round put back, and
// returns how far the projections moved it in total.
func (d *dykstra) round(x []float64) (moved float64, err error) {
	for i, member := range d.Of {
		copy(d.before, x)
		increment := kedge.Row(d.increments, i, len(x))
		rows.AddScaled(x, 1, increment)
		copy(increment, x)
		if err := member.Project(x); err != nil {
			return 0, fmt.Errorf("member %d: %w", i, err)
		}
		rows.AddScaled(increment, -1, x)
		moved += rows.Distance(x, d.before)
	}
	return moved, nil
}

// slice is what a box and one equation have in common: {x : lower ≤ x ≤ upper, qᵀx = offset}, or ≤ offset. Its projection has
// a single unknown: x = clamp(u − θq), where θ is the root of the piecewise linear, non-increasing qᵀx(θ) − offset.
type slice struct {
	bounded
	q      []float64
	offset float64
	below  bool // qᵀx ≤ offset is enough
}

// sliceOf recognises the intersection of a box or an interval with one equation or a half-space, in either order.
func sliceOf(of []kedge.Set) (s slice, ok bool) {
	if len(of) != 2 {
		return s, false
	}
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

func (s slice) within(member kedge.Set) (_ slice, ok bool) {
	s.bounded, ok = member.(bounded)
	return s, ok
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
