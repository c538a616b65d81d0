package certify

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/set"
)

// By hand: what a certificate of given numbers says. The tight step is the largest, the coupled one as large.
func TestWhatACertificateSays(t *testing.T) {
	c := &Certificate{Horizon: 50, Constants: told(map[Key]float64{Slope0: 2.5}),
		Steps: []Step{
			{Form: Paper, Largest: 0.001, Used: 0.05}, {Form: Tight, Largest: 0.02, Used: 0.05}, {Form: Coupled, Largest: 0.02, Used: 0.05}, {Form: Tight, Probable: true, Largest: 0.3},
		},
		Bounds: []Bound{
			{Theorem: "Theorem 5", Form: Paper, Value: 40, Compare: 2.5, Known: Proof}, {Theorem: "Theorem 7", Form: Tight, Value: 9}, {Theorem: "Theorem 5", Form: Tight, Value: 1.5, Compare: 2.5, Known: Proof},
		},
		Assumptions: []Assumption{{Number: 1, Verdict: Holds}, {Number: 2, Verdict: Fails, Evidence: "it is steep"}},
	}
	want := []string{
		"The step 0.05 is 50 times the paper's largest for T = 50 (0.001) and 2.5 times the tight form's (0.02).",
		"At the certified steps the mean of ‖∇Φ̃‖² is at most 40 (paper, vacuous) and 1.5 (tight, not vacuous); it begins at 2.5.",
		"This is a proof: every constant in it is.", "Assumption 2 fails: it is steep.",
	}
	if got := c.judge(problem{Premises: Premises{Step: 0.05}}); !slices.Equal(got, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := c.judge(problem{}); got[0] != "No step was given." || len(got) != 4 {
		t.Errorf("without a step: %q", got)
	}
	if s := c.LargestStep(Tight, true); s.Largest != 0.3 {
		t.Errorf("in probability: %+v", s)
	}
	if s, b := c.LargestStep(Paper, true), c.Bound("Theorem 7", Paper); !math.IsNaN(s.Largest) || s.Known != Unknown || !math.IsNaN(b.Value) || b.Known != Unknown {
		t.Errorf("what is not there: %+v, %+v", s, b)
	}
	c.Steps[2].Largest = 0.03
	if c.best() != Coupled {
		t.Errorf("the best form is %s", c.best())
	}
}

// Where a constant has no number neither has the bound, and which is told.
func TestBoundsThatCannotBeTold(t *testing.T) {
	nan := math.NaN()
	known := map[Key]float64{L: 1, Smooth: 1, Rho1: 0.5, Rho2: 1, V0: 1, Gap: 1, M: 1, MV: 1, Slope0: 2.5}
	for want, without := range map[string][]Key{"Δ is": {Gap}, "L and M are": {M, L}, "L_Φ̃, ρ₁, ρ₂, V₀ and M_V are": {Smooth, Rho1, Rho2, V0, MV}} {
		all := maps.Clone(known)
		for _, k := range without {
			delete(all, k)
		}
		c := &Certificate{Constants: told(all), Steps: []Step{{Form: Paper, Largest: 1}}, Bounds: []Bound{{Theorem: "Theorem 5", Form: Paper, Value: nan}}}
		if got, want := c.judgeBounds(), "What the mean of ‖∇Φ̃‖² is at most cannot be told, as "+want+" not known; it begins at 2.5."; got != want {
			t.Errorf("got %s\nwant %s", got, want)
		}
	}
}

// By hand, at the ends of the ways a ratio is written.
func TestRatiosAreSaid(t *testing.T) {
	for x, want := range map[float64]string{0.5: "within", 1: "within", 1.5: "1.5 times", 9.94: "9.9 times", 10: "10 times", 999999: "999999 times", 1e6: "1e+06 times", math.Inf(1): "+Inf times"} {
		if got := times(x); got != want {
			t.Errorf("%v is said %q, want %q", x, got, want)
		}
	}
}

// Up to ten constants that are estimates are named, more are counted.
func TestEstimatesAreNamed(t *testing.T) {
	keys := []Key{LfP, LhU, PMin, PMax, MPhiU, MPhiP, LPhiP, MhD, Lp, L, Rho1}
	for _, x := range []struct {
		n      int
		beyond []string
		want   string
	}{
		{1, nil, "This is an estimate, not a proof: " + LfP.symbolOf() + " are estimates."}, {11, nil, "This is an estimate, not a proof: 11 of 12 constants are estimates."},
		{0, []string{"noise"}, "This is an estimate, not a proof; and the run goes beyond the theorems."},
	} {
		c := &Certificate{Constants: told(map[Key]float64{Gap: 1}), Beyond: x.beyond}
		for _, k := range keys[:x.n] {
			c.put(k, 1, Estimate, "")
		}
		if got := c.judgeKnown(); got != x.want {
			t.Errorf("%d: %q, want %q", x.n, got, x.want)
		}
	}
	c := &Certificate{Constants: told(nil)}
	for _, k := range keys[:10] {
		c.put(k, 1, Estimate, "")
	}
	if got := c.judgeKnown(); strings.Contains(got, "10 of") || strings.Count(got, ",") != 9 { // one behind "estimate", eight in the list
		t.Errorf("of ten: %q", got)
	}
}

// symbolOf is how a constant is written.
func (k Key) symbolOf() string { return Constant{Key: k}.Symbol() }

// What a certificate is asked for has ends, and the ends are what the errors name.
func TestPremisesHaveEnds(t *testing.T) {
	good := problem{published(t, 0.3, 0.4).Model, Premises{Step: 0.1, Batch: 1, Horizon: 1, Tau: 0.5}}
	if _, err := good.ready(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(p *problem){
		"step": func(p *problem) { p.Step = 0 }, "step ": func(p *problem) { p.Step = math.Inf(1) }, "step  ": func(p *problem) { p.Step = math.NaN() }, "batch": func(p *problem) { p.Batch = 0 },
		"T": func(p *problem) { p.Horizon = 0 }, "τ": func(p *problem) { p.Tau = 0 }, "τ ": func(p *problem) { p.Tau = 1 }, "optimum": func(p *problem) { p.Optimum = []float64{1} },
		"start": func(p *problem) { p.Start = nil }, "sensitivity": func(p *problem) { p.Sensitivity = nil }, "traits": func(p *problem) { p.Traits = nil }, "objective": func(p *problem) { p.Objective = nil },
		"dynamics": func(p *problem) { p.Dynamics = nil }, "mean of the crowd": func(p *problem) { p.Social = true },
	} {
		p := good
		change(&p)
		if _, err := p.ready(); err == nil || !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("a bad %s: %v", name, err)
		}
	}
}

// Who neither comes nearer nor goes away does not settle: the spectral radius of p ↦ p is 1.
func TestWhoStaysDoesNotSettle(t *testing.T) {
	for next, want := range map[string]bool{"p + u + d": false, "0.99*p + u + d": true} {
		m, err := formula.Compile(formula.Source{Decision: "u[1]", State: "p[1]", Trait: "d[1]", Next: next, Minimize: "u[0]*p[0]"})
		if err != nil {
			t.Fatal(err)
		}
		one := []float64{1}
		_, err = slopeAt(m.Dynamics().(kedge.Smooth), probe{p: one, h: one, u: one, d: one})
		var stays *NotContractingError
		if errors.As(err, &stays) == want {
			t.Errorf("%s: %v", next, err)
		}
	}
}

// By hand: what a certificate is in JSON; numbers that there are none of are null, and what has no end is "inf".
func TestCertificatesInJSON(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for want, x := range map[string]any{
		`{"of":"x","theorem":"Theorem 5","form":"tight","probable":true,"value":2,"step":0.5,"compare":1,"vacuous":true,"known":"proof","source":"s"}`: Bound{"x", "Theorem 5", Tight, true, 2, 0.5, 1, Proof, "s"},
		`{"individuals":7,"rate":-0.5,"logarithm":true,"split":null,"distance":3,"gradient":"inf","known":"estimate"}`:                                 Generalization{7, -0.5, true, nan, 3, inf, Estimate},
		`{"for":"f","of":"o","value":null,"largest":0.25,"used":1,"known":"unknown","why":"w"}`:                                                        Extension{"f", "o", nan, 0.25, 1, Unknown, "w"},
		`{"form":"paper","probable":false,"largest":0.5,"used":1,"excess":2,"known":"proof","source":"s"}`:                                             Step{Form: Paper, Largest: 0.5, Used: 1, Known: Proof, Source: "s"},
	} {
		got, err := json.Marshal(x)
		if err != nil || string(got) != want {
			t.Errorf("%s (%v), want\n%s", got, err, want)
		}
	}
}

// The norm that polarized states remember beside them is nothing that the theory is of: it is dropped, with what is made for it.
func TestNormsAreForgotten(t *testing.T) {
	f := dynamics.Polarized{Dim: 2, Lambda: 0.4, Sigma: 0.5}
	traits := kedge.Block{Data: []float64{1, 0, 0, 1}, Width: 2}
	p := problem{Model: kedge.Model{Dynamics: dynamics.PolarizedNorm{Polarized: f}, Objective: objective.Affinity{}, Traits: traits, States: kedge.Block{Data: []float64{1, 0, 9, 0, 1, 8}, Width: 3}}}
	q := p.forget()
	if q.Dynamics != kedge.Dynamics(f) || q.Settler != kedge.Settler(f) || q.Sensitivity == nil || q.Objective != kedge.Objective(objective.Affinity{}) {
		t.Errorf("%+v", q.Model)
	}
	if n, width := q.States.Size(); n != 2 || width != 2 || !slices.Equal(q.States.View(make([]float64, 4), 0, 2), []float64{1, 0, 0, 1}) {
		t.Errorf("states of %d × %d", n, width)
	}
	plain := problem{Model: kedge.Model{Dynamics: f}}
	if plain.forget().Dynamics != kedge.Dynamics(f) {
		t.Error("others have something to forget")
	}
	good := problem{Model: published(t, 0.3, 0.4).Model}
	for name, change := range map[string]func(p *problem){"weights": func(p *problem) { p.Weights = make([]float64, 1000) }, "whole numbers": func(p *problem) { p.Set = set.Lattice{} }} {
		p := good
		change(&p)
		if _, err := p.filled(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("with %s: %v", name, err)
		}
	}
}

// By the definition: where every batch is everybody there is no noise.
func TestEverybodyHasNoNoise(t *testing.T) {
	p := published(t, 0.3, 0.4)
	p.Everybody, p.Batch = true, 1000
	c := &Constants{}
	if err := c.addNoise(p, nil); err != nil {
		t.Fatal(err)
	}
	for _, k := range []Key{M, MV, SigmaMb} {
		if x := c.Get(k); x.Value != 0 || x.Known != Proof {
			t.Errorf("%s is %+v", k, x)
		}
	}
}

// By hand: of Φ = ½·3·p² + 2pu the gradients are 3p + 2u and 2p. Between p = 1 and h = 3 under u = 5 they differ by 6 and 4, that is 3 and 2 for every 1, and ∂Φ/∂p is 19 at most. Who
// stays where it is tells no slopes.
func TestSecantsOfLosses(t *testing.T) {
	o, err := objective.NewQuadratic(kedge.Dims{Decision: 1, State: 1, Trait: 1}, []float64{0}, []float64{2}, []float64{3}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var s slopes
	s.see(o, probe{u: []float64{5}, p: []float64{1}, h: []float64{3}, d: []float64{0}})
	near(t, "L_Φ^p", s.loss, 19, 1e-13)
	near(t, "M_Φ^u", s.partU, 2, 1e-13)
	near(t, "M_Φ^p", s.partP, 3, 1e-13)
	s = slopes{}
	s.see(o, probe{u: []float64{5}, p: []float64{7}, h: []float64{7}, d: []float64{0}})
	if s.loss != 31 || s.partU != 0 || s.partP != 0 {
		t.Errorf("of who stays: %+v", s)
	}
}

// By hand, of Jacobians of one entry: the largest is 0.9, of number 4; one that is no number is the answer, whoever comes after. The mean is over three places of everybody.
func TestContractionsOfSlopes(t *testing.T) {
	of := func(who int, a, b, c float64) slope {
		return slope{probe: probe{who: who}, byP: [3][]float64{{a}, {b}, {c}}}
	}
	seen := []slope{of(3, 0.1, 0.2, -0.3), of(4, 0.5, -0.9, 0.3), of(5, 0.8, 0, 0.1)}
	if got := contractionIn(nil, seen, 1); !(math.Abs(got.Value-0.9) <= 1e-12) || got.Trait != 4 {
		t.Errorf("%+v", got)
	}
	near(t, "the mean", meanJacobian(seen, 1)[0], (0.1+0.2-0.3+0.5-0.9+0.3+0.8+0.1)/9, 1e-15)
	odd := []slope{of(3, 0.1, math.NaN(), 0.3), of(4, 5, 5, 5)}
	if got := contractionIn(nil, odd, 1); !math.IsNaN(got.Value) || got.Trait != 3 {
		t.Errorf("with what is no number: %+v", got)
	}
	// A shear has the norm 3.1 and the radius ½: it contracts in the metric of its own equation, not in the plain one.
	shear := []float64{0.5, 3, 0, 0.5}
	c := &Constants{}
	if err := c.addSampledMetric([]slope{{byP: [3][]float64{shear, shear, shear}}}, 2, "by hand"); err != nil || !(c.Value(LfP) < 1) || !(c.Value(PMin) > 0) || !(c.Value(PMax) > c.Value(PMin)) || c.Metric == nil {
		t.Errorf("%v, %v: %+v", err, c.Value(LfP), c.Metric)
	}
	half := []float64{0.5, 0, 0, 0.25}
	c = &Constants{}
	if err := c.addSampledMetric([]slope{{byP: [3][]float64{half, half, half}}}, 2, "by hand"); err != nil || !(math.Abs(c.Value(LfP)-0.5) <= 1e-9) || c.Value(PMin) != 1 || c.Value(PMax) != 1 {
		t.Errorf("%v, %v in the plain metric", err, c.Value(LfP))
	}
	for name, same := range map[string][]float64{"what grows": {1.5, 0, 0, 0.5}, "who stays": {1, 0, 0, 1}} {
		if err := (&Constants{}).addSampledMetric([]slope{{probe: probe{who: 7}, byP: [3][]float64{same, same, same}}}, 2, ""); !errors.As(err, new(*NotContractingError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// (0, 1) goes to (3, 0) and that to 0: P = I + AᵀA is diag(1, 10), in which 3 for √10 is the most.
	gone := []float64{0, 3, 0, 0}
	c = &Constants{}
	must(t, c.addSampledMetric([]slope{{byP: [3][]float64{gone, gone, gone}}}, 2, "by hand"))
	near(t, "L_f^p", c.Value(LfP), 3/math.Sqrt(10), 1e-12)
	near(t, "λmin(P)", c.Value(PMin), 1, 1e-12)
	near(t, "λmax(P)", c.Value(PMax), 10, 1e-11)
}

// By hand: between traits 1 and 3 under one decision ∇ᵤh turns from 2 to 8, that is by 3 for every 1; others under another decision, or of the same trait, say nothing.
func TestTurnsBetweenPeople(t *testing.T) {
	of := func(under int, d, answer float64) slope {
		return slope{probe: probe{under: under, u: []float64{0}, d: []float64{d}}, answer: []float64{answer}}
	}
	near(t, "the turn", turns([]slope{of(0, 1, 2), of(0, 3, 8), of(1, 4, 99), of(1, 4, -50), of(1, 5, -49)}), 3, 1e-12)
	near(t, "of nobody", turns(nil), 0, 0)
}

// disguised is a loss that nothing is known of.
type disguised struct{ kedge.Objective }

// By hand: Φ = −pᵀu in disguise has ∂Φ/∂u = −p, which changes by 1 for every 1 of p, and ∂Φ/∂p = −u, which does not change and is as long as decisions are. Who does not settle tells nothing.
func TestLossesInDisguise(t *testing.T) {
	p, err := published(t, 0.3, 0.4).filled()
	if err != nil {
		t.Fatal(err)
	}
	p.Objective = disguised{objective.Affinity{}}
	s, err := (&Constants{}).sampleObjective(p)
	if err != nil || s.known != Estimate || !(math.Abs(s.partU-1) <= 1e-9) || !(s.partP <= 1e-9) || !(s.loss > 0.5 && s.loss <= 1+1e-12) {
		t.Errorf("%+v, %v", s, err)
	}
	c := &Constants{}
	if err := c.addObjective(p); err != nil || !(math.Abs(c.Value(MPhiU)-1) <= 1e-9) || c.Get(MPhiU).Known != Estimate || !(c.Value(LPhiP) > 0.5) {
		t.Errorf("%v: %v, %v", err, c.Value(MPhiU), c.Value(LPhiP))
	}
	p.Settler = nil
	if s, err := (&Constants{}).sampleObjective(p); err == nil {
		t.Errorf("of who does not settle: %+v", s)
	}
	if err := (&Constants{}).addObjective(p); err == nil {
		t.Error("of who does not settle there are constants")
	}
}

// By hand, on [0, 1] in ten pieces: a peak between two of them, and at either end.
func TestLargestOnAGrid(t *testing.T) {
	for name, x := range map[string]struct {
		f    func(float64) float64
		want float64
	}{
		"between": {func(x float64) float64 { return 1 - (x-0.7321)*(x-0.7321) }, 1}, "rising": {func(x float64) float64 { return x }, 1}, "falling": {func(x float64) float64 { return 2 - x }, 2},
		"two peaks": {func(x float64) float64 { return max(1-math.Abs(x-0.2), 1.05-math.Abs(x-0.8)) }, 1.05},
	} {
		if got := largest(x.f, 0, 1, 10); !(math.Abs(got-x.want) <= 1e-6) {
			t.Errorf("%s: %v, want %v", name, got, x.want)
		}
	}
	best, most := neighbour(func(x [3]float64) float64 { return x[0] - 2*x[1] + x[2]/2 }, [3]float64{0.9, 0.1, 0.5}, 0.25)
	if best != [3]float64{0.9, 0, 0.5} || !(math.Abs(most-1.15) <= 1e-15) { // down the second, as far as the cube goes: +0.2, up the first +0.1, up the third +0.125
		t.Errorf("the best neighbour is %v with %v", best, most)
	}
}
