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

// Noise that formulas name is as random as that of dynamics. It was once taken for nothing. Who is alone is always sampled, of two either may be.
func TestTrialsOfModelsThatAreExact(t *testing.T) {
	const model = `iterations: 30
trials: 2
model:
  decision: q
  state: p
  trait: d
  next: 0.5*p + 0.25*q + d
  minimize: (p - 1)^2 + q^2
population: {size: 4, law: normal, sampling: without-replacement}
algorithms: [{name: one, kind: composite, step: 0.1, batch: 4}]
`
	for name, c := range map[string]struct {
		changes []Overlay
		want    bool
	}{
		"still":    {nil, true},
		"stirring": {[]Overlay{Assign("model.noise={w: \"normal(0, 0.1)\"}"), Assign("model.next=0.5*p + 0.25*q + d + w")}, false},
		"alone":    {[]Overlay{Assign("population={size: 1, law: normal}"), Assign("algorithms.one.batch=1")}, true},
		"two":      {[]Overlay{Assign("population={size: 2, law: normal}"), Assign("algorithms.one.batch=1")}, false},
	} {
		p, err := Build("x", mustParse(t, model, c.changes...), nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, alike := p.Spec.Exact(&p.Spec.Algorithms[0]), slices.Equal(endOf(t, p, 0), endOf(t, p, 1)); got != c.want || alike != c.want {
			t.Errorf("%s: exact is %t, two trials end alike: %t, want %t", name, got, alike, c.want)
		}
	}
}
