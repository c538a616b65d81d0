package lab_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab"
)

// written runs a spec without people who differ by chance: traits 1, 2 and 3 and everybody in the sample.
func written(t *testing.T, lines string) *folder.Result {
	t.Helper()
	src := "iterations: 120\npopulation: {size: 3, dim: 1, law: values, values: [[1], [2], [3]], sampling: without-replacement}\n" + lines +
		"\nalgorithms: [{name: vanilla, step: 0.05}, {name: composite, step: 0.05}]\nrecord: {paths: 0}\noptimum: {starts: 6}\n"
	r, err := lab.Execute(context.Background(), construct(t, "written", []byte(src)), lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lowest is the least of a function over a fine grid.
func lowest(from, to float64, f func(float64) float64) float64 {
	best := math.Inf(1)
	for k := range 200001 {
		best = min(best, f(from+(to-from)*float64(k)/200000))
	}
	return best
}

// Losses with kinks have optima like others; those here are found on a grid, with states settled by hand: p = d − 0.2q.
func TestLossesWithKinksAreRun(t *testing.T) {
	for name, one := range map[string]struct {
		formula string
		loss    func(p, q float64) float64
	}{
		"newsvendor": {"3*max(p - q, 0) + max(q - p, 0)", func(p, q float64) float64 { return 3*max(p-q, 0) + max(q-p, 0) }},
		"absolute":   {"abs(p - q)", func(p, q float64) float64 { return math.Abs(p - q) }},
		"hinge":      {"max(1 - p*q, 0) + 0.1*q^2", func(p, q float64) float64 { return max(1-p*q, 0) + .1*q*q }},
	} {
		t.Run(name, func(t *testing.T) {
			r := written(t, "model: {decision: q, state: p, trait: d, next: 0.5*p + 0.5*d - 0.1*q, minimize: \""+one.formula+"\", subject to: [q >= 0, q <= 4]}")
			want := lowest(0, 4, func(q float64) float64 {
				return (one.loss(1-.2*q, q) + one.loss(2-.2*q, q) + one.loss(3-.2*q, q)) / 3
			})
			if got := r.Optimum.Value; math.Abs(got-want) > 1e-4 {
				t.Errorf("optimum %v, want %v", got, want)
			}
		})
	}
}

// The crowd settles at d/(10(1 − q)) for q < 1 and runs away beyond; the optimum is that of the part where it settles.
func TestModelsMaySettleOnAPartOfTheSet(t *testing.T) {
	r := written(t, "model: {decision: q, state: p, trait: d, next: q*p + 0.1*d, minimize: (p - 1)^2, subject to: [q >= -0.5, q <= 1.5]}\nstart: {law: values, values: [0.9]}")
	want := lowest(-.5, .999, func(q float64) (sum float64) {
		for d := range 3 {
			p := .1 * float64(d+1) / (1 - q)
			sum += (p - 1) * (p - 1) / 3
		}
		return sum
	})
	if math.Abs(r.Optimum.Value-want) > 1e-6 {
		t.Errorf("optimum %v, want %v", r.Optimum.Value, want)
	}
	missing := slices.ContainsFunc(r.Runs[1].Trials[0].Of("value"), math.IsNaN)
	told := slices.ContainsFunc(r.Notes, func(n string) bool {
		return strings.Contains(n, "composite was at decisions under which not everybody settles")
	})
	if missing != told {
		t.Errorf("values missing: %v, told: %v in %q", missing, told, r.Notes)
	}
}

// Somebody who takes over the whole of the last state has one steady state in each half space; rules with and without the answer go on.
func TestPolarizedPeopleMayKeepTheirWholeState(t *testing.T) {
	for _, sigma := range []string{"0.5", "0"} {
		src := "iterations: 50\npopulation: {size: 8, dim: 3, law: sphere}\ndynamics: {kind: polarized, lambda: 1, sigma: " + sigma + "}\nobjective: {kind: affinity}\nset: {kind: ball, radius: 1}\nstart: {law: sphere}\n" +
			"algorithms: [{name: composite, step: 0.05, batch: 4}, {name: adam, kind: adam, step: 0.05, batch: 4}, {name: implicit, kind: composite, sensitivity: implicit, step: 0.05, batch: 4}]\nrecord: {paths: 0}\noptimum: {starts: 3}\n"
		if _, err := lab.Execute(context.Background(), construct(t, "kept", []byte(src)), lab.Options{}); err != nil {
			t.Errorf("sigma %s: %v", sigma, err)
		}
	}
}

// Everybody has two steady states. Who begins at −1 and has the trait 1 would settle elsewhere from there, and a note counts them.
func TestDependenceOnTheStartIsTold(t *testing.T) {
	src := "iterations: 20\npopulation: {size: 4, law: values, values: [[1], [1], [1], [1]], states: {law: values, values: [[-1], [-1], [-1], [1]]}, sampling: without-replacement}\n" +
		"model: {decision: q, state: p, trait: d, next: p + 0.3*(p - p^3) + 0.02*q + 0*d, maximize: p*q - 0.5*q^2, subject to: -1 <= q <= 1}\nstart: {law: values, values: [0.1]}\n" +
		"algorithms: [{name: composite, step: 0.05}]\nrecord: {paths: 0}\noptimum: {starts: 3}\n"
	r, err := lab.Execute(context.Background(), construct(t, "two", []byte(src)), lab.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(r.Notes, func(n string) bool { return strings.Contains(n, "another start leads 3 of the 4 looked at") }) {
		t.Errorf("notes %q", r.Notes)
	}
}
