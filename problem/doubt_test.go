package problem_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/steady"
)

const uncertainShop = `
iterations: 1
model:
  decision: q
  state: p
  trait: d
  let: {habit: 0.8, b: 1.2, most: 10}
  next: habit*p + (1-habit)*(d - b*q)
  maximize: p*q
  subject to: [q >= 0, q <= most]
population: {size: 2, dim: 1, law: values, values: [[3], [5]]}
start: {law: values, values: [2]}
algorithms: [{name: one, kind: composite, step: 0.1, batch: 1}]
draws: d.csv
uncertain: 2
`

func buildDrawn(t *testing.T, spec, draws string) (*problem.Problem, error) {
	t.Helper()
	s, err := problem.Parse(kind.Standard(), "shop.yaml", []byte(spec))
	if err != nil {
		return nil, err
	}
	return problem.Build("shop", s, fstest.MapFS{"d.csv": {Data: []byte(draws)}})
}

// Every draw gives a model with its numbers and the people of the problem: they settle at d − b q.
func TestWorldsHaveTheirNumbers(t *testing.T) {
	p, err := buildDrawn(t, uncertainShop, "b,habit\n1,0.5\n0.5,0.9\n7,7\n")
	if err != nil {
		t.Fatal(err)
	}
	worlds, err := p.Worlds(t.Context(), 2)
	if err != nil || len(worlds) != 2 {
		t.Fatal(len(worlds), err)
	}
	for i, want := range []float64{-2 * (4 - 2*1), -2 * (4 - 2*0.5)} {
		f, err := steady.New(worlds[i].Model)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.Value([]float64{2}); err != nil || got < want-1e-9 || got > want+1e-9 {
			t.Errorf("draw %d: %v, %v; by hand %v", i, got, err, want)
		}
	}
	if _, seen := p.Inputs()["d.csv"]; !seen {
		t.Error("the draws are no input of the problem")
	}
}

// Numbers of built-in kinds go by their keys.
func TestDrawsOfKeys(t *testing.T) {
	spec := "iterations: 1\ndynamics: {kind: polarized, lambda: 0.3, sigma: 0.5}\nobjective: {kind: affinity}\nset: {kind: ball, radius: 1}\npopulation: {size: 4, dim: 3, law: sphere}\n" +
		"start: {law: zero}\nalgorithms: [{name: one, kind: composite, step: 0.1, batch: 1}]\ndraws: d.csv\nuncertain: 3\n"
	p, err := buildDrawn(t, spec, "dynamics.lambda\n0.3\n0.6\n1.7\n")
	if err != nil {
		t.Fatal(err)
	}
	worlds, err := p.Worlds(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	var values [2]float64
	for i := range values {
		f, err := steady.New(worlds[i].Model)
		if err != nil {
			t.Fatal(err)
		}
		if values[i], err = f.Value([]float64{0, 0, 1}); err != nil {
			t.Fatal(err)
		}
	}
	own, err := p.Steady()
	if err != nil {
		t.Fatal(err)
	}
	if v, _ := own.Value([]float64{0, 0, 1}); v != values[0] || v == values[1] {
		t.Errorf("the spec has %v, draws of its own number and another %v", v, values)
	}
	if worlds[2].Err == nil || !strings.Contains(worlds[2].Err.Error(), "dynamics.lambda") {
		t.Errorf("lambda of 1.7: %v", worlds[2].Err)
	}
}

func TestDoubtsThatAreRefused(t *testing.T) {
	for _, c := range []struct{ spec, draws, want string }{
		{uncertainShop, "most\n1\n2\n", "shop.yaml:14: draws: d.csv: draws are of numbers that stand in model.subject to (q <= most)"},
		{uncertainShop, "dynamics.lambda\n1\n2\n", "column dynamics.lambda is no key of the spec"},
		{uncertainShop, "b\n1\n", "d.csv: 1 draw, but uncertain is 2"},
		{strings.Replace(uncertainShop, "draws: d.csv\n", "", 1), "", "uncertain is 2, but there is no file of draws"},
		{uncertainShop + "decide: median\n", "", "want mean, regret, or cvar"},
		{strings.Replace(uncertainShop, "uncertain: 2", "decide: regret", 1), "", "decide is regret, which is over draws, but none are used"},
		{uncertainShop + "constraints: [{kind: expectation, loss: {kind: formula, minimize: p}, bound: 1, name: c}]\n", "b\n1\n2\n", "uncertain is 2, but constraints are given"},
	} {
		if _, err := buildDrawn(t, c.spec, c.draws); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	if p, err := buildDrawn(t, strings.Replace(uncertainShop, "uncertain: 2", "", 1), ""); err != nil {
		t.Errorf("draws that are not used are not read: %v", err)
	} else if w, err := p.Worlds(t.Context(), 1); w != nil || err != nil {
		t.Error("worlds without draws")
	}
}
