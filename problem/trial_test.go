package problem

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/kind"
)

const handing = `iterations: 16
trials: 3
population: {size: 4, dim: 2, law: sphere, states: {law: sphere}}
dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5}
objective: {kind: affinity}
set: {kind: ball, radius: 1}
algorithms:
  - {name: on, kind: derivative-free, step: 0.1, delta: 0.1, carry: true, schedule: horizon}
  - {name: off, kind: derivative-free, step: 0.1, delta: 0.1, trials: 2}
  - {name: composite, step: 0.2, norm: previous, schedule: inverse-sqrt}
`

// A loss is carried into a trial of who says so, and handed on; others begin without.
func TestLossesAreCarried(t *testing.T) {
	p := build(t, handing)
	for a, want := range []float64{5, math.NaN(), math.NaN()} {
		trial, err := p.Trial(a, 1, 5)
		if err != nil {
			t.Fatal(err)
		}
		if got := trial.Carried(); got != want && !(math.IsNaN(got) && math.IsNaN(want)) || p.Carries(a) != (a == 0) {
			t.Errorf("%s hands on %v, want %v; carries %v", p.Spec.Algorithms[a].Name, got, want, p.Carries(a))
		}
		if fresh, err := p.Trial(a, 1, math.NaN()); err != nil || !math.IsNaN(fresh.Carried()) {
			t.Errorf("%s begins with the loss %v, %v", p.Spec.Algorithms[a].Name, fresh.Carried(), err)
		}
		if got, want := p.Trials(a), []int{3, 2, 3}[a]; got != want {
			t.Errorf("%d trials, want %d", got, want)
		}
		if got, want := p.FirstStep(a), []float64{0.1 / 4, 0.1, 0.2}[a]; math.Abs(got-want) > 1e-17 {
			t.Errorf("the first step is %v, want %v", got, want)
		}
	}
	const want = "x.yaml:8: algorithms.on takes the last loss of a trial into the next, so that only trial 0 can be run for people elsewhere"
	if _, err := BuildLive(p.Spec, 0, 1, nil); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := BuildLive(p.Spec, 0, 0, nil); err != nil {
		t.Error(err)
	}
}

// Trials begin at the first states, of which those that remember the length of a step keep it as one entry more, 1 at first; who asks is told the state alone.
func TestTrialsBeginAtTheFirstStates(t *testing.T) {
	for _, c := range []struct {
		src   string
		width int // of what is kept of a state
	}{
		{handing, 2}, {small, 2}, {uneven, 2}, {strings.Replace(small, "sigma: 0.5", "sigma: 0.5, heterogeneity: {lambda: [0.1, 0.2]}", 1), 2}, {worldly, 1}, {shopListed, 1},
	} {
		p := build(t, c.src)
		states, _ := p.First(p.Some(100))
		for a := range p.Spec.Algorithms {
			trial, err := p.Trial(a, 0, math.NaN())
			if err != nil {
				t.Fatal(err)
			}
			width := c.width
			if p.Spec.Algorithms[a].Facts().Remembers {
				width++
			}
			kept := trial.Population.States()
			if got := trial.States(p.Some(100)); !slices.Equal(got, states) || len(kept) != p.Individuals()*width {
				t.Errorf("%s\n%s begins at %v, want %v, in %d entries", c.src, p.Spec.Algorithms[a].Name, got, states, len(kept))
			}
			if width > c.width {
				if got := trial.Objective.Eval(nil, nil, []float64{3, 4, 100}, []float64{0.5, 0.25}, make([]float64, 2)); got != -2.5 { // −pᵀu of the state alone
					t.Errorf("the objective is %v", got)
				}
			}
			if width > c.width && (kept[2] != 1 || kept[5] != 1 || rows.Distance(kept[:2], states[:2]) != 0) {
				t.Errorf("with its norm a state is %v", kept[:3])
			}
		}
	}
}

// farAway is a populace that is somewhere else.
type farAway struct{ Populace }

