package doctor

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/set"
)

// halving settles at twice the decision, as a crowd that moves by p⁺ = p/2 + u does.
type halving struct{ matrix }

func (halving) Settle(dst, u, _ []float64) (kedge.Residual, error) {
	for i := range dst {
		dst[i] = 2 * u[i]
	}
	return kedge.Residual{}, nil
}

// square is the loss p²/2 + cu of the first entries, of which it says the slopes.
type square struct{ c float64 }

func (s square) Eval(gp, gu, p, u, _ []float64) float64 {
	if gp != nil {
		gp[0] += p[0]
	}
	if gu != nil {
		gu[0] += s.c
	}
	return p[0]*p[0]/2 + s.c*u[0]
}

// pulls is the sensitivity of halving, or an error.
type pulls struct{ wrong error }

func (s pulls) PullRows(gu, _, _, _, v []float64) error {
	if s.wrong != nil {
		return s.wrong
	}
	for i, x := range v {
		gu[i%len(gu)] += 2 * x
	}
	return nil
}

// whole is a model with all its parts, of four people.
func whole() (kedge.Model, Examination) {
	h := halving{matrix{{0.5}}}
	m := kedge.Model{Dynamics: h, Settler: h, Objective: square{}, Sensitivity: pulls{}, Set: set.Box{Lower: []float64{-1}, Upper: []float64{1}}, Start: []float64{0.5}, Traits: kedge.Block{Data: []float64{1, 2, 3, 4}, Width: 1}}
	rule := Candidate{Name: "rule", Step: 0.1, Batch: 2, Replacement: true, Method: new(kind.CompositeMethod).Facts()}
	return m, Examination{Rules: []Candidate{rule}}
}

