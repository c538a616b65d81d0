package problem

import (
	"context"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/problem/kind"
)

// worldly is a model with everything that formulas can know of the world.
const worldly = `seed: 3
iterations: 10
trials: 1
model:
  decision: q
  state: p
  trait: d
  noise: {shock: "normal(0, 0.1)", "hits[2]": bernoulli(0.25)}
  groups: {loyal: {share: 0.75, taste: 0.5}, others: {share: 0.25, taste: 2}}
  next: 0.5*p + 0.5*(d - taste*q + sin(2*pi*t/52)) + shock*p - sum(hits)
  maximize: q*p
population: {size: 8, law: normal, mean: 4, deviation: 1}
start: {law: zero}
algorithms: [{name: composite, kind: composite, step: 0.1, batch: 2}]
`

// Groups, time and the mean of noise are where the closed form has them: everybody settles at
// d − taste·q + sin(2πt/52) − 2·2·0.25, and the best price is half of what is asked at none by the mean taste.
func TestWorldOfFormulas(t *testing.T) {
	p, err := Build("x", mustParse(t, worldly), nil)
	if err != nil {
		t.Fatal(err)
	}
	if dim := p.Spec.Dims(); dim != (kedge.Dims{Decision: 1, State: 1, Trait: 4}) || !p.Moves() || !p.Noisy() || p.Landscape() != nil {
		t.Fatalf("dims %v, moves %v, noisy %v", dim, p.Moves(), p.Noisy())
	}
	tastes, mean := map[float64]int{}, 0.0
	for i := range 8 {
		row := p.Traits.View(make([]float64, 4), i, i+1)
		tastes[row[2]]++
		mean += row[0] / 8
		if row[1] != math.Floor(float64(i)/6) || row[3] != 0 {
			t.Errorf("individual %d is %v, want a group of six and one of two at the time 0", i, row)
		}
	}
	if tastes[0.5] != 6 || tastes[2] != 2 {
		t.Errorf("tastes %v", tastes)
	}
	world, err := p.World()
	if err != nil {
		t.Fatal(err)
	}
	for range 13 {
		if _, err := world.Advance(); err != nil {
			t.Fatal(err)
		}
	}
	f, err := p.SteadyOf(world)
	if err != nil {
		t.Fatal(err)
	}
	asked, taste := mean+math.Sin(2*math.Pi*13/52)-1, 0.75*0.5+0.25*2
	value, err := f.Value([]float64{1})
	if want := -(asked - taste); err != nil || math.Abs(value-want) > 1e-12 {
		t.Errorf("the loss of the price 1 at the time 13 is %v, want %v, %v", value, want, err)
	}
	best, err := optimum.Minimize(context.Background(), f, p.Set, []float64{0}, p.Effort())
	if want := asked / 2 / taste; err != nil || math.Abs(best.Decision[0]-want) > 1e-6 {
		t.Errorf("the best price is %v, want %v, %v", best.Decision, want, err)
	}
}

// What noise does to a crowd has the variance of the closed form: p⁺ = ½p + w settles at the variance σ²/(1 − ¼).
func TestNoiseOfFormulasIsStationary(t *testing.T) {
	s := mustParse(t, worldly, Assign("model.noise={w: \"normal(1, 0.3)\"}"), Assign("model.groups=null"), Assign("model.next=0.5*p + w + 0*q"), Assign("population.size=4000"))
	p, err := Build("x", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	again := make([][]float64, 2)
	for i := range again {
		trial, err := p.Trial(0, 0, math.NaN())
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			if err := trial.Population.Respond(context.Background(), []float64{0}); err != nil {
				t.Fatal(err)
			}
		}
		again[i] = trial.Population.States()
	}
	sum, squares := 0.0, 0.0
	for i, v := range again[0] {
		if sum, squares = sum+v, squares+(v-2)*(v-2); v != again[1][i] {
			t.Fatal("a trial is not the same again")
		}
	}
	if want := 0.09 / 0.75; math.Abs(sum/4000-2) > 5*math.Sqrt(want/4000) || math.Abs(squares/4000/want-1) > 0.12 {
		t.Errorf("mean %v and variance %v, want 2 and %v", sum/4000, squares/4000, want)
	}
	h := []float64{0}
	if err := p.Settle(h, []float64{0}, []float64{0}); err != nil || math.Abs(h[0]-2) > 1e-14 {
		t.Errorf("settled at %v, %v, want 2, where the mean noise leads", h, err)
	}
}