// People are gathered elsewhere where that is to be had, by the same config; what goes wrong there is told.
func TestPeopleElsewhere(t *testing.T) {
	p := build(t, handing)
	far, lost := &farAway{}, errors.New("no line")
	for _, c := range []struct {
		gives Populace
		err   error
	}{{far, nil}, {nil, lost}, {nil, nil}} {
		asked := 0
		trial, err := p.TrialIn(func(config population.Config) (Populace, error) {
			asked++
			if n, width := config.States.Size(); n != 4 || width != 3 || config.Dynamics.Dims().State != 3 || config.Pick == nil {
				t.Errorf("%d rows of %d", n, width)
			}
			return c.gives, c.err
		}, 2, 0, math.NaN())
		switch {
		case asked != 1 || !errors.Is(err, c.err):
			t.Errorf("asked %d times, %v, want %v", asked, err, c.err)
		case c.gives != nil && (trial.Population != nil || trial.People != c.gives):
			t.Error("people who are elsewhere are here")
		case c.gives == nil && c.err == nil && (trial.Population == nil || trial.People != Populace(trial.Population)):
			t.Error("people who are not elsewhere are not here")
		}
	}
}

// Who is sampled, by the key and by what a method wants.
func TestPickers(t *testing.T) {
	for _, c := range []struct{ change, want string }{
		{"population.sampling=with-replacement", "population.WithReplacement"},
		{"population.sampling=without-replacement", "*population.WithoutReplacement"},
		{"population.weights=[1, 2, 3, 4]", "*population.ByWeight"},
		{"algorithms=[{name: storm, step: 0.1, batch: 2}]", "*population.Rotating of population.WithReplacement"},
	} {
		p := build(t, small, Assign(c.change))
		sample, _ := p.trialDraws(0, 0)
		pick, err := p.picker(&p.Spec.Algorithms[0], sample)
		got := fmt.Sprintf("%T", pick)
		if panel, ok := pick.(*population.Rotating); ok {
			got += fmt.Sprintf(" of %T", panel.Of)
		}
		if err != nil || got != c.want {
			t.Errorf("%s: %s, %v, want %s", c.change, got, err, c.want)
		}
	}
}

// Samples and directions come from streams of their own for every algorithm, trial and use, so that none shifts another.
func TestTrialsDrawFromStreamsOfTheirOwn(t *testing.T) {
	p := build(t, handing)
	seen := map[float64]string{}
	for a := range p.Spec.Algorithms {
		for k := range 3 {
			sample, directions := p.trialDraws(a, k)
			for i, s := range []draws{sample, directions} {
				x, name := s.Float64(), fmt.Sprintf("%d %d %d", a, k, i)
				if other, twice := seen[x]; twice {
					t.Errorf("%s draws what %s draws", name, other)
				}
				seen[x] = name
			}
		}
	}
}

// Noise and what stirs formulas are drawn by trial, the same for all algorithms; nothing is where there is none.
func TestNoiseByTrial(t *testing.T) {
	p := build(t, strings.Replace(uneven, "e: [[0.5]", "noise: [0.5, 0.25], e: [[0.5]", 1))
	if n := p.noise(1, 3); !slices.Equal(n.Deviation, []float64{0.5, 0.25, 0}) || n.Stream.Float64() != p.noise(1, 3).Stream.Float64() || n.Stream.Float64() == p.noise(2, 3).Stream.Float64() {
		t.Errorf("%+v", n)
	}
	if still := build(t, uneven); still.noise(0, 2) != nil || still.stir(0) != nil || still.Noisy() || !p.Noisy() {
		t.Error("people who are left alone are pushed")
	}
	world := build(t, worldly)
	one, other := world.stir(0), world.stir(1)
	if len(one.Draws) != 2 || one.Draws[1].Entries != 2 || one.Draws[0].Stream.Float64() == other.Draws[0].Stream.Float64() || one.Draws[1].Stream.Float64() == one.Draws[0].Stream.Float64() {
		t.Errorf("%+v", one)
	}
}

