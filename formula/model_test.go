package formula_test

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/conform"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	senses "github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/stream"
)

func compile(t testing.TB, s formula.Source) *formula.Model {
	t.Helper()
	m, err := formula.Compile(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func let(pairs ...string) (all []formula.Binding) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, formula.Binding{Name: pairs[i], Expr: pairs[i+1]})
	}
	return all
}

// polarized and choice are the built-in models as formulas.
func polarized() formula.Source {
	return formula.Source{
		Decision: "q[20]", State: "p[20]", Trait: "p0[20]",
		Let:      let("lambda", "0.4", "sigma", "0.5"),
		Next:     "normalize(lambda*p + (1-lambda)*p0 + sigma*dot(p,q)*q)",
		Maximize: "dot(p, q)",
		Subject:  []string{"norm(q) <= 1"},
	}
}

func choice() formula.Source {
	return formula.Source{
		Decision: "q[10]", State: "p[10]", Trait: "p0[10]",
		Let:      let("lambda1", "0.2", "lambda2", "0.5", "epsilon", "0.3", "rho", "0.1"),
		Next:     "lambda1*p + lambda2*softmax(-epsilon*q) + (1 - lambda1 - lambda2)*p0",
		Maximize: "dot(p, q) + rho*dot(p, log(p))",
	}
}

// opinions is Friedkin–Johnsen on three people: a full matrix, affine in the state.
func opinions() formula.Source {
	return formula.Source{
		Decision: "q[2]", State: "p[3]", Trait: "d[3]",
		Let:      let("W", "[[0, 0.5, 0.5], [0.3, 0.3, 0.4], [0.2, 0, 0.8]]", "B", "[[1, 0], [0, 1], [0.5, 0.5]]"),
		Next:     "0.6*(W @ p) + 0.3*d + 0.1*tanh(B @ q)",
		Minimize: "sum((p - 1)^2) + 0.1*dot(q, q)",
	}
}

// tired is affine in the state with a matrix that differs from one individual to the next.
func tired() formula.Source {
	return formula.Source{
		Decision: "q", State: "p[2]", Trait: "d[2]",
		Next:     "[0.3*sigmoid(d[0]*q)*p[0] + 0.2*p[1] + d[1], 0.1*p[0] + q^2*tanh(d[1])*p[1]/9]",
		Minimize: "p[0]*q - log(1 + p[1]^2)",
	}
}

func unitVector(r *stream.Stream, n int) []float64 {
	x := normals(r, n)
	rows.Scale(x, 1/rows.Norm(x))
	return x
}

func normals(r *stream.Stream, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = r.Normal()
	}
	return x
}

func probabilities(r *stream.Stream, n int) []float64 {
	x := normals(r, n)
	sum := 0.0
	for i, v := range x {
		x[i] = math.Exp(v)
		sum += x[i]
	}
	rows.Scale(x, 1/sum)
	return x
}

type subject struct {
	source formula.Source
	draw   func(r *stream.Stream) (p, u, d []float64)
}

func subjects() map[string]subject {
	return map[string]subject{
		"polarized": {polarized(), func(r *stream.Stream) (p, u, d []float64) {
			return unitVector(r, 20), unitVector(r, 20), unitVector(r, 20)
		}},
		"choice": {choice(), func(r *stream.Stream) (p, u, d []float64) {
			return probabilities(r, 10), normals(r, 10), probabilities(r, 10)
		}},
		"opinions": {opinions(), func(r *stream.Stream) (p, u, d []float64) { return normals(r, 3), normals(r, 2), normals(r, 3) }},
		"tired":    {tired(), func(r *stream.Stream) (p, u, d []float64) { return normals(r, 2), normals(r, 1), normals(r, 2) }},
	}
}

func TestConformance(t *testing.T) {
	for name, s := range subjects() {
		t.Run(name, func(t *testing.T) {
			m := compile(t, s.source)
			c := conform.Cases{Draw: s.draw}
			conform.Dynamics(t, m.Dynamics(), c)
			conform.Objective(t, m.Objective(), m.Dims(), c)
			if settler, ok := m.Dynamics().(kedge.Settler); ok {
				conform.Sensitivity(t, m.Sensitivity(), settler, c)
			}
		})
	}
}

// near states how far numbers are off, relative to the largest of those that they should be.
func near(off *evidence.Witness, what string, got, want []float64, tol float64) {
	worst := 0.0
	for i, v := range want {
		if d := math.Abs(got[i]-v) / max(1, rows.MaxAbs(want)); !(d <= worst) {
			worst = d
		}
	}
	off.AtMost(what, worst, tol)
}

