package steady_test

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/steady"
)

// double has steady states near −1 and 1, to which the sign of the start leads while |u| is small; a large u leaves one of them.
type double struct{}

func (double) Dims() kedge.Dims { return kedge.Dims{Decision: 1, State: 1, Trait: 1} }

func (double) Next(dst, p, u, _ []float64) { dst[0] = p[0] + .3*(p[0]-p[0]*p[0]*p[0]) + .2*u[0] }

func (double) Pullback(gp, gu, p, _, _, v []float64) {
	if gp != nil {
		gp[0] += v[0] * (1.3 - .9*p[0]*p[0])
	}
	if gu != nil {
		gu[0] += .2 * v[0]
	}
}

func doubled(states, traits []float64) kedge.Model {
	f := kedge.Batched(double{})
	return kedge.Model{
		Dynamics: f, Settler: dynamics.NewWalked(f), Sensitivity: &sensitivity.Implicit{Dynamics: double{}}, Objective: objective.Affinity{State: 1},
		States: kedge.Block{Data: states, Width: 1}, Traits: kedge.Block{Data: traits, Width: 1},
	}
}

// Of four people two begin on the other side of their trait. Under u = 2 only the steady state above 1 is left, so that who has been there
// stays above 0 for good: the two who begin below come from there to another steady state.
func TestRememberCountsWhoDependsOnTheStart(t *testing.T) {
	m := doubled([]float64{-1, -.5, .5, 1}, []float64{1, -1, 1, -1})
	if got := steady.Remember(m, []int{0, 1, 2, 3}, [][]float64{{.1}}); got.FromTrait != 2 || got.FromOther != 0 || got.Either != 2 {
		t.Errorf("under one decision: %+v", got)
	}
	if got := steady.Remember(m, []int{0, 1, 2, 3}, [][]float64{{.1}, {2}}); got.FromTrait != 2 || got.FromOther != 2 || got.Either != 3 {
		t.Errorf("after another decision: %+v", got)
	}
	plain := doubled([]float64{-1, 1}, []float64{-1, 1})
	if got := steady.Remember(plain, []int{0, 1}, [][]float64{{.1}, {0}}); got.Either != 0 {
		t.Errorf("nobody depends on the start, but %+v", got)
	}
}

// Nothing is remembered where nobody knows where people settle, nor by a crowd that sees itself, where nobody settles alone: else somebody who begins on the other side of his trait would.
func TestRememberLooksAtWhoSettlesAlone(t *testing.T) {
	for name, change := range map[string]func(m *kedge.Model){"nobody settles": func(m *kedge.Model) { m.Settler = nil }, "a crowd": func(m *kedge.Model) { m.Social = true }, "": func(*kedge.Model) {}} {
		m, want := doubled([]float64{-1, 1}, []float64{1, 1}), 0
		if change(&m); name == "" {
			want = 1
		}
		if got := steady.Remember(m, []int{0, 1}, [][]float64{{.1}}); got.Looked != 2 || got.Either != want || len(got.Individuals) != want {
			t.Errorf("%s: %+v, want %d", name, got, want)
		}
	}
}

// The lag is to where people settle from their own first states: nobody who has settled there lags.
func TestLagIsToTheOwnSteadyState(t *testing.T) {
	m := doubled([]float64{-1, 1}, []float64{1, 1})
	f, err := steady.New(m)
	if err != nil {
		t.Fatal(err)
	}
	settled, u := make([]float64, 2), []float64{.1}
	if err := f.Settle(settled, u); err != nil || !(settled[0] < 0 && settled[1] > 0) {
		t.Fatalf("settled at %v, %v", settled, err)
	}
	l := &steady.Lag{Model: m}
	if v, err := l.Measure(make([]float64, 1), u, settled); err != nil || v > 1e-12 {
		t.Errorf("a settled crowd lags by %v, %v", v, err)
	}
}

// A crowd whose people are drawn to its mean settles where its own steps lead it from its first states.
func TestSocialCrowdSettlesFromItsOwnStates(t *testing.T) {
	m := doubled([]float64{-1, -1, -1, 1}, []float64{1, 1, 1, 1})
	c, err := dynamics.NewCoupled(double{}, .05, dynamics.Flat)
	if err != nil {
		t.Fatal(err)
	}
	m.Dynamics, m.Settler, m.Sensitivity, m.Social = c, dynamics.NewWalked(c), &sensitivity.Implicit{Dynamics: c}, true
	f, err := steady.New(m)
	if err != nil {
		t.Fatal(err)
	}
	got := make([]float64, 4)
	if err := f.Settle(got, []float64{.1}); err != nil {
		t.Fatal(err)
	}
	p, next := []float64{-1, -1, -1, 1}, make([]float64, 4)
	for range 2000 {
		mean := (p[0] + p[1] + p[2] + p[3]) / 4
		for i, x := range p {
			next[i] = .95*(x+.3*(x-x*x*x)+.02) + .05*mean
		}
		p, next = next, p
	}
	for i := range p {
		if math.Abs(got[i]-p[i]) > 1e-10 {
			t.Errorf("settled at %v, the crowd's own steps lead to %v", got, p)
			break
		}
	}
}