// Formulas that see the crowd are the built-in dynamics with coupling: values, gradients and optima to 1e-12, affine and polarized.
func TestCrowdIsCoupling(t *testing.T) {
	const rest = `
seed: 1
iterations: 5
trials: 1
start: {law: zero}
algorithms: [{name: composite, kind: composite, step: 0.1, batch: 2}]
`
	for name, c := range map[string][2]string{
		"affine": {`
dynamics: {kind: affine, a: [[0.5, 0.1], [0, 0.5]], b: [[0.3, 0], [0, 0.3]], e: [[0.5, 0], [0, 0.5]], coupling: 0.3}
objective: norm(p - [1, 2])^2 + 0.1*norm(u)^2
set: {kind: whole}
population: {size: 50, dim: 2, law: normal, mean: [0, 1], deviation: 1}`, `
model:
  decision: u[2]
  state: p[2]
  trait: d[2]
  let: {a: [[0.5, 0.1], [0, 0.5]]}
  next: 0.7*(a @ p + 0.3*u + 0.5*d) + 0.3*crowd(p)
  minimize: norm(p - [1, 2])^2 + 0.1*norm(u)^2
population: {size: 50, law: normal, mean: [0, 1], deviation: 1}`},
		"polarized": {`
dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5, coupling: 0.2}
objective: {kind: formula, maximize: "dot(p, u)"}
set: {kind: ball, radius: 1}
population: {size: 30, dim: 3, law: cap, angle: 60}`, `
model:
  decision: u[3]
  state: p[3]
  trait: d[3]
  next: normalize(0.8*normalize(0.4*p + 0.6*d + 0.5*dot(p, u)*u) + 0.2*crowd(p))
  maximize: dot(p, u)
  subject to: norm(u) <= 1
population: {size: 30, law: cap, angle: 60}`},
	} {
		t.Run(name, func(t *testing.T) {
			var values [2]float64
			var slopes, means [2][]float64
			for i, src := range c {
				p, err := Build("x", mustParse(t, rest[1:]+src[1:]+"\n"), nil)
				if err != nil {
					t.Fatal(err)
				}
				f, err := p.Steady()
				if err != nil {
					t.Fatal(err)
				}
				dim := f.Dims()
				u := []float64{0.5, -0.25, 0.3}[:dim.Decision]
				slopes[i], means[i] = make([]float64, dim.Decision), make([]float64, dim.State)
				if values[i], err = f.Gradient(slopes[i], u); err != nil {
					t.Fatal(err)
				}
				if err := f.Mean(means[i], u); err != nil || !p.Social {
					t.Fatalf("%v, social %v", err, p.Social)
				}
			}
			near(t, "values", values[:1], values[1:])
			near(t, "gradients", slopes[0], slopes[1])
			near(t, "means", means[0], means[1])
		})
	}
}

func near(t *testing.T, what string, x, y []float64) {
	t.Helper()
	for i, v := range x {
		if !(math.Abs(v-y[i]) <= 1e-12*max(1, math.Abs(v))) {
			t.Errorf("%s: %v and %v", what, x, y)
			return
		}
	}
}

