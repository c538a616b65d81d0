// Package set holds feasible sets as data, with exact Euclidean projections.
//
// Every type implements [kedge.Set] and has a method Check(n) that says whether it is a non-empty set of n-vectors. Project
// checks the set and the vector first, so a wrong length, a NaN, an infinity or an empty set is a typed error, and on an
// error u is unchanged.
//
// What holds after Project at any scale of the set and of u, denormal numbers aside:
//
//   - Box, Interval: the bounds hold exactly.
//   - Ball: the point is never outside, as measured by rows.Norm or, from a center, by rows.Distance.
//   - L1Ball: the distances add up to the radius or less, to n·2⁻⁵³ of it, and to 2⁻⁵² of the sizes of the center's entries.
//   - Simplex, CappedSimplex: the bounds hold exactly, the sum to n·2⁻⁵³ of itself.
//   - HalfSpace: the point is never outside, as measured with twice the working precision.
//   - Affine: the equations hold to a few n·2⁻⁵³ of the point.
//   - Lattice, Finite: the point is one of the set.
//   - Convex: the bounds hold exactly, and no curve is above 0; the nearest point is missed by about 10⁻¹⁰ of the distance.
//   - Product: what its parts promise.
//   - Changing: what the set of the turn promises; RateLimit: what its set does, and that no decision is out of reach.
//   - Intersection: the last member as that promises, the others to Tolerance.
//
// Denormal numbers cannot do better than half of the smallest of them an entry, and sums of them miss by as much.
//
// Projecting the result again returns it bit for bit; a point that already is in the set is returned as it came.
//
// Sets hold no state: one value serves any number of goroutines. Up to 256 entries nothing is allocated (Intersection: up
// to 1024 for entries × (members + 2)).
package set

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// unit is the unit roundoff: rounding changes a number by at most this part of itself.
const unit = 0x1p-53

// onStack is how many numbers of scratch space a projection keeps on the stack.
const onStack = 256

// ErrMissing is returned by Check where a set should be and is nil.
var ErrMissing = errors.New("there is no set")

// Check tells whether s is a non-empty set of n-vectors, as far as its own method Check knows.
func Check(s kedge.Set, n int) error {
	if s == nil {
		return ErrMissing
	}
	if c, ok := s.(kedge.CheckedSet); ok {
		return c.Check(n)
	}
	return nil
}

// Distance returns ‖u − P(u)‖, how far u is from its nearest point P(u) of s. It is zero in the set.
func Distance(s kedge.Set, u []float64) (float64, error) {
	p := append([]float64(nil), u...)
	if err := s.Project(p); err != nil {
		return 0, err
	}
	return rows.Distance(u, p), nil
}

// Whole is the whole space: every finite vector is feasible.
type Whole struct{}

// Check returns nil: the space is never empty.
func (Whole) Check(int) error { return nil }

// Project leaves u as it is.
func (Whole) Project(u []float64) error { return kedge.CheckFinite("u", u) }

// checkSize returns a *kedge.RangeError unless x is finite and not negative.
func checkSize(arg string, x float64) error {
	return kedge.CheckRange(arg, x, x >= 0 && x <= math.MaxFloat64, "a finite number ≥ 0")
}

// normalizer returns the power of two that brings a number of size m near 1, so that products with it are exact and
// squares cannot overflow.
func normalizer(m float64) float64 {
	_, e := math.Frexp(m)
	return math.Ldexp(1, -min(max(e, -1000), 1000))
}

// Product is {u = (u₁, u₂, …) : uₖ in the set of part k}.
type Product struct{ Parts []Part }

// Part is a set for the next Size entries of a decision.
type Part struct {
	Size int
	Set  kedge.Set
}

// Check tells whether the parts have n entries together and each is a non-empty set of its size.
func (p Product) Check(n int) error {
	var err error
	total := 0
	for i, part := range p.Parts {
		e := kedge.CheckRange("Size", part.Size, part.Size >= 0, "a number ≥ 0")
		if e == nil {
			e = Check(part.Set, part.Size)
		}
		if e != nil {
			err = errors.Join(err, fmt.Errorf("part %d: %w", i, e))
		}
		total += part.Size
	}
	return errors.Join(err, kedge.CheckDim("Parts together", total, n))
}

// Project projects every part on its own set.
func (p Product) Project(u []float64) error {
	if err := errors.Join(p.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	var room [onStack]float64
	before := append(room[:0], u...)
	rest := u
	for i, part := range p.Parts {
		if err := part.Set.Project(rest[:part.Size:part.Size]); err != nil {
			copy(u, before)
			return fmt.Errorf("part %d: %w", i, err)
		}
		rest = rest[part.Size:]
	}
	return nil
}
