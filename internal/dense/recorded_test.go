package dense_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// evenly are entries between −1 and 1.
func evenly(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 2*r.Float64() - 1
	}
	return x
}

// gram is BᵀB + I/2 of a random n×n matrix B.
func gram(r *rand.Rand, n int) []float64 {
	b, a := evenly(r, n*n), make([]float64, n*n)
	for i := range n {
		a[i*n+i] = 0.5
		for j := range n {
			for k := range n {
				a[i*n+j] += float64(b[k*n+i] * b[k*n+j])
			}
		}
	}
	return a
}

// What gives results their bits gives those that it gave when this was recorded.
func TestBitsAsRecorded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var got []string
	for n := 1; n < 6; n++ {
		a, b, definite := evenly(r, n*n), evenly(r, 2*n), gram(r, n)
		for _, order := range []dense.Elimination{dense.Last, dense.First, dense.Back} {
			l, x := clone(a), clone(b)
			least := dense.Eliminate(l, x, n, order)
			got = append(got, fmt.Sprintf("eliminate %d: %x least %x", order, x, least))
		}
		l, x := clone(definite), evenly(r, n)
		at, pivot := dense.Cholesky(l, n, 0)
		dense.SolveCholesky(l, x, n)
		inverse := evenly(r, n*n) // whatever was there
		is := dense.InvertDefinite(inverse, clone(definite), n)
		got = append(got, fmt.Sprintf("definite: %d %x %x; %x; %t %x", at, pivot, l, x, is, inverse))
		l = clone(definite)
		l[n*n-1] = -1
		at, pivot = dense.Cholesky(l, n, 0)
		got = append(got, fmt.Sprintf("not definite: %d %x %t; sums %x %x", at, pivot, dense.InvertDefinite(inverse, clone(l), n), dense.MaxRowSum(a, n, n), dense.MaxRowSum(a, 1, n)))
	}
	evidence.AsRecorded(t, "testdata/bits.txt", got)
}

// What is judged is what it was when this was recorded, to nine digits.
func TestSpectraAsRecorded(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var text string
	for n := 1; n < 6; n++ {
		a, p, x := evenly(r, n*n), gram(r, n), evenly(r, n)
		for i := range a {
			a[i] /= float64(n)
		}
		least, most := dense.Eigenvalues(clone(p), n)
		text += fmt.Sprintln("radius", dense.SpectralRadius(clone(a), n), "norm", dense.Norm(clone(a), n, n), dense.Norm(clone(a[:n]), 1, n), "eigenvalues", least, most,
			"induced", dense.InducedNorm(clone(p), clone(a), n), dense.InducedNorm(nil, clone(a), n), "weighted", dense.Weighted(p, x), dense.Weighted(nil, x))
		solution, off := dense.Lyapunov(clone(a), n)
		text += fmt.Sprintln("lyapunov", solution, off < 1e-15)
	}
	evidence.AsRecorded(t, "testdata/spectra.txt", evidence.Rounded(text))
}

// By hand: a negative definite P has no norm, an empty matrix the norm 0, and what is not finite none.
func TestSpectraThatAreNotThere(t *testing.T) {
	nan := math.NaN()
	for what, got := range map[string]float64{
		"induced by −1": dense.InducedNorm([]float64{-1}, []float64{1}, 1), "radius of NaN": dense.SpectralRadius([]float64{nan}, 1), "radius of ∞": dense.SpectralRadius([]float64{math.Inf(1)}, 1),
		"norm of NaN": dense.Norm([]float64{nan, 1, 1, 1}, 2, 2), "norm of NaN among 4×3": dense.Norm([]float64{nan, nan, nan, 1, 1, 1, 2, 1, 3, 1, 2, 1}, 4, 3), "norm of ∞": dense.Norm([]float64{1, math.Inf(1)}, 1, 2),
	} {
		if !math.IsNaN(got) {
			t.Errorf("%s: %v", what, got)
		}
	}
	if got := []float64{dense.Norm(nil, 0, 3), dense.Norm(nil, 3, 0), dense.Weighted([]float64{-1}, []float64{2}), dense.Norm([]float64{3, 4}, 1, 2), dense.Norm([]float64{3, 4}, 2, 1)}; fmt.Sprint(got) != "[0 0 0 5 5]" {
		t.Error(got)
	}
	x := mat.NewDense(2, 2, []float64{1, 2, 6, 3})
	if dense.Symmetrize(x); fmt.Sprint(x.RawMatrix().Data) != "[1 4 4 3]" {
		t.Error(x.RawMatrix().Data)
	}
	if _, off := dense.Lyapunov([]float64{2}, 1); !math.IsInf(off, 1) {
		t.Errorf("Σ 4ᵏ has the residual %v", off)
	}
	if p, off := dense.Lyapunov([]float64{0.5}, 1); math.Abs(p[0]-4.0/3) > 1e-15 || off > 1e-15 {
		t.Errorf("Σ 4⁻ᵏ is %v, %v", p, off)
	}
}

// By hand: an infinite matrix is not positive definite, and of rows with equal entries the upper one is the pivot: [1 2; −1 2]⁻¹(1, 0) = (½, ¼), with the rows where they were.
func TestPivotsAtTheEdge(t *testing.T) {
	if at, pivot := dense.Cholesky([]float64{math.Inf(1)}, 1, 0); at != 0 || !math.IsInf(pivot, 1) {
		t.Errorf("an infinite matrix: %d, %v", at, pivot)
	}
	if at, _ := dense.Cholesky([]float64{0}, 1, 0); at != 0 {
		t.Errorf("a zero is definite up to %d", at)
	}
	l, x := []float64{1, 2, -1, 2}, []float64{1, 0}
	if least := dense.Eliminate(l, x, 2, dense.Last); least != 1 || fmt.Sprint(x) != "[0.5 0.25]" || fmt.Sprint(l[0], l[3]) != "1 4" {
		t.Errorf("%v, the least pivot %v, the matrix %v", x, least, l)
	}
}
