package formula

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/ptx"
)

// emitted evaluates the list of a model beside its program, and counts rows and entries that differ without a flag.
func emitted(m *Model, r *rand.Rand, count int, change func(x float64) float64) (differ, flagged int, listed bool) {
	f, dim := m.dynamics, m.dims
	shares := f.Shares()
	if shares < 0 {
		return 0, 0, false
	}
	c := ptx.New(dim.State, dim.Trait, shares)
	f.EmitNext(c)
	run, shared := ptx.NewEvaluator(c), make([]float64, shares)
	draw := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = change(r.NormFloat64())
		}
		return x
	}
	u := draw(dim.Decision)
	f.Share(shared, u)
	p, d, want, got := draw(count*dim.State), draw(count*dim.Trait), make([]float64, count*dim.State), make([]float64, dim.State)
	f.NextRows(want, p, u, d)
	for i := range count {
		if _, flag := run.Eval(got, p[i*dim.State:], d[i*dim.Trait:], shared); flag {
			flagged++
			continue
		}
		for j, v := range got {
			if math.Float64bits(v) != math.Float64bits(want[i*dim.State+j]) {
				differ++
			}
		}
	}
	return differ, flagged, true
}

// hostile makes some numbers strange: zeros of both signs, powers of ten up to 1e±300.
func hostile(r *rand.Rand) func(x float64) float64 {
	return func(x float64) float64 {
		switch r.IntN(4) {
		case 0:
			return math.Copysign(0, x)
		case 1:
			return x * []float64{1e3, 1e-3, 1e60, 1e-60, 1e300, 1e-300}[r.IntN(6)]
		}
		return x
	}
}

// Lists of random models have the bits of their programs, on ordinary and on hostile rows; what is out of the ordinary is flagged.
func TestEmittedModelsHaveTheBitsOfPrograms(t *testing.T) {
	evidence.OneGoroutine(t)
	r := rand.New(rand.NewPCG(7, 7))
	lists, rows := 0, 0
	for range 400 {
		x := newTrial(t, author{r})
		differ, _, listed := emitted(x.model, r, 40, func(x float64) float64 { return x })
		if listed {
			lists++
		}
		more, flagged, _ := emitted(x.model, r, 40, hostile(r))
		if rows += 40 - flagged; differ+more > 0 {
			t.Fatalf("%d ordinary and %d hostile entries differ of\n%s", differ, more, x.source.Next)
		}
	}
	if lists < 200 || rows < 2000 {
		t.Errorf("%d lists of 400 models and %d hostile rows without flag are too few to tell", lists, rows)
	}
}

// Every function that can be written is, and has the bits of its twin, also where it takes its other branch.
func TestEmittedFunctions(t *testing.T) {
	evidence.OneGoroutine(t)
	r := rand.New(rand.NewPCG(3, 3))
	list := []Source{{Decision: "q", State: "p[3]", Trait: "d[3]", Next: "q*p + d"}, {Decision: "q", State: "p[3]", Trait: "d[3]", Next: "d - q*p"}} // by the first of all values
	for _, next := range []string{
		"exp(p)", "log(p)", "tanh(p)", "sigmoid(p)", "sqrt(abs(p))", "floor(p)", "round(p*4)/4", "p^3", "p^-2", "abs(p)^1.3", "abs(p)^d", "p^round(3*d)", "(-abs(p))^d", "(0*p)^round(d)",
		"min(p, d)", "max(p, d)", "where(p < d, p, d)", "where(p == d, p, 2*d)", "softmax(p)", "normalize(p + d)", "p/(1 + norm(d))", "max(p)*d", "logsumexp(p)*d",
		"outer(p, d) @ u", "p*q - d*q/2 + u",
	} {
		list = append(list, Source{Decision: "u[5]", State: "p[5]", Trait: "d[5]", Let: []Binding{{Name: "q", Expr: "dot(p, u)"}}, Next: next})
	}
	for _, s := range list {
		m, err := Compile(s)
		if err != nil {
			t.Fatalf("%s: %v", s.Next, err)
		}
		for _, change := range []func(float64) float64{func(x float64) float64 { return x }, hostile(r), math.Round} {
			if differ, _, listed := emitted(m, r, 500, change); differ > 0 || !listed {
				t.Errorf("%s: %d entries differ, listed is %t", s.Next, differ, listed)
			}
		}
	}
	m, err := Compile(Source{Decision: "u", State: "p", Trait: "d", Next: "sin(p) + u + d"})
	if err != nil || m.dynamics.Shares() >= 0 {
		t.Errorf("a sine counts as listed, or %v", err)
	}
}
