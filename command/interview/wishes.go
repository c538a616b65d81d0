package interview

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Wishes are a problem in a few answers.
type Wishes struct {
	Kinds *kind.Catalogue

	Dynamics, Objective, Set        string
	Dim, People, Trials, Iterations int
}

const mostOf = math.MaxInt32 // of people, trials and turns

// Complete asks for what no flag answers and checks what flags do. What may be answered depends on what was.
func (s *Wishes) Complete(i *Interview) error {
	if err := i.choose(&s.Dynamics, "dynamics", "How do people answer?", "dynamics.kind", "polarized", s.SimpleDynamics()); err != nil {
		return err
	}
	for _, flag := range []string{"objective", "set-kind"} {
		if s.Dynamics == ByFormulas && i.Given(flag) {
			return ofFlag(flag, errors.New("formulas say that, in model.minimize and model.subject to"))
		}
	}
	usual := s.Usual()
	if err := i.count(&s.Dim, "dim", "How many numbers are decided", usual.Dim, usual.Least, usual.Most); err != nil {
		return err
	}
	usual = s.Usual()
	if s.Dynamics != ByFormulas {
		if err := i.choose(&s.Objective, "objective", "What is judged?", "objective.kind", usual.Objectives[0], usual.Objectives); err != nil {
			return err
		}
		if err := i.choose(&s.Set, "set-kind", "Which decisions are feasible?", "set.kind", s.Sets()[0], s.Sets()); err != nil {
			return err
		}
	}
	if err := i.count(&s.People, "people", "How many people are there", usual.People, 1, mostOf); err != nil {
		return err
	}
	if err := i.count(&s.Iterations, "iterations", "How many turns has a trial", usual.Turns, 1, mostOf); err != nil {
		return err
	}
	return i.count(&s.Trials, "trials", "How many trials", 10, 1, mostOf)
}

// ByFormulas is the answer of who writes individuals as formulas.
const ByFormulas = "formula"

// model writes a model as formulas: habits that follow an offer, the crowd and what somebody was born with, and some noise.
func (s *Wishes) model() string {
	return fmt.Sprintf(`iterations: %d
trials: %d
model:
  decision: q[%[3]d]
  state: p[%[3]d]
  trait: d[%[3]d]
  let: {habit: 0.5, trust: 0.2, fashion: 0.1}
  noise: {"shock[%[3]d]": "normal(0, 0.02)"}
  next: habit*p + trust*q + fashion*crowd(p) + (1 - habit - trust - fashion)*d + shock
  minimize: norm(p)^2 - dot(p, q) + 0.5*norm(q)^2
  subject to: -2 <= q <= 2
population: {size: %d, law: normal, mean: 1, deviation: 0.5}
start: {law: zero}
algorithms:
  - {name: vanilla, step: 0.05, batch: %[5]d}
  - {name: composite, step: 0.05, batch: %[5]d}
record: {every: %d}
`, s.Iterations, s.Trials, s.Dim, s.People, min(20, s.People), max(1, s.Iterations/400))
}

// SimpleDynamics are those that a few answers describe, and formulas.
func (s *Wishes) SimpleDynamics() (names []string) {
	for _, d := range s.Kinds.Dynamics {
		if _, ok := d.(kind.SketchedDynamics); ok {
			names = append(names, form.NameOf(d))
		}
	}
	return append(names, ByFormulas)
}

// Usual is what goes with the dynamics. Formulas say all but the numbers.
func (s *Wishes) Usual() kind.DynamicsSketch {
	if s.Dynamics == ByFormulas {
		return kind.DynamicsSketch{Least: 1, Dim: 2, Most: 50, People: 100, Turns: 2000}
	}
	return form.Fresh(s.Kinds.Dynamics, s.Dynamics).(kind.SketchedDynamics).Sketch(s.Dim)
}

// judged is the keys of the objective, and whether it has an optimum even where every decision is feasible.
func (s *Wishes) judged() (keys string, curves bool) {
	return form.Fresh(s.Kinds.Objectives, s.Objective).(kind.SketchedObjective).Sketch()
}

// Sets are those on which the objective has an optimum: what is maximized must not grow for ever.
func (s *Wishes) Sets() []string {
	_, curves := s.judged()
	return slices.DeleteFunc(s.Usual().Sets, func(set string) bool { return set == "whole" && !curves })
}

// YAML writes the sketch as a spec.
func (s *Wishes) YAML() string {
	if s.Dynamics == ByFormulas {
		return s.model()
	}
	u := s.Usual()
	objective, _ := s.judged()
	set := form.Fresh(s.Kinds.Sets, s.Set).(kind.SketchedSet).Sketch(u.Lower, u.Upper, u.Sum)
	var b strings.Builder
	fmt.Fprintf(&b, "iterations: %d\ntrials: %d\n", s.Iterations, s.Trials)
	fmt.Fprintf(&b, "population: {size: %d, dim: %d, %s}\n", s.People, s.Dim, u.Law)
	fmt.Fprintf(&b, "dynamics: {kind: %s, %s}\n", s.Dynamics, u.Keys)
	fmt.Fprintf(&b, "objective: {kind: %s%s}\n", s.Objective, objective)
	fmt.Fprintf(&b, "set: {kind: %s%s}\n", s.Set, set)
	fmt.Fprintf(&b, "start: {law: sphere}\nalgorithms:\n")
	for _, name := range []string{"vanilla", "composite"} {
		fmt.Fprintf(&b, "  - {name: %s, step: %v, batch: %d}\n", name, u.Step, min(u.Batch, s.People))
	}
	fmt.Fprintf(&b, "record: {every: %d}\n", max(1, s.Iterations/400))
	return b.String()
}
