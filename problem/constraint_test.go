package problem

import (
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/kind"
)

const restricted = `iterations: 10
population: {size: 40, dim: 2, law: normal}
dynamics: {kind: affine, a: [[0.5, 0], [0, 0.5]], b: [[1, 0], [0, 1]], e: [[1, 0], [0, 1]]}
objective: {kind: quadratic, decision: 1}
set: {kind: whole}
constraints:
  - {name: load, kind: cvar, of: {kind: quadratic, linear-state: [1, 0]}, bound: 1.5, level: 0.9}
  - {name: fair, kind: worst-group, of: {kind: quadratic, linear-state: [0, 1]}, bound: 1, group-by: 2, cuts: [-1, 1]}
algorithms:
  - {name: composite, step: 0.1, batch: 10}
`

func TestConstraintMistakes(t *testing.T) {
	for _, c := range []mistakeTest{
		{"name: fair", "name: load", "x.yaml:8: constraints.1.name is load, which another constraint has"},
		{"level: 0.9", "level: 1", "x.yaml:7: constraints.load.level is 1, want a number from 0 to below 1"},
		{"batch: 10", "batch: 9", "x.yaml:10: algorithms.composite.batch is 9, but the worst 0.1 of a sample must be somebody; want at least 10"},
		{"level: 0.9", "level: 0.925", "x.yaml:10: algorithms.composite.batch is 10, but the worst 0.075 of a sample must be somebody; want at least 14"}, // 13.33 people
		{"group-by: 2", "group-by: 3", "x.yaml:8: constraints.fair.group-by is 3, a trait has 2 entries"},
		{"cuts: [-1, 1]", "cuts: [1, -1]", "x.yaml:8: constraints.fair.cuts do not grow: -1 comes after 1"},
		{"linear-state: [1, 0]", "linear-state: [1, 0, 0]", "x.yaml:7: constraints.load.of.linear-state has 3 entries, a state has 2"},
		{"step: 0.1", "step: 0.1, dual-step: -1", "x.yaml:10: algorithms.composite.dual-step is -1, want a number above 0"},
	} {
		c.breaks(t, restricted)
	}
}

func TestConstraintsAreBuilt(t *testing.T) {
	s, err := Parse(kind.Standard(), "x.yaml", []byte(restricted))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Build("x", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	list, most, err := p.Constraints()
	if err != nil || len(list) != 4 || len(most) != 4 {
		t.Fatalf("%d constraints with %d limits, %v; want 4: a tail and three groups", len(list), len(most), err)
	}
	if got := list[3].Name(); got != "fair, group 3" {
		t.Errorf("the last is %s", got)
	}
	if _, err := p.ConstraintsOf(kedge.Block{Data: make([]float64, 7), Width: 7}); err == nil {
		t.Error("people of other traits are taken")
	}
}

// People who see each other answer a decision together: the gradient of a constraint on them is that of differences.
func TestConstraintsOnACoupledCrowd(t *testing.T) {
	for name, kind := range map[string]string{"mean": "kind: expectation, bound: 1", "cvar": "kind: cvar, bound: 1, level: 0.5", "chance": "kind: chance, bound: 1, level: 0.5, smoothing: 0.3"} {
		p := fromText(t, "iterations: 10\npopulation: {size: 7, dim: 2, law: normal}\nalgorithms: [{name: composite, step: 0.1, batch: 4}]\n"+
			"dynamics: {kind: affine, a: [[0.5, 0.25], [0, 0.5]], b: [[0.5, 0], [0.25, 0.5]], e: [[0.5, 0], [0, 0.5]], coupling: 0.3}\n"+
			"objective: dot(u, u)\nset: {kind: ball, radius: 2}\nconstraints:\n  - {name: peak, "+kind+", of: \"p[0] + 0.2*p[1]^2 + u[1]\"}\n")
		list, _, err := p.Constraints()
		if err != nil {
			t.Fatal(err)
		}
		u, g := []float64{.4, -.3}, make([]float64, 2)
		if _, err := list[0].Gradient(g, u); err != nil {
			t.Fatal(err)
		}
		for i := range u {
			const h = 1e-6
			at := func(by float64) float64 {
				v := append([]float64(nil), u...)
				v[i] += by
				excess, err := list[0].Excess(v)
				if err != nil {
					t.Fatal(err)
				}
				return excess
			}
			if want := (at(h) - at(-h)) / (2 * h); math.Abs(g[i]-want) > 1e-7 {
				t.Errorf("%s: entry %d of the gradient is %v, differences give %v", name, i, g[i], want)
			}
		}
	}
}
