package formula

import (
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
)

// What individuals see of the crowd is a part of the decision, behind its own entries: values, derivatives and steady states of
// p⁺ = ap + bq + k·mean + c·d are those of the closed form.
func TestCrowdIsAPartOfTheDecision(t *testing.T) {
	m, err := Compile(Source{Decision: "q[2]", State: "p[2]", Trait: "d[2]", Let: []Binding{{Name: "pull", Expr: "0.3*crowd(p)"}},
		Next: "0.5*p + 0.1*q + pull*p[0] + 0.2*d", Minimize: "dot(p, q)"})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Dims(); !m.Social() || got != (kedge.Dims{Decision: 2, State: 2, Trait: 2}) {
		t.Errorf("social %v, dims %v", m.Social(), got)
	}
	f := m.Dynamics()
	if f.Dims().Decision != 4 {
		t.Fatalf("the dynamics take %d numbers for the decision, want the mean behind it", f.Dims().Decision)
	}
	p, u, d, v := []float64{1, 2}, []float64{3, 4, 5, 6}, []float64{7, 8}, []float64{1, -2}
	got := make([]float64, 2)
	f.Next(got, p, u, d)
	for i, want := range []float64{0.5 + 0.3 + 0.3*5 + 1.4, 1 + 0.4 + 0.3*6 + 1.6} {
		if math.Abs(got[i]-want) > 1e-14 {
			t.Errorf("next state %v, entry %d should be %v", got, i, want)
		}
	}
	gp, gu := make([]float64, 2), make([]float64, 4)
	f.Pullback(gp, gu, p, u, d, v)
	for i, want := range []float64{0.1, -0.2, 0.3, -0.6} { // ∂f/∂q = 0.1, ∂f/∂mean = 0.3·p₀
		if math.Abs(gu[i]-want) > 1e-15 {
			t.Errorf("slopes in decision and mean %v, entry %d should be %v", gu, i, want)
		}
	}
	for i, want := range []float64{0.5 + 0.3*(5-2*6), -1} {
		if math.Abs(gp[i]-want) > 1e-14 {
			t.Errorf("slopes in the state %v, entry %d should be %v", gp, i, want)
		}
	}
	for _, bad := range []Source{
		{Decision: "q", State: "p", Next: "crowd(q)"}, {Decision: "q", State: "p", Next: "crowd(2*p)"}, {Decision: "q", State: "p", Next: "p", Minimize: "crowd(p)"},
	} {
		if _, err := Compile(bad); err == nil || !strings.Contains(err.Error(), "crowd") {
			t.Errorf("%v: got %v", bad, err)
		}
	}
}

// Steady states follow the crowd's mean where ∂f/∂p does: p = mean₀·Bp + d has the solution (1, mean₀)/(1 − mean₀²) of d = (1, 0) with B the swap.
func TestSteadyStatesFollowTheCrowd(t *testing.T) {
	m, err := Compile(Source{Decision: "q", State: "p[2]", Trait: "d[2]", Let: []Binding{{Name: "B", Expr: "[[0, 1], [1, 0]]"}}, Next: "crowd(p)[0]*(B @ p) + d + q"})
	if err != nil {
		t.Fatal(err)
	}
	f := m.Dynamics().(kedge.RowSettler)
	for _, mean := range []float64{0.5, 0.25, 0.5} {
		slope := make([]float64, 3) // in q of the first entry: that of 1/(1 − mean)
		if err := m.Sensitivity().PullRows(slope, []float64{1, 1}, []float64{0, mean, 0}, []float64{1, 0}, []float64{1, 0}); err != nil || math.Abs(slope[0]-1/(1-mean)) > 1e-14 {
			t.Errorf("with the mean %v the sensitivity is %v, %v", mean, slope, err)
		}
		h := make([]float64, 2)
		if _, err := f.SettleRows(h, []float64{0, mean, 0}, []float64{1, 0}); err != nil {
			t.Fatal(err)
		}
		if rest := 1 - mean*mean; math.Abs(h[0]-1/rest) > 1e-14 || math.Abs(h[1]-mean/rest) > 1e-14 {
			t.Errorf("with the mean %v people settle at %v", mean, h)
		}
	}
}

