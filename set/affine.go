package set

import (
	"errors"
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Affine is {u : Au = b}. Make one with NewAffine.
type Affine struct {
	dim    int
	basis  []float64 // orthonormal basis q₁ … qᵣ of the row space of A, one vector a row
	offset []float64 // the set is {u : qᵢᵀu = offsetᵢ}
}

var _ kedge.Set = (*Affine)(nil)

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