// The formulas of the built-in models give what the built-in models give.
func TestBuiltins(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "formula-models", Text: "formulas of the built-in models, off what these give"})
	for name, c := range map[string]struct {
		subject
		f kedge.Smooth
		o kedge.RowObjective
		s kedge.Sensitivity
	}{
		"polarized": {subjects()["polarized"], dynamics.Polarized{Dim: 20, Lambda: 0.4, Sigma: 0.5}, objective.Affinity{},
			&senses.Implicit{Dynamics: dynamics.Polarized{Dim: 20, Lambda: 0.4, Sigma: 0.5}}},
		"choice": {subjects()["choice"], dynamics.Choice{Dim: 10, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.3},
			objective.Revenue{Entropy: 0.1}, &senses.Implicit{Dynamics: dynamics.Choice{Dim: 10, Lambda1: 0.2, Lambda2: 0.5, Epsilon: 0.3}}},
	} {
		t.Run(name, func(t *testing.T) {
			m := compile(t, c.source)
			r := stream.New(1, "builtins")
			const n = 150 // more than two blocks
			var p, u, d []float64
			for range n {
				x, y, z := c.draw(r)
				p, u, d = append(p, x...), y, append(d, z...)
			}
			got, want := make([]float64, len(p)), make([]float64, len(p))
			m.Dynamics().NextRows(got, p, u, d)
			kedge.Batched(c.f).NextRows(want, p, u, d)
			near(off, "step", got, want, 1e-14)
			sameObjective(off, m.Objective(), c.o, p, u, d)
			samePulls(t, off, m, c.f, c.s, p, u, d, normals(r, len(p)))
		})
	}
}

func sameObjective(off *evidence.Witness, o, want kedge.RowObjective, p, u, d []float64) {
	g, w := make([]float64, 2*len(p)), make([]float64, 2*len(u))
	got := o.EvalRows(g[:len(p)], w[:len(u)], p, u, d)
	loss := want.EvalRows(g[len(p):], w[len(u):], p, u, d)
	near(off, "loss", []float64{got}, []float64{loss}, 1e-12)
	near(off, "∂loss/∂p", g[:len(p)], g[len(p):], 1e-12)
	near(off, "∂loss/∂u", w[:len(u)], w[len(u):], 1e-12)
}

func samePulls(t *testing.T, off *evidence.Witness, m *formula.Model, f kedge.Smooth, s kedge.Sensitivity, p, u, d, v []float64) {
	t.Helper()
	n := len(u)
	got, want := make([]float64, 2*n), make([]float64, 2*n)
	m.Dynamics().Pullback(got[:n], got[n:], p[:n], u, d[:n], v[:n])
	f.Pullback(want[:n], want[n:], p[:n], u, d[:n], v[:n])
	near(off, "pullback", got, want, 1e-12)
	clear(got)
	clear(want)
	if err := m.Sensitivity().PullRows(got[:n], p, u, d, v); err != nil {
		t.Fatal(err)
	}
	if err := s.PullRows(want[:n], p, u, d, v); err != nil {
		t.Fatal(err)
	}
	near(off, "sensitivity", got, want, 1e-11)
}

// A long state leaves no way but the diagonal with rank-one terms, which is that of the polarized model.
func TestLongStatesTakeTheShortWay(t *testing.T) {
	off := evidence.For(t, evidence.Promise{Name: "formula-long", Text: "the sensitivity of a polarized model of 600 entries, written as a formula"})
	const n = 600
	s := polarized()
	s.Decision, s.State, s.Trait = "q[600]", "p[600]", "p0[600]"
	m := compile(t, s)
	f := dynamics.Polarized{Dim: n, Lambda: 0.4, Sigma: 0.5}
	r := stream.New(1, "long")
	d, u, v := append(unitVector(r, n), unitVector(r, n)...), unitVector(r, n), normals(r, 2*n)
	p := make([]float64, 2*n)
	if _, err := f.SettleRows(p, u, d); err != nil {
		t.Fatal(err)
	}
	got, want := make([]float64, n), make([]float64, n)
	if err := m.Sensitivity().PullRows(got, p, u, d, v); err != nil {
		t.Fatal(err)
	}
	if err := (&senses.Implicit{Dynamics: f}).PullRows(want, p, u, d, v); err != nil {
		t.Fatal(err)
	}
	near(off, "", got, want, 1e-10)
}

// Steady states that do not attract are refused.
func TestUnstable(t *testing.T) {
	for _, next := range []string{"1.5*p", "[[0.5, 2], [2, 0.5]] @ p", "p*exp(q) + d", "-p"} {
		m := compile(t, formula.Source{Decision: "q", State: "p[2]", Trait: "d[2]", Next: next})
		h := []float64{7, 7}
		_, err := m.Dynamics().(kedge.Settler).Settle(h, []float64{1}, []float64{1, 1})
		var unstable *kedge.UnstableError
		if !errors.As(err, &unstable) || unstable.Rate < 1 || h[0] != 7 {
			t.Errorf("%s: got %v, h = %v", next, err, h)
		}
	}
}

// What a model is decides what it offers.
func TestFacts(t *testing.T) {
	for next, want := range map[string][2]bool{ // settles, has a sensitivity
		"0.5*p + q + d": {true, true}, "W @ p + q*d": {true, true}, "normalize(p + q*d)": {false, true},
		"tanh(W @ p) + q": {false, false}, "tanh(p)*q": {false, true}, "p*d/(1 + exp(q))": {true, true},
		"where(d > 0, 0.5*p, q)": {true, true}, "where(p > 0, 0.5, q)": {false, true}, "q*d": {true, true},
		"max(p, q)": {false, true}, "softmax(p) - q": {false, true}, "[p[1], p[0]]": {true, true},
	} {
		m := compile(t, formula.Source{Decision: "q", State: "p[2]", Trait: "d[2]", Let: let("W", "[[0.1, 0.2], [0.3, 0.4]]"), Next: next})
		_, settles := m.Dynamics().(kedge.RowSettler)
		if got := [2]bool{settles, m.Sensitivity() != nil}; got != want {
			t.Errorf("%s: got %v, want %v", next, got, want)
		}
	}
}
