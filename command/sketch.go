package command

import (
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
	for _, next := range []func() error{
		func() error {
			return i.choose(&s.dynamics, "dynamics", "How do people answer?", "dynamics.kind", "polarized", s.simpleDynamics())
		},
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

// simpleDynamics are those that a few answers describe.
func (s *sketch) simpleDynamics() (names []string) {
	for _, d := range s.kinds.Dynamics {
		if _, ok := d.(kind.SketchedDynamics); ok {
			names = append(names, form.NameOf(d))
		}
	}
	return names
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