const guarded = `iterations: 10
population: {size: 4, dim: 2, law: sphere}
dynamics: {kind: polarized, lambda: 0.4, sigma: 0.5}
objective: {kind: affinity}
set: {kind: ball, radius: 1}
algorithms:
  - {name: composite, step: 0.1, batch: 2}
  - {name: vanilla, step: 0.1, batch: 2}
  - {name: learner, kind: composite, step: 0.1, batch: 2, sensitivity: learned, learn: {dither: 0.1}}
live:
  trust: {otherwise: vanilla}
  guardrails:
    - {name: churn, of: "share(p[0] > 0.5)", most: 0.3}
`

// A rule that goes by its model falls back on what needs none of the answer where the spec wants that, with the same loss; others have nothing to fall back on.
func TestRulesFallBack(t *testing.T) {
	s := mustParse(t, guarded)
	for a, want := range []bool{true, false} {
		live, err := BuildLive(s, a, 0, nil)
		if err != nil || (live.Fallback != nil) != want || live.Informed != want {
			t.Errorf("%s: %+v, %v", s.Algorithms[a].Name, live, err)
		}
	}
	for _, otherwise := range []string{"hold", "warn"} {
		if live, err := BuildLive(mustParse(t, guarded, Assign("live.trust.otherwise="+otherwise)), 0, 0, nil); err != nil || live.Fallback != nil {
			t.Errorf("%s: %+v, %v", otherwise, live, err)
		}
	}
	if live, err := BuildLive(mustParse(t, small), 0, 0, nil); err != nil || live.Fallback != nil {
		t.Errorf("%+v, %v", live, err)
	}
}

// The fallback, once taken, moves as vanilla does: by the gradient that takes people for given.
func TestFallbackIsVanilla(t *testing.T) {
	s := mustParse(t, guarded)
	var at [2][]float64
	for a := range at {
		live, err := BuildLive(s, a, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if live.Fallback != nil {
			live.Fallback.Distrust(true)
		}
		o := kedge.Observation{U: make([]float64, 2), P: []float64{0.6, 0.8, 1, 0}, D: []float64{1, 0, 0, 1}}
		live.Algorithm.Ask(o.U)
		if err := live.Algorithm.Tell(o); err != nil {
			t.Fatal(err)
		}
		at[a] = make([]float64, 2)
		live.Algorithm.Ask(at[a])
	}
	if !slices.Equal(at[0], at[1]) {
		t.Errorf("it goes to %v, vanilla to %v", at[0], at[1])
	}
}

// A formula of a guardrail is checked in the names of the spec, at its place, and judges people as it says.
func TestFormulasOfGuardrails(t *testing.T) {
	const want = "x.yaml:13: live.guardrails.churn.of:1:2: unknown name q; known are d, p, u"
	if _, err := Parse(kind.Standard(), "x.yaml", []byte(strings.Replace(guarded, "share(p[0]", "share(q[0]", 1))); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	s := mustParse(t, guarded)
	f, err := s.Formula("live.guardrails.churn.of", "p[0] + 2*p[1] - u[0]*d[1]", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Eval(nil, nil, []float64{3, 5}, []float64{7, 0}, []float64{0, 2}); got != 3+10-14 {
		t.Errorf("%v", got)
	}
	if _, err := s.Formula("live.guardrails.churn.of", "p[0] + nobody", nil); err == nil || !strings.HasPrefix(err.Error(), "x.yaml:13: live.guardrails.churn.of:1:8: unknown name nobody") {
		t.Error(err)
	}
}

// Settling before a step of the context that is done is not waited for.
func TestBuildingEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, src := range []string{small, published, written, strings.Replace(small, "law: sphere", "law: sphere, storage: float32", 1)} {
		if p, err := BuildWithin(ctx, "x", mustParse(t, src), nil); p != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%v, %v", p, err)
		}
	}
	p := begin(ctx, "x", mustParse(t, small), nil)
	for _, storage := range []population.Storage{population.Float64, population.Float32} {
		p.Spec.Population.Storage = storage
		if _, err := p.after(p.draw); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", storage, err)
		}
	}
}
