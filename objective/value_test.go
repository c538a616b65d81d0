package objective_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/stream"
)

func within(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// The linear-quadratic problem LQ2 with rational answers: p settles at Gu + Fd, and the traits' mean (1, −1) and covariance
// diag(1, ¼) are those of four equally likely points. At u★ = (−56/229, 99/229) the mean loss is 6057/7328 and the total
// gradient ∂Φ/∂u + Gᵀ∂Φ/∂p vanishes; at the stable (−4/19, 7/19) the loss is 9661/11552 and ∂Φ/∂u alone vanishes.
func TestQuadraticHasItsKnownOptimum(t *testing.T) {
	q, err := objective.NewQuadratic(kedge.Dims{Decision: 2, State: 2}, []float64{2, 0, 0, 2}, []float64{1, 0, 0, 1}, []float64{1, 0, 0, 1}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	settled := func(u []float64) (p []float64) {
		for _, d := range [][2]float64{{0, -0.5}, {0, -1.5}, {2, -0.5}, {2, -1.5}} {
			p = append(p, 1.25*u[0]+0.5*u[1]+d[0]+0.5*d[1], 0.5*u[0]+u[1]+d[1])
		}
		return p
	}
	best, gp, gu := []float64{-56.0 / 229, 99.0 / 229}, make([]float64, 8), make([]float64, 2)
	within(t, "mean loss at the optimum", q.EvalRows(gp, gu, settled(best), best, nil)/4, 6057.0/7328, 1e-15)
	for i := range 4 {
		gu[0] += 1.25*gp[2*i] + 0.5*gp[2*i+1]
		gu[1] += 0.5*gp[2*i] + gp[2*i+1]
	}
	within(t, "total gradient at the optimum", max(math.Abs(gu[0]), math.Abs(gu[1])), 0, 1e-14)

	stable := []float64{-4.0 / 19, 7.0 / 19}
	clear(gu)
	within(t, "mean loss at the stable point", q.EvalRows(nil, gu, settled(stable), stable, nil)/4, 9661.0/11552, 1e-15)
	within(t, "∂Φ/∂u at the stable point", max(math.Abs(gu[0]), math.Abs(gu[1])), 0, 1e-14)
}

// Only the symmetric part of R and Q counts: [[1, 4], [0, 2]] judges as [[1, 2], [2, 2]] does.
func TestQuadraticKeepsSymmetricParts(t *testing.T) {
	dim := kedge.Dims{Decision: 2, State: 2}
	lopsided, even := []float64{1, 4, 0, 2}, []float64{1, 2, 2, 2}
	a, _ := objective.NewQuadratic(dim, lopsided, nil, lopsided, nil, nil)
	b, _ := objective.NewQuadratic(dim, even, nil, even, nil, nil)
	x, g := []float64{3, -5}, []float64{0, 0}
	within(t, "½xᵀRx + ½xᵀQx", a.Eval(g, nil, x, x, nil), 9-60+50, 0)
	within(t, "the symmetric matrix's value", b.Eval(nil, nil, x, x, nil), 9-60+50, 0)
	within(t, "∂Φ/∂p₀ = p₀ + 2p₁", g[0], -7, 0)
	within(t, "∂Φ/∂p₁ = 2p₀ + 2p₁", g[1], -4, 0)
}

// Four equally likely items have entropy log 4; ρ takes it away as printed and adds it when diversity is wanted.
func TestRevenueOfUniformChoice(t *testing.T) {
	p, u := []float64{0.25, 0.25, 0.25, 0.25}, []float64{1, 2, 3, 6}
	for sign, want := range map[objective.EntropySign]float64{
		objective.AsPrinted: -(3 - 0.5*math.Log(4)),
		objective.Diverse:   -(3 + 0.5*math.Log(4)),
	} {
		got := objective.Revenue{Entropy: 0.5, Sign: sign}.Eval(nil, nil, p, u, nil)
		within(t, "revenue", got, want, 1e-15)
	}
	within(t, "revenue without entropy", objective.Revenue{}.Eval(nil, nil, p, u, nil), -3, 0)
}

// An item that nobody chooses has no entropy, and a slope that is finite, of the right sign and not less steep than that of
// any normal number. A negative share is a NaN in the loss and in its own slope only.
func TestRevenueAtTheBoundary(t *testing.T) {
	r := objective.Revenue{Entropy: 1, Sign: objective.Diverse}
	slope := func(x float64) float64 {
		gp := make([]float64, 2)
		r.Eval(gp, nil, []float64{x, 1}, []float64{0, 0}, nil)
		within(t, "slope of the other item", gp[1], 1, 0)
		return gp[0]
	}
	for _, x := range []float64{0, math.Copysign(0, -1), 5e-324, 0x1p-1022} {
		within(t, "loss", r.Eval(nil, nil, []float64{x, 1}, []float64{0, 0}, nil), 0, 1e-300)
		within(t, "slope", slope(x), 1-1022*math.Ln2, 1e-15)
	}
	if s := slope(1e-300); !(s > slope(0)) {
		t.Errorf("slope at 1e-300 is %v, not above %v", s, slope(0))
	}
	for _, x := range []float64{-1e-9, math.NaN()} {
		if loss := r.Eval(nil, nil, []float64{x, 1}, []float64{0, 0}, nil); !math.IsNaN(loss) || !math.IsNaN(slope(x)) {
			t.Errorf("share %v: loss %v, slope %v, want NaN", x, loss, slope(x))
		}
	}
	plain := objective.Revenue{}.Eval(nil, nil, []float64{-1, 1}, []float64{2, 0}, nil)
	within(t, "revenue of a negative share without entropy", plain, 2, 0)
}

// log(1 + exp(−m)) and −1/(1 + exp(m)) at margins where the plain formulas overflow or cancel. For large m both are ±exp(−m)
// to rounding, for large −m they are −m and −1; at 0 they are log 2 and −½.
func TestLogisticAtEveryMargin(t *testing.T) {
	for _, c := range []struct{ margin, loss, slope float64 }{
		{0, math.Ln2, -0.5},
		{40, math.Exp(-40), -math.Exp(-40)},
		{700, math.Exp(-700), -math.Exp(-700)},
		{1e300, 0, 0},
		{-40, 40, -1},
		{-1e300, 1e300, -1},
		{math.Log(3), math.Log(4.0 / 3), -0.25},
	} {
		gu := []float64{0}
		loss := objective.Logistic{}.Eval(nil, gu, []float64{1}, []float64{c.margin}, []float64{0, 1})
		if math.Abs(loss-c.loss) > 4e-16*c.loss || math.Abs(gu[0]-c.slope) > 4e-16*-c.slope {
			t.Errorf("margin %v: loss %v and slope %v, want %v and %v", c.margin, loss, gu[0], c.loss, c.slope)
		}
	}
}

// 0/1 and ±1 labels mean the same, the intercept is not regularized, and a label that is no number shows.
func TestLogisticLabelsAndIntercept(t *testing.T) {
	l := objective.Logistic{Features: 1, Ridge: 2, Trait: 1}
	at := func(label float64) float64 { return l.Eval(nil, nil, []float64{2}, []float64{1, -5}, []float64{label}) }
	yes, no := math.Log1p(math.Exp(3))+1, math.Log1p(math.Exp(-3))+1
	within(t, "label 1", at(1), yes, 1e-15)
	within(t, "label 0", at(0), no, 1e-15)
	within(t, "label −1", at(-1), no, 1e-15)
	if x := at(math.NaN()); !math.IsNaN(x) {
		t.Errorf("a NaN label gives %v", x)
	}
	gu := []float64{0, 0}
	l.Eval(nil, gu, []float64{2}, []float64{1, -5}, []float64{1})
	sigma := 1 / (1 + math.Exp(-3))
	within(t, "∂Φ/∂w", gu[0], -2*sigma+2, 1e-15)
	within(t, "∂Φ/∂b", gu[1], -sigma, 1e-15)
}

// −Φ, Φ + Φ and 2Φ are exact: signs and doubling round nothing.
func TestCombinatorsAreExact(t *testing.T) {
	of := objective.Revenue{Entropy: 0.3}
	p, u := []float64{0.2, 0.3, 0.5}, []float64{1, 3, 0.7}
	eval := func(o kedge.RowObjective) (g []float64, loss float64) {
		g = make([]float64, 6)
		return g, o.EvalRows(g[:3], g[3:], p, u, nil)
	}
	g, loss := eval(of)
	for scale, o := range map[float64]kedge.RowObjective{
		-1: &objective.Weighted{Weight: -1, Of: of},
		2:  objective.Sum{of, of},
		-2: &objective.Weighted{Weight: -2, Of: of},
		4:  &objective.Weighted{Weight: 2, Of: objective.Sum{of, of}},
		0:  objective.Sum{},
	} {
		h, got := eval(o)
		within(t, "combined loss", got, scale*loss, 0)
		for i := range g {
			within(t, "combined gradient", h[i], scale*g[i], 0)
		}
	}
}

// Nobody loses nothing.
func TestEmptyBlock(t *testing.T) {
	for _, s := range subjects(t) {
		u, gu := make([]float64, s.dim.Decision), make([]float64, s.dim.Decision)
		u[0] = 3
		within(t, s.name, s.of.EvalRows(nil, gu, nil, u, nil), 0, 0)
		for _, g := range gu {
			within(t, s.name, g, 0, 0)
		}
	}
}

// NaN in, NaN out: in the loss and in every gradient that depends on it.
func TestNaNShows(t *testing.T) {
	for _, s := range subjects(t) {
		for arg := range 2 {
			x := [][]float64{make([]float64, s.dim.State), make([]float64, s.dim.Decision), make([]float64, s.dim.Trait)}
			for i := range x[0] {
				x[0][i] = 0.5
			}
			x[arg][0] = math.NaN()
			if loss := s.of.EvalRows(nil, nil, x[0], x[1], x[2]); !math.IsNaN(loss) {
				t.Errorf("%s: loss %v with a NaN in argument %d", s.name, loss, arg)
			}
		}
	}
}

// Many rows have the bits of one after the other, also when they are wider than what is read.
func TestAffinityAddsRowsInOrder(t *testing.T) {
	for _, state := range []int{20, 21} {
		a, dim := objective.Affinity{State: state}, kedge.Dims{Decision: 20, State: state}
		p, u, _ := individuals(stream.New(1, "rows"), dim, 150)
		want := 0.0
		for i := range 151 {
			if got := a.EvalRows(nil, nil, p[:i*state], u, nil); got != want {
				t.Fatalf("%d rows of %d: loss %v, want %v", i, state, got, want)
			}
			if i < 150 {
				want += a.Eval(nil, nil, kedge.Row(p, i, state), u, nil)
			}
		}
	}
}
