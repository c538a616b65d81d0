package sensitivity_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/stream"
)

// The golden individual of the verified formulas: λ = 0.4, σ = 0.5, products Ĥu and Ĥv computed with an explicit inverse.
var (
	goldenU = []float64{0.6, -0.3, 0.2}
	goldenD = []float64{1.0 / 3, 2.0 / 3, 2.0 / 3}
	goldenP = []float64{2.0 / 3, 1.0 / 3, 2.0 / 3}
	goldenV = []float64{1, -2, 0.5}

	goldenC  = 1.0389644951692152
	goldenHu = []float64{0.34466943069953454, -0.09413878723952052, 0.16702042897334268}
	goldenHv = []float64{1.1782282851910864, -0.4995678422229479, 0.848045653182306}
)

func TestPolarizedGoldens(t *testing.T) {
	s := &sensitivity.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}
	n := &sensitivity.PolarizedNorm{Polarized: sensitivity.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}}
	remembered := append(slices.Clone(goldenP), goldenC)
	for name, c := range map[string]struct{ v, want []float64 }{"Ĥu": {goldenU, goldenHu}, "Ĥv": {goldenV, goldenHv}} {
		agree(t, name, product(t, s, goldenP, goldenU, goldenD, c.v), c.want, 1e-15, 0)
		wide := append(slices.Clone(c.v), 0)
		agree(t, name+" with a remembered norm", product(t, n, remembered, goldenU, goldenD, wide), c.want, 1e-15, 0)
	}
}

// The gradient h + Ĥu of the settled affinity hᵀu, golden at the settled state of the golden individual.
func TestPolarizedGoldenAffinityGradient(t *testing.T) {
	of := &sensitivity.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}
	settler := dynamics.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5}
	g := product(t, &sensitivity.Settled{Of: of, Settler: settler}, goldenP, goldenU, goldenD, goldenU)
	rows.AddScaled(g, 1, settle(t, settler, goldenU, goldenD))
	agree(t, "∇(hᵀu)", g, []float64{0.803542667953749, 0.8122988961617061, 1.0772277094103033}, 1e-15, 0)
}

// dense is the published formula −σ(pᵀu I + p uᵀ)(I − ppᵀ)[(λI + σuuᵀ)(I − ppᵀ) − cI]⁻¹ with its inverse.
func dense(lambda, sigma float64, p, u, d []float64) *mat.Dense {
	n := len(p)
	x, q := mat.NewVecDense(n, p), mat.NewVecDense(n, u)
	a := mat.Dot(x, q)
	raw := make([]float64, n)
	rows.AddScaled(raw, lambda, p)
	rows.AddScaled(raw, 1-lambda, d)
	rows.AddScaled(raw, sigma*a, u)
	eye := func(k float64) *mat.DiagDense {
		e := mat.NewDiagDense(n, nil)
		for i := range n {
			e.SetDiag(i, k)
		}
		return e
	}
	var plane, left, right, inverse, h mat.Dense
	plane.Outer(-1, x, x)
	plane.Add(&plane, eye(1))
	left.Outer(1, x, q)
	left.Add(&left, eye(a))
	right.Outer(sigma, q, q)
	right.Add(&right, eye(lambda))
	right.Mul(&right, &plane)
	right.Add(&right, eye(-rows.Norm(raw)))
	if err := inverse.Inverse(&right); err != nil {
		panic(err)
	}
	h.Product(&left, &plane, &inverse)
	h.Scale(-sigma, &h)
	return &h
}

// The O(m) product is the published matrix times v, at any state and not only a settled one.
func TestPolarizedIsThePublishedMatrix(t *testing.T) {
	r := stream.New(1, "published matrix")
	for _, n := range []int{2, 3, 5, 20} {
		for range 50 {
			lambda := 0.6 * r.Float64()
			sigma := (0.95 - lambda) * r.Float64()
			u, d, v := decision(r, n, 1), directions(r, 1, n), normals(r, n)
			p := nearby(r, d)
			s := &sensitivity.Polarized{Dim: n, Lambda: lambda, Sigma: sigma}
			var want mat.VecDense
			h := dense(lambda, sigma, p, u, d)
			want.MulVec(h, mat.NewVecDense(n, v))
			agree(t, "Ĥv", product(t, s, p, u, d, v), want.RawVector().Data, 1e-13, 0.1)
			want.MulVec(h, mat.NewVecDense(n, u))
			agree(t, "Ĥu", product(t, s, p, u, d, u), want.RawVector().Data, 1e-13, 0.1)
		}
	}
}

