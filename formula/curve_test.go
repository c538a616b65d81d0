package formula

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/stream"
)

// Values are those of the formulas written out in Go, derivatives those of differences of them.
func TestCurves(t *testing.T) {
	square := func(x float64) float64 { return x * x }
	for _, c := range []struct {
		text   string
		curves int
		want   func(q []float64) float64 // the largest of all curves, whatever their scale
	}{
		{"q[0]^2 + 2*q[1]^2 <= 4; q >= -9", 1, func(q []float64) float64 { return square(q[0]) + 2*square(q[1]) - 4 }},
		{"exp(q[0]) + q[1] <= 3 - q[2]", 1, func(q []float64) float64 { return math.Exp(q[0]) + q[1] + q[2] - 3 }},
		{"log(q[0]) + sqrt(q[1]) >= q[2]^4", 1, func(q []float64) float64 { return math.Pow(q[2], 4) - math.Log(q[0]) - math.Sqrt(q[1]) }},
		{"norm(A @ q) <= 5", 1, func(q []float64) float64 { return square(q[0]+2*q[1]+3*q[2]) + square(q[1]) - 25 }},
		{"norm(A @ q) <= 5 + q[0]", 1, func(q []float64) float64 { return math.Hypot(q[0]+2*q[1]+3*q[2], q[1]) - 5 - q[0] }},
		{"q[0]^1.5 + q[1]^3 + 2^q[2] <= 7; q >= 0", 1, func(q []float64) float64 { return math.Pow(q[0], 1.5) + math.Pow(q[1], 3) + math.Exp2(q[2]) - 7 }},
		{"1/q[0] + q[1]^-2 + 2/q[2] <= 9; q >= 0.1", 1, func(q []float64) float64 { return 1/q[0] + 1/square(q[1]) + 2/q[2] - 9 }},
		{"logsumexp(q) + dot(q, q)/8 <= 3", 1, func(q []float64) float64 {
			return math.Log(math.Exp(q[0])+math.Exp(q[1])+math.Exp(q[2])) + (square(q[0])+square(q[1])+square(q[2]))/8 - 3
		}},
		{"tanh(q[0]) + sigmoid(q[1]) + erf(q[2]) >= 0.5; q >= 0", 1, func(q []float64) float64 {
			return 0.5 - math.Tanh(q[0]) - 1/(1+math.Exp(-q[1])) - math.Erf(q[2])
		}},
		{"q[0]^2 - q[0]*q[1] + q[1]^2 + q[2] <= 4", 1, func(q []float64) float64 { return square(q[0]) - q[0]*q[1] + square(q[1]) + q[2] - 4 }},
		{"dot(q, [[2, -1, 0], [-1, 2, -1], [0, -1, 2]] @ q) <= 5 - q[2]", 1, func(q []float64) float64 {
			return 2*(square(q[0])+square(q[1])+square(q[2])-q[0]*q[1]-q[1]*q[2]) - 5 + q[2]
		}},
		{"exp(q) <= up", 3, func(q []float64) float64 { return max(math.Exp(q[0])-1, math.Exp(q[1])-2, math.Exp(q[2])-3) }},
		{"max(q[0]^2, q[1]) + abs(q[2]) <= 3", 4, func(q []float64) float64 { return max(square(q[0]), q[1]) + math.Abs(q[2]) - 3 }},
		{"abs(q[0]) + 2*abs(q[1] - 1) <= 3", 4, func(q []float64) float64 { return math.Abs(q[0]) + 2*math.Abs(q[1]-1) - 3 }},
		{"exp(max(q)) + abs(q[0]) + 2*abs(q[1]) <= min(q) + 9", 36, func(q []float64) float64 {
			return math.Exp(max(q[0], q[1], q[2])) + math.Abs(q[0]) + 2*math.Abs(q[1]) - min(q[0], q[1], q[2]) - 9
		}},
		{"q[0]^2 <= q[1]; norm(q) <= 2; sum(q) <= 1", 3, func(q []float64) float64 {
			return max(square(q[0])-q[1], square(q[0])+square(q[1])+square(q[2])-4, q[0]+q[1]+q[2]-1)
		}},
		{"q[0]^2 <= q[1]; sum(abs(q)) <= 2", 9, func(q []float64) float64 {
			return max(square(q[0])-q[1], math.Abs(q[0])+math.Abs(q[1])+math.Abs(q[2])-2)
		}},
	} {
		got, err := compileConstraints(strings.Split(c.text, "; ")...)
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %v, %v", c.text, got, err)
			continue
		}
		set, ok := got[0].(Convex)
		if !ok || len(set.Curves) != c.curves {
			t.Errorf("%s: %d curves in %+v, want %d", c.text, len(set.Curves), got[0], c.curves)
			continue
		}
		r := stream.New(1, "curves")
		for range 20 {
			q := []float64{0.2 + r.Float64(), 0.2 + r.Float64(), 0.2 + r.Float64()}
			most := math.Inf(-1)
			for _, curve := range set.Curves {
				most = max(most, curve.Expand(nil, nil, q))
				checkSlopes(t, c.text, curve, q)
			}
			if want := c.want(q); math.Abs(most-want) > 1e-12*(1+math.Abs(want)) {
				t.Errorf("%s at %v: %v, want %v", c.text, q, most, want)
			}
		}
	}
}

