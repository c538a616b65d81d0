package certify

import (
	"fmt"
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/dense"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/sensitivity"
)

// trials returns how many random problems are tried: all where KEDGE_TORTURE asks for them, a few elsewhere.
func trials(few, all int) int {
	if evidence.Whole() {
		return all
	}
	return few
}

// normals returns n numbers from N(0, 1).
func normals(r *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.NormFloat64()
	}
	return x
}

// schur returns a random n×n matrix of the given spectral radius; some are far from normal.
func schur(r *rand.Rand, n int, radius float64) []float64 {
	a := normals(r, n*n)
	if r.IntN(3) == 0 {
		for i := range n {
			for j := range i {
				a[i*n+j] *= 0.01
			}
		}
	}
	var eigen mat.Eigen
	if !eigen.Factorize(mat.NewDense(n, n, append([]float64(nil), a...)), mat.EigenNone) {
		panic("no eigenvalues")
	}
	most := 0.0
	for _, v := range eigen.Values(nil) {
		most = max(most, cmplx.Abs(v))
	}
	for i := range a {
		a[i] *= radius / most
	}
	return a
}

// residual returns AᵀPA − P + I.
func residual(A, P *mat.Dense) *mat.Dense {
	var r mat.Dense
	r.Product(A.T(), P, A)
	r.Sub(&r, P)
	for i := range P.RawMatrix().Rows {
		r.Set(i, i, r.At(i, i)+1)
	}
	return &r
}

// AᵀPA − P + I = 0 to 1e-12 of ‖P‖ for random A up to 20×20 and spectral radii up to 0.999; P ≥ I, and A contracts in it by
// the promised factor.
func TestLyapunovResidual(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "lyapunov", Text: "AᵀPA − P + I = 0 for 1,000 random A up to 20×20, spectral radius up to 0.999, relative to P", Short: "100"})
	r := rand.New(rand.NewPCG(6, 1))
	worst := 0.0
	for range trials(100, 1000) {
		n := 1 + r.IntN(20)
		a := schur(r, n, 0.999*math.Pow(r.Float64(), 0.2))
		p, err := Lyapunov(a, n)
		if err != nil {
			t.Fatal(err)
		}
		A, P := mat.NewDense(n, n, a), mat.NewDense(n, n, p)
		worst = max(worst, mat.Norm(residual(A, P), 2)/mat.Norm(P, 2))
		least, top := dense.Eigenvalues(p, n)
		if err != nil || least < 1-1e-9 {
			t.Fatalf("n = %d: λmin(P) = %v, %v", n, least, err)
		}
		if got, want := dense.InducedNorm(p, a, n), math.Sqrt(1-1/top); !(math.Abs(got-want) <= 1e-6) {
			t.Errorf("n = %d: A contracts by %.9f in ‖·‖_P, the formula says %.9f", n, got, want)
		}
	}
	off.AtMost("", worst, 1e-12)
}

// instance is a random linear-quadratic problem.
type instance struct {
	problem
	lq      *linearQuadratic
	hessian *mat.Dense
	states  []float64
	traits  []float64
}

// drawInstance returns a random contracting problem whose Φ̃ has a minimum. In a translated one everybody starts equally far from where
// it settles, so that W₁ = V = ‖δ‖_P exactly.
func drawInstance(t *testing.T, r *rand.Rand, translated bool) *instance {
	t.Helper()
	n, m, q, count := 1+r.IntN(4), 1+r.IntN(3), 1+r.IntN(3), 4+r.IntN(8)
	dim := kedge.Dims{Decision: m, State: n, Trait: q}
	f, err := dynamics.NewAffine(dim, schur(r, n, 0.97*math.Sqrt(r.Float64())), normals(r, n*m), normals(r, n*q))
	must(t, err)
	R, S, Q, lu, lp := normals(r, m*m), normals(r, m*n), normals(r, n*n), normals(r, m), normals(r, n)
	phi, err := objective.NewQuadratic(dim, R, S, Q, lu, lp)
	must(t, err)
	h, ok := curvature(problem{Model: kedge.Model{Dynamics: f, Objective: phi}})
	if !ok {
		t.Fatal("not linear-quadratic")
	}
	var eigen mat.EigenSym
	eigen.Factorize(mat.NewSymDense(m, h), false)
	lift := max(0, 0.05+r.ExpFloat64()-eigen.Values(nil)[0])
	for i := range m {
		R[i*m+i] += lift
	}
	phi, err = objective.NewQuadratic(dim, R, S, Q, lu, lp)
	must(t, err)
	gain, err := f.Gain()
	must(t, err)
	sense, err := sensitivity.NewAffine(dim, gain)
	must(t, err)
	x := &instance{problem: problem{
		kedge.Model{Dynamics: f, Settler: f, Objective: phi, Sensitivity: sense, Start: normals(r, m)},
		Premises{Step: math.MaxFloat64, Batch: 1 + r.IntN(5), Horizon: []int{20, 100, 1000}[r.IntN(3)], Tau: 0.05, Seed: r.Uint64()},
	}}
	x.traits = normals(r, count*q)
	x.place(t, r, translated, count)
	x.lq, _ = asLinearQuadratic(x.problem)
	h, _ = curvature(x.problem)
	x.hessian = mat.NewDense(m, m, h)
	return x
}

// place puts individuals where they start.
func (x *instance) place(t *testing.T, r *rand.Rand, translated bool, count int) {
	t.Helper()
	dim := x.Dynamics.Dims()
	x.states = normals(r, count*dim.State)
	if translated {
		shift := normals(r, dim.State)
		_, err := x.Dynamics.(*dynamics.Affine).SettleRows(x.states, x.Start, x.traits)
		must(t, err)
		for i := range x.states {
			x.states[i] += shift[i%dim.State]
		}
	}
	x.States, x.Traits = kedge.Block{Data: x.states, Width: dim.State}, kedge.Block{Data: x.traits, Width: dim.Trait}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (x *instance) String() string {
	d := x.Dynamics.Dims()
	return fmt.Sprintf("%d states, %d decisions, %d traits, T = %d, batch %d", d.State, d.Decision, d.Trait, x.Horizon, x.Batch)
}
