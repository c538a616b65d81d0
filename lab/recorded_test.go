package lab_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// recordedRuns are small runs that between them say everything a run can say.
var recordedRuns = []struct {
	name, base string   // base is a case, an example of the repository, or a spec
	sets       []string // keys that are set
}{
	{"polarized", "polarized", []string{"population.size=40", "population.dim=4", "iterations=30", "trials=2", "record.every=5", "record.paths=7"}},
	{"weighed angles", "polarized", []string{"population.size=1200", "population.dim=3", "iterations=4", "trials=1", "record.every=2"}},
	{"choice", "choice", []string{"population.size=30", "record.w1=items", "population.dim=12", "set.sum=30", "iterations=20", "trials=2", "record.every=5"}},
	{"linear-quadratic", "lq2", []string{"iterations=40", "record.every=10", "record.traits=true", "algorithms=[{name: right, kind: composite, step: 0.1}, {name: half, kind: composite, step: 0.1, wrong: {scale: 0.5}}, {name: turned, kind: composite, step: 0.1, wrong: {rotate: 30}}, {name: old, kind: composite, step: 0.1, wrong: {stale: 7}}, {name: blind, kind: derivative-free, step: 0.001, delta: 0.1, carry: true}]"}},
	{"bounds of the theory", "lq2", []string{"iterations=20", "record={every: 1, theory: true, rollout: 3, gradient: true}", "optimum.starts=2"}},
	{"players", "examples/duopoly.yaml", []string{"iterations=15", "record.every=5"}},
	{"players under a bound", "examples/duopoly.yaml", []string{"iterations=15", "record.every=5", capacity(1), "algorithms=[{name: players, kind: composite, step: 0.05, dual-step: 0.1}]"}},
	{"players under a bound that nobody keeps", "examples/duopoly.yaml", []string{"iterations=2", capacity(-10), "algorithms=[{name: players, kind: composite, step: 0.05, dual-step: 0.1}]"}},
	{"players who would run away", "examples/duopoly.yaml", []string{"iterations=2", "players.left.objective.decision=[[-3, 0], [0, 0]]"}},
	{"players who chase each other", "examples/duopoly.yaml", []string{"iterations=2", "start={law: values, values: [0.4, 0.1]}", // matching pennies: at every corner one would rather have the other end
		"players=[{name: left, size: 1, objective: {kind: quadratic, decision: [[-1, 0.5], [0.5, 0]]}, set: {kind: box, lower: -1, upper: 1}}, {name: right, size: 1, objective: {kind: quadratic, decision: [[0, -0.5], [-0.5, -1]]}, set: {kind: box, lower: -1, upper: 1}}]"}},
	{"a tail that is bounded", "examples/constraints.yaml", []string{"population.size=40", "iterations=30", "trials=2", "algorithms.primal–dual.average=10", "algorithms.heedless.average=10"}},
	{"a bound that nobody keeps", "scalar-pricing", []string{"iterations=10", capacity(-10)}},
	{"changes", "examples/limits.yaml", []string{"iterations=450", "record.every=50"}},
	{"a moving crowd", "examples/moving.yaml", []string{"population.size=30", "iterations=40", "trials=2", "record.every=10"}},
	{"a moving crowd under a bound", "scalar-pricing", []string{capacity(1), "population.drift={rate: [2]}", "iterations=6", "record.every=2", "optimum.starts=1"}},
	{"learned", "examples/learned-polarized.yaml", []string{"population.size=30", "iterations=20", "trials=2"}},
	{"buses", "examples/buses.yaml", []string{"population.size=40", "iterations=10", "trials=2"}},
	{"opinions", "examples/opinions.yaml", []string{"population.size=40", "iterations=10", "trials=2"}},
	{"classification", "examples/classification.yaml", []string{"population.size=40", "iterations=10", "trials=2"}},
	{"charging", "examples/charging.yaml", []string{"population.size=40", "iterations=10", "trials=2"}},
	{"two habits", twoHabits, nil},
	{"two places of rest", twoRests, nil},
	{"a trait that is lost", lostTrait, nil},
	{"whole numbers", "scalar-pricing", []string{"iterations=10", "set={kind: box, lower: -4, upper: 4, integer: true}"}},
	{"many prices in doubt", manyInDoubt, nil},
	{"draws", habitsInDoubt, nil},
	{"draws and a tail", habitsInDoubt, []string{"decide=cvar 0.5"}},
}

// habitsInDoubt is a price for people who settle at d − bq, with four draws of b and of a habit (d.csv), which never settles in the last.
const habitsInDoubt = `
iterations: 2
model: {decision: q, state: p, trait: d, let: {habit: 0.8, b: 1}, next: habit*p + (1-habit)*(d - b*q), maximize: p*q, subject to: [q >= 0, q <= 10]}
population: {size: 2, dim: 1, law: values, values: [[3], [5]]}
start: {law: values, values: [1]}
algorithms: [{name: one, kind: composite, step: 0.1, batch: 1}]
draws: d.csv
uncertain: 4
`

