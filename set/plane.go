package set

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// HalfSpace is {u : aᵀu ≤ b} with the normal a and the bound b. With a normal of zeros it is the whole space, or empty.
type HalfSpace struct {
	Normal []float64
	Bound  float64
}

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

// norm2 returns ‖f·a‖².
func (h HalfSpace) norm2(f float64) (sum float64) {
	for _, a := range h.Normal {
		sum += float64(f * a * (f * a))
	}
	return sum
}

// step takes excess off f·aᵀx, along the normal.
func (h HalfSpace) step(x []float64, f, excess float64) {
	norm2 := h.norm2(f)
	for i, a := range h.Normal {
		x[i] -= float64(excess / norm2 * (f * a))
	}
}

// Affine is {u : Au = b}. Make one with NewAffine.
type Affine struct {
	dim    int
	basis  []float64 // orthonormal basis q₁ … qᵣ of the row space of A, one vector a row
	offset []float64 // the set is {u : qᵢᵀu = offsetᵢ}
}

// NewAffine returns {u : Au = b} for the row-major matrix A with len(b) rows. Rows may depend on each other and differ in
// scale; rows that contradict each other give an error that wraps kedge.ErrInfeasible.
func NewAffine(a, b []float64) (*Affine, error) {
	m := len(b)
	if m == 0 {
		return nil, &kedge.RangeError{Arg: "len(b)", Got: 0, Want: "at least one equation"}
	}
	if rest := len(a) % m; rest != 0 {
		return nil, &kedge.DimError{Arg: "a", Got: len(a), Want: len(a) - rest + m}
	}
	if err := errors.Join(kedge.CheckFinite("a", a), kedge.CheckFinite("b", b)); err != nil {
		return nil, err
	}
	a, b = equalized(a, b)
	if !rows.Finite(b) {
		return nil, &kedge.RangeError{Arg: "b", Got: rows.MaxAbs(b), Want: "planes at a finite distance from the origin"}
	}
	return solved(a, b)
}

// equalized returns the equations, each multiplied by the power of two that brings the norm of its row near 1.
func equalized(a, b []float64) (scaledA, scaledB []float64) {
	scaledA, scaledB = append(scaledA, a...), append(scaledB, b...)
	n := len(a) / len(b)
	for i := range scaledB {
		row := kedge.Row(scaledA, i, n)
		for range 2 { // the second time for a norm that overflowed, or was out of reach for one factor
			f := normalizer(min(rows.Norm(row), math.MaxFloat64))
			rows.Scale(row, f)
			scaledB[i] *= f
		}
	}
	return scaledA, scaledB
}

// solved finds basis and offset of equalized equations. The offset is Qx of their smallest solution x, refined until the
// equations hold to the rounding of x; those that do not come to hold contradict the others.
func solved(a, b []float64) (*Affine, error) {
	s := &Affine{dim: len(a) / len(b)}
	pivots := s.orthogonalize(a, len(b))
	s.offset = make([]float64, len(pivots))
	x, rest := make([]float64, s.dim), make([]float64, len(b))
	wrong := s.remainder(rest, a, b, x)
	for pass := 0; wrong >= 0 && pass < 16; pass++ {
		s.substitute(s.offset, a, rest, pivots)
		rows.AddMulT(x, s.basis, s.offset)
		wrong = s.remainder(rest, a, b, x)
	}
	if wrong >= 0 {
		return nil, fmt.Errorf("equation %d contradicts the others: %w", wrong, kedge.ErrInfeasible)
	}
	clear(s.offset)
	rows.AddMul(s.offset, s.basis, x)
	return s, nil
}

// orthogonalize fills the basis from the m rows of A by the Gram–Schmidt method, each time with the row of which most is
// left, and returns the rows it took. A row of which only rounding is left depends on them.
func (s *Affine) orthogonalize(a []float64, m int) (pivots []int) {
	left := append([]float64(nil), a...)
	for len(pivots) < min(m, s.dim) {
		most, norm := 0, 0.0
		for i := range m {
			if d := rows.Norm(kedge.Row(left, i, s.dim)); d > norm {
				most, norm = i, d
			}
		}
		if norm <= 2*unit*float64(max(m, s.dim)) {
			break
		}
		pivots = append(pivots, most)
		s.extend(kedge.Row(left, most, s.dim))
		for i := range m {
			without(kedge.Row(left, i, s.dim), kedge.Row(s.basis, len(pivots)-1, s.dim))
		}
		clear(kedge.Row(left, most, s.dim))
	}
	return pivots
}

