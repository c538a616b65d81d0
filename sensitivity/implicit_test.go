package sensitivity_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/fixpoint"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/stream"
)

// linear returns p⁺ = Ap + u with A of n rows.
func linear(t *testing.T, n int, a []float64) *dynamics.Affine {
	t.Helper()
	b := make([]float64, n*n)
	for i := range n {
		b[i*n+i] = 1
	}
	f, err := dynamics.NewAffine(kedge.Dims{Decision: n, State: n}, a, b, nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// For p⁺ = Ap + u the product w solves (I − A)ᵀw = v. The certificate is its residual, which asks nobody else.
func TestImplicitSolvesItsEquation(t *testing.T) {
	r := stream.New(1, "implicit")
	for _, n := range []int{1, 2, 16, 32, 33, 60} {
		a, v, x := normals(r, n*n), normals(r, n), make([]float64, n)
		rows.Scale(a, 0.4/math.Sqrt(float64(n)))
		f := linear(t, n, a)
		for name, s := range map[string]struct {
			of    *sensitivity.Implicit
			ratio float64 // of the residual to n rounding units of ‖A‖‖w‖ + ‖v‖; iterations stop at 1e-13, some hundred of them
		}{
			"as it comes": {&sensitivity.Implicit{Dynamics: f}, 1000},
			"factorized":  {&sensitivity.Implicit{Dynamics: f, Dense: 100}, 10},
			"iterated":    {&sensitivity.Implicit{Dynamics: f, Dense: 1, Solver: fixpoint.Settings{Memory: 10}}, 1000},
		} {
			w := product(t, s.of, x, x, nil, v)
			off := slices.Clone(w)
			rows.Scale(off, -1)
			rows.AddMulT(off, a, w)
			rows.AddScaled(off, 1, v)
			scale := float64(n) * 0x1p-53 * (rows.Norm(a)*rows.Norm(w) + rows.Norm(v))
			if ratio := rows.Norm(off) / scale; !(ratio <= s.ratio) {
				t.Errorf("%s, %d entries: residual is %.3g scaled rounding units, want %v", name, n, ratio, s.ratio)
			}
		}
	}
}

// Up to 32 entries are factorized unless one says otherwise, longer states are iterated: the bits tell which.
func TestImplicitChoosesByLength(t *testing.T) {
	r := stream.New(3, "length")
	for n, limit := range map[int]int{32: 100, 33: 1} {
		a, v, x := normals(r, n*n), normals(r, n), make([]float64, n)
		rows.Scale(a, 0.4/math.Sqrt(float64(n)))
		f := linear(t, n, a)
		got := product(t, &sensitivity.Implicit{Dynamics: f}, x, x, nil, v)
		if want := product(t, &sensitivity.Implicit{Dynamics: f, Dense: limit}, x, x, nil, v); !slices.Equal(got, want) {
			t.Errorf("%d entries are not solved as with Dense %d", n, limit)
		}
	}
}

// The product is linear in v, to the bit for powers of two: an iteration that stopped at an absolute tolerance would not be.
func TestImplicitScales(t *testing.T) {
	r := stream.New(2, "scales")
	const n = 5
	a, v, x := normals(r, n*n), normals(r, n), make([]float64, n)
	rows.Scale(a, 0.2)
	for _, limit := range []int{1, 100} {
		s := &sensitivity.Implicit{Dynamics: linear(t, n, a), Dense: limit}
		want := product(t, s, x, x, nil, v)
		for _, k := range []int{-900, -40, 40, 900} {
			scaled := slices.Clone(v)
			rows.Scale(scaled, math.Ldexp(1, k))
			got := product(t, s, x, x, nil, scaled)
			rows.Scale(got, math.Ldexp(1, -k))
			if !slices.Equal(got, want) {
				t.Errorf("Dense %d: v·2^%d gives %v·2^%d, want %v", limit, k, got, k, want)
			}
		}
	}
}

// Individuals that drift (A = I) or nearly do have no sensitivity. The error says so and names them.
func TestImplicitRefusesWhatDoesNotSettle(t *testing.T) {
	x, v := make([]float64, 4), []float64{1, 0, 0, 1}
	for name, a := range map[string][]float64{"drifting": {1, 0, 0, 1}, "one mode drifts": {0, 0, 0, 1}, "nearly": {0, 0, 0, 1 - 1e-15}} {
		f := linear(t, 2, a)
		err := refused(t, name, &sensitivity.Implicit{Dynamics: f}, x, x[:2], nil, v)
		row := new(kedge.RowError)
		if !errors.Is(err, kedge.ErrSingular) || !errors.As(err, &row) || row.Row != 0 {
			t.Errorf("%s: error %v does not name a singular individual 0", name, err)
		}
	}
	err := refused(t, "iterated", &sensitivity.Implicit{Dynamics: linear(t, 2, []float64{0, 0, 0, 1}), Dense: 1}, x, x[:2], nil, v)
	row, stop := new(kedge.RowError), new(kedge.NotConvergedError)
	if !errors.As(err, &row) || row.Row != 1 || !errors.As(err, &stop) || !(stop.Residual > stop.Tolerance) {
		t.Errorf("iterated: error %v does not say that individual 1 did not converge", err)
	}
}

// What can be solved is solved, with an error in proportion to the condition.
func TestImplicitNearSingular(t *testing.T) {
	for _, gap := range []float64{1e-3, 1e-9, 1e-13} {
		left := 1 - gap // 1 − left is the exact gap
		s := &sensitivity.Implicit{Dynamics: linear(t, 2, []float64{0, 0, 0, left})}
		agree(t, "w", product(t, s, []float64{0, 0}, []float64{0, 0}, nil, []float64{1, 1}), []float64{1, 1 / (1 - left)}, 1e-15, 0)
	}
}

// A derivative that does not exist is an error, not a number: the polarized step vanishes at p = −d, λ = ½.
func TestImplicitWithoutDerivative(t *testing.T) {
	for _, limit := range []int{1, 100} {
		s := &sensitivity.Implicit{Dynamics: dynamics.Polarized{Dim: 2, Lambda: 0.5, Sigma: 0.5}, Dense: limit}
		refused(t, "no direction", s, []float64{-1, 0}, []float64{0, 1}, []float64{1, 0}, []float64{1, 1})
	}
}
