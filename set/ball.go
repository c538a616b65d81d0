package set

import (
	"errors"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Ball is {u : ‖u − Center‖ ≤ Radius}. A nil Center is the origin.
type Ball struct {
	Radius float64
	Center []float64
}

// Check tells whether the radius is a finite number ≥ 0 and the center a vector of n entries.
func (b Ball) Check(n int) error {
	if b.Center == nil {
		return checkSize("Radius", b.Radius)
	}
	return errors.Join(checkSize("Radius", b.Radius), kedge.CheckVector("Center", b.Center, n))
}

// Project moves a point outside the ball to c + r(u − c)/‖u − c‖, rounded so that it is never outside.
func (b Ball) Project(u []float64) error {
	if err := errors.Join(b.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	if b.distance(u) <= b.Radius {
		return nil
	}
	b.point(u)
	for i, v := range u {
		u[i] = b.center(i) + float64(v*b.Radius)
	}
	for shrink := unit; b.distance(u) > b.Radius; shrink *= 2 {
		b.pull(u, math.Max(0, 1-shrink))
	}
	return nil
}

// point replaces u by the unit vector from the center to u.
func (b Ball) point(u []float64) {
	half := 1.0
	if math.IsInf(b.distance(u), 1) {
		half = 0.5
	}
	for i, v := range u {
		u[i] = float64(half*v) - float64(half*b.center(i)) // exact products
	}
	rows.Scale(u, normalizer(rows.MaxAbs(u)))
	norm := rows.Norm(u)
	for i := range u {
		u[i] /= norm
	}
}

// pull moves u towards the center, to the given part of its distance.
func (b Ball) pull(u []float64, part float64) {
	for i, v := range u {
		c := b.center(i)
		u[i] = c + float64(part*(v-c))
	}
}

func (b Ball) distance(u []float64) float64 {
	if b.Center == nil {
		return rows.Norm(u)
	}
	return rows.Distance(u, b.Center)
}

func (b Ball) center(i int) float64 {
	if b.Center == nil {
		return 0
	}
	return b.Center[i]
}
