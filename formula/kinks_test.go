package formula

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
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
	if testing.Short() {
		t.Skip("short runs are those of the race detector, under which pools forget at random")
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
