package problem

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
)

// published is a small run in the order of draws of the published programs.
const published = `seed: 7
iterations: 5
trials: 2
generator: numpy
population: {size: 6, dim: 4, law: cap, angle: 90}
dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5}
objective: {kind: affinity}
set: {kind: ball, radius: 1}
start: {law: sphere}
algorithms:
  - {name: composite, step: 0.1, batch: 3}
  - {name: derivative-free, step: 0.1, delta: 0.1, batch: 2}
  - {name: vanilla, step: 0.1, batch: 4}
`

// First comes the decision, four normal numbers brought to length 1, then the hemisphere with the axes to plot, and then the trials one after the other: where one ends when it
// is run the next begins, in the same state of the generator.
func TestPublishedOrderOfDraws(t *testing.T) {
	p := build(t, published)
	g := stream.NewNumPy(7)
	start, traits := make([]float64, 4), make([]float64, 24)
	g.Normals(start)
	rows.Scale(start, 1/rows.Norm(start))
	if err := population.PublishedHemisphere(traits, 4, g); err != nil {
		t.Fatal(err)
	}
	g.Shuffle(4, func(int, int) {})
	states, got := p.First(p.Some(6))
	if rows.Distance(start, p.Start) > 1e-15 || !slices.Equal(got, traits) || !slices.Equal(states, traits) {
		t.Errorf("the first decision is %v, want %v; traits %v, want %v; states %v", p.Start, start, got, traits, states)
	}
	for a := range p.Spec.Algorithms {
		for k := range 2 {
			begins := p.numpy[a][k]
			if !slices.Equal(stateOf(t, begins), stateOf(t, g)) {
				t.Errorf("%s, trial %d, does not begin where what was before it has ended", p.Spec.Algorithms[a].Name, k)
			}
			g = runPublished(t, p, a, k)
		}
	}
	live, err := BuildLive(p.Spec, 0, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	u := make([]float64, 4)
	if live.Algorithm.Ask(u); !slices.Equal(u, p.Start) {
		t.Errorf("the rule begins at %v, its trial at %v", u, p.Start)
	}
}

func stateOf(t *testing.T, g *stream.NumPy) []byte {
	t.Helper()
	b, err := g.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(b)
}

// runPublished runs a trial and returns its generator as it is then.
func runPublished(t *testing.T, p *Problem, a, k int) *stream.NumPy {
	t.Helper()
	from := &p.Spec.Algorithms[a]
	sample, directions := p.trialDraws(a, k)
	m := p.trialModel(from)
	crowd, _, err := p.crowd(nil, from, k, m, sample)
	if err != nil {
		t.Fatal(err)
	}
	rule, err := p.rule(from, m, directions)
	if err != nil {
		t.Fatal(err)
	}
	descent, err := rule.From(p.Start)
	if err != nil {
		t.Fatal(err)
	}
	l := loop.Loop{Population: crowd, Algorithm: descent, Objective: m.RowObjective(), Batch: from.Batch, Turns: p.Spec.Iterations, Hold: p.Spec.Hold}
	if err := l.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	return sample.(*stream.NumPy)
}

// In single precision they are the same people to its rounding, of length 1 again.
func TestPublishedPeopleInSinglePrecision(t *testing.T) {
	long, short := build(t, published), build(t, strings.Replace(published, "angle: 90", "angle: 90, storage: float32", 1))
	_, want := long.First(long.Some(6))
	_, got := short.First(short.Some(6))
	for i, v := range want {
		if math.Abs(got[i]-v) > 0x1p-23 {
			t.Fatalf("entry %d is %v, was %v", i, got[i], v)
		}
	}
	if slices.Equal(got, want) || math.Abs(rows.Norm(kedge.Row(got, 2, 4))-1) > 4e-16 {
		t.Error("they are not rounded, or not of length 1")
	}
}

// A spec that was changed by hand into what the published runs did not draw is refused when it is built, too.
func TestPublishedRunsThatNobodyDrew(t *testing.T) {
	for want, change := range map[string]func(s *Spec){
		"x.yaml:1: seed is 4294967296, the generator numpy wants at most 4294967295":            func(s *Spec) { s.Seed = 1 << 32 },
		"x.yaml:5: the generator numpy starts everybody at the trait; want same":                func(s *Spec) { s.Population.States = &kind.SphereLaw{} },
		"x.yaml:5: the generator numpy draws what the published runs drew: a cap of 90 degrees": func(s *Spec) { s.Population.Law = &kind.SphereLaw{} },
	} {
		s := mustParse(t, published)
		change(s)
		if _, err := Build("x", s, nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	s := mustParse(t, published, Assign("seed=4294967295"))
	if _, err := Build("x", s, nil); err != nil {
		t.Errorf("the largest seed there is: %v", err)
	}
	s = mustParse(t, published)
	const want = "x.yaml:4: generator is numpy, from which derivative-free and the samples of its people are drawn in turn; to run it for people elsewhere, leave the key out"
	if _, err := BuildLive(s, 1, 0, nil); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