// extend adds the direction of v to the basis, made orthogonal to it a second and a third time, because v may be little of
// a row and much rounding [golub2013].
func (s *Affine) extend(v []float64) {
	q := append([]float64(nil), v...)
	for range 2 {
		rows.Scale(q, 1/rows.Norm(q))
		for i := range len(s.basis) / s.dim {
			without(q, kedge.Row(s.basis, i, s.dim))
		}
	}
	rows.Scale(q, 1/rows.Norm(q))
	s.basis = append(s.basis, q...)
}

// without takes the direction q out of v.
func without(v, q []float64) { rows.AddScaled(v, -rows.Dot(v, q), q) }

// off is by how much u misses the equation that it misses most.
func (s *Affine) off(u []float64) (far float64) {
	for i, want := range s.offset {
		off := rows.Total{High: -want}
		for j, q := range kedge.Row(s.basis, i, s.dim) {
			off = off.AddProduct(q, u[j])
		}
		far = max(far, math.Abs(off.Value()))
	}
	return far
}

// directions returns an orthonormal basis of the directions within the set, one a row: of all axes the one that is least among those there are is next.
func (s *Affine) directions() []float64 {
	all := &Affine{dim: s.dim, basis: append([]float64(nil), s.basis...)}
	taken := make([]float64, s.dim) // of every axis
	for r := 0; r < s.dim; r++ {
		if r >= len(s.offset) {
			v := make([]float64, s.dim)
			v[slices.Index(taken, slices.Min(taken))] = 1
			all.extend(v)
		}
		for i, q := range kedge.Row(all.basis, r, s.dim) {
			taken[i] += float64(q * q)
		}
	}
	return all.basis[len(s.basis):]
}

// substitute solves for the coordinates of a point in the basis that satisfies the pivot equations with the given
// right-hand sides: a pivot row has no part in the directions that later pivots added.
func (s *Affine) substitute(dst, a, b []float64, pivots []int) {
	for k, pivot := range pivots {
		row, rest := kedge.Row(a, pivot, s.dim), b[pivot]
		for i := range k {
			rest -= float64(rows.Dot(row, kedge.Row(s.basis, i, s.dim)) * dst[i])
		}
		dst[k] = rest / rows.Dot(row, kedge.Row(s.basis, k, s.dim))
	}
}

// remainder writes b − Ax to dst and returns the first equation in which it is more than rounding, −1 if none.
func (s *Affine) remainder(dst, a, b, x []float64) (wrong int) {
	wrong = -1
	bar := 8 * unit * float64(max(len(b), s.dim))
	for i, want := range b {
		rest, size := rows.Total{High: want}, math.Abs(want)
		for j, c := range kedge.Row(a, i, s.dim) {
			rest = rest.AddProduct(-c, x[j])
			size += math.Abs(float64(c * x[j]))
		}
		if dst[i] = rest.Value(); wrong < 0 && !(math.Abs(dst[i]) <= bar*size) {
			wrong = i
		}
	}
	return wrong
}

// Check tells whether the set has n-vectors.
func (s *Affine) Check(n int) error { return kedge.CheckDim("u", n, s.dim) }

// Project moves u to u − Σ qᵢ(qᵢᵀu − offsetᵢ), again and again until what is left is rounding at the scale of the result:
// once or twice, unless u is far larger than its projection.
func (s *Affine) Project(u []float64) error {
	if err := errors.Join(s.Check(len(u)), kedge.CheckFinite("u", u)); err != nil {
		return err
	}
	var room, more [onStack]float64
	x := append(room[:0], u...)
	r := append(more[:0], s.offset...)
	for range 64 {
		if s.residual(r, x) {
			break
		}
		rows.AddMulT(x, s.basis, r)
	}
	if !rows.Finite(x) {
		return &kedge.RangeError{Arg: "u", Got: rows.MaxAbs(u), Want: "entries whose sum does not overflow"}
	}
	copy(u, x)
	return nil
}

// residual writes offset − Qx to r and tells whether that is no more than rounding.
func (s *Affine) residual(r, x []float64) bool {
	for i, c := range s.offset {
		r[i] = c - rows.Dot(x, kedge.Row(s.basis, i, s.dim))
	}
	return rows.MaxAbs(r) <= 4*unit*float64(s.dim+2)*max(rows.MaxAbs(x), rows.MaxAbs(s.offset), 0x1p-1022)
}
