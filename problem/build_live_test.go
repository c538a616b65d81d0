package problem

import (
	"context"
	"errors"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/loop"
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
		live, err := BuildLive(s, a, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if live.Model.Traits != nil || live.Model.States != nil {
			t.Error("a rule has people")
		}
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 1<<20 {
		t.Errorf("a rule takes %d bytes", taken)
	}
}

// It is the rule that trials run: told what the people of a trial do, it decides the same, to the last bit, at every turn.
func TestRuleIsThatOfTrials(t *testing.T) {
	for name, src := range liveSpecs(t) {
		s, err := Parse(kind.Standard(), name, src)
		if err != nil {
			t.Fatal(err)
		}
		s.Iterations, s.Population.Size = min(s.Iterations, 40), min(s.Population.Size, 200)
		p, err := Build(name, s, os.DirFS("../examples"))
		if err != nil {
			t.Fatal(err)
		}
		for a := range s.Algorithms {
			trials := min(s.Algorithms[a].Trials, 2)
			if p.Carries(a) {
				trials = 1
			}
			for k := range trials {
				if s.Generator == "numpy" && s.Algorithms[a].Facts().Draws {
					continue // refused
				}
				live, err := BuildLive(s, a, k, os.DirFS("../examples"))
				if err != nil {
					t.Fatal(err)
				}
				got, want := decisions(t, p, a, k, live), decisions(t, p, a, k, nil)
				if !slices.Equal(got, want) {
					t.Errorf("%s: %s, trial %d, decides otherwise outside of its trial", name, s.Algorithms[a].Name, k)
				}
			}
		}
	}
}

// liveSpecs are the embedded cases and examples of constraints, learning, pricing, players and sets that change.
func liveSpecs(t *testing.T) map[string][]byte {
	all := map[string][]byte{}
	for _, name := range Cases() {
		all[name], _ = Case(name)
	}
	for _, name := range []string{"learned-polarized", "learned-choice", "constraints", "pricing", "duopoly", "limits", "moving", "buses"} {
		src, err := os.ReadFile("../examples/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		all["examples/"+name] = src
	}
	return all
}

// decisions runs a trial, with a rule from elsewhere if one is given, and returns all that was asked for.
func decisions(t *testing.T, p *Problem, a, k int, live *Live) (all []float64) {
	trial, err := p.Trial(a, k, math.NaN())
	if err != nil {
		t.Fatal(err)
	}
	l := loop.Loop{
		Population: trial.Population, Algorithm: trial.Algorithm, Objective: trial.Objective, Batch: trial.Batch, Turns: p.Spec.Iterations, Hold: p.Spec.Hold,
	}
	if live != nil {
		l.Algorithm, l.Objective = live.Algorithm, live.Objective
	}
	u := make([]float64, len(p.Start))
	l.After = func(int) error {
		l.Algorithm.Ask(u)
		all = append(all, u...)
		return nil
	}
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return all
}

// Rules that cannot be had without their people are refused with the key.
func TestRulesBoundToTheirPeopleAreRefused(t *testing.T) {
	src, _ := Case("choice")
	over, _ := Case("choice.published")
	s := mustParse(t, string(src), Merge("published", over))
	explorers := 0
	for a := range s.Algorithms {
		if !s.Algorithms[a].Facts().Draws {
			continue
		}
		explorers++
		if _, err := BuildLive(s, a, 0, nil); err == nil || !strings.Contains(err.Error(), "generator is numpy") {
			t.Errorf("%s: %v", s.Algorithms[a].Name, err)
		}
		s.Generator = ""
		if _, err := BuildLive(s, a, 1, nil); s.Algorithms[a].Facts().Carries && (err == nil || !strings.Contains(err.Error(), "only trial 0")) {
			t.Errorf("%s: %v", s.Algorithms[a].Name, err)
		}
		s.Generator = "numpy"
	}
	if explorers == 0 {
		t.Error("nobody explores")
	}
}

const additive = `iterations: 10
population: {size: 10, dim: 1, law: normal}
model: {decision: u, state: p, trait: d, next: 0.5*p + 0.2*u + d, minimize: p*u + u^2, subject to: [norm(u) <= 2]}
start: {law: sphere}
algorithms:
  - {name: vanilla, step: 0.1, batch: 2}
  - {name: composite, step: 0.1, batch: 2}
  - {name: settled, kind: composite, at: settled, step: 0.1, batch: 2}
  - {name: storm, step: 0.1, batch: 2}
  - {name: learned, kind: composite, sensitivity: learned, learn: {dither: 0.1}, step: 0.1, batch: 2}
  - {name: blind, kind: composite, sensitivity: learned, learn: {dither: 0.1, controls: none}, step: 0.1, batch: 2}
`

// Rules tell whether they need traits; those that do not decide the same whatever traits they are told.
func TestRulesTellWhetherTheyNeedTraits(t *testing.T) {
	s := mustParse(t, additive)
	needs := map[string]bool{"vanilla": false, "composite": false, "settled": true, "storm": true, "learned": true, "blind": false}
	for a := range s.Algorithms {
		name := s.Algorithms[a].Name
		one, err := BuildLive(s, a, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if one.Traits != needs[name] {
			t.Errorf("%s: needs traits: %v", name, one.Traits)
		}
		if one.Traits {
			continue
		}
		other, _ := BuildLive(s, a, 0, nil)
		u, v := []float64{0}, []float64{0}
		for k := range 20 {
			one.Algorithm.Ask(u)
			other.Algorithm.Ask(v)
			if u[0] != v[0] {
				t.Fatalf("%s: decisions depend on traits", name)
			}
			p := []float64{float64(k%3) - u[0], 1}
			first := kedge.Observation{Round: k, U: u, P: p, D: []float64{0, 0}}
			second := kedge.Observation{Round: k, U: v, P: p, D: []float64{1, float64(k)}}
			if err := errors.Join(one.Algorithm.Tell(first), other.Algorithm.Tell(second)); err != nil {
				t.Fatal(err)
			}
		}
	}
	src, _ := Case("polarized")
	live, err := BuildLive(mustParse(t, string(src)), 0, 0, nil)
	if err != nil || !live.Traits {
		t.Errorf("parts that are known by name: needs traits %v, %v", live.Traits, err)
	}
}
