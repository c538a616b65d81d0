package command

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// sketch is a problem in a few answers.
type sketch struct {
	kinds *kind.Catalogue

	dynamics, objective, set        string
	dim, people, trials, iterations int
}

const mostOf = math.MaxInt32 // of people, trials and turns

// complete asks for what no flag answers and checks what flags do. What may be answered depends on what was.
func (s *sketch) complete(i *interview) error {
	if err := i.choose(&s.dynamics, "dynamics", "How do people answer?", "dynamics.kind", "polarized", s.simpleDynamics()); err != nil {
		return err
	}
	if s.dynamics == byFormulas {
		return s.completeModel(i)
	}
	for _, next := range []func() error{
		func() error {
			return i.count(&s.dim, "dim", "How many numbers are decided", s.usual().Dim, s.usual().Least, s.usual().Most)
		},
		func() error {
			return i.choose(&s.objective, "objective", "What is judged?", "objective.kind", s.usual().Objectives[0], s.usual().Objectives)
		},
		func() error {
			return i.choose(&s.set, "set-kind", "Which decisions are feasible?", "set.kind", s.sets()[0], s.sets())
		},
		func() error {
			return i.count(&s.people, "people", "How many people are there", s.usual().People, 1, mostOf)
		},
		func() error {
			return i.count(&s.iterations, "iterations", "How many turns has a trial", s.usual().Turns, 1, mostOf)
		},
		func() error { return i.count(&s.trials, "trials", "How many trials", 10, 1, mostOf) },
	} {
		if err := next(); err != nil {
			return err
		}
	}
	return nil
}

// byFormulas is the answer of who writes individuals as formulas.
const byFormulas = "formula"

// completeModel asks for the little that is left where formulas say the rest.
func (s *sketch) completeModel(i *interview) error {
	for _, flag := range []string{"objective", "set-kind"} {
		if i.given(flag) {
			return ofFlag(flag, errors.New("formulas say that, in model.minimize and model.subject to"))
		}
	}
	for _, ask := range []func() error{
		func() error { return i.count(&s.dim, "dim", "How many numbers are decided", 2, 1, 50) },
		func() error { return i.count(&s.people, "people", "How many people are there", 100, 1, mostOf) },
		func() error {
			return i.count(&s.iterations, "iterations", "How many turns has a trial", 2000, 1, mostOf)
		},
		func() error { return i.count(&s.trials, "trials", "How many trials", 10, 1, mostOf) },
	} {
		if err := ask(); err != nil {
			return err
		}
	}
	return nil
}

// model writes a model as formulas: habits that follow an offer, the crowd and what somebody was born with, and some noise.
func (s *sketch) model() string {
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
`, s.iterations, s.trials, s.dim, s.people, min(20, s.people), max(1, s.iterations/400))
}

// simpleDynamics are those that a few answers describe, and formulas.
func (s *sketch) simpleDynamics() (names []string) {
	for _, d := range s.kinds.Dynamics {
		if _, ok := d.(kind.SketchedDynamics); ok {
			names = append(names, form.NameOf(d))
		}
	}
	return append(names, byFormulas)
}

// usual is what goes with the dynamics.
func (s *sketch) usual() kind.DynamicsSketch {
	return form.Fresh(s.kinds.Dynamics, s.dynamics).(kind.SketchedDynamics).Sketch(s.dim)
}

// judged is the keys of the objective, and whether it has an optimum even where every decision is feasible.
func (s *sketch) judged() (keys string, curves bool) {
	return form.Fresh(s.kinds.Objectives, s.objective).(kind.SketchedObjective).Sketch()
}

// sets are those on which the objective has an optimum: what is maximized must not grow for ever.
func (s *sketch) sets() []string {
	_, curves := s.judged()
	return slices.DeleteFunc(s.usual().Sets, func(set string) bool { return set == "whole" && !curves })
}

// yaml writes the sketch as a spec.
func (s *sketch) yaml() string {
	if s.dynamics == byFormulas {
		return s.model()
	}
	u := s.usual()
	objective, _ := s.judged()
	set := form.Fresh(s.kinds.Sets, s.set).(kind.SketchedSet).Sketch(u.Lower, u.Upper, u.Sum)
	var b strings.Builder
	fmt.Fprintf(&b, "iterations: %d\ntrials: %d\n", s.iterations, s.trials)
	fmt.Fprintf(&b, "population: {size: %d, dim: %d, %s}\n", s.people, s.dim, u.Law)
	fmt.Fprintf(&b, "dynamics: {kind: %s, %s}\n", s.dynamics, u.Keys)
	fmt.Fprintf(&b, "objective: {kind: %s%s}\n", s.objective, objective)
	fmt.Fprintf(&b, "set: {kind: %s%s}\n", s.set, set)
	fmt.Fprintf(&b, "start: {law: sphere}\nalgorithms:\n")
	for _, name := range []string{"vanilla", "composite"} {
		fmt.Fprintf(&b, "  - {name: %s, step: %v, batch: %d}\n", name, u.Step, min(u.Batch, s.people))
	}
	fmt.Fprintf(&b, "record: {every: %d}\n", max(1, s.iterations/400))
	return b.String()
}
