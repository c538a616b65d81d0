package problem

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/problem/kind"
)

const twoThousandMillion = `iterations: 10
population: {size: 2000000000, dim: 1, law: normal}
dynamics: {kind: affine, a: [[0.5]], b: [[0.5]], e: [[1]]}
objective: {kind: quadratic, decision: 2, state: 1}
set: {kind: ball, radius: 1}
start: {law: sphere}
algorithms: [{name: composite, step: 0.1, batch: 10}, {name: two-point, step: 0.1, batch: 10, delta: 0.1}]
`

// A rule needs nobody: two thousand million people would take 16 GB.
func TestRuleDrawsNobody(t *testing.T) {
	s := mustParse(t, twoThousandMillion)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for a := range s.Algorithms {
		if _, err := NewRule(s, a, nil); err != nil {
			t.Fatal(err)
		}
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
		t.Errorf("a rule takes %d bytes", taken)
	}
}

// It is the rule that trials run: it asks for the same first decision.
func TestRuleIsThatOfTrials(t *testing.T) {
	for _, name := range Cases() {
		src, _ := Case(name)
		s, err := Parse(kind.Standard(), name, src)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Build(name, s, nil)
		if err != nil {
			t.Fatal(err)
		}
		for a := range s.Algorithms {
			trial, err := p.Trial(a, 0, math.NaN())
			if err != nil {
				t.Fatal(err)
			}
			rule, err := NewRule(s, a, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, want := make([]float64, len(p.Start)), make([]float64, len(p.Start))
			rule.Ask(got)
			trial.Algorithm.Ask(want)
			if !slices.Equal(got, want) {
				t.Errorf("%s: %s begins with %v, in a trial with %v", name, s.Algorithms[a].Name, got, want)
			}
		}
	}
}
