package optimum_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
)

func affine(t *testing.T, dim kedge.Dims, a, b, e []float64, loss kedge.Objective, traits []float64) *steady.Objective {
	t.Helper()
	f, err := dynamics.NewAffine(dim, a, b, e)
	if err != nil {
		t.Fatal(err)
	}
	gain, err := f.Gain()
	if err != nil {
		t.Fatal(err)
	}
	h, err := sensitivity.NewAffine(dim, gain)
	if err != nil {
		t.Fatal(err)
	}
	s, err := steady.New(kedge.Model{Settler: f, Objective: loss, Sensitivity: h, Traits: kedge.Block{Data: traits, Width: dim.Trait}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pricing is p⁺ = ½p − ½u + ½d with E d = 2 and Φ = −up + ½κu²: the optimum is 2/(κ+2) with value −2/(κ+2), the stable
// point 2/(κ+1).
func pricing(t *testing.T, kappa float64) *steady.Objective {
	dim := kedge.Dims{Decision: 1, State: 1, Trait: 1}
	loss, err := objective.NewQuadratic(dim, []float64{kappa}, []float64{-1}, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	return affine(t, dim, []float64{0.5}, []float64{-0.5}, []float64{0.5}, loss, []float64{1, 3})
}

func TestPricing(t *testing.T) {
	for _, kappa := range []float64{0.5, 1, 2, 10} {
		f := pricing(t, kappa)
		best, err := optimum.Find(context.Background(), f, set.Whole{}, [][]float64{{0}, {5}, {-100}}, optimum.Effort{})
		if err != nil {
			t.Fatal(err)
		}
		if e := math.Abs(best.Decision[0] - 2/(kappa+2)); e > 1e-10 {
			t.Errorf("κ = %v: optimum off by %.1e", kappa, e)
		}
		if e := math.Abs(best.Loss + 2/(kappa+2)); e > 1e-14 {
			t.Errorf("κ = %v: value off by %.1e", kappa, e)
		}
		// Retraining every time the market has settled diverges for κ < 1; the point is there all the same.
		stable, err := optimum.Stable(context.Background(), f.Partial, set.Whole{}, []float64{0}, optimum.Effort{})
		if err != nil {
			t.Fatal(err)
		}
		if e := math.Abs(stable.Decision[0] - 2/(kappa+1)); e > 1e-9 {
			t.Errorf("κ = %v: stable point off by %.1e", kappa, e)
		}
	}
}

// Two mirror persons p₀ = (±sin φ, cos φ) at λ = 0.4, σ = 0.5: the optimum is (0, 1) with value cos θ where
// sin 2θ = 2.4 sin(φ − θ), by an independent solution of that equation.
func TestMirrorPersons(t *testing.T) {
	want := map[float64]float64{10: .9954511988, 30: .9577048419, 45: .8996243113, 60: .8037088397, 70: .7024268064, 80: .5297545946}
	for phi, value := range want {
		sin, cos := math.Sincos(phi * math.Pi / 180)
		f, err := steady.New(kedge.Model{
			Settler: dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, Objective: objective.Affinity{},
			Sensitivity: &sensitivity.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}, Traits: kedge.Block{Data: []float64{sin, cos, -sin, cos}, Width: 2},
		})
		if err != nil {
			t.Fatal(err)
		}
		starts := [][]float64{{1, 0}, {0, 1}, {-0.6, 0.3}, {0.1, 0.1}}
		best, err := optimum.Find(context.Background(), f, set.Ball{Radius: 1}, starts, optimum.Effort{})
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(best.Loss+value) <= 1e-10) || !(math.Abs(best.Decision[0]) <= 1e-9) || best.Spread > 1e-13 /* walks but the best end at 1e-7 of their steepest gradient */ || best.Residue > 1e-10 {
			t.Errorf("φ = %v°: value %.11f at %v, spread %.1e, residual %.1e; want %.10f at (0, 1)",
				phi, -best.Loss, best.Decision, best.Spread, best.Residue, value)
		}
	}
}

// Closed form of the interior stable point of softmax dynamics under revenue: p must be uniform, so
// zᵢ = ((1−λ₁)/m − (1−λ₁−λ₂)p₀ᵢ)/λ₂ and uᵢ = −ln(zᵢ)/ε + const with Σu = b.
func TestSoftmaxStablePoint(t *testing.T) {
	p0 := []float64{0.1, 0.2, 0.3, 0.15, 0.25}
	const l1, l2, eps, b = 0.2, 0.5, 0.5, 12.5
	want := make([]float64, 5)
	for i, p := range p0 {
		want[i] = -math.Log(((1-l1)/5-(1-l1-l2)*p)/l2) / eps
	}
	shift := (b - rows.Sum(want)) / 5
	for i := range want {
		want[i] += shift
	}
	f, err := steady.New(kedge.Model{
		Settler: dynamics.Choice{Dim: 5, Lambda1: l1, Lambda2: l2, Epsilon: eps}, Objective: objective.Revenue{Entropy: 0.1}, Traits: kedge.Block{Data: p0, Width: 5},
	})
	if err != nil {
		t.Fatal(err)
	}
	got, err := optimum.Stable(context.Background(), f.Partial, set.CappedSimplex{Sum: b, Upper: 10}, []float64{9, 3.5, 0, 0, 0}, optimum.Effort{Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	if e := rows.Distance(got.Decision, want); e > 1e-10 {
		t.Errorf("stable point %v, closed form %v, %.1e apart", got.Decision, want, e)
	}
}

// bowl is ½Σ cᵢ(uᵢ − aᵢ)² with condition number 1e6; on a box its minimum is the clamped a.
type bowl struct{ c, a []float64 }

func (f bowl) Gradient(g, u []float64) (float64, error) {
	loss := 0.0
	for i, c := range f.c {
		g[i] = c * (u[i] - f.a[i])
		loss += g[i] * (u[i] - f.a[i]) / 2
	}
	return loss, nil
}

func TestIllConditionedBowlInABox(t *testing.T) {
	f := bowl{c: make([]float64, 50), a: make([]float64, 50)}
	want := make([]float64, 50)
	for i := range f.c {
		f.c[i] = math.Pow(10, -3+6*float64(i)/49)
		f.a[i] = 3 * math.Sin(float64(i))
		want[i] = max(-1, min(1, f.a[i]))
	}
	got, err := optimum.Minimize(context.Background(), f, set.Interval{Lower: -1, Upper: 1}, make([]float64, 50), optimum.Effort{Tolerance: 1e-12})
	if err != nil {
		t.Fatal(err)
	}
	if e := rows.Distance(got.Decision, want); e > 1e-8 {
		t.Errorf("%.1e from the clamped center after %d steps", e, got.Steps)
	}
}

// slope has no minimum.
type slope struct{}

func (slope) Gradient(g, u []float64) (float64, error) { g[0] = 1; return u[0], nil }

func TestSaysWhenThereIsNoAnswer(t *testing.T) {
	var missing *kedge.NotConvergedError
	var endless *optimum.Unbounded
	_, err := optimum.Minimize(context.Background(), slope{}, set.Whole{}, []float64{0}, optimum.Effort{MaxSteps: 200})
	if !errors.As(err, &endless) {
		t.Errorf("an unbounded problem gives %v", err)
	}
	_, err = optimum.Stable(context.Background(), slope{}.Gradient, set.Whole{}, []float64{0}, optimum.Effort{MaxSteps: 200})
	if !errors.As(err, &missing) {
		t.Errorf("a field without a zero gives %v", err)
	}
	if _, err := optimum.Find(context.Background(), slope{}, set.Whole{}, nil, optimum.Effort{}); err == nil {
		t.Error("no start was accepted")
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := optimum.Minimize(ctx, pricing(t, 1), set.Whole{}, []float64{9}, optimum.Effort{}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search gives %v", err)
	}
	if _, err := optimum.Minimize(context.Background(), pricing(t, 1), set.Whole{}, []float64{math.NaN()}, optimum.Effort{}); err == nil {
		t.Error("a NaN start was accepted")
	}
}