// Noise is a number of its own for every row, and its mean for who settles.
func TestNoiseEntersTheNextState(t *testing.T) {
	m, err := Compile(Source{Decision: "q", State: "p[2]", Trait: "d[2]", Beside: []string{"strength", "t"},
		Noise: []Shock{{"w[2]", 0}, {"hit", 0.25}}, Let: []Binding{{Name: "push", Expr: "strength*w*p"}},
		Next: "0.5*p + push + hit*q + t*d", Minimize: "strength*sum(p)"})
	if err != nil {
		t.Fatal(err)
	}
	if got := m.Dims(); got != (kedge.Dims{Decision: 1, State: 2, Trait: 4}) {
		t.Fatalf("dims %v, want the numbers beside the trait among it", got)
	}
	f := m.Stirred()
	if f.Width() != 3 || !f.IsAffine() {
		t.Fatalf("%d numbers of noise, affine %v", f.Width(), f.IsAffine())
	}
	p, u, d := []float64{1, 2, 3, 4}, []float64{10}, []float64{1, 2, 3, 4, 5, 6, 7, 8}
	e, got := []float64{0.1, 0.2, 1, 0.3, 0.4, 0}, make([]float64, 4)
	f.NextRows(got, p, u, d, e)
	want := []float64{0.5 + 3*0.1*1 + 10 + 4*1, 1 + 3*0.2*2 + 10 + 4*2, 1.5 + 7*0.3*3 + 8*5, 2 + 7*0.4*4 + 8*6}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-13 {
			t.Errorf("next states %v, want %v", got, want)
		}
	}
	h := make([]float64, 2)
	if _, err := m.Dynamics().(kedge.RowSettler).SettleRows(h, u, d[:4]); err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{2 * (0.25*10 + 4*1), 2 * (0.25*10 + 4*2)} { // p = (hit·q + t·d)/(1 − ½) at the mean of the noise
		if math.Abs(h[i]-want) > 1e-12 {
			t.Errorf("settled at %v, entry %d should be %v", h, i, want)
		}
	}
	if v := m.Objective().Eval(nil, nil, p[:2], u, d[:4]); v != 9 {
		t.Errorf("the loss is %v, want 3·(1 + 2)", v)
	}
	bent, err := Compile(Source{Decision: "q", State: "p", Noise: []Shock{{"w", 0}}, Next: "0.5*p + exp(w)"})
	if err != nil || bent.Stirred().IsAffine() {
		t.Errorf("exp(w) is taken for affine: %v", err)
	}
	if _, err := Compile(Source{Decision: "q", State: "p", Noise: []Shock{{"v[4000]", 0}, {"w[100]", 0}}, Next: "p + v[0]"}); err == nil || !strings.Contains(err.Error(), "more than 4096 numbers of noise") {
		t.Errorf("got %v", err)
	}
	if _, err := Compile(Source{Decision: "q", State: "p", Noise: []Shock{{"p", 0}, {"w[0]", 0}, {"2", 0}}, Next: "p"}); err == nil || strings.Count(err.Error(), "model.noise") != 3 {
		t.Errorf("got %v", err)
	}
}

// Names of models that are older than a function may be the same as its name.
func TestOldNamesStay(t *testing.T) {
	m, err := Compile(Source{Decision: "clip", State: "sin", Let: []Binding{{Name: "round", Expr: "2"}}, Next: "round*sin + sin(clip)"})
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 1)
	if m.Dynamics().Next(got, []float64{1.5}, []float64{0}, nil); got[0] != 3 {
		t.Errorf("got %v, want 3", got)
	}
}