// twoHabits settles at 1 or −1, by where people come from.
const twoHabits = `
iterations: 4
model: {decision: q, state: p, trait: d, next: tanh(2*p + 0.1*q) + 0*d, minimize: (q - p)^2, subject to: -1 <= q <= 1}
population: {size: 6, dim: 1, law: values, values: [[1], [2], [-1], [-2], [0.5], [-0.5]], states: {law: normal, mean: 0.5, deviation: 0.1}}
algorithms: [{name: one, kind: composite, step: 0.1, batch: 2}]
`

// twoRests has a stable point on either side of an unstable one.
const twoRests = `
iterations: 4
model: {decision: q, state: p, trait: d, next: 0.5*p + tanh(2*q) + 0*d, minimize: (q - p)^2, subject to: -4 <= q <= 4}
population: {size: 2, dim: 1, law: values, values: [[1], [2]]}
start: {law: values, values: [0.5]}
algorithms: [{name: one, kind: composite, step: 0.1, batch: 2}]
`

// lostTrait has an entry of the state that dies out.
const lostTrait = `
iterations: 4
model: {decision: q, state: "p[2]", trait: d, next: "[0.5*p[0] + d - q, 0.5*p[1]]", maximize: "q*p[0] + p[1]", subject to: 0 <= q <= 4}
population: {size: 3, law: values, values: [[1], [2], [3]], states: {law: normal, mean: 1, deviation: 0.5}}
algorithms: [{name: one, kind: composite, step: 0.05, batch: 2}]
`

// manyInDoubt has more prices than are listed.
const manyInDoubt = `
iterations: 1
model: {decision: "q[22]", state: "p[22]", trait: "d[22]", let: {habit: 0.5, b: 1}, next: habit*p + (1-habit)*(d - b*q), maximize: "dot(p, q)", subject to: [q >= 0, q <= 10]}
population: {size: 2, law: normal, mean: 4, deviation: 1}
algorithms: [{name: one, kind: composite, step: 0.1, batch: 1}]
draws: d.csv
uncertain: 2
optimum: {starts: 1}
`

func capacity(bound float64) string {
	return fmt.Sprintf("constraints=[{name: capacity, kind: expectation, of: {kind: quadratic, linear-state: [1]}, bound: %v}]", bound)
}

// What runs say and write is what they said and wrote when it was last looked at: notes and sections word for word, numbers to the last digit, and
// the sums of the tables.
func TestRunsAreAsRecorded(t *testing.T) {
	for _, one := range recordedRuns {
		t.Run(one.name, func(t *testing.T) {
			t.Parallel()
			s, p := built(t, one.name, one.base, one.sets)
			r, err := lab.Execute(t.Context(), p, lab.Options{Workers: 2})
			if err != nil {
				t.Fatal(err)
			}
			path := "testdata/runs/" + strings.ReplaceAll(one.name, " ", "-")
			evidence.AsRecorded(t, path+".yaml", strings.Split(strings.TrimSpace(string(s.YAML())), "\n")) // which reports are made of as well
			evidence.AsRecorded(t, path+".txt", told(t, r))
		})
	}
}

// built is the problem of a base with some keys set.
func built(t *testing.T, name, base string, sets []string) (*problem.Spec, *problem.Problem) {
	t.Helper()
	text, known := problem.Case(base)
	if strings.HasPrefix(base, "examples/") {
		data, err := os.ReadFile(filepath.Join("..", base))
		if err != nil {
			t.Fatal(err)
		}
		text, known = data, true
	}
	if !known {
		text = []byte(base)
	}
	var over []problem.Overlay
	for _, s := range sets {
		over = append(over, problem.Assign(s))
	}
	s, err := problem.Parse(kind.Standard(), name, text, over...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build(name, s, os.DirFS("testdata/runs"))
	if err != nil {
		t.Fatal(err)
	}
	return s, p
}

// told is what a result says, a key a line, and the sums of its tables.
func told(t *testing.T, r *folder.Result) []string {
	t.Helper()
	var text bytes.Buffer
	if err := folder.WriteJSON(&text, r.Summarize()); err != nil {
		t.Fatal(err)
	}
	tree := map[string]any{}
	if err := json.Unmarshal(text.Bytes(), &tree); err != nil {
		t.Fatal(err)
	}
	delete(tree, "build")
	lines := leaves(nil, "", tree)
	dir := filepath.Join(t.TempDir(), "out")
	c, err := folder.KindRun.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Release()
	if err := r.Save(c, nil); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"series.csv", "arrays.npz"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, fmt.Sprintf("%s %x", name, sha256.Sum256(data)))
	}
	return lines
}

// leaves adds a line for every key of a tree, with lists of lists, numbers and words as they are.
func leaves(lines []string, key string, v any) []string {
	switch v := v.(type) {
	case map[string]any:
		if strings.Contains(key, "/decision/") {
			break
		}
		for _, k := range slices.Sorted(maps.Keys(v)) {
			lines = leaves(lines, key+"/"+k, v[k])
		}
		return lines
	case []any:
		if slices.ContainsFunc(v, func(one any) bool { _, is := one.(map[string]any); return is }) || key == "/notes" {
			for i, one := range v {
				lines = leaves(lines, fmt.Sprint(key, "/", i), one)
			}
			return lines
		}
	}
	text, _ := json.Marshal(v)
	return append(lines, key+" "+string(text))
}