// checkSlopes compares derivatives with differences.
func checkSlopes(t *testing.T, what string, c *Inequality, q []float64) {
	t.Helper()
	const step = 1e-4
	n := len(q)
	g, h := make([]float64, n), make([]float64, n*n)
	if v := c.Expand(g, h, q); v != c.Expand(nil, nil, q) {
		t.Errorf("%s: another value with derivatives, %v", what, v)
	}
	up, down := make([]float64, n), make([]float64, n)
	for i, v := range q {
		q[i] = v + step
		high := c.Expand(up, nil, q)
		q[i] = v - step
		low := c.Expand(down, nil, q)
		q[i] = v
		if want := (high - low) / (2 * step); math.Abs(g[i]-want) > 1e-5*(1+math.Abs(want)) {
			t.Errorf("%s at %v: slope %d is %v, want %v", what, q, i, g[i], want)
		}
		for k := range n {
			if want := (up[k] - down[k]) / (2 * step); math.Abs(h[i*n+k]-want) > 1e-4*(1+math.Abs(want)) {
				t.Errorf("%s at %v: entry %d, %d of the Hessian is %v, want %v", what, q, i, k, h[i*n+k], want)
			}
		}
	}
}

func TestEquationsBesideCurves(t *testing.T) {
	got, err := compileConstraints("q >= 0", "sum(q) == 1", "dot(q, up*q) <= 0.5")
	if err != nil {
		t.Fatal(err)
	}
	set, ok := got[0].(Convex)
	if !ok || len(got) != 1 || set.Equal == nil || len(set.Equal.B) != 1 || set.Equal.B[0] != 1 || set.Lower[0] != 0 {
		t.Errorf("%+v", got)
	}
}

// A decision that is a matrix bends as its entries do: here with derivatives by hand, of (Q₀₀ + 2Q₀₁)² + Q₁₀⁴ − 3 and of ‖Qw‖² − 4 with w = (1, 2).
func TestCurvesOfMatrices(t *testing.T) {
	m, err := Compile(Source{Decision: "Q[2, 2]", State: "p", Next: "p", Subject: []string{"(Q[0] @ w)^2 + Q[1, 0]^4 <= 3", "norm(Q @ w) <= 2", "Q <= 5"}, Let: []Binding{{Name: "w", Expr: "[1, 2]"}}})
	if err != nil {
		t.Fatal(err)
	}
	set, ok := m.Constraints()[0].(Convex)
	if !ok || len(set.Curves) != 2 || set.Upper[3] != 5 {
		t.Fatalf("%+v", m.Constraints())
	}
	q, g, h := []float64{1, 2, 3, 4}, make([]float64, 4), make([]float64, 16)
	for k, want := range []struct {
		value float64
		g, h  []float64
	}{
		{25 + 81 - 3, []float64{10, 20, 108, 0}, []float64{2, 4, 0, 0, 4, 8, 0, 0, 0, 0, 108, 0, 0, 0, 0, 0}},
		{25 + 121 - 4, []float64{10, 20, 22, 44}, []float64{2, 4, 0, 0, 4, 8, 0, 0, 0, 0, 2, 4, 0, 0, 4, 8}},
	} {
		if v := set.Curves[k].Expand(g, h, q); v != want.value || !slices.Equal(g, want.g) || !slices.Equal(h, want.h) {
			t.Errorf("curve %d: %v, %v, %v, want %+v", k, v, g, h, want)
		}
	}
}
