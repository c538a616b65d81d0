package lab_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/lab"
)

// weighedProblem is a spec without its people, and people with how often each of them is there.
type weighedProblem struct {
	name, spec string
	people     []string
	times      []int
}

var weighedProblems = []weighedProblem{
	{"quadratic, all constraints", `
dynamics: {kind: affine, a: [[0.5, 0.25], [0, 0.5]], b: [[0.5, 0], [0.25, 0.5]], e: [[0.5, 0], [0, 0.5]]}
objective: {kind: quadratic, decision: 2, cross: 1, state: 1}
set: {kind: ball, radius: 2}
constraints:
  - {name: mean, kind: expectation, of: {kind: quadratic, linear-state: [1, 0]}, bound: 1.1}
  - {name: tail, kind: cvar, of: {kind: quadratic, linear-state: [1, 0]}, bound: 2.2, level: 0.65}
  - {name: share, kind: chance, of: {kind: quadratic, linear-state: [0, 1]}, bound: 0.9, level: 0.6, smoothing: 0.2}
  - {name: groups, kind: worst-group, of: {kind: quadratic, linear-state: [0, 1]}, bound: 1.5, group-by: 1, cuts: [1]}
algorithms: [{name: composite, step: 0.05, batch: 20}]
record: {every: 1, rollout: 2, gradient: true}
`, []string{"[1, -1]", "[0.5, 2]", "[3, 0.25]", "[-1, -2]", "[2, 2]"}, []int{3, 1, 2, 0, 5}},
	{"polarized", `
dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5}
objective: {kind: affinity}
set: {kind: ball, radius: 1}
algorithms: [{name: composite, step: 0.05, batch: 20}]
record: {every: 1}
`, []string{"[1, 0]", "[0.6, 0.8]", "[0.8, -0.6]", "[0.96, 0.28]"}, []int{4, 1, 2, 3}},
	{"choice, W₁ over items", `
dynamics: {kind: choice, lambda1: 0.2, lambda2: 0.5, epsilon: 0.5}
objective: {kind: revenue, entropy: 0.1}
set: {kind: capped-simplex, sum: 6, upper: 5}
start: {law: proportions}
algorithms: [{name: composite, step: 0.05, batch: 20}]
record: {every: 1, w1: items, gradient: true}
`, []string{"[0.5, 0.3, 0.2]", "[0.1, 0.1, 0.8]", "[0.2, 0.6, 0.2]"}, []int{1, 4, 2}},
	{"formulas, proven", `
model: {decision: "q[1]", state: "p[2]", trait: "d[2]", next: "0.5*p + 0.2*q[0] + 0.5*d", minimize: "(p[0]-q[0])^2 + exp(p[1]) + 0.1*q[0]^4", subject to: "-2 <= q <= 2"}
algorithms: [{name: composite, step: 0.05, batch: 20}]
record: {every: 1}
`, []string{"[1, -1]", "[0.5, 1]", "[3, 0.25]"}, []int{3, 1, 2}},
	{"players", `
dynamics: {kind: affine, a: [[0.5]], b: [[-0.25, -0.25]], e: [[0.5]]}
players:
  - {name: left, size: 1, objective: {kind: quadratic, decision: [[1, 0], [0, 0]], cross: [[-1], [0]]}, set: {kind: box, lower: 0, upper: 3}}
  - {name: right, size: 1, objective: {kind: quadratic, decision: [[0, 0], [0, 1]], cross: [[0], [-1]]}, set: {kind: box, lower: 0, upper: 3}}
start: {law: values, values: [0.2, 1.5]}
algorithms: [{name: composite, step: 0.05, batch: 20}]
record: {every: 1}
`, []string{"[1]", "[3]", "[1.5]", "[2.5]"}, []int{1, 2, 4, 3}},
}

// run is the run with weights, or with every person as often as the weight says.
func (w weighedProblem) run(t *testing.T, weighed bool) *folder.Result {
	t.Helper()
	var people []string
	for i, one := range w.people {
		for range w.times[i] {
			people = append(people, one)
		}
	}
	weights := ""
	if weighed { // any scale will do
		people, weights = w.people, ", weights: ["+strings.Join(strings.Fields(strings.Trim(fmt.Sprint(scaled(w.times)), "[]")), ", ")+"]"
	}
	dim := ""
	if !strings.Contains(w.spec, "model:") {
		dim = fmt.Sprintf("dim: %d, ", 1+strings.Count(w.people[0], ","))
	}
	spec := fmt.Sprintf("iterations: 1\npopulation: {size: %d, %slaw: values, values: [%s]%s}\noptimum: {starts: 3}\n%s", len(people), dim, strings.Join(people, ", "), weights, w.spec)
	r, err := lab.Execute(context.Background(), construct(t, w.name, []byte(spec)), lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func scaled(times []int) (list []float64) {
	for _, k := range times {
		list = append(list, 2.5*float64(k))
	}
	return list
}

// People with whole weights are people who are there so many times: the same optimum and how it is known, points of rest, equilibrium, values,
// constraints, gradients and W₁, but for rounding.
func TestWeightsAreRepeatedRows(t *testing.T) {
	for _, w := range weighedProblems {
		t.Run(w.name, func(t *testing.T) {
			got, want := w.run(t, true), w.run(t, false)
			points(t, "the optimum", got.Optimum, want.Optimum)
			points(t, "the stable point", got.Stable, want.Stable)
			if len(got.Rests) != len(want.Rests) {
				t.Errorf("%d points of rest, want %d", len(got.Rests), len(want.Rests))
			}
			if got.Reference != nil {
				points(t, "the roll-out's optimum", got.Reference.Optimum, want.Reference.Optimum)
			}
			if strings.Contains(w.name, "proven") && got.Optimum.Evidence.Standing != folder.Proven {
				t.Errorf("the optimum is %s", got.Optimum.Evidence.Standing)
			}
			a, b := got.Runs[0].Trials[0], want.Runs[0].Trials[0]
			if len(a.Columns) != len(b.Columns) {
				t.Fatalf("measured %d columns, want %d", len(a.Columns), len(b.Columns))
			}
			for _, c := range a.Columns {
				x, y := a.Of(c.Name)[0], b.Of(c.Name)[0] // before samples make a difference
				if math.IsNaN(x) != math.IsNaN(y) || math.Abs(x-y) > 1e-6*max(1, math.Abs(y)) {
					t.Errorf("%s is %v at first, want %v", c.Name, x, y)
				}
			}
		})
	}
}

func points(t *testing.T, what string, got, want folder.Point) {
	t.Helper()
	if rows.Distance(got.Decision, want.Decision) > 1e-6*max(1, rows.Norm(want.Decision)) || math.Abs(got.Value-want.Value) > 1e-9*max(1, math.Abs(want.Value)) {
		t.Errorf("%s is %v of value %v, want %v of %v", what, got.Decision, got.Value, want.Decision, want.Value)
	}
	if g, w := got.Evidence, want.Evidence; (g == nil) != (w == nil) || g != nil && g.Standing != w.Standing {
		t.Errorf("%s is known as %+v, want %+v", what, g, w)
	}
}
