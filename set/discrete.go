package set

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Discrete is a set with gaps: separate points, or whole numbers in some entries. It is not convex, so that two points may have nearest ones
// that are farther apart, and a small step may lead nowhere: rules walk in Relaxed and deploy the nearest point.
type Discrete interface {
	kedge.Set
	// Relaxed is a convex set around it.
	Relaxed() kedge.Set
}

// Lattice is a box some entries of which are whole numbers. A nil side is unbounded, as of a Box; a nil Whole says that all entries are.
type Lattice struct {
	Lower, Upper []float64
	Whole        []bool
}

// Finite is a list of points.
type Finite struct{ Points [][]float64 }

var (
	_ Discrete = Lattice{}
	_ Discrete = Finite{}
)

// allWhole is the number from which on all numbers are whole.
const allWhole = 1 << 52

// Bounds are the least and the greatest number of entry i, whole where the entry is.
func (l Lattice) Bounds(i int) (lower, upper float64) {
	lower, upper = Box{l.Lower, l.Upper}.bounds(i)
	if l.IsWhole(i) {
		return math.Ceil(lower), math.Floor(upper)
	}
	return lower, upper
}

// IsWhole tells whether entry i is a whole number.
func (l Lattice) IsWhole(i int) bool { return l.Whole == nil || l.Whole[i] }

// Check tells whether both sides have n entries and enclose a number each, a whole one where the entry is.
func (l Lattice) Check(n int) error {
	err := Box{l.Lower, l.Upper}.Check(n)
	if l.Whole != nil {
		err = errors.Join(err, kedge.CheckDim("Whole", len(l.Whole), n))
	}
	if err != nil {
		return err
	}
	for i := range n {
		if lower, upper := l.Bounds(i); lower > upper {
			low, high := Box{l.Lower, l.Upper}.bounds(i)
			return fmt.Errorf("entry %d: there is no whole number from %v to %v: %w", i, low, high, kedge.ErrInfeasible)
		}
	}
	return nil
}

// Project moves every entry to the nearest number between its bounds, a whole one where the entry is. Of two as near it is the lower.
func (l Lattice) Project(u []float64) error {
	if err := errors.Join(l.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	for i, v := range u {
		lower, upper := l.Bounds(i)
		if l.IsWhole(i) && math.Abs(v) < allWhole {
			v = math.Ceil(v - 0.5)
		}
		u[i] = clamp(v, lower, upper) + 0 // -0 is 0
	}
	return nil
}

// Relaxed is the box between the bounds.
func (l Lattice) Relaxed() kedge.Set {
	n := max(len(l.Lower), len(l.Upper), len(l.Whole))
	b := Box{Lower: make([]float64, n), Upper: make([]float64, n)}
	for i := range n {
		b.Lower[i], b.Upper[i] = l.Bounds(i)
	}
	if n == 0 {
		return Whole{}
	}
	return b
}

// Check tells whether there are points, all of n entries.
func (f Finite) Check(n int) error {
	if len(f.Points) == 0 {
		return fmt.Errorf("there is no point: %w", kedge.ErrInfeasible)
	}
	for i, p := range f.Points {
		if err := kedge.CheckVector("point", p, n); err != nil {
			return fmt.Errorf("point %d: %w", i, err)
		}
	}
	return nil
}

// Project moves u to the nearest point, the first in the list of those as near.
func (f Finite) Project(u []float64) error {
	if err := errors.Join(f.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	nearest, least := f.Points[0], math.Inf(1)
	for _, p := range f.Points {
		if far := rows.Distance(u, p); far < least {
			nearest, least = p, far
		}
	}
	copy(u, nearest)
	return nil
}

// Relaxed is the smallest box that holds the points.
func (f Finite) Relaxed() kedge.Set {
	b := Box{Lower: append([]float64(nil), f.Points[0]...), Upper: append([]float64(nil), f.Points[0]...)}
	for _, p := range f.Points {
		for i, v := range p {
			b.Lower[i], b.Upper[i] = min(b.Lower[i], v), max(b.Upper[i], v)
		}
	}
	return b
}

// Wholes lists the points of a bounded convex set of n-vectors whose entries all are whole numbers, in order of their first entries. More than most
// numbers between the ends of the set, entry by entry, are an error; so is none.
func Wholes(s kedge.Set, n, most int) (Finite, error) {
	lower, upper, err := ends(s, n)
	if err != nil {
		return Finite{}, err
	}
	count := 1.0
	for i := range n {
		count *= max(0, upper[i]-lower[i]+1)
	}
	if !(count <= float64(most)) {
		return Finite{}, &kedge.RangeError{Arg: "whole numbers between the ends of the set", Got: count, Want: fmt.Sprintf("at most %d", most)}
	}
	var list Finite
	at, u := append([]float64(nil), lower...), make([]float64, n)
	for range int(count) {
		copy(u, at)
		if err := s.Project(u); err != nil {
			return Finite{}, err
		}
		if rows.Distance(u, at) <= nearWhole*max(1, rows.Norm(at)) {
			list.Points = append(list.Points, append([]float64(nil), at...))
		}
		for i := n - 1; i >= 0; i-- {
			if at[i]++; at[i] <= upper[i] {
				break
			}
			at[i] = lower[i]
		}
	}
	if len(list.Points) == 0 {
		return list, fmt.Errorf("no point of the set has whole entries: %w", kedge.ErrInfeasible)
	}
	return list, nil
}

// nearWhole is by what part of its size a point may miss a set, and the set an end, which projections find with rounding.
const nearWhole = 1e-9

// ends are the least and the greatest whole number of every entry over a bounded set.
func ends(s kedge.Set, n int) (lower, upper []float64, err error) {
	lower, upper = make([]float64, n), make([]float64, n)
	for i := range n {
		for _, side := range []float64{-far, far} {
			u := make([]float64, n)
			u[i] = side
			if err := s.Project(u); err != nil {
				return nil, nil, err
			}
			if math.Abs(u[i]) > far/1000 {
				return nil, nil, &kedge.RangeError{Arg: fmt.Sprintf("entry %d", i), Got: u[i], Want: "a set with an end there"}
			}
			slack := float64(1e-6 * max(1, math.Abs(u[i]))) // of what is far away the projection is nearly the end
			if _, ok := s.(Convex); ok {
				slack = 1 // which is known less exactly, the farther away
			}
			if side < 0 {
				lower[i] = math.Ceil(u[i] - slack)
			} else {
				upper[i] = math.Floor(u[i] + slack)
			}
		}
	}
	return lower, upper, nil
}
