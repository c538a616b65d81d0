package formula

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/heap"
)

// Where a function has no derivative, one of those around is taken; nothing becomes NaN by 0·∞.
func TestKinks(t *testing.T) {
	for _, c := range []struct {
		formula string
		x, want float64
	}{
		{"abs(x)", 0, 0}, {"sqrt(x)", 0, 0}, {"norm([x, 0])", 0, 0}, {"norm([x, x])", 0, 0}, {"sqrt(x^2)", 0, 0}, {"x^0.5", 0, 0},
		{"x^1.5", 0, 0}, {"abs(x)^0.3", 0, 0}, {"x^0", 0, 0}, {"log(x)", 0, 0}, {"x*log(x)", 0, math.Log(0x1p-1022)},
		{"max(x, 2*x)", 0, 1}, {"max(2*x, x)", 0, 2}, {"min(x, 2*x)", 0, 1}, {"max([3*x, x])", 0, 3}, {"min([3*x, x])", 0, 3},
		{"where(x > 0, x, 3*x)", 0, 3}, {"where(x >= 0, x, 3*x)", 0, 1}, {"where(x > 0, sqrt(x), 0)", 0, 0},
		{"tanh(x)", 0, 1}, {"tanh(1000*x)", 1, 0}, {"sigmoid(x)", 0, 0.25}, {"sigmoid(1000*x)", -1, 0}, {"softmax([x, -x])[0]", 500, 0},
		{"logsumexp([x, 2*x])", 400, 2}, {"exp(-1000*x)", 1, 0}, {"2^x", 0, math.Log(2)}, {"0^(2 + x)", 0, 0},
		{"floor(x)", 0.5, 0}, {"floor(x)", 1, 0}, {"round(3*x)", 0.5, 0}, {"clip(x, 0, 1)", 0, 1}, {"clip(x, 0, 1)", 1, 1}, {"clip(x, 0, 1)", 2, 0},
		{"sin(2*x)", math.Pi / 2, -2}, {"cos(x)", math.Pi / 2, -1}, {"tan(x)", math.Pi / 4, 2}, {"erf(x)", 0, 2 / math.SqrtPi}, {"erf(x)", 30, 0},
	} {
		m, err := Compile(Source{Decision: "u", State: "x", Minimize: c.formula})
		if err != nil {
			t.Errorf("%s: %v", c.formula, err)
			continue
		}
		g := []float64{0}
		m.Objective().Eval(g, nil, []float64{c.x}, []float64{0}, nil)
		if !(math.Abs(g[0]-c.want) <= 1e-13*max(1, math.Abs(c.want))) {
			t.Errorf("the slope of %s at %v is %v, want %v", c.formula, c.x, g[0], c.want)
		}
	}
}

// Elementary functions are as accurate as they say, against math at arguments of all sizes.
func TestElementaryFunctionsAreAccurate(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "elementary", Text: "elementary functions and powers of formulas, units in the last place"})
	for name, c := range map[string]struct {
		f, want func(float64) float64
		ulps    float64
	}{
		"exp": {exponential, math.Exp, 3}, "log": {func(x float64) float64 { return logarithm(math.Abs(x)) }, func(x float64) float64 { return math.Log(math.Abs(x)) }, 2},
		"tanh": {tanh, math.Tanh, 3}, "sigmoid": {sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, 4},
		"tanhSlope":    {tanhSlope, func(x float64) float64 { return 1 / math.Pow(math.Cosh(x), 2) }, 16},
		"sigmoidSlope": {sigmoidSlope, func(x float64) float64 { return 1 / math.Pow(2*math.Cosh(x/2), 2) }, 16},
		"x^3":          {func(x float64) float64 { return wholePower(x, 3) }, func(x float64) float64 { return math.Pow(x, 3) }, 2},
		"abs(x)^1.7":   {func(x float64) float64 { return raise(math.Abs(x), 1.7) }, func(x float64) float64 { return math.Pow(math.Abs(x), 1.7) }, 64},
	} {
		worst := 0.0
		for x := 1e-8; x < 300; x *= 1.01 {
			for _, x := range []float64{x, -x} {
				got, want := c.f(x), c.want(x)
				worst = max(worst, math.Abs(got-want)/(math.Nextafter(math.Abs(want), math.Inf(1))-math.Abs(want)))
			}
		}
		off.AtMost(name, worst, c.ulps)
	}
}

