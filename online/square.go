package online

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
)

// square is a symmetric positive definite matrix, a sum of outer products.
type square struct {
	n int
	a []float64 // row-major, of which the lower triangle is used; after factor its Cholesky factor
}

func newSquare(n int) square { return square{n, make([]float64, n*n)} }

func (s *square) reset() { clear(s.a) }

// addOuter adds (x − c)(x − c)ᵀ.
func (s *square) addOuter(x, c []float64) {
	for i, v := range x {
		row := kedge.Row(s.a, i, s.n)
		for j := range i + 1 {
			row[j] += float64((v - c[i]) * (x[j] - c[j]))
		}
	}
}

// factor adds a ridge, relative to the mean of the diagonal, and factors the matrix. The error wraps kedge.ErrSingular.
func (s *square) factor(ridge float64) error {
	trace := 0.0
	for i := range s.n {
		trace += s.a[i*s.n+i]
	}
	for i := range s.n {
		row := kedge.Row(s.a, i, s.n)
		row[i] += float64(ridge * trace / float64(s.n))
		least := float64(row[i] * float64(s.n) * 0x1p-50)
		for j := range i + 1 {
			other := kedge.Row(s.a, j, s.n)
			row[j] -= rows.Dot(row[:j], other[:j])
			if i > j {
				row[j] /= other[j]
			}
		}
		if !(row[i] > least) || math.IsInf(row[i], 1) {
			return fmt.Errorf("direction %d of %d: %w", i+1, s.n, kedge.ErrSingular)
		}
		row[i] = math.Sqrt(row[i])
	}
	return nil
}

// solve replaces x by the solution for the right-hand side x, by the factors.
func (s *square) solve(x []float64) {
	for i := range s.n {
		row := kedge.Row(s.a, i, s.n)
		x[i] = (x[i] - rows.Dot(row[:i], x[:i])) / row[i]
	}
	for i := s.n - 1; i >= 0; i-- {
		x[i] /= s.a[i*s.n+i]
		rows.AddScaled(x[:i], -x[i], s.a[i*s.n:i*s.n+i])
	}
}
