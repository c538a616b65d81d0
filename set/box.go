package set

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
)

// Box is {u : Lowerᵢ ≤ uᵢ ≤ Upperᵢ}. A nil side is unbounded, and so is an entry −Inf of Lower or +Inf of Upper.
type Box struct{ Lower, Upper []float64 }

// Interval is {u : Lower ≤ uᵢ ≤ Upper}, the same bounds for every entry. Either side may be infinite.
type Interval struct{ Lower, Upper float64 }

// Check tells whether both sides have n entries and enclose a number each.
func (b Box) Check(n int) error {
	if err := errors.Join(checkSide("Lower", b.Lower, n), checkSide("Upper", b.Upper, n)); err != nil {
		return err
	}
	for i := range n {
		lower, upper := b.bounds(i)
		if err := (Interval{lower, upper}).Check(1); err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
	}
	return nil
}

// checkSide checks the length of one side of a box, of which nil has any.
func checkSide(arg string, x []float64, n int) error {
	if x == nil {
		return nil
	}
	return kedge.CheckLen(arg, x, n)
}

// Project moves every entry to the nearest number between its bounds.
func (b Box) Project(u []float64) error {
	if err := errors.Join(b.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	for i, v := range u {
		lower, upper := b.bounds(i)
		u[i] = clamp(v, lower, upper)
	}
	return nil
}

// bounded is a set of bounds on every entry.
type bounded interface {
	bounds(i int) (lower, upper float64)
}

func (b Interval) bounds(int) (lower, upper float64) { return b.Lower, b.Upper }

func (b Box) bounds(i int) (lower, upper float64) {
	lower, upper = math.Inf(-1), math.Inf(1)
	if b.Lower != nil {
		lower = b.Lower[i]
	}
	if b.Upper != nil {
		upper = b.Upper[i]
	}
	return lower, upper
}

// Check tells whether the bounds enclose a number.
func (b Interval) Check(int) error {
	lower := kedge.CheckRange("Lower", b.Lower, b.Lower < math.Inf(1), "a number below +Inf")
	upper := kedge.CheckRange("Upper", b.Upper, b.Upper > math.Inf(-1), "a number above -Inf")
	var order error
	if b.Lower > b.Upper {
		order = fmt.Errorf("lower bound %v exceeds upper bound %v: %w", b.Lower, b.Upper, kedge.ErrInfeasible)
	}
	return errors.Join(lower, upper, order)
}

// Project moves every entry to the nearest number between the bounds.
func (b Interval) Project(u []float64) error {
	if err := errors.Join(b.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	for i, v := range u {
		u[i] = clamp(v, b.Lower, b.Upper)
	}
	return nil
}

// clamp returns the number of [lower, upper] nearest to x, and x with its sign of zero if it lies inside.
func clamp(x, lower, upper float64) float64 {
	if x < lower {
		return lower
	}
	if x > upper {
		return upper
	}
	return x
}
