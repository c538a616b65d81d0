package problem

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/kind"
)

const (
	crowd   = "iterations: 10\npopulation: {size: 5, dim: 2, law: normal}\nalgorithms: [{name: composite, step: 0.1}]\n"
	affine2 = "dynamics: {kind: affine, a: [[0.5, 0.25], [0, 0.5]], b: [[0.5, 0], [0.25, 0.5]], e: [[0.5, 0], [0, 0.5]]}\n"
	whole   = "set: {kind: ball, radius: 2}\n"
)

func fromText(t *testing.T, src string) *Problem {
	t.Helper()
	s, err := Parse(kind.Standard(), "x.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Build("x", s, os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(kind.Standard(), "again", s.YAML())
	if err != nil || string(again.YAML()) != string(s.YAML()) {
		t.Errorf("what was printed is read as another spec: %v\n%s", err, s.YAML())
	}
	return p
}

// An objective, a constraint and the losses of players are the same whether a kind or a formula says them, to the bit of a gradient's
// rounding.
func TestFormulasStandForObjectives(t *testing.T) {
	kinds := fromText(t, crowd+affine2+whole+"objective: {kind: quadratic, decision: 2, cross: 1, state: 1}\nconstraints: [{name: peak, kind: cvar, level: 0.5, bound: 1, of: {kind: quadratic, linear-state: [1, 0.5]}}]\n")
	formulas := fromText(t, crowd+affine2+whole+"objective: dot(u, u) + dot(u, p) + 0.5*dot(p, p)\nconstraints:\n  - {name: peak, kind: cvar, level: 0.5, bound: 1, of: \"p[0] + 0.5*p[1]\"}\n")
	model := fromText(t, crowd+"model:\n  decision: q[2]\n  state: p[2]\n  trait: d[2]\n  let: {w: [1, 0.5]}\n  next: '[0.5*p[0] + 0.25*p[1] + 0.5*q[0] + 0.5*d[0], 0.5*p[1] + 0.25*q[0] + 0.5*q[1] + 0.5*d[1]]'\n"+
		"  minimize: dot(q, q) + dot(q, p) + 0.5*dot(p, p)\n  subject to: norm(q) <= 2\nconstraints:\n  - {name: peak, kind: cvar, level: 0.5, bound: 1, of: {kind: formula, minimize: \"dot(w, p)\"}}\n")
	u := []float64{.3, -.4}
	want, wanted := judged(t, kinds, u)
	for name, p := range map[string]*Problem{"formulas": formulas, "model": model} {
		got, gradient := judged(t, p, u)
		for i := range gradient {
			if math.Abs(gradient[i]-wanted[i]) > 1e-12 || math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: %v, %v, want %v, %v", name, got, gradient, want, wanted)
			}
		}
	}
}

// judged is the loss of the settled crowd plus the excess, with the sum of their gradients.
func judged(t *testing.T, p *Problem, u []float64) (float64, []float64) {
	t.Helper()
	f, err := p.Steady()
	if err != nil {
		t.Fatal(err)
	}
	list, _, err := p.Constraints()
	if err != nil {
		t.Fatal(err)
	}
	g, c := make([]float64, len(u)), make([]float64, len(u))
	loss, err := f.Gradient(g, u)
	if err != nil {
		t.Fatal(err)
	}
	excess, err := list[0].Gradient(c, u)
	if err != nil {
		t.Fatal(err)
	}
	for i := range g {
		g[i] += c[i]
	}
	return loss + excess, g
}

func TestPlayersOfAModel(t *testing.T) {
	p := fromText(t, "iterations: 10\npopulation: {size: 4, dim: 1, law: values, values: [[1], [3], [1.5], [2.5]]}\nalgorithms: [{name: composite, step: 0.1}]\n"+
		"model: {decision: \"q[2]\", state: p, trait: d, next: \"0.5*p - 0.25*q[0] - 0.25*q[1] + 0.5*d\"}\nplayers:\n"+
		"  - {name: left, size: 1, objective: \"0.5*q[0]^2 - q[0]*p\", set: {kind: box, lower: 0, upper: 3}}\n"+
		"  - {name: right, size: 1, objective: {kind: formula, maximize: \"q[1]*p - 0.5*q[1]^2\"}, set: {kind: box, lower: 0, upper: 3}}\n")
	g, err := p.Game()
	if err != nil {
		t.Fatal(err)
	}
	if r, err := g.Residual([]float64{.8, .8}); err != nil || r > 1e-14 { // docs/tutorial/game.md: each sells at 4/5
		t.Errorf("the residual at the equilibrium is %v, %v", r, err)
	}
}

// Mistakes of formulas are told at their line and column, and what excludes each other by name.
func TestFormulaObjectivesAreChecked(t *testing.T) {
	const player = "players:\n  - {name: one, size: 1, objective: q, set: {kind: whole}}\n"
	for src, want := range map[string]string{
		crowd + affine2 + whole + "objective: affinity": "x.yaml:6: objective is \"affinity\", want {kind: affinity}, or a formula",
		crowd + affine2 + whole + "objective: p":        "x.yaml:6: objective:1:1: the objective has 2 entries, want a scalar; sum(…), mean(…), dot(…) and norm(…) make one",
		crowd + affine2 + whole + "objective: dot(u, u)\nconstraints:\n  - {name: a, kind: expectation, bound: 1, of: \"p[0] + q\"}":                                                               "x.yaml:8: constraints.a.of:1:8: unknown name q; known are d, p, u",
		crowd + affine2 + whole + "objective: {kind: formula, minimize: dot(u, u), maximize: u}":                                                                                                   "minimize and maximize are both given, want one of them",
		"iterations: 1\npopulation: {size: 2, dim: 1, law: normal}\nalgorithms: [{name: composite, step: 0.1}]\nmodel: {decision: q, state: p, trait: d, next: 0.5*p + d, minimize: q}\n" + player: "model.minimize and players are both given",
		"iterations: 1\npopulation: {size: 2, dim: 1, law: normal}\nalgorithms: [{name: composite, step: 0.1}]\nmodel: {decision: q, state: p, trait: d, next: 0.5*p + d}\n":                       "model.minimize is missing, want a formula, or maximize with one",
	} {
		if _, err := Parse(kind.Standard(), "x.yaml", []byte(src)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngives %v, want %s", src, err, want)
		}
	}
}
