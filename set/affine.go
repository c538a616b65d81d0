package set

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/rows"
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

// equalized returns the equations, each multiplied by the power of two that brings its largest coefficient near 1.
func equalized(a, b []float64) (scaledA, scaledB []float64) {
	scaledA, scaledB = append(scaledA, a...), append(scaledB, b...)
	n := len(a) / len(b)
	for i := range scaledB {
		row := kedge.Row(scaledA, i, n)
		f := normalizer(rows.MaxAbs(row))
		rows.Scale(row, f)
		scaledB[i] *= f
	}
	return scaledA, scaledB
}

// solved finds basis and offset of equalized equations. The offset is Qx of their smallest solution x, refined until the
// equations hold to the rounding of x; those that do not come to hold contradict the others.
func solved(a, b []float64) (*Affine, error) {
	s := &Affine{dim: len(a) / len(b)}
	inverse, err := s.factorize(a, len(b))
	if err != nil {
		return nil, err
	}
	s.offset = make([]float64, len(inverse)/len(b))
	x, rest := make([]float64, s.dim), append([]float64(nil), b...)
	wrong := s.remainder(rest, a, b, x)
	for pass := 0; wrong >= 0 && pass < 16; pass++ {
		clear(s.offset)
		rows.AddMul(s.offset, inverse, rest)
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

// factorize finds the basis, and the matrix that maps a right-hand side to coordinates in it, from the singular value
// decomposition of A with m rows. A singular value below the rounding error of the largest counts as zero [golub2013].
func (s *Affine) factorize(a []float64, m int) (inverse []float64, err error) {
	if s.dim == 0 {
		return nil, nil
	}
	var svd mat.SVD
	if !svd.Factorize(mat.NewDense(m, s.dim, a), mat.SVDThin) {
		return nil, fmt.Errorf("singular values of A: %w", kedge.ErrSingular)
	}
	var left, right mat.Dense
	svd.UTo(&left)
	svd.VTo(&right)
	values := svd.Values(nil)
	for j, value := range values {
		if value <= 2*unit*float64(max(m, s.dim))*values[0] {
			break
		}
		s.basis = append(s.basis, mat.Col(nil, j, &right)...)
		column := mat.Col(nil, j, &left)
		rows.Scale(column, 1/value)
		inverse = append(inverse, column...)
	}
	return inverse, nil
}

// remainder writes b − Ax to dst and returns the first equation in which it is more than rounding, −1 if none.
func (s *Affine) remainder(dst, a, b, x []float64) (wrong int) {
	wrong = -1
	bar := 8 * unit * float64(max(len(b), s.dim))
	for i, want := range b {
		rest, size := sum{high: want}, math.Abs(want)
		for j, c := range kedge.Row(a, i, s.dim) {
			rest.addProduct(-c, x[j])
			size += math.Abs(float64(c * x[j]))
		}
		if dst[i] = rest.value(); wrong < 0 && !(math.Abs(dst[i]) <= bar*size) {
			wrong = i
		}
	}
	return wrong
}

// Check tells whether the set has n-vectors.
func (s *Affine) Check(n int) error {
	if s.dim != n {
		return &kedge.DimError{Arg: "u", Got: n, Want: s.dim}
	}
	return nil
}

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