// Blocks, gradients and steady states take no memory once warm.
func TestNothingAllocates(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector pools forget at random")
	}
	m, err := Compile(Source{Decision: "q[3]", State: "p[3]", Trait: "d[3]", Next: "0.5*p + 0.2*softmax(q)*sum(p) + d", Minimize: "norm(p - q)"})
	if err != nil {
		t.Fatal(err)
	}
	p, u, d, gu := make([]float64, 300), []float64{1, 2, 3}, make([]float64, 300), make([]float64, 3)
	dst := make([]float64, 300)
	f := m.Dynamics()
	calls := map[string]func(){
		"NextRows":     func() { f.NextRows(dst, p, u, d) },
		"PullbackRows": func() { f.PullbackRows(dst, gu, p, u, d, d) },
		"EvalRows":     func() { m.Objective().EvalRows(dst, gu, p, u, d) },
		"SettleRows":   func() { _, err = f.(settled).SettleRows(dst, u, d) },
		"PullRows":     func() { err = m.Sensitivity().PullRows(gu, p, u, d, d) },
	}
	for name, call := range calls {
		call()
		if n := testing.AllocsPerRun(100, call); n > 1 || err != nil { // the collector may empty a pool in between
			t.Errorf("%s allocates %v times, error %v", name, n, err)
		}
	}
}