// nearby draws a unit vector at up to about 25° from d, where moving individuals are.
func nearby(r *stream.Stream, d []float64) []float64 {
	p := directions(r, 1, len(d))
	rows.Scale(p, 0.45*r.Float64())
	rows.AddScaled(p, 1, d)
	rows.Scale(p, 1/rows.Norm(p))
	return p
}

// The singular values of ∇ᵤh are σ‖u‖/D, σ|a|/ρ (Dim − 2 times) and 0.
func TestPolarizedSingularValues(t *testing.T) {
	const n, lambda, sigma = 6, 0.4, 0.5
	r := stream.New(2, "singular values")
	s := &sensitivity.Polarized{Dim: n, Lambda: lambda, Sigma: sigma}
	f := dynamics.Polarized{Dim: n, Lambda: lambda, Sigma: sigma}
	u, d := decision(r, n, 0.9), directions(r, 1, n)
	p := settle(t, f, u, d)
	h := mat.NewDense(n, n, nil)
	for j := range n {
		v := make([]float64, n)
		v[j] = 1
		h.SetCol(j, product(t, s, p, u, d, v))
	}
	var svd mat.SVD
	if !svd.Factorize(h, mat.SVDNone) {
		t.Fatal("no singular values")
	}
	a, c := rows.Dot(p, u), f.Stretch(p, u, d)
	rho := c - lambda
	want := []float64{sigma * 0.9 / (rho - sigma*(0.81-a*a))}
	for range n - 2 {
		want = append(want, sigma*math.Abs(a)/rho)
	}
	want = append(want, 0)
	agree(t, "singular values", svd.Values(nil), want, 1e-15, 1)
}

// At a settled state the formula is the derivative of the steady state: it agrees with the implicit function theorem applied
// to the dynamics and with differences of steady states.
func TestPolarizedIsADerivative(t *testing.T) {
	r := stream.New(3, "derivative")
	for _, n := range []int{1, 2, 3, 20, 40} {
		lambda, sigma, norm := 0.4, 0.5, 1.0
		f := dynamics.Polarized{Dim: n, Lambda: lambda, Sigma: sigma}
		u, d, v := decision(r, n, norm), directions(r, 4, n), normals(r, 4*n)
		p := settle(t, f, u, d)
		got := product(t, &sensitivity.Polarized{Dim: n, Lambda: lambda, Sigma: sigma}, p, u, d, v)
		agree(t, "implicit, factorized", got, product(t, &sensitivity.Implicit{Dynamics: f, Dense: 100}, p, u, d, v), 1e-13, 1)
		agree(t, "implicit, iterated", got, product(t, &sensitivity.Implicit{Dynamics: f, Dense: 1}, p, u, d, v), 1e-11, 1)
		agree(t, "differences", got, product(t, &sensitivity.Differences{Settler: f}, p, u, d, v), 1e-9, 1)
	}
}

// The same with the norm as part of the state, where v weighs the norm too.
func TestPolarizedNormIsADerivative(t *testing.T) {
	r := stream.New(4, "norm")
	const n = 5
	f := dynamics.PolarizedNorm{Polarized: dynamics.Polarized{Dim: n, Lambda: 0.3, Sigma: 0.5}}
	s := &sensitivity.PolarizedNorm{Polarized: sensitivity.Polarized{Dim: n, Lambda: 0.3, Sigma: 0.5}}
	u, d, v := decision(r, n, 1), directions(r, 7, n), normals(r, 7*(n+1))
	p := settle(t, f, u, d)
	got := product(t, s, p, u, d, v)
	agree(t, "implicit", got, product(t, &sensitivity.Implicit{Dynamics: f}, p, u, d, v), 1e-13, 1)
	agree(t, "differences", got, product(t, &sensitivity.Differences{Settler: f}, p, u, d, v), 1e-9, 1)
	agree(t, "settled", product(t, &sensitivity.Settled{Of: s, Settler: f}, nil, u, d, v), got, 0, 1)
}

