package set

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Simplex is {u ≥ 0 : Σuᵢ = Sum}.
type Simplex struct{ Sum float64 }

// CappedSimplex is {u : Σuᵢ = Sum, 0 ≤ uᵢ ≤ Upper}, the budget set of the recommender [he2025, gain and entropy]. Upper may
// be +Inf.
type CappedSimplex struct{ Sum, Upper float64 }

var (
	_ kedge.Set = Simplex{}
	_ kedge.Set = CappedSimplex{}
)

// Check tells whether n numbers ≥ 0 can add up to Sum.
func (s Simplex) Check(n int) error { return s.capped().Check(n) }

// Project moves u to the nearest point of the simplex, xᵢ = max(uᵢ − t, 0) with t such that Σxᵢ = Sum [held1974].
func (s Simplex) Project(u []float64) error { return s.capped().Project(u) }

func (s Simplex) capped() CappedSimplex { return CappedSimplex{Sum: s.Sum, Upper: math.Inf(1)} }

// Check tells whether n numbers between 0 and Upper can add up to Sum.
func (s CappedSimplex) Check(n int) error {
	err := errors.Join(checkSize("Sum", s.Sum), kedge.CheckRange("Upper", s.Upper, s.Upper >= 0, "a number ≥ 0 or +Inf"))
	if err == nil && s.Sum > float64(n)*s.top() {
		err = fmt.Errorf("sum %v is more than %d entries up to %v can add up to: %w", s.Sum, n, s.Upper, kedge.ErrInfeasible)
	}
	return err
}

// Project moves u to the nearest point of the set, xᵢ = min(max(uᵢ − t, 0), Upper) with t such that Σxᵢ = Sum.
//
// The sum as a function of t is piecewise linear with breaks at uᵢ and uᵢ − Upper [brucker1984]. Its piece at Sum gives the
// entries at 0 and at Upper. The smallest entry between follows from the sum, the others from their differences to it: so
// every error is a rounding of an xᵢ, small against Sum however large u is, and there is nothing left to correct.
//
// The piece is found by Newton's method. Where its answer is not beyond doubt, a binary search over the sorted entries finds
// it; both ways lead to the same bits.
func (s CappedSimplex) Project(u []float64) error {
	if s.unsorted(u) {
		return nil
	}
	return s.sorted(u)
}

// sorted is Project by sorting and nothing else.
func (s CappedSimplex) sorted(u []float64) error {
	if err := errors.Join(s.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	var room [onStack]float64
	v := append(room[:0], u...)
	slices.Sort(v) // one order for all sums, so that permuted entries give permuted results
	switch {
	case s.holds(v):
	case s.top() == 0:
		clear(u)
	default:
		newCut(v, s.Sum, s.top()).apply(u)
	}
	return nil
}

// holds tells whether the sorted vector v is feasible.
func (s CappedSimplex) holds(v []float64) bool {
	n := len(v)
	return n == 0 || v[0] >= 0 && v[n-1] <= s.top() && math.Abs(s.residual(v)) <= s.tolerance(n)
}

// cut is the map y ↦ min(max(y − t, 0), top) for the t that gives the wanted sum.
type cut struct {
	low, high float64 // below low all are 0, from high on all are top
	atLow     float64 // the value at low
	top       float64
}

// newCut finds the cut of the sorted vector v.
func newCut(v []float64, total, top float64) cut {
	n := len(v)
	first := sort.Search(n, func(i int) bool { return positiveAt(v, v[i], total, top) })
	full := first + sort.Search(n-first, func(i int) bool { return fullAt(v, v[first+i], total, top) })
	c := cut{low: v[first], high: math.Inf(1), top: top}
	if full < n {
		c.high = v[full]
	}
	if first < full {
		left := rows.Total{High: total}
		left = left.AddProduct(-float64(n-full), top)
		for _, y := range v[first:full] {
			left = left.Add(c.low - y)
		}
		c.atLow = clamp(left.Value()/float64(full-first), 0, top)
	}
	return c
}

// positiveAt tells whether an entry y ends above 0: whether t < y, that is Σ min(max(vᵢ − y, 0), top) < total.
func positiveAt(v []float64, y, total, top float64) bool {
	s := rows.Total{High: -total}
	for i := len(v) - 1; i >= 0 && v[i] > y; i-- {
		if s = s.Add(min(v[i]-y, top)); s.Value() >= 0 {
			return false
		}
	}
	return true
}

// fullAt tells whether an entry y ends at top: whether t ≤ y − top, that is Σ min(max(vᵢ − y + top, 0), top) ≤ total.
func fullAt(v []float64, y, total, top float64) bool {
	s := rows.Total{High: -total}
	for i := len(v) - 1; i >= 0 && y-v[i] < top; i-- {
		if s = s.Add(top - max(y-v[i], 0)); s.Value() > 0 {
			return false
		}
	}
	return true
}

func (c cut) apply(x []float64) {
	for i, y := range x {
		switch {
		case y < c.low:
			x[i] = 0
		case y >= c.high:
			x[i] = c.top
		default:
			x[i] = min((y-c.low)+c.atLow, c.top)
		}
	}
}