func TestWorldMistakes(t *testing.T) {
	for change, want := range map[string]string{
		"model.noise={w: normal(0)}":                                            "model.noise.w is \"normal(0)\", want normal(mean, deviation), all of them numbers",
		"model.noise={w: \"normal(0, -1)\"}":                                    "another law: the deviation is -1, want at least 0",
		"model.noise={w: \"nromal(0, 1)\"}":                                     "did you mean normal?",
		"model.noise={w: 3}":                                                    "want a law such as normal(0, 0.1)",
		"model.noise=[1]":                                                       "want a mapping of names to laws",
		"model.noise={q: \"normal(0, 1)\"}":                                     "q is there already",
		"model.next=0.5*p + exp(shock)":                                         "not affine in the noise",
		"model.next=0.5*p + shock*sum(hits)":                                    "not affine in the noise",
		"model.groups={a: {share: 0.5, taste: 1}}":                              "add up to 0.5, want 1",
		"model.groups={a: {share: 0.5, taste: 1}, b: {share: 0.5, x: 1}}":       "model.groups.b has x, the first group taste",
		"model.groups={a: {share: 0.99, taste: 1}, b: {share: 0.01, taste: 1}}": "nobody of 8 is in the group",
		"model.groups={a: {taste: 1}}":                                          "want a share",
		"model.groups={a: {share: 2, taste: 1}}":                                "model.groups.a.share is 2, want a number above 0 up to 1",
		"model.groups={a: 1}":                                                   "want a mapping with a share and values",
		"population.traits=regenerated":                                         "formulas depend on the time t, which moves with traits, which want population.traits stored",
		"record.rollout=3":                                                      "and no time t in formulas",
		"model.maximize=q*crowd(p)":                                             "the objective is that of one individual",
		"generator=numpy":                                                       "generator numpy",
	} {
		_, err := Parse(kind.Standard(), "x.yaml", []byte(worldly), Assign(change))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives\n%v\nwant %s", change, err, want)
		}
	}
	social := Assign("model.next=0.5*p + 0.1*crowd(p) + 0*q")
	for change, want := range map[string]string{
		"record.rollout=3": "a roll-out", "population.weights=[1, 2, 1, 1, 1, 1, 1, 1]": "who sees the mean of the crowd sees all alike",
	} {
		if _, err := Parse(kind.Standard(), "x.yaml", []byte(worldly), Assign("model.noise=null"), social, Assign(change)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s gives\n%v\nwant %s", change, err, want)
		}
	}
}

// A spec with all of it is printed as it was read.
func TestWorldIsPrinted(t *testing.T) {
	s := mustParse(t, worldly)
	again := mustParse(t, string(s.YAML()))
	if a, b := string(s.YAML()), string(again.YAML()); a != b || !strings.Contains(a, "hits[2]") || !strings.Contains(a, "taste: 2") {
		t.Errorf("%s\nbecomes\n%s", a, b)
	}
}

// Every spec of docs/formula.md is built.
func TestSpecsOfTheManual(t *testing.T) {
	text, err := os.ReadFile("../docs/formula.md")
	if err != nil {
		t.Fatal(err)
	}
	specs := regexp.MustCompile("(?s)```yaml\n(seed:.*?)```").FindAllSubmatch(text, -1)
	if len(specs) < 4 {
		t.Errorf("%d specs in docs/formula.md, want at least 4", len(specs))
	}
	for _, spec := range specs {
		s, err := Parse(kind.Standard(), "docs/formula.md", spec[1])
		if err != nil {
			t.Errorf("%v\n%s", err, spec[1])
			continue
		}
		p, err := Build("x", s, fstest.MapFS{"edges.csv": {Data: []byte("0,1,1\n1,2,1\n2,0,2\n")}})
		if err != nil {
			t.Errorf("%v\n%s", err, spec[1])
			continue
		}
		f, err := p.Steady()
		if err != nil {
			t.Errorf("%v\n%s", err, spec[1])
			continue
		}
		if _, err := f.Gradient(make([]float64, len(p.Start)), p.Start); err != nil {
			t.Errorf("%v\n%s", err, spec[1])
		}
	}
}