// Special positions: no decision moves nobody; across the individual only p moves, Ĥv = (σuᵀv/D)p; along it Ĥ is
// (σa/ρ)(I − ppᵀ) and Ĥu = 0.
func TestPolarizedSpecialPositions(t *testing.T) {
	s := &sensitivity.Polarized{Dim: 2, Lambda: 0.25, Sigma: 0.5}
	e1, e2, v := []float64{1, 0}, []float64{0, 1}, []float64{3, 5}
	for name, c := range map[string]struct{ u, v, want []float64 }{
		"u = 0":      {[]float64{0, 0}, v, []float64{0, 0}},
		"across":     {e2, v, []float64{0.5 * 5 / 0.25, 0}}, // c = 1, ρ = 0.75, D = 0.25
		"along":      {e1, v, []float64{0, 0.5 * 5 / 1.25}}, // c = 1.5, ρ = D = 1.25
		"along, v=u": {e1, e1, []float64{0, 0}},
	} {
		agree(t, name, product(t, s, e1, c.u, e1, c.v), c.want, 0, 1)
	}
}

// Beyond λ + σ‖u‖² = 1 an indifferent individual has D = 1 − λ − σ‖u‖² ≤ 0: refused by name, and so is everything up to Floor.
func TestPolarizedRefusesToSplit(t *testing.T) {
	p, v := []float64{0, 1, 1, 0}, []float64{1, 1, 1, 1}
	for _, norm := range []float64{1, math.Sqrt(1 - 1e-7), 2} {
		s := &sensitivity.Polarized{Dim: 2, Lambda: 0.5, Sigma: 0.5}
		err := refused(t, "indifferent", s, p, []float64{0, norm}, p, v)
		var row *kedge.RowError
		if !errors.Is(err, kedge.ErrSingular) || !errors.As(err, &row) || row.Row != 1 {
			t.Errorf("‖u‖ = %v: error %v does not name a singular individual 1", norm, err)
		}
	}
	trusting := &sensitivity.Polarized{Dim: 2, Lambda: 0.5, Sigma: 0.5, Floor: 1e-9}
	product(t, trusting, p, []float64{0, math.Sqrt(1 - 1e-7)}, p, v)
}

// By hand: who is at home, with u = 0, has c = 1 and D = 1 − λ = 1/2 to the bit. A D that is the floor is refused, one above it is not, also
// where D is the largest number, which a remembered norm may be.
func TestPolarizedAtItsFloor(t *testing.T) {
	p, u, v := []float64{1, 0}, []float64{0, 0}, []float64{1, 2}
	const largest = math.MaxFloat64 // less 1/2 is the same number
	for _, c := range []struct{ floor, norm float64 }{{0.5, 1}, {math.Nextafter(0.5, 0), 1}, {largest, largest}, {math.Nextafter(largest, 0), largest}} {
		one := sensitivity.Polarized{Dim: 2, Lambda: 0.5, Sigma: 0.5, Floor: c.floor}
		asked := map[string]func() error{"remembered": func() error {
			return (&sensitivity.PolarizedNorm{Polarized: one}).PullRows(make([]float64, 2), []float64{1, 0, c.norm}, u, p, []float64{1, 2, 0})
		}}
		if c.norm == 1 {
			asked["computed"] = func() error { return one.PullRows(make([]float64, 2), p, u, p, v) }
			asked["of each"] = func() error {
				return (&sensitivity.PolarizedEach{Dim: 2, Floor: c.floor}).PullRows(make([]float64, 2), p, u, []float64{1, 0, 0.5, 0.5}, v)
			}
			asked["in a plane"] = func() error {
				if h := (kedge.Planes{PU: []float64{0}, Along: []float64{0}, Across: []float64{1}}); !one.PullPlanes(h, u) {
					return kedge.ErrSingular
				}
				return nil
			}
		}
		for how, ask := range asked {
			if err := ask(); errors.Is(err, kedge.ErrSingular) != (c.floor == 0.5 || c.floor == largest) || err != nil && !errors.Is(err, kedge.ErrSingular) {
				t.Errorf("a D %s for a norm of %v above the floor %v: %v", how, c.norm, c.floor, err)
			}
		}
	}
}
