package sensitivity_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/stream"
)

// published is the printed matrix −ελ₂/(1−λ₁)·((1ᵀz) diag z − zzᵀ)/(1ᵀz)² with z = exp(−εu), not normalized.
func published(lambda1, lambda2, epsilon float64, u []float64) *mat.Dense {
	n := len(u)
	z, sum := mat.NewVecDense(n, nil), 0.0
	for i, x := range u {
		z.SetVec(i, math.Exp(-epsilon*x))
		sum += z.AtVec(i)
	}
	var h mat.Dense
	h.Outer(-1, z, z)
	for i := range n {
		h.Set(i, i, h.At(i, i)+sum*z.AtVec(i))
	}
	h.Scale(-epsilon*lambda2/(1-lambda1)/(sum*sum), &h)
	return &h
}

func TestChoiceIsThePublishedMatrix(t *testing.T) {
	r := stream.New(1, "choice")
	for _, n := range []int{1, 2, 10, 100} {
		u, v := normals(r, n), normals(r, n)
		var want mat.VecDense
		want.MulVec(published(0.2, 0.5, 0.5, u), mat.NewVecDense(n, v))
		s := &sensitivity.Choice{Dim: n, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.5}
		agree(t, "∇ᵤh·v", product(t, s, nil, u, nil, v), want.RawVector().Data, 1e-14, 0.1)
	}
}

func TestChoiceIsADerivative(t *testing.T) {
	const n = 8
	r := stream.New(2, "choice")
	f := dynamics.Choice{Dim: n, Lambda1: 0.6, Lambda2: 0.3, Epsilon: 1.5}
	s := &sensitivity.Choice{Dim: n, Lambda1: 0.6, Lambda2: 0.3, Epsilon: 1.5}
	u, d, v := normals(r, n), normals(r, 3*n), normals(r, 3*n)
	p := settle(t, f, u, d)
	got := product(t, s, p, u, d, v)
	agree(t, "implicit, factorized", got, product(t, &sensitivity.Implicit{Dynamics: f}, p, u, d, v), 1e-14, 0.1)
	agree(t, "implicit, iterated", got, product(t, &sensitivity.Implicit{Dynamics: f, Dense: 1}, p, u, d, v), 1e-12, 0.1)
	agree(t, "differences", got, product(t, &sensitivity.Differences{Settler: f}, p, u, d, v), 1e-9, 0.1)
}

// Prices that all rise together change no choice, and prices far apart neither overflow nor lose the result: with
// u = (y, y + x) the weights are 1/(1+e⁻ˣ) and its complement.
func TestChoiceAtExtremePrices(t *testing.T) {
	s := &sensitivity.Choice{Dim: 2, Lambda1: 0, Lambda2: 1, Epsilon: 1}
	for _, y := range []float64{0, 2048, -2048} {
		for _, x := range []float64{0, 1, 30, 700, 1e300} {
			z := math.Exp(-x) / (1 + math.Exp(-x))
			u, want := []float64{y, y + x}, []float64{-z * (1 - z), z * (1 - z)}
			agree(t, "∇ᵤh·e₁", product(t, s, nil, u, nil, []float64{1, 0}), want, 4e-16, 1e-300)
			agree(t, "∇ᵤh·1", product(t, s, nil, u, nil, []float64{1, 1}), []float64{0, 0}, 0, 1)
		}
	}
}

func TestAffineIsTheTransposedGain(t *testing.T) {
	// LQ2: G = (I−A)⁻¹B of A = [½ ¼; 0 ½], B = [½ 0; ¼ ½], in exact numbers.
	dim := kedge.Dims{Decision: 2, State: 2, Trait: 2}
	f, err := dynamics.NewAffine(dim, []float64{0.5, 0.25, 0, 0.5}, []float64{0.5, 0, 0.25, 0.5}, []float64{0.5, 0, 0, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	s, err := sensitivity.NewAffine(dim, []float64{1.25, 0.5, 0.5, 1})
	if err != nil {
		t.Fatal(err)
	}
	x, v := []float64{0, 0, 0, 0}, []float64{1, 2, 3, -5} // two individuals: the sum of v is (4, −3)
	got := product(t, s, x, x[:2], x, v)
	agree(t, "Gᵀv", got, []float64{3.5, -1}, 0, 1)
	agree(t, "implicit", product(t, &sensitivity.Implicit{Dynamics: f}, x, x[:2], x, v), got, 1e-15, 1)
	agree(t, "differences", product(t, &sensitivity.Differences{Settler: f}, x, x[:2], x, v), got, 1e-10, 1)
}

// A gain that is not square, and one that the caller changes afterwards.
func TestAffineOwnsItsGain(t *testing.T) {
	gain := []float64{1, 2, 3, 4, 5, 6}
	s, err := sensitivity.NewAffine(kedge.Dims{Decision: 3, State: 2}, gain)
	if err != nil {
		t.Fatal(err)
	}
	rows.Scale(gain, math.NaN())
	gu := []float64{100, 0, 0}
	if err := s.PullRows(gu, nil, nil, nil, []float64{1, 10}); err != nil {
		t.Fatal(err)
	}
	agree(t, "gu + Gᵀv", gu, []float64{141, 52, 63}, 0, 1)
}
