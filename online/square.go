package online

import (
	"fmt"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
)

// square is a symmetric positive definite matrix, a sum of outer products.
type square struct {
	n int
	a []float64 // row-major, of which the lower triangle is used; after factor its Cholesky factor
}

func newSquare(n int) square { return square{n, make([]float64, n*n)} }

func (s *square) reset() { clear(s.a) }

// addOuter adds weight·(x − c)(x − c)ᵀ.
func (s *square) addOuter(x, c []float64, weight float64) {
	for i, v := range x {
		row := kedge.Row(s.a, i, s.n)
		for j := range i + 1 {
			row[j] += float64(weight * (v - c[i]) * (x[j] - c[j]))
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
		s.a[i*s.n+i] += float64(ridge * trace / float64(s.n))
	}
	if at, _ := dense.Cholesky(s.a, s.n, float64(s.n)*0x1p-50); at < s.n {
		return fmt.Errorf("direction %d of %d: %w", at+1, s.n, kedge.ErrSingular)
	}
	return nil
}

// solve replaces x by the solution for the right-hand side x, by the factors.
func (s *square) solve(x []float64) { dense.SolveCholesky(s.a, x, s.n) }

// meanRow writes the mean of the rows of a block to dst, by weights unless they are nil.
func meanRow(dst, block, weights []float64) {
	o := kedge.Observation{W: weights}
	n := sumRow(dst, block, o)
	rows.Scale(dst, 1/o.Total(n))
}

// sumRow writes the sum of the rows of a block to dst, weighted as those of an observation, and returns their number.
func sumRow(dst, block []float64, o kedge.Observation) int {
	clear(dst)
	n := kedge.Count(block, len(dst))
	for i := range n {
		rows.AddScaled(dst, o.Weight(i), kedge.Row(block, i, len(dst)))
	}
	return n
}
