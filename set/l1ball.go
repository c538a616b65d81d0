package set

import (
	"errors"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// L1Ball is {u : Σ|uᵢ − Centerᵢ| ≤ Radius}. A nil Center is the origin.
type L1Ball struct {
	Radius float64
	Center []float64
}

// Check tells whether the radius is a finite number ≥ 0 and the center a vector of n entries.
func (b L1Ball) Check(n int) error { return Ball(b).Check(n) }

// Project moves a point outside the ball to c + s·max(|u − c| − t, 0), with the signs s of u − c and the t at which the distances add
// up to the radius [duchi2008]: the projection of |u − c| onto the simplex of that sum, by thresholds of its sorted entries.
func (b L1Ball) Project(u []float64) error {
	if err := errors.Join(b.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	var room [onStack]float64
	away := append(room[:0], u...)
	part := b.away(away)
	radius := part * b.Radius
	if holds(away, radius, part*b.slack(len(u))) {
		return nil
	}
	if err := (Simplex{Sum: radius}).Project(away); err != nil {
		return err
	}
	for i, v := range u {
		if c := Ball(b).center(i); v < c {
			u[i] = c - away[i]/part
		} else {
			u[i] = c + away[i]/part
		}
	}
	return nil
}

// away replaces u by |u − c|, or by half of it where that would overflow, and returns the part.
func (b L1Ball) away(u []float64) (part float64) {
	part = 1
	if b.Center != nil && math.IsInf(rows.MaxAbs(u)+rows.MaxAbs(b.Center), 1) {
		part = 0.5
	}
	for i, v := range u {
		u[i] = math.Abs(float64(part*v) - float64(part*Ball(b).center(i))) // exact products
	}
	return part
}

// holds tells whether distances add up to no more than the radius and what rounding adds to it. One order for the sum, so that permuted
// entries give permuted results; what is far from the bound needs none.
func holds(away []float64, radius, slack float64) bool {
	sum, doubt := rows.Sum(away), slack+float64(8*unit*float64(len(away)+1)*radius)
	if math.Abs(sum-radius) > doubt {
		return sum < radius
	}
	var room [onStack]float64
	sorted := append(room[:0], away...)
	slices.Sort(sorted)
	total := rows.Total{High: -radius}
	for _, v := range sorted {
		total = total.Add(v)
	}
	return total.Value() <= slack
}

// slack is what n rounded entries may add to the radius: roundings of the radius, and of entries as large as those of the center.
func (b L1Ball) slack(n int) float64 {
	own := float64(Simplex{Sum: b.Radius}.capped().tolerance(n))
	if b.Center == nil {
		return own
	}
	size := 0.0
	for _, c := range b.Center {
		size += float64(math.Abs(c) * unit) // unit first, so that large centers do not overflow
	}
	return own + float64(2*(size+float64(unit*b.Radius)))
}