// By the definitions of the functions at the edges of what they are defined for: there nothing is wrong by a little.
func TestFunctionsAtTheirEdges(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), math.Copysign(0, -1)
	one := func(f func(float64) float64) func(x, y float64) float64 {
		return func(x, _ float64) float64 { return f(x) }
	}
	whole := func(x, y float64) float64 { return wholePower(x, int(y)) }
	least := math.Log(0x1p-1022)
	for name, c := range map[string]struct {
		f     func(x, y float64) float64
		cases [][3]float64
	}{
		"exp":          {one(exponential), [][3]float64{{0, 0, 1}, {zero, 0, 1}, {709, 0, inf}, {-709, 0, 0}, {inf, 0, inf}, {-inf, 0, 0}, {nan, 0, nan}, {1, 0, math.E}, {-700, 0, math.Exp(-700)}, {700, 0, math.Exp(700)}}},
		"log":          {one(logarithm), [][3]float64{{0, 0, least}, {zero, 0, least}, {0x1p-1074, 0, least}, {-1, 0, nan}, {-0x1p-1074, 0, nan}, {inf, 0, inf}, {-inf, 0, nan}, {nan, 0, nan}, {1, 0, 0}, {0x1p-1000, 0, -1000 * math.Ln2}}},
		"slope of log": {one(logSlope), [][3]float64{{0, 0, 0}, {0x1p-1023, 0, 0}, {0x1p-1022, 0, 0x1p1022}, {-1, 0, nan}, {inf, 0, 0}, {2, 0, 0.5}, {nan, 0, nan}}},
		"sigmoid":      {one(sigmoid), [][3]float64{{0, 0, 0.5}, {zero, 0, 0.5}, {inf, 0, 1}, {-inf, 0, 0}, {800, 0, 1}, {-800, 0, 0}, {nan, 0, nan}, {1, 0, 1 / (1 + math.Exp(-1))}, {-1, 0, 1 / (1 + math.E)}}},
		"its slope":    {one(sigmoidSlope), [][3]float64{{0, 0, 0.25}, {inf, 0, 0}, {-800, 0, 0}, {nan, 0, nan}}},
		"tanh":         {one(tanh), [][3]float64{{0, 0, 0}, {inf, 0, 1}, {-inf, 0, -1}, {0.625, 0, math.Tanh(0.625)}, {-0.625, 0, -math.Tanh(0.625)}, {0.6249999, 0, math.Tanh(0.6249999)}, {nan, 0, nan}}},
		"slope of it":  {one(tanhSlope), [][3]float64{{0, 0, 1}, {400, 0, 0}, {nan, 0, nan}}},
		"slope of erf": {one(erfSlope), [][3]float64{{0, 0, 2 / math.SqrtPi}, {1, 0, 2 / math.SqrtPi / math.E}, {-1, 0, 2 / math.SqrtPi / math.E}, {40, 0, 0}}},
		"sign":         {one(sign), [][3]float64{{3, 0, 1}, {-3, 0, -1}, {0, 0, 0}, {zero, 0, zero}, {nan, 0, nan}, {0x1p-1074, 0, 1}}},
		"over":         {over, [][3]float64{{1, 0, 0}, {0, 0, 0}, {6, 3, 2}, {1, nan, nan}, {inf, 0, 0}}},
		"x^y": {raise, [][3]float64{{0, 0, 1}, {nan, 0, 1}, {5, 0, 1}, {0, 2, 0}, {0, -2, inf}, {0, 0.5, 0}, {0, nan, nan}, {-2, 3, -8}, {-2, 2, 4}, {-2, 2.5, nan}, {nan, 2, nan}, {2, nan, nan}, {-1, 7, -1}, {-3, -1, -1. / 3}, {4, 0.5, 2},
			{inf, 1, inf}, {inf, -1, 0}, {0x1p-1040, 2, 0}}},
		"its slope in x":   {raiseSlope, [][3]float64{{2, 3, 12}, {0, 1, 1}, {0, 2, 0}, {0, 0.5, 0}, {0, nan, nan}, {-2, 3, 12}, {-2, 2, -4}, {4, 0.5, 0.25}}},
		"its slope in y":   {raiseLog, [][3]float64{{2, 3, 8 * math.Ln2}, {0, 2, 0}, {0, nan, nan}, {-2, 3, nan}, {1, 5, 0}}},
		"x^n":              {whole, [][3]float64{{2, 10, 1024}, {2, -2, 0.25}, {0, 0, 1}, {0, -1, inf}, {-2, 3, -8}, {3, 1, 3}, {-1, 2147483647, -1}, {nan, 0, 1}, {2, -1100, 0}, {zero, 3, zero}}},
		"many exponents":   {one(func(x float64) float64 { y := make([]float64, 3); exponentials(y, []float64{1, x, -1}); return y[1] }), [][3]float64{{2, 0, math.Exp(2)}, {-2, 0, math.Exp(-2)}}},
		"many sigmoids":    {one(func(x float64) float64 { y := make([]float64, 2); sigmoids(y, []float64{1, x}); return y[1] }), [][3]float64{{-2, 0, 1 / (1 + math.Exp(2))}, {2, 0, 1 / (1 + math.Exp(-2))}, {zero, 0, 0.5}, {inf, 0, 1}, {-inf, 0, 0}}},
		"the first bad":    {one(func(x float64) float64 { return float64(firstBad([]float64{1, x, nan})) }), [][3]float64{{3, 0, 2}, {inf, 0, 1}, {nan, 0, 1}, {-inf, 0, 1}}},
		"the largest at":   {func(x, y float64) float64 { return float64(largest([]float64{x, y, 2})) }, [][3]float64{{2, 2, 0}, {1, 3, 1}, {1, 1, 2}, {nan, 3, 0}, {3, nan, 1}, {nan, nan, 0}}},
		"the smallest at":  {func(x, y float64) float64 { return float64(smallest([]float64{x, y, 2})) }, [][3]float64{{2, 2, 0}, {1, 0, 1}, {3, 3, 2}, {nan, 1, 0}, {1, nan, 1}, {nan, nan, 0}}},
		"a whole number":   {one(func(x float64) float64 { return float64(wholeNumber(&expr{kind: numberExpr, number: x})) }), [][3]float64{{3, 0, 3}, {1.5, 0, -1}, {1048576, 0, 1048576}, {1048577, 0, -1}, {0, 0, 0}}},
		"its other bounds": {one(func(float64) float64 { return float64(wholeNumber(nil) + wholeNumber(&expr{kind: nameExpr})) }), [][3]float64{{0, 0, -2}}},
	} {
		for _, x := range c.cases {
			got, want := c.f(x[0], x[1]), x[2]
			if !(math.Abs(got-want) <= 1e-13*math.Abs(want)) && got != want && !(math.IsNaN(got) && math.IsNaN(want)) || want == 0 && math.Signbit(got) != math.Signbit(want) {
				t.Errorf("%s of %v and %v is %v, want %v", name, x[0], x[1], got, want)
			}
		}
	}
}
