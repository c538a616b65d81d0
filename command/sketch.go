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

// complete asks for what no flag answers and checks what flags do.
func (s *sketch) complete(i *interview, given func(flag string) bool) error {
	steps := []struct {
		flag       string
		check, ask func() error
	}{
		{"dynamics", func() error { return oneOf(s.simpleDynamics())(s.dynamics) }, func() (err error) {
			s.dynamics, err = i.choose("How do people answer?", "dynamics.kind", "polarized", s.simpleDynamics())
			return err
		}},
		{"dim", func() error { return within(s.dim, s.usual().Least, s.usual().Most) }, func() (err error) {
			s.dim, err = i.count("How many numbers are decided", s.usual().Dim, s.usual().Least, s.usual().Most)
			return err
		}},
		{"objective", func() error { return oneOf(s.usual().Objectives)(s.objective) }, func() (err error) {
			s.objective, err = i.choose("What is judged?", "objective.kind", s.usual().Objectives[0], s.usual().Objectives)
			return err
		}},
		{"set-kind", func() error { return oneOf(s.sets())(s.set) }, func() (err error) {
			s.set, err = i.choose("Which decisions are feasible?", "set.kind", s.sets()[0], s.sets())
			return err
		}},
		{"people", func() error { return within(s.people, 1, mostOf) }, func() (err error) {
			s.people, err = i.count("How many people are there", s.usual().People, 1, mostOf)
			return err
		}},
		{"iterations", func() error { return within(s.iterations, 1, mostOf) }, func() (err error) {
			s.iterations, err = i.count("How many turns has a trial", s.usual().Turns, 1, mostOf)
			return err
		}},
		{"trials", func() error { return within(s.trials, 1, mostOf) }, func() (err error) {
			s.trials, err = i.count("How many trials", 10, 1, mostOf)
			return err
		}},
	}
	for _, step := range steps {
		if !given(step.flag) {
			if err := step.ask(); err != nil {
				return err
			}
		} else if err := step.check(); err != nil {
			return fmt.Errorf("--%s: %w", step.flag, err)
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

func (s *sketch) motion() kind.SketchedDynamics {
	return form.Fresh(s.kinds.Dynamics, s.dynamics).(kind.SketchedDynamics)
}

func (s *sketch) usual() kind.Usual { return s.motion().Usual() }

func (s *sketch) judge() kind.SketchedObjective {
	return form.Fresh(s.kinds.Objectives, s.objective).(kind.SketchedObjective)
}

// sets are those on which the objective has an optimum: what is maximized must not grow for ever.
func (s *sketch) sets() []string {
	return slices.DeleteFunc(slices.Clone(s.usual().Sets), func(set string) bool {
		return set == "whole" && !s.judge().Curves()
	})
}

// yaml writes the sketch as a spec.
func (s *sketch) yaml() string {
	u := s.usual()
	var b strings.Builder
	fmt.Fprintf(&b, "iterations: %d\ntrials: %d\n", s.iterations, s.trials)
	fmt.Fprintf(&b, "population: {size: %d, dim: %d, %s}\n", s.people, s.dim, u.Law)
	fmt.Fprintf(&b, "dynamics: {kind: %s, %s}\n", s.dynamics, s.motion().Sketch(s.dim))
	fmt.Fprintf(&b, "objective: {kind: %s%s}\n", s.objective, s.judge().Sketch())
	fmt.Fprintf(&b, "set: {kind: %s%s}\n", s.set, s.setKeys())
	fmt.Fprintf(&b, "start: {law: sphere}\nalgorithms:\n")
	for _, name := range []string{"vanilla", "composite"} {
		fmt.Fprintf(&b, "  - {name: %s, step: %v, batch: %d}\n", name, u.Step, min(u.Batch, s.people))
	}
	fmt.Fprintf(&b, "record: {every: %d}\n", max(1, s.iterations/400))
	return b.String()
}

// setKeys give sets a size that suits.
func (s *sketch) setKeys() string {
	lower, upper, sum := s.motion().Bounds(s.dim)
	return form.Fresh(s.kinds.Sets, s.set).(kind.SketchedSet).Sketch(lower, upper, sum)
}
