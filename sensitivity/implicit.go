package sensitivity

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/fixpoint"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Implicit is the sensitivity of any dynamics with derivatives, by the implicit function theorem
// [he2025, steady-state sensitivity]: with all derivatives taken at (p, u, d),
//
//	∇ᵤh v = (∂f/∂u)ᵀw,   (I − ∂f/∂p)ᵀw = v.
//
// A state of up to Dense entries is solved by LU factorization of I − ∂f/∂p, built from one Pullback an entry; where its
// condition exceeds 2⁵³/100 the error wraps kedge.ErrSingular. A longer one is solved without a matrix as the fixed point of
// w = v + (∂f/∂p)ᵀw, scaled to ‖v‖∞ ≈ 1; where that is not reached the error is a *kedge.NotConvergedError. Both name the
// individual. The fields must not change after the first use.
type Implicit struct {
	Dynamics kedge.Smooth
	Dense    int               // longest state that is solved by factorization; 0 means 32
	Solver   fixpoint.Settings // for longer states

	pool sync.Pool // of *adjoint
}

var _ kedge.Sensitivity = (*Implicit)(nil)

// maxCondition leaves two digits to the solution of a linear system.
const maxCondition = 0x1p53 / 100

// Check says whether the options are in their ranges.
func (s *Implicit) Check() error {
	inf := math.Inf(1)
	return errors.Join(
		checkRange("Dense", float64(s.Dense), 0, inf, "a number ≥ 0"),
		checkRange("Solver.Memory", float64(s.Solver.Memory), 0, inf, "a number ≥ 0"),
		checkRange("Solver.MaxSteps", float64(s.Solver.MaxSteps), 0, inf, "a number ≥ 0"),
		checkRange("Solver.Tolerance", s.Solver.Tolerance, 0, inf, "a finite number ≥ 0"))
}

// PullRows implements [kedge.Sensitivity].
func (s *Implicit) PullRows(gu, p, u, d, v []float64) error {
	if err := s.Check(); err != nil {
		return err
	}
	dim := s.Dynamics.Dims()
	count := kedge.Count(p, dim.State)
	mustBe("gu", gu, dim.Decision)
	mustBe("u", u, dim.Decision)
	mustBe("d", d, count*dim.Trait)
	mustBe("v", v, len(p))
	a := s.borrow(dim)
	defer s.giveBack(a)
	for i := range count {
		a.p, a.u, a.d, a.v = kedge.Row(p, i, dim.State), u, kedge.Row(d, i, dim.Trait), kedge.Row(v, i, dim.State)
		if err := a.solve(); err != nil {
			return blameRow(i, err, p, u, d, v, count)
		}
		s.Dynamics.Pullback(nil, a.sum, a.p, u, a.d, a.w)
	}
	return commit(gu, a.sum, p, u, d, v, count)
}

// adjoint is the workspace of (I − ∂f/∂p)ᵀw = v.
type adjoint struct {
	f          kedge.Smooth
	p, u, d, v []float64 // of the individual at hand
	w, sum     []float64 // the solution, and the total of (∂f/∂u)ᵀw
	solve      func() error

	unit   []float64      // dense: a unit vector
	matrix blas64.General // I − ∂f/∂p, then its factors
	pivots []int
	work   []float64
	iwork  []int

	scaled []float64 // iterated: v at about unit length
	solver *fixpoint.Solver
	step   func(dst, w []float64) error
}

func (s *Implicit) borrow(dim kedge.Dims) *adjoint {
	if a, ok := s.pool.Get().(*adjoint); ok {
		clear(a.sum)
		return a
	}
	n := dim.State
	a := &adjoint{f: s.Dynamics, w: make([]float64, n), sum: make([]float64, dim.Decision)}
	if n <= cmp.Or(s.Dense, 32) {
		a.matrix = blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
		a.unit, a.work = make([]float64, n), make([]float64, 4*n)
		a.pivots, a.iwork, a.solve = make([]int, n), make([]int, n), a.factorize
		return a
	}
	a.scaled, a.solver, a.solve = make([]float64, n), fixpoint.New(n, s.Solver), a.iterate
	a.step = func(dst, w []float64) error {
		copy(dst, a.scaled)
		a.f.Pullback(dst, nil, a.p, a.u, a.d, w)
		return nil
	}
	return a
}

// giveBack keeps the workspace but not the caller's vectors.
func (s *Implicit) giveBack(a *adjoint) {
	a.p, a.u, a.d, a.v = nil, nil, nil, nil
	s.pool.Put(a)
}

// factorize solves with the matrix: the Pullback of the i-th unit vector is the i-th row of ∂f/∂p.
func (a *adjoint) factorize() error {
	clear(a.matrix.Data)
	for i := range a.unit {
		row := kedge.Row(a.matrix.Data, i, len(a.unit))
		a.unit[i] = 1
		a.f.Pullback(row, nil, a.p, a.u, a.d, a.unit)
		a.unit[i] = 0
		rows.Scale(row, -1)
		row[i]++
	}
	norm := lapack64.Lange(lapack.MaxRowSum, a.matrix, a.work)
	lapack64.Getrf(a.matrix, a.pivots)
	if cond := 1 / lapack64.Gecon(lapack.MaxRowSum, a.matrix, norm, a.work, a.iwork); !(cond <= maxCondition) {
		return fmt.Errorf("the matrix I − ∂f/∂p has a condition of %.3g: %w", cond, kedge.ErrSingular)
	}
	copy(a.w, a.v)
	lapack64.Getrs(blas.Trans, a.matrix, blas64.General{Rows: len(a.w), Cols: 1, Stride: 1, Data: a.w}, a.pivots)
	return nil
}

// iterate solves without the matrix. Scaling by a power of two rounds nothing.
func (a *adjoint) iterate() error {
	_, exponent := math.Frexp(rows.MaxAbs(a.v))
	for i, x := range a.v {
		a.scaled[i] = math.Ldexp(x, -exponent)
	}
	copy(a.w, a.scaled)
	if _, err := a.solver.Solve(a.step, a.w); err != nil {
		return notConverged(err)
	}
	for i, x := range a.w {
		a.w[i] = math.Ldexp(x, exponent)
	}
	return nil
}

// notConverged puts an error of the fixed-point iteration into the words of package kedge.
func notConverged(err error) error {
	var stop *fixpoint.StoppedError
	if !errors.As(err, &stop) {
		return err
	}
	return &kedge.NotConvergedError{
		What: "w = v + (∂f/∂p)ᵀw", Residual: stop.Residual, Tolerance: stop.Tolerance, Steps: stop.Steps,
	}
}
