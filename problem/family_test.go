package problem_test

import (
	"context"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// family is a spec with every method once.
func family(t *testing.T, overlays ...problem.Overlay) *problem.Problem {
	t.Helper()
	src, err := os.ReadFile("testdata/family.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := problem.Parse(kind.Standard(), "family.yaml", src, overlays...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build("family", s, os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every method has a kind, and every kind runs.
func TestEveryMethodRuns(t *testing.T) {
	p := family(t)
	if got, want := len(p.Spec.Algorithms), len(kind.Standard().Methods); got != want {
		t.Errorf("testdata/family.yaml has %d algorithms, there are %d methods", got, want)
	}
	for i, name := range kind.Standard().MethodNames() {
		if p.Spec.Algorithms[i].Kind() != name {
			t.Fatalf("algorithm %d of testdata/family.yaml is %s, want %s", i, p.Spec.Algorithms[i].Kind(), name)
		}
		trial, err := p.Trial(i, 0, math.NaN())
		if err != nil {
			t.Fatal(err)
		}
		l := loop.Loop{Population: trial.Population, Algorithm: trial.Algorithm, Objective: trial.Objective, Batch: trial.Batch, Turns: p.Spec.Iterations}
		if err := l.Run(context.Background()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if trial.Algorithm.Steps() == 0 {
			t.Errorf("%s took no step in %d turns", name, p.Spec.Iterations)
		}
	}
}

// What is tried stays in the set when that is asked for: here the optimum lies outside of the box.
func TestFeasiblePerturbations(t *testing.T) {
	p := family(t, problem.Assign("set.lower=-0.3"), problem.Assign("set.upper=0.3"), problem.Assign("algorithms.plug-in.perturbed=feasible"), problem.Assign("algorithms.plug-in.delta=0.2"))
	for i, a := range p.Spec.Algorithms {
		if !a.Facts().Inside {
			continue
		}
		trial, err := p.Trial(i, 0, math.NaN())
		if err != nil {
			t.Fatal(err)
		}
		u := make([]float64, 2)
		l := loop.Loop{Population: trial.Population, Algorithm: trial.Algorithm, Objective: trial.Objective, Batch: trial.Batch, Turns: 200}
		l.After = func(int) error {
			trial.Algorithm.Ask(u)
			if worst := max(math.Abs(u[0]), math.Abs(u[1])); worst > 0.3+1e-15 {
				t.Errorf("%s deploys %v, outside of the box of ±0.3", a.Name, u)
			}
			return nil
		}
		if err := l.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestMethodsThatDoNotFit(t *testing.T) {
	src, err := os.ReadFile("testdata/family.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for change, want := range map[string]string{
		"set={kind: ball, radius: 3}":                    "algorithms.adam.scaling is each, but entries scaled one by one and projected on a set of kind ball settle somewhere else; want joint",
		"algorithms.two-point.delta=2.5":                 "algorithms.two-point.delta is 2.5, which leaves no decision as far inside the set",
		"algorithms.performative.window=2":               "algorithms.performative.window is 2, want at least 3, one more than the decision has entries",
		"algorithms.plug-in.tries=2":                     "algorithms.plug-in.tries is 2, want at least 3, one more than the decision has entries",
		"set={kind: affine, matrix: [[1, 1]], rhs: [1]}": "algorithms.adam.scaling is each",
		"set={kind: simplex, sum: 1}":                    "algorithms.adam.scaling is each",
	} {
		s, err := problem.Parse(kind.Standard(), "family.yaml", src, problem.Assign(change))
		if err == nil {
			_, err = problem.Build("family", s, os.DirFS("."))
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives %v, want %s", change, err, want)
		}
	}
}