// found is what one check of a model says.
func found(t *testing.T, id string, change func(m *kedge.Model, x *Examination)) Check {
	t.Helper()
	m, x := whole()
	change(&m, &x)
	r, err := Examine(t.Context(), m, x)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Checks {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no %s among %+v", id, r.Checks)
	return Check{}
}

// gappy has a nearest point of what is below a bound only.
type gappy struct{ bound float64 }

func (g gappy) Project(u []float64) error {
	if u[0] > g.bound {
		return errors.New("too far")
	}
	u[0] = max(u[0], -2)
	return nil
}

// What is wrong with a part of a model is said by the check that looks at it, and what is not there is not looked at.
func TestPartsThatAreWrongAreNamed(t *testing.T) {
	type change = func(m *kedge.Model, x *Examination)
	rows := func(v ...float64) kedge.Block { return kedge.Block{Data: v, Width: 1} }
	const agree = "make the population, the start and the dynamics agree"
	for name, c := range map[string]struct {
		change change
		want   Check
	}{
		"sound":                {func(*kedge.Model, *Examination) {}, Check{ID: "dimensions", Verdict: Pass, Figure: "decision 1, state 1, trait 1"}},
		"no sensitivity":       {func(m *kedge.Model, _ *Examination) { m.Sensitivity = nil }, Check{ID: "sensitivity", Verdict: Skip, Figure: "the model has none"}},
		"a broken sensitivity": {func(m *kedge.Model, _ *Examination) { m.Sensitivity = pulls{errors.New("broken")} }, Check{ID: "sensitivity", Verdict: Fail, Figure: "individual 0: broken", Remedy: "check that individuals settle there"}},
		"a crowd that is seen": {func(m *kedge.Model, _ *Examination) { m.Social = true }, Check{ID: "dimensions", Verdict: Fail, Figure: "individuals see the mean of the crowd", Remedy: "hold the mean, to look at one individual by itself"}},
		"no traits":            {func(m *kedge.Model, _ *Examination) { m.Traits = nil }, Check{ID: "dimensions", Verdict: Fail, Figure: "states has 0 entries, want 1; traits has 0 entries, want 1", Remedy: agree}},
		"a state that is none": {func(m *kedge.Model, _ *Examination) { m.States = rows(1, math.NaN(), 3, 4) }, Check{ID: "dimensions", Verdict: Fail, Figure: "states[1] is NaN, want a finite number", Remedy: agree}},
		"a trait that is none": {func(m *kedge.Model, _ *Examination) { m.Traits, m.States = rows(1, 2, math.Inf(1)), rows(1, 2, 3) }, Check{ID: "dimensions", Verdict: Fail, Figure: "traits[2] is +Inf, want a finite number", Remedy: agree}},
		"three states of four": {func(m *kedge.Model, _ *Examination) { m.States = rows(1, 2, 3) }, Check{ID: "dimensions", Verdict: Fail, Figure: "states has 3 entries, want 4", Remedy: agree}},
		"weights of others":    {func(m *kedge.Model, _ *Examination) { m.Weights = []float64{1, 1, 1} }, Check{ID: "dimensions", Verdict: Fail, Figure: "weights has 3 entries, want 4", Remedy: agree}},
		"far points without":   {func(m *kedge.Model, _ *Examination) { m.Set = gappy{9} }, Check{ID: "bounded", Verdict: Warn, Figure: "15 of 26 far points cannot be projected; the others end within 2.5 of the start"}},
		"a start that is none": {func(m *kedge.Model, _ *Examination) { m.Set, m.Start = gappy{9}, []float64{0.5} }, Check{ID: "set", Verdict: Pass, Figure: "projected points stay to 0"}},
		"a lattice": {func(m *kedge.Model, _ *Examination) {
			m.Set, m.Start = set.Finite{Points: [][]float64{{0}, {1}}}, []float64{0}
		}, Check{ID: "set", Verdict: Pass, Figure: "projected points stay to 0"}},
		"a length":     {func(_ *kedge.Model, x *Examination) { x.Rules[0].Method.Step = kind.Length }, Check{ID: "step.rule", Verdict: Skip, Figure: "its gradients are divided by their size"}},
		"no curvature": {func(m *kedge.Model, _ *Examination) { m.Objective = square{math.NaN()} }, Check{ID: "step.rule", Verdict: Skip, Figure: "no gradient of the settled objective"}},
	} {
		got := found(t, c.want.ID, c.change)
		if got.Verdict != c.want.Verdict || got.Figure != c.want.Figure || got.Remedy != c.want.Remedy {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

// By hand: p²/2 of people who settle at 2u is 2u², whose gradient 4u bends by 4: of one person like another there is no noise.
func TestStepsAndBatchesOfOneKind(t *testing.T) {
	if got := found(t, "step.rule", func(*kedge.Model, *Examination) {}).Figure; got != "0.1; good up to 1/L = 0.25, steady below 0.5" {
		t.Errorf("step: %s", got)
	}
	if got := found(t, "batch.rule", func(*kedge.Model, *Examination) {}).Figure; got != "2: noise is 0 % of the gradient; 10 % with 0" {
		t.Errorf("batch: %s", got)
	}
	everybody := func(batch int, again bool) func(*kedge.Model, *Examination) {
		return func(_ *kedge.Model, x *Examination) { x.Rules[0].Batch, x.Rules[0].Replacement = batch, again }
	}
	for _, c := range []struct {
		batch int
		again bool
		want  string
	}{{4, false, "4 is everybody: no noise"}, {5, false, "5 is everybody: no noise"}, {3, false, "3: noise is 0 % of the gradient; 10 % with 0"}, {4, true, "4: noise is 0 % of the gradient; 10 % with 0"}} {
		if got := found(t, "batch.rule", everybody(c.batch, c.again)).Figure; got != c.want {
			t.Errorf("%d at a time, again %t: %s, want %s", c.batch, c.again, got, c.want)
		}
	}
}

// judge of one decision and of several: what settles under some is a warning, what a step moves a fault.
func TestSettledStatesAreJudged(t *testing.T) {
	e := walker(matrix{{0.5}}, 2)
	e.us = [][]float64{{0}, {1}}
	for _, c := range []struct {
		residual, failed int // how many
		of               float64
		under            []bool // decisions under which everybody settles
		verdict          Verdict
		figure, detail   string
	}{
		{4, 0, 1e-8, []bool{true, true}, Pass, "found, residual at most 1e-08", ""}, {4, 0, 1.1e-8, []bool{true, true}, Fail, "a step moves that of individual 1 by 1.1e-08 of its length", ""},
		{2, 2, 0, []bool{true, false}, Warn, "under 1 of 2 decisions for everybody", "There is none for individual 1 under decision (1): why. Decisions"}, {2, 2, 1, []bool{true, false}, Fail, "none for individual 1", "Why. So in 2 of 4 places."},
		{0, 4, 0, []bool{false, false}, Fail, "none for individual 1", "Why. So in 4 of 4 places."},
	} {
		e.failed = nil
		for _, all := range c.under {
			list := []error{nil, nil}
			if !all {
				list[1] = errors.New("why")
			}
			e.failed = append(e.failed, list)
		}
		residual, failed := worst{seen: c.residual, of: c.of, at: e.visit(0, 1, e.us[0])}, worst{seen: c.failed, at: e.visit(1, 1, e.us[1])}
		if got := judgeSettled(e, residual, failed); got.Verdict != c.verdict || !strings.HasPrefix(got.Figure, c.figure) || !strings.HasPrefix(got.Detail, c.detail) {
			t.Errorf("%d fail, %d leave %v: %+v", c.failed, c.residual, c.of, got)
		}
	}
	e.Set = gappy{2}
	if got, less := e.moves([]float64{3}), e.moves([]float64{-4}); !math.IsInf(got, 1) || less != 0.5 {
		t.Errorf("3 moves by %v and -4 by %v", got, less)
	}
}

// By hand, in two numbers: where gradients are at most (6, 8) long, exploring 0.5 far is steady below 0.5/(√2·10) = 0.035.
func TestExploringStepsInTwoNumbers(t *testing.T) {
	e := walker(matrix{{0.5, 0}, {0, 0.5}}, 1)
	e.us = [][]float64{{3, 4}, {6, 8}, {0, 1}}
	rule := Candidate{Name: "blind", Step: 0.01}
	rule.Method.Reach = 0.5
	grad := func(g, u []float64) (float64, error) { return 0, errors.Join(nil, copied(g, u)) }
	if got := exploringStep(e, rule, grad); got.Verdict != Pass || got.Figure != "0.01; good up to δ/(2√n‖∇‖) = 0.018, steady below 0.035" {
		t.Errorf("%+v", got)
	}
	rule.Step = 0.036
	if got := exploringStep(e, rule, grad); got.Verdict != Warn || got.Remedy != "set algorithms.blind.step=0.018" {
		t.Errorf("%+v", got)
	}
	got := exploringStep(e, rule, func([]float64, []float64) (float64, error) { return 0, errors.New("no value") })
	if want := (Check{Verdict: Skip, Figure: "no gradient of the settled objective", Detail: "No value."}); got != want {
		t.Errorf("%+v", got)
	}
	if got := judgeStep(rule, 0.018, 0.036, "a", "b"); got.Verdict != Pass {
		t.Errorf("a step at its limit: %+v", got)
	}
}

func copied(to, from []float64) error {
	copy(to, from)
	return nil
}

// By hand: gradients (1, 0), (3, 0) and (5, 3) have the mean (3, 1), from which they are √5, 1 and √8 away: as of a sample (5 + 1 + 8)/2 = 7; with the weights 1/2, 1/2 and 2
// the mean is (4, 2), the squares 13, 5 and 2, a third of whose weighted sum is 13/3.
func TestNoiseIsTheVarianceOfOne(t *testing.T) {
	e := walker(matrix{{0.5, 0}, {0, 0.5}}, 3)
	e.Start, e.Traits, e.Objective = []float64{0, 0}, kedge.Block{Data: []float64{1, 0, 3, 0, 5, 3}, Width: 2}, byTrait{}
	e.settled, e.failed = [][]float64{make([]float64, 6)}, [][]error{make([]error, 3)}
	rule := Candidate{Method: kind.Facts{Held: online.Stable}}
	if mean, variance, err := e.noise(rule); err != nil || math.Abs(mean-math.Sqrt(10)) > 1e-12 || math.Abs(variance-7) > 1e-12 {
		t.Errorf("all alike: %v, %v, %v", mean, variance, err)
	}
	e.weights = []float64{1, 1, 4}
	if mean, variance, err := e.noise(rule); err != nil || math.Abs(mean-math.Sqrt(20)) > 1e-12 || math.Abs(variance-13.0/3) > 1e-12 {
		t.Errorf("by weights: %v, %v, %v", mean, variance, err)
	}
	e.weights = []float64{0, 0, 0}
	if _, _, err := e.noise(rule); err == nil {
		t.Error("nobody counts")
	}
	e.weights, e.failed[0][1] = nil, context.Canceled
	if _, _, err := e.noise(rule); !errors.Is(err, context.Canceled) {
		t.Errorf("of somebody who does not settle: %v", err)
	}
}

// byTrait is an objective whose slope by the decision is the trait.
type byTrait struct{}

func (byTrait) Eval(_, gu, _, _, d []float64) float64 {
	for i := range gu {
		gu[i] += d[i]
	}
	return 0
}
