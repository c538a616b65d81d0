package set

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// HalfSpace is {u : aᵀu ≤ b} with the normal a and the bound b. With a normal of zeros it is the whole space, or empty.
type HalfSpace struct {
	Normal []float64
	Bound  float64
}

var _ kedge.Set = HalfSpace{}

// Check tells whether the normal is a vector of n entries and some representable point satisfies the bound.
func (h HalfSpace) Check(n int) error {
	if err := errors.Join(kedge.CheckVector("Normal", h.Normal, n), kedge.CheckFinite("Bound", []float64{h.Bound})); err != nil {
		return err
	}
	switch m := rows.MaxAbs(h.Normal); {
	case m == 0 && h.Bound < 0:
		return fmt.Errorf("zero normal with the negative bound %v: %w", h.Bound, kedge.ErrInfeasible)
	case m == 0:
		return nil
	case m < 0x1p-1000:
		return &kedge.RangeError{Arg: "Normal", Got: m, Want: "zeros or a largest entry of at least 2⁻¹⁰⁰⁰"}
	case math.IsInf(h.Bound/m, 0):
		return &kedge.RangeError{Arg: "Bound", Got: h.Bound, Want: "a plane at a finite distance from the origin"}
	}
	return nil
}

// Project moves a point outside the half-space to u − a(aᵀu − b)/‖a‖², rounded so that it is never outside.
func (h HalfSpace) Project(u []float64) error {
	if err := errors.Join(h.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	f := normalizer(rows.MaxAbs(h.Normal))
	var room [onStack]float64
	x := append(room[:0], u...)
	excess, size := h.excess(x, f)
	if excess > 0 {
		size = h.land(x, f)
	}
	if !(size <= math.MaxFloat64) {
		return &kedge.RangeError{Arg: "u", Got: rows.MaxAbs(u), Want: "entries whose product with Normal does not overflow"}
	}
	copy(u, x)
	return nil
}

// land moves x to the plane. One step leaves an error that is small against x as it was, the next ones against x as it
// comes to be; growing steps then take off what is left outside. It returns the size of the last excess.
func (h HalfSpace) land(x []float64, f float64) float64 {
	excess, size := h.excess(x, f)
	for pass := 0; math.Abs(excess) > 8*unit*size && pass < 64; pass++ {
		h.step(x, f, excess)
		excess, size = h.excess(x, f)
	}
	for push := unit; excess > 0; push *= 2 {
		h.step(x, f, push*size)
		excess, size = h.excess(x, f)
	}
	return size
}

// excess returns f(aᵀx − b), and its size, which is the sum of the absolute values of its terms.
func (h HalfSpace) excess(x []float64, f float64) (excess, size float64) {
	s := rows.Total{High: -f * h.Bound}
	size = math.Abs(s.High)
	for i, v := range x {
		s = s.AddProduct(f*h.Normal[i], v)
		size += math.Abs(float64(f * h.Normal[i] * v))
	}
	return s.Value(), size
}

// step takes excess off f·aᵀx, along the normal.
func (h HalfSpace) step(x []float64, f, excess float64) {
	norm2 := 0.0
	for _, a := range h.Normal {
		norm2 += float64(f * a * (f * a))
	}
	for i, a := range h.Normal {
		x[i] -= float64(excess / norm2 * (f * a))
	}
}
