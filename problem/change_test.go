package problem_test

import (
	"context"
	"math"
	"os"
	"testing"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
)

// Decisions of the limited rule change by at most 0.02, and both rules end at the optimum of the last set: on the box [0, 0.2]² of
// the linear-quadratic problem the gradient 101/16 u₁ + 34/16 u₂ + 5/8 pushes the first entry to 0, and
// 84/16 u₂ = 7/4 would have the second above its bound.
func TestLimitsAndChanges(t *testing.T) {
	data, err := os.ReadFile("../examples/limits.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := problem.Parse(kind.Standard(), "limits.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.Build("limits", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range s.Algorithms {
		trial, err := p.Trial(i, 0, math.NaN())
		if err != nil {
			t.Fatal(err)
		}
		u, last, longest := make([]float64, 2), make([]float64, 2), 0.0
		l := loop.Loop{Population: trial.Population, Algorithm: trial.Algorithm, Objective: trial.Objective, Batch: trial.Batch, Turns: s.Iterations}
		l.After = func(turns int) error {
			trial.Algorithm.Ask(u)
			longest = max(longest, rows.Distance(u, last))
			copy(last, u)
			if length := rows.Norm(u); a.RateLimit == 0 && turns >= 200 && turns < 400 && length > 0.3+1e-12 {
				t.Errorf("%s, turn %d: %v long, want at most 0.3", a.Name, turns, length)
			}
			return nil
		}
		if err := l.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		if e := rows.Distance(u, []float64{0, 0.2}); e > 1e-12 {
			t.Errorf("%s ends at %v, want (0, 0.2)", a.Name, u)
		}
		if limited := longest <= 0.02*(1+1e-12); limited != (a.RateLimit > 0) {
			t.Errorf("%s changed its decision by up to %v", a.Name, longest)
		}
	}
}
