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
	dynamics, objective, set        string
	dim, people, trials, iterations int
}

// usual is what goes with a kind of dynamics.
type usual struct {
	law, dynamics      string   // keys of these sections
	objectives         []string // the first is the default
	sets               []string
	least, dim, most   int // numbers that are decided
	people, iterations int
	step               float64
	batch              int
}

// usualOf knows what the dynamics of specs go with. Those of formulas and others that need more than a few answers have none.
func usualOf(dynamics string) (usual, bool) {
	u, ok := map[string]usual{
		"polarized": {
			law: "law: cap, angle: 90", dynamics: "lambda: 0.4, sigma: 0.5",
			objectives: []string{"affinity", "quadratic"}, sets: []string{"ball", "box", "simplex", "capped-simplex"},
			least: 2, dim: 20, most: 10_000, people: 1000, iterations: 8000, step: 0.005, batch: 50,
		},
		"choice": {
			law: "law: dirichlet, concentration: 1", dynamics: "lambda1: 0.2, lambda2: 0.5, epsilon: 0.5",
			objectives: []string{"revenue", "quadratic"}, sets: []string{"capped-simplex", "simplex", "box", "ball", "whole"},
			least: 1, dim: 10, most: 10_000, people: 100, iterations: 4000, step: 0.5, batch: 20,
		},
		"affine": {
			law: "law: normal, mean: 1, deviation: 0.5", objectives: []string{"quadratic", "affinity"},
			sets:  []string{"whole", "ball", "box", "simplex", "capped-simplex"},
			least: 1, dim: 2, most: 50, people: 100, iterations: 2000, step: 0.05, batch: 20,
		},
		"friedkin-johnsen": {
			law: "law: normal, mean: 1, deviation: 0.5", objectives: []string{"quadratic", "affinity"},
			sets:  []string{"ball", "box", "simplex", "capped-simplex", "whole"},
			least: 1, dim: 3, most: 50, people: 100, iterations: 2000, step: 0.05, batch: 20,
		},
	}[dynamics]
	return u, ok
}

const mostOf = math.MaxInt32 // of people, trials and turns

// complete asks for what no flag answers and checks what flags do.
func (s *sketch) complete(i *interview, given func(flag string) bool) error {
	steps := []struct {
		flag       string
		check, ask func() error
	}{
		{"dynamics", func() error { return oneOf(simpleDynamics())(s.dynamics) }, func() (err error) {
			s.dynamics, err = i.choose("How do people answer?", "dynamics.kind", "polarized", simpleDynamics())
			return err
		}},
		{"dim", func() error { return within(s.dim, s.usual().least, s.usual().most) }, func() (err error) {
			s.dim, err = i.count("How many numbers are decided", s.usual().dim, s.usual().least, s.usual().most)
			return err
		}},
		{"objective", func() error { return oneOf(s.usual().objectives)(s.objective) }, func() (err error) {
			s.objective, err = i.choose("What is judged?", "objective.kind", s.usual().objectives[0], s.usual().objectives)
			return err
		}},
		{"set-kind", func() error { return oneOf(s.sets())(s.set) }, func() (err error) {
			s.set, err = i.choose("Which decisions are feasible?", "set.kind", s.sets()[0], s.sets())
			return err
		}},
		{"people", func() error { return within(s.people, 1, mostOf) }, func() (err error) {
			s.people, err = i.count("How many people are there", s.usual().people, 1, mostOf)
			return err
		}},
		{"iterations", func() error { return within(s.iterations, 1, mostOf) }, func() (err error) {
			s.iterations, err = i.count("How many turns has a trial", s.usual().iterations, 1, mostOf)
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
func simpleDynamics() []string {
	return slices.DeleteFunc(answersTo("dynamics.kind"), func(kind string) bool {
		_, ok := usualOf(kind)
		return !ok
	})
}

func (s *sketch) usual() usual {
	u, _ := usualOf(s.dynamics)
	return u
}

// sets are those on which the objective has an optimum: what is maximized must not grow for ever.
func (s *sketch) sets() []string {
	return slices.DeleteFunc(slices.Clone(s.usual().sets), func(set string) bool {
		return set == "whole" && s.objective != "quadratic"
	})
}

// yaml writes the sketch as a spec.
func (s *sketch) yaml() string {
	u := s.usual()
	var b strings.Builder
	fmt.Fprintf(&b, "iterations: %d\ntrials: %d\n", s.iterations, s.trials)
	fmt.Fprintf(&b, "population: {size: %d, dim: %d, %s}\n", s.people, s.dim, u.law)
	fmt.Fprintf(&b, "dynamics: {kind: %s, %s}\n", s.dynamics, s.dynamicsKeys())
	fmt.Fprintf(&b, "objective: {kind: %s%s}\n", s.objective, s.objectiveKeys())
	fmt.Fprintf(&b, "set: {kind: %s%s}\n", s.set, s.setKeys())
	fmt.Fprintf(&b, "start: {law: sphere}\nalgorithms:\n")
	for _, name := range []string{"vanilla", "composite"} {
		fmt.Fprintf(&b, "  - {name: %s, step: %v, batch: %d}\n", name, u.step, min(u.batch, s.people))
	}
	fmt.Fprintf(&b, "record: {every: %d}\n", max(1, s.iterations/400))
	return b.String()
}

func (s *sketch) dynamicsKeys() string {
	switch s.dynamics {
	case "affine":
		half := banded(s.dim, 0.5, 0)
		return "a: " + half + ", b: " + half + ", e: " + half
	case "friedkin-johnsen":
		return "susceptibility: 0.5, influence: 0.3, weights: " + banded(s.dim, 0.5, 0.5)
	}
	return s.usual().dynamics
}

// banded writes a square matrix with one number on the diagonal and another to the right of it, round the corner.
func banded(n int, diagonal, right float64) string {
	var b strings.Builder
	for i := range n {
		row := make([]float64, n)
		row[i] = diagonal
		row[(i+1)%n] += right
		fmt.Fprintf(&b, ", [%s]", strings.ReplaceAll(strings.Trim(fmt.Sprint(row), "[]"), " ", ", "))
	}
	return "[" + strings.TrimPrefix(b.String(), ", ") + "]"
}

func (s *sketch) objectiveKeys() string {
	switch s.objective {
	case "revenue":
		return ", entropy: 0.1"
	case "quadratic":
		return ", decision: 2, cross: 1, state: 1"
	}
	return ""
}

// setKeys give sets a size that suits: prices of at most 5 to those who choose, otherwise numbers around 1. Opinions settle
// for sure only under decisions no longer than 1.
func (s *sketch) setKeys() string {
	lower, upper, sum := -1.0, 1.0, float64(s.dim)/2
	switch s.dynamics {
	case "choice":
		lower, upper, sum = 0, 5, 2.5*float64(s.dim)
	case "polarized":
		upper = math.Floor(100/math.Sqrt(float64(s.dim))) / 100
		lower, sum = -upper, min(1, upper*float64(s.dim))
	}
	return form.Fresh(kind.Standard().Sets, s.set).(kind.SketchedSet).Sketch(lower, upper, sum)
}
