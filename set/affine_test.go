package set

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// TestAffineSum: with the one equation Σuᵢ = b the projection is u + (b − Σuᵢ)/n.
func TestAffineSum(t *testing.T) {
	for _, n := range []int{1, 2, 3, 10, 100} {
		s, err := NewAffine(slices.Repeat([]float64{1}, n), []float64{2.5})
		if err != nil {
			t.Fatal(err)
		}
		y := normals(n, 1e3, "sum")
		x := slices.Clone(y)
		if err := s.Project(x); err != nil {
			t.Fatal(err)
		}
		shift := (2.5 - rows.Sum(y)) / float64(n)
		for i := range y {
			if ratio := over(math.Abs(x[i]-(y[i]+shift)), n, rows.Norm(y)); ratio > barFactorized {
				t.Errorf("n=%d: entry %d is %v, want %v: ratio %v", n, i, x[i], y[i]+shift, ratio)
			}
		}
	}
}

// TestAffineEquations substitutes the projection into the equations as they were given, dependent and of all scales.
func TestAffineEquations(t *testing.T) {
	for _, n := range sizes()[1:] {
		a, b := planeEquations(n, 1)
		s, err := NewAffine(a, b)
		if err != nil {
			t.Fatal(err)
		}
		x := normals(n, 100, "point")
		if err := s.Project(x); err != nil {
			t.Fatal(err)
		}
		for i, want := range b {
			row := kedge.Row(a, i, n)
			r := math.Abs(toFloat(bigDot(row, x).sub(bigOf(want))))
			if ratio := over(r, n, rows.Norm(row)*rows.Norm(x)); ratio > barFactorized {
				t.Errorf("n=%d: equation %d misses by the ratio %v", n, i, ratio)
			}
		}
	}
}

// TestAffineForward compares with y − Aᵀ(AAᵀ)⁻¹(Ay − b) without rounding.
func TestAffineForward(t *testing.T) {
	const n, m = 6, 3
	a, b, y := normals(m*n, 1, "matrix"), normals(m, 1, "side"), normals(n, 10, "point")
	gram, side := make([][]*number, m), make([]*number, m)
	for i := range m {
		for j := range m {
			gram[i] = append(gram[i], bigDot(kedge.Row(a, i, n), kedge.Row(a, j, n)))
		}
		side[i] = bigDot(kedge.Row(a, i, n), y).sub(bigOf(b[i]))
	}
	multipliers := eliminate(gram, side)
	s, err := NewAffine(a, b)
	if err != nil {
		t.Fatal(err)
	}
	x := slices.Clone(y)
	if err := s.Project(x); err != nil {
		t.Fatal(err)
	}
	for j := range x {
		want := bigOf(y[j])
		for i, l := range multipliers {
			want = want.sub(l.mul(bigOf(a[i*n+j])))
		}
		if ratio := over(math.Abs(toFloat(want.sub(bigOf(x[j])))), n, rows.Norm(y)); ratio > barFactorized {
			t.Errorf("entry %d: ratio %v", j, ratio)
		}
	}
}

// eliminate solves a positive definite system by Gaussian elimination.
func eliminate(a [][]*number, b []*number) []*number {
	for k := range b {
		for i := range b {
			if i == k {
				continue
			}
			f := a[i][k].quo(a[k][k])
			for j := range b {
				a[i][j] = a[i][j].sub(f.mul(a[k][j]))
			}
			b[i] = b[i].sub(f.mul(b[k]))
		}
	}
	for k := range b {
		b[k] = b[k].quo(a[k][k])
	}
	return b
}

// TestAffineHilbert: the rows of the Hilbert matrix of order 12 hardly differ, its condition number is near 10¹⁶. Its
// equations with the right-hand side H·1 have a solution all the same, and its basis is orthonormal.
func TestAffineHilbert(t *testing.T) {
	const n = 12
	a, b, x := make([]float64, n*n), make([]float64, n), make([]float64, n)
	for i := range n {
		for j := range n {
			a[i*n+j] = 1 / float64(i+j+1)
		}
		b[i] = rows.Sum(kedge.Row(a, i, n))
	}
	s, err := NewAffine(a, b)
	if err == nil {
		err = s.Project(x)
	}
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range b {
		if ratio := over(math.Abs(rows.Dot(x, kedge.Row(a, i, n))-want), n, 2*want); ratio > barFactorized {
			t.Errorf("equation %d: ratio %v", i, ratio)
		}
	}
	for i := range s.offset {
		for j := range i + 1 {
			got, want := rows.Dot(kedge.Row(s.basis, i, n), kedge.Row(s.basis, j, n)), 0.0
			if i == j {
				want = 1
			}
			if ratio := over(math.Abs(got-want), n, 1); ratio > barFactorized {
				t.Errorf("product of basis vectors %d and %d is %v: ratio %v", i, j, got, ratio)
			}
		}
	}
}

func TestAffineContradictions(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b []float64
	}{
		{"two values for one sum", []float64{1, 1, 1, 1}, []float64{1, 2}},
		{"nearly the same value", []float64{1, 1, 1, 1}, []float64{1, 1 + 1e-12}},
		{"of another scale", []float64{1, 1, 1e200, 1e200}, []float64{1, 2e200}},
		{"zero is one", []float64{0, 0}, []float64{1}},
		{"zero is one, beside a huge solution", []float64{1e-20, 0, 0, 0}, []float64{1, 1}},
		{"hidden by a huge solution", []float64{1, 0, 0, 0, 1, 1, 0, 1, 1}, []float64{1e20, 1, 2}},
		{"too many", []float64{1, 2, 3}, []float64{1, 2, 4}},
		{"no unknowns", nil, []float64{0, 1}},
	} {
		if _, err := NewAffine(c.a, c.b); !errors.Is(err, kedge.ErrInfeasible) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestAffineConsistent(t *testing.T) {
	for _, c := range []struct {
		name          string
		a, b, y, want []float64
	}{
		{"the same twice", []float64{1, 1, 2, 2}, []float64{2, 4}, []float64{3, 1}, []float64{2, 0}},
		{"nothing asked", []float64{0, 0}, []float64{0}, []float64{3, 1}, []float64{3, 1}},
		{"one point", []float64{1, 0, 0, 4}, []float64{3, 8}, []float64{1e150, -1e150}, []float64{3, 2}},
		{"one point, over-determined", []float64{1, 2, 4}, []float64{1, 2, 4}, []float64{7}, []float64{1}},
		{"no unknowns", nil, []float64{0, 0}, nil, nil},
		{"coefficients that overflow in sum", []float64{1.6e308, 1.6e308}, []float64{1.6e308}, []float64{0, 0}, []float64{0.5, 0.5}},
		{"denormal coefficients", []float64{5e-324, 0}, []float64{1e-323}, []float64{0, 4}, []float64{2, 4}},
		{"huge and small unknowns", []float64{1, 1, 0, 1, -1, 0, 0, 1, 1, 0, 2, 2}, []float64{1e20, 1e20, 1, 2}, []float64{0, 9, 9},
			[]float64{1e20, 0, 1}},
		{"coefficients at both ends", []float64{1e300, 0, 0, 1e-300}, []float64{2e300, 3e-300}, []float64{0, 0}, []float64{2, 3}},
	} {
		s, err := NewAffine(c.a, c.b)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		x := slices.Clone(c.y)
		if err := s.Project(x); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if ratio := over(rows.Distance(x, c.want), len(x), rows.Norm(c.want)); ratio > barFactorized {
			t.Errorf("%s: got %v, want %v: ratio %v", c.name, x, c.want, ratio)
		}
	}
}
