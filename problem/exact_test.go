package problem

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/loop"
)

// Trials of an algorithm that is called exact are alike, whatever its method draws, and those of one that is not differ. What is
// learned from perturbations and what noise moves was once called exact.
func TestExactTrialsAreAlike(t *testing.T) {
	everybody := []string{"iterations=30", "trials=2"}
	for name, c := range map[string]struct {
		algorithm string
		changes   []string
		want      bool
	}{
		"gradients":   {"{name: one, kind: composite, step: 0.1}", nil, true},
		"retraining":  {"{name: one, kind: repeated-risk}", nil, true},
		"samples":     {"{name: one, kind: composite, step: 0.1, batch: 2}", nil, false},
		"panel":       {"{name: one, kind: storm, step: 0.1}", nil, false},
		"directions":  {"{name: one, kind: two-point, batch: 4, step: 0.01, delta: 0.1}", nil, false},
		"dither":      {"{name: one, kind: composite, step: 0.1, sensitivity: learned, learn: {dither: 0.1}}", nil, false},
		"noise":       {"{name: one, kind: vanilla, step: 0.1}", []string{"dynamics.noise=0.1"}, false},
		"replacement": {"{name: one, kind: vanilla, step: 0.1}", []string{"population.sampling=with-replacement"}, false},
	} {
		src, _ := Case("lq2")
		over := []Overlay{Assign("algorithms=[" + c.algorithm + "]")}
		for _, change := range append(slices.Clone(everybody), c.changes...) {
			over = append(over, Assign(change))
		}
		p, err := Build("lq2", mustParse(t, string(src), over...), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Spec.Exact(&p.Spec.Algorithms[0]); got != c.want {
			t.Errorf("%s: exact is %t, want %t", name, got, c.want)
		}
		if alike := slices.Equal(endOf(t, p, 0), endOf(t, p, 1)); alike != c.want {
			t.Errorf("%s: two trials end alike: %t", name, alike)
		}
	}
}

// endOf returns where a trial of the first algorithm ends, rounded to what the order of a sum may change.
func endOf(t *testing.T, p *Problem, trial int) []float64 {
	t.Helper()
	one, err := p.Trial(0, trial, math.NaN())
	if err != nil {
		t.Fatal(err)
	}
	l := loop.Loop{Population: one.Population, Algorithm: one.Algorithm, Objective: one.Objective, Turns: p.Spec.Iterations, Batch: one.Batch}
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	u := make([]float64, len(p.Start))
	one.Algorithm.Center(u)
	for i := range u {
		u[i] = math.Round(u[i]*1e9) / 1e9
	}
	return u
}
