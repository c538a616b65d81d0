package problem

import (
	"os"
	"reflect"
	"testing"

	"github.com/kedge-opt/kedge/conform"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
)

func TestMovingMistakes(t *testing.T) {
	for _, c := range []mistakeTest{
		{"lambda: 0.4", "lambda: 0.4, coupling: 1", "x.yaml:3: dynamics.coupling is 1, want a number from 0 to below 1"},
		{"lambda: 0.4", "lambda: 0.4, noise: -1", "x.yaml:3: dynamics.noise is -1, want a number ≥ 0"},
		{"lambda: 0.4", "lambda: 0.4, noise: [0, 1, 2]", "x.yaml:3: dynamics.noise has 3 entries, a state has 2"},
		{"lambda: 0.4", "lambda: 0.4, heterogeneity: {lambda: 0.4}", "x.yaml:3: dynamics.heterogeneity.lambda is 0.4, want a list of numbers"},
		{"lambda: 0.4", "lambda: 0.4, heterogeneity: {lambda: [0.4]}", "x.yaml:3: dynamics.heterogeneity.lambda is [0.4], want two numbers, the smaller one first"},
		{"lambda: 0.4", "lambda: 0.4, heterogeneity: {sigma: [0.4, 0.3]}", "x.yaml:3: dynamics.heterogeneity.sigma is [0.4 0.3], want two numbers, the smaller one first"},
		{"lambda: 0.4", "lambda: 0.4, heterogeneity: {epsilon: [0.4, 0.5]}", "x.yaml:3: unknown key dynamics.heterogeneity.epsilon, there are lambda and sigma"},
		{"law: sphere", "law: sphere, churn: 2", "x.yaml:2: population.churn is 2, want a number from 0 to 1"},
		{"law: sphere", "law: sphere, drift: {swing: 1}", "x.yaml:2: population.drift.swing wants population.drift.period, the steps of a season"},
		{"law: sphere", "law: sphere, drift: {rate: [1, 2, 3]}", "x.yaml:2: population.drift.rate has 3 entries, a trait has 2"},
		{"law: sphere", "law: sphere, drift: {walk: -1}", "x.yaml:2: population.drift.walk is -1, want a number ≥ 0"},
		{"law: sphere", "law: sphere, churn: 0.1, traits: regenerated", "x.yaml:2: population.drift and population.churn move traits, which want population.traits stored and population.storage float64"},
	} {
		c.run(t)
	}
}

func TestStormWantsPeopleToStay(t *testing.T) {
	mistakeTest{"{name: composite, step: 0.1, batch: 2}", "{name: storm, step: 0.1, batch: 2}",
		"x.yaml:7: algorithms.storm.kind is storm, which sees people again and wants them as they were: no drift and no churn"}.breaks(t, everywhere)
}

// everywhere is a spec with every key of what changes by itself.
const everywhere = `iterations: 10
population: {size: 30, dim: 3, law: cap, angle: 60, drift: {rate: [0.01, 0, 0], walk: 0.01, swing: 0.1, period: 12.5}, churn: 0.05}
dynamics: {kind: polarized, lambda: 0.4, sigma: 0.3, heterogeneity: {lambda: [0.3, 0.5]}, coupling: 0.2, noise: [0.1, 0, 0]}
objective: {kind: affinity}
set: {kind: ball, radius: 1}
algorithms:
  - {name: composite, step: 0.1, batch: 2}
`

func TestMovingSpecsPrintAndReadBack(t *testing.T) {
	s, err := Parse(kind.Standard(), "x.yaml", []byte(everywhere))
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse(kind.Standard(), "x.yaml", s.YAML())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(s.Population, again.Population) || !reflect.DeepEqual(s.Dynamics, again.Dynamics) {
		t.Errorf("printed\n%s", s.YAML())
	}
}

// An individual with the mean held is an individual like others; everybody's λ is in its interval, opinions stay unit vectors
// that no parameters have changed, and newcomers are as others are.
func TestMovingProblems(t *testing.T) {
	s, err := Parse(kind.Standard(), "x.yaml", []byte(everywhere))
	if err != nil {
		t.Fatal(err)
	}
	p, err := Build("x", s, os.DirFS("."))
	if err != nil {
		t.Fatal(err)
	}
	world, err := p.World()
	if err != nil {
		t.Fatal(err)
	}
	for range 40 {
		if _, err := world.Advance(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 30 {
		d := world.View(nil, i, i+1)
		if norm := rows.Norm(d[:3]); norm < 1-1e-12 || norm > 1+1e-12 || d[3] < 0.3 || d[3] > 0.5 || d[4] != 0.3 {
			t.Errorf("individual %d has the trait %v", i, d)
		}
	}
	parts := p.Alone()
	cases := conform.Cases{Draw: func(r *stream.Stream) (x, u, d []float64) {
		x, u = make([]float64, 3), make([]float64, 3)
		r.Normals(x)
		r.Normals(u)
		rows.Scale(x, 1/rows.Norm(x))
		rows.Scale(u, 0.5/rows.Norm(u))
		return x, u, append([]float64(nil), world.View(nil, r.Intn(30), 30)[:5]...)
	}}
	conform.Dynamics(t, parts.Dynamics, cases)
	conform.Sensitivity(t, parts.Sensitivity, parts.Settler, cases)
}
