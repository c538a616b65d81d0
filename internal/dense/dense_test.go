package dense_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/rows"
)

// normals are random entries of a matrix.
func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

func clone(x []float64) []float64 { return append([]float64(nil), x...) }

// off returns the largest entry of AX − B for an n×n matrix A.
func off(a, x, b []float64, n int) float64 {
	var r mat.Dense
	r.Mul(mat.NewDense(n, n, a), mat.NewDense(n, len(x)/n, x))
	r.Sub(&r, mat.NewDense(n, len(b)/n, b))
	return rows.MaxAbs(r.RawMatrix().Data)
}

// In both orders the solution solves the system, and so does gonum's, which is another method.
func TestEliminate(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 1))
	for range 200 {
		n, width := 1+r.IntN(12), 1+r.IntN(4)
		a, b := normals(r, n*n), normals(r, n*width)
		var want mat.Dense
		if want.Solve(mat.NewDense(n, n, a), mat.NewDense(n, width, b)) != nil {
			continue
		}
		for _, order := range []dense.Elimination{dense.Last, dense.First, dense.Back} {
			l, x := clone(a), clone(b)
			least := dense.Eliminate(l, x, n, order)
			condition := mat.Cond(mat.NewDense(n, n, a), 2)
			if e := rows.Distance(x, want.RawMatrix().Data) / rows.Norm(x); !(least > 0) || e > 1e-14*condition {
				t.Fatalf("order %d: %.2g from gonum's solution, condition %.2g, least pivot %v", order, e, condition, least)
			}
		}
	}
}

// By hand: [2 1; 4 0]⁻¹ has the pivots 4 and 1; a singular matrix has the pivot 0, and an infinite one has none.
func TestEliminateTellsPivots(t *testing.T) {
	for _, c := range []struct {
		matrix []float64
		least  float64
	}{
		{[]float64{2, 1, 4, 0}, 1}, {[]float64{1, 2, 2, 4}, 0}, {[]float64{math.Inf(1), 0, 0, 1}, math.NaN()}, {[]float64{math.NaN(), 0, 0, 1}, math.NaN()},
	} {
		got := dense.Eliminate(clone(c.matrix), []float64{1, 1}, 2, dense.Last)
		if got != c.least && !(math.IsNaN(got) && math.IsNaN(c.least)) {
			t.Errorf("%v: least pivot %v, want %v", c.matrix, got, c.least)
		}
	}
}

// For random A = BBᵀ + I: LLᵀ = A, and solutions and inverses solve.
func TestCholesky(t *testing.T) {
	r := rand.New(rand.NewPCG(12, 2))
	for range 100 {
		n := 1 + r.IntN(12)
		var a mat.Dense
		b := mat.NewDense(n, n, normals(r, n*n))
		a.Mul(b, b.T())
		one := make([]float64, n*n)
		for i := range n {
			a.Set(i, i, a.At(i, i)+1)
			one[i*n+i] = 1
		}
		data := a.RawMatrix().Data
		l, x := clone(data), normals(r, n)
		right := clone(x)
		if at, _ := dense.Cholesky(l, n, 0); at != n {
			t.Fatalf("row %d of %d has no pivot", at, n)
		}
		dense.SolveCholesky(l, x, n)
		inverse := make([]float64, n*n)
		ok := dense.InvertDefinite(inverse, clone(data), n)
		if e, f := off(data, x, right, n), off(data, inverse, one, n); !ok || e > 1e-11 || f > 1e-11 {
			t.Fatalf("n = %d: a solution is %.2g off, the inverse %.2g", n, e, f)
		}
	}
	indefinite := []float64{1, 2, 2, 1}
	if at, pivot := dense.Cholesky(clone(indefinite), 2, 0); at != 1 || pivot != -3 {
		t.Errorf("an indefinite matrix fails at row %d with pivot %v, want row 1 with −3", at, pivot)
	}
	if dense.InvertDefinite(make([]float64, 4), indefinite, 2) {
		t.Error("an indefinite matrix is inverted")
	}
}

// By hand: a rotation by 90° scaled by 2, whose eigenvalues are ±2i; a diagonal; and what has none.
func TestSpectra(t *testing.T) {
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"radius of a rotation", dense.SpectralRadius([]float64{0, -2, 2, 0}, 2), 2},
		{"norm of a row", dense.Norm([]float64{3, 4}, 1, 2), 5},
		{"norm of nothing", dense.Norm(nil, 0, 2), 0},
		{"row sum", dense.MaxRowSum([]float64{1, -2, 9, -3, 1, 9}, 2, 3), 4},
		{"weighted norm", dense.Weighted([]float64{4, 0, 0, 9}, []float64{1, 1}), math.Sqrt(13)},
		{"induced norm", dense.InducedNorm([]float64{4, 0, 0, 1}, []float64{0, 1, 0, 0}, 2), 2},
	} {
		if math.Abs(c.got-c.want) > 1e-14 {
			t.Errorf("%s is %v, want %v", c.what, c.got, c.want)
		}
	}
	if least, most := dense.Eigenvalues([]float64{2, 1, 1, 2}, 2); math.Abs(least-1) > 1e-14 || math.Abs(most-3) > 1e-14 {
		t.Errorf("eigenvalues %v and %v, want 1 and 3", least, most)
	}
	if r := dense.SpectralRadius([]float64{math.NaN()}, 1); !math.IsNaN(r) {
		t.Errorf("the radius of NaN is %v", r)
	}
}

// By hand: for a number a, P = 1/(1 − a²); without a solution the residual says so.
func TestLyapunovOfANumber(t *testing.T) {
	if p, off := dense.Lyapunov([]float64{0.5}, 1); math.Abs(p[0]-4./3) > 1e-15 || off > 1e-15 {
		t.Errorf("P = %v with residual %v, want 4/3", p, off)
	}
	if _, off := dense.Lyapunov([]float64{2}, 1); off < 1e-3 {
		t.Errorf("an expanding number has a solution with residual %v", off)
	}
}

// By hand.
func TestProductsAndTransposes(t *testing.T) {
	a, b := []float64{1, 2, 3, 4}, []float64{5, 6, 7, 8}
	if got, want := dense.Product(a, b, 2), []float64{19, 22, 43, 50}; !slices.Equal(got, want) {
		t.Errorf("AB is %v, want %v", got, want)
	}
	if got, want := dense.Transposed(a, 2), []float64{1, 3, 2, 4}; !slices.Equal(got, want) {
		t.Errorf("the transpose is %v, want %v", got, want)
	}
	if got, want := dense.Identity(2).RawMatrix().Data, []float64{1, 0, 0, 1}; !slices.Equal(got, want) {
		t.Errorf("the identity is %v, want %v", got, want)
	}
}

// A pivot counts when it is above 2⁻⁵⁰ of its diagonal entry; that of [1 1; 1 1+ε] is ε.
func TestMatricesThatAreNearlySingular(t *testing.T) {
	for share, want := range map[float64]bool{0.5: false, 1: false, 1.25: true, 2: true, 4: true} {
		a := []float64{1, 1, 1, 1 + share*0x1p-50}
		if got := dense.InvertDefinite(make([]float64, 4), a, 2); got != want {
			t.Errorf("ε = %v·2⁻⁵⁰ is inverted: %t, want %t", share, got, want)
		}
	}
}
