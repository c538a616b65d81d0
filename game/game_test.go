package game_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/conform"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/game"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

// contest is a linear-quadratic game of two players with a number each.
type contest struct {
	dims        kedge.Dims
	dynamics    *dynamics.Affine
	sensitivity kedge.Sensitivity
	players     []game.Player
	traits      []float64
}

func must[T any](t testing.TB, x T, err error) T {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func linear(t testing.TB, dims kedge.Dims, a, b, e, traits []float64) *contest {
	t.Helper()
	f := must2(dynamics.NewAffine(dims, a, b, e))(t)
	gain := must2(f.Gain())(t)
	return &contest{dims: dims, dynamics: f, sensitivity: must2(sensitivity.NewAffine(dims, gain))(t), traits: traits}
}

func must2[T any](x T, err error) func(testing.TB) T {
	return func(t testing.TB) T { t.Helper(); return must(t, x, err) }
}

func (c *contest) add(t testing.TB, name string, R, S, Q []float64) {
	t.Helper()
	c.players = append(c.players, game.Player{Name: name, Size: 1, Objective: must2(objective.NewQuadratic(c.dims, R, S, Q, nil, nil))(t)})
}

// duopoly is demand that settles at p = 2 − ½u₁ − ½u₂, and Φⱼ = −uⱼp + ½uⱼ²: players who take demand for given stop at 1, the
// equilibrium is 4/5, and together they would choose 2/3.
func duopoly(t testing.TB) *contest {
	c := linear(t, kedge.Dims{Decision: 2, State: 1, Trait: 1}, []float64{.5}, []float64{-.25, -.25}, []float64{.5}, []float64{1, 3})
	c.add(t, "left", []float64{1, 0, 0, 0}, []float64{-1, 0}, nil)
	c.add(t, "right", []float64{0, 0, 0, 1}, []float64{0, -1}, nil)
	return c
}

// quarrel is Φⱼ = uⱼ² + uⱼpⱼ + ½pⱼ² under p = Gu + Fd, G = [5/4 1/2; 1/2 1], E Fd = (1/2, −1). What the players' gradients are at
// rest, 97/16 u₁ + 9/8 u₂ = −9/8 and u₁ + 5u₂ = 2, gives the equilibrium (−126/467, 212/467).
func quarrel(t testing.TB) *contest {
	c := linear(t, kedge.Dims{Decision: 2, State: 2, Trait: 2}, []float64{.5, .25, 0, .5}, []float64{.5, 0, .25, .5}, []float64{.5, 0, 0, .5}, []float64{2, -.5, 0, -.5, 2, -1.5, 0, -1.5})
	c.add(t, "first", []float64{2, 0, 0, 0}, []float64{1, 0, 0, 0}, []float64{1, 0, 0, 0})
	c.add(t, "second", []float64{0, 0, 0, 2}, []float64{0, 0, 0, 1}, []float64{0, 0, 0, 1})
	return c
}

// circle is Φ₁ = u₁u₂ = −Φ₂ on a population that does not matter: gradients lead round and round the equilibrium 0.
func circle(t testing.TB) *contest {
	c := linear(t, kedge.Dims{Decision: 2, State: 1, Trait: 1}, []float64{.5}, []float64{0, 0}, []float64{.5}, []float64{1, 3})
	c.add(t, "chases", []float64{0, 1, 1, 0}, nil, nil)
	c.add(t, "flees", []float64{0, -1, -1, 0}, nil, nil)
	return c
}

func (c *contest) play(t testing.TB, r online.Rule, turns int) []float64 {
	t.Helper()
	if r.Set == nil {
		r.Set = set.Whole{}
	}
	rule := must2(r.From([]float64{.1, .3}))(t)
	n := len(c.traits) / c.dims.Trait
	crowd := must2(population.Gather(population.Config{
		Dynamics: c.dynamics, Traits: kedge.Block{Data: c.traits, Width: c.dims.Trait}, States: kedge.Block{Data: make([]float64, n*c.dims.State), Width: c.dims.State},
		Pick: &population.WithoutReplacement{Source: stream.New(1, "everybody")},
	}))(t)
	l := loop.Loop{Population: crowd, Algorithm: rule, Objective: c.players[0].Objective, Turns: turns, Batch: n}
	if err := l.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	u := make([]float64, 2)
	rule.Ask(u)
	return u
}

func (c *contest) gradients(t testing.TB, h kedge.Sensitivity, o game.Order) online.Estimator {
	return must2(game.NewPlay(c.dims, c.players, h, o))(t)
}

func (c *contest) responses(t testing.TB, f game.Foresight, o game.Order) online.Estimator {
	search := func(f game.Function, s kedge.Set, start []float64) ([]float64, error) {
		p, err := optimum.Minimize(context.Background(), f, s, start, optimum.Effort{Tolerance: 1e-13})
		if err != nil {
			return nil, err
		}
		return p.Decision, nil
	}
	return must2(game.NewBestResponse(c.dims, c.players, []kedge.Set{set.Whole{}, set.Whole{}}, f, o, search))(t)
}

func (c *contest) judge(t testing.TB) *game.SettledGame {
	return must2(game.NewSettled(c.dims, c.players, set.Whole{}, func(o kedge.Objective) (*steady.Objective, error) {
		return steady.New(kedge.Model{Settler: c.dynamics, Objective: o, Sensitivity: c.sensitivity, Traits: kedge.Block{Data: c.traits, Width: c.dims.Trait}})
	}))(t)
}

func near(t testing.TB, name string, got []float64, want [2]float64, tolerance float64) {
	t.Helper()
	if e := math.Hypot(got[0]-want[0], got[1]-want[1]); !(e <= tolerance) {
		t.Errorf("%s: at %v, want %v: %.1e off", name, got, want, e)
	}
}

func TestWhereGamesSettle(t *testing.T) {
	nash := [2]float64{-126.0 / 467, 212.0 / 467}
	for _, o := range []game.Order{game.Simultaneous, game.Alternating} {
		d, q := duopoly(t), quarrel(t)
		far, near1 := game.Foresight{Settler: q.dynamics, Sensitivity: q.sensitivity}, game.Foresight{}
		step := online.Constant(.1)
		near(t, "duopoly, anticipating demand", d.play(t, online.Rule{Gradient: d.gradients(t, d.sensitivity, o), Step: step}, 2000), [2]float64{.8, .8}, 1e-12)
		near(t, "duopoly, taking demand for given", d.play(t, online.Rule{Gradient: d.gradients(t, nil, o), Step: step}, 2000), [2]float64{1, 1}, 1e-12)
		near(t, "quarrel, gradients", q.play(t, online.Rule{Gradient: q.gradients(t, q.sensitivity, o), Step: step}, 1000), nash, 1e-12)
		near(t, "quarrel, best responses", q.play(t, online.Rule{Gradient: q.responses(t, far, o), Step: online.Constant(1)}, 60), nash, 1e-11)
		near(t, "quarrel, optimistic gradients", q.play(t, online.Rule{Gradient: q.gradients(t, q.sensitivity, o), Step: online.Constant(.05), Transforms: []online.Transform{&online.Optimistic{}}}, 2000), nash, 1e-12)
		near(t, "duopoly, best responses to demand as it is", d.play(t, online.Rule{Gradient: d.responses(t, near1, o), Step: online.Constant(.5)}, 400), [2]float64{1, 1}, 1e-10)
	}
}

// Gradients circle outwards, those who anticipate the others come to rest.
func TestAnticipatingTheOthersCalms(t *testing.T) {
	c := circle(t)
	plain := c.play(t, online.Rule{Gradient: c.gradients(t, c.sensitivity, game.Simultaneous), Step: online.Constant(.1)}, 1000)
	if r := math.Hypot(plain[0], plain[1]); r < 10 {
		t.Errorf("plain gradients end %v from the equilibrium, want them to circle outwards", r)
	}
	near(t, "optimistic", c.play(t, online.Rule{Gradient: c.gradients(t, c.sensitivity, game.Simultaneous), Step: online.Constant(.1), Transforms: []online.Transform{&online.Optimistic{}}}, 8000), [2]float64{}, 1e-12)
}

func TestEquilibriaOffline(t *testing.T) {
	ctx, o := context.Background(), optimum.Effort{Tolerance: 1e-12}
	d, q := duopoly(t), quarrel(t)
	s := d.judge(t)
	nash := must2(optimum.Stable(ctx, s.Field, set.Whole{}, []float64{0, 0}, o))(t)
	near(t, "duopoly, Nash", nash.Decision, [2]float64{.8, .8}, 1e-11)
	near(t, "duopoly, stable", must2(optimum.Stable(ctx, s.Partial, set.Whole{}, []float64{0, 0}, o))(t).Decision, [2]float64{1, 1}, 1e-11)
	both := objective.Sum{d.players[0].Objective, d.players[1].Objective}
	f := must2(steady.New(kedge.Model{Settler: d.dynamics, Objective: both, Sensitivity: d.sensitivity, Traits: kedge.Block{Data: d.traits, Width: d.dims.Trait}}))(t)
	social := must2(optimum.Minimize(ctx, f, set.Whole{}, []float64{0, 0}, o))(t)
	near(t, "duopoly, social", social.Decision, [2]float64{2. / 3, 2. / 3}, 1e-11)
	if price, ok := game.PriceOfAnarchy(nash.Loss, social.Loss); !ok || !(math.Abs(price-(4./3)/1.28) <= 1e-10) {
		t.Errorf("the price of anarchy is %v, want 25/24", price)
	}
	near(t, "quarrel, Nash", must2(optimum.Stable(ctx, q.judge(t).Field, set.Whole{}, []float64{0, 0}, o))(t).Decision, [2]float64{-126.0 / 467, 212.0 / 467}, 1e-11)
	if r := must2(q.judge(t).Clone().Residual([]float64{-126.0 / 467, 212.0 / 467}))(t); r > 1e-14 {
		t.Errorf("the residual at the equilibrium is %v", r)
	}
	losses := make([]float64, 2)
	if err := s.Losses(losses, []float64{.8, .8}); err != nil || !(math.Abs(losses[0]+.64) <= 1e-14) || losses[1] != losses[0] {
		t.Errorf("losses %v, %v, want -0.64 each", losses, err)
	}
}

func TestPlayConforms(t *testing.T) {
	q := quarrel(t)
	observe := func(r *stream.Stream, round int, u []float64) kedge.Observation {
		o := kedge.Observation{Round: round, U: u, P: make([]float64, 6), D: make([]float64, 6)}
		r.Normals(o.P)
		r.Normals(o.D)
		return o
	}
	for name, e := range map[string]func() online.Estimator{
		"alternating": func() online.Estimator { return q.gradients(t, q.sensitivity, game.Alternating) },
		"responses": func() online.Estimator {
			return q.responses(t, game.Foresight{Settler: q.dynamics, Sensitivity: q.sensitivity}, game.Alternating)
		},
	} {
		t.Run(name, func(t *testing.T) {
			conform.Algorithm(t, func() kedge.Algorithm {
				return must2(online.Rule{Gradient: e(), Step: online.Constant(.1), Set: set.Whole{}, Transforms: []online.Transform{&online.Optimistic{}}}.From([]float64{0, 1}))(t)
			}, conform.Turns{Decision: 2, Count: 9, Observe: observe})
		})
	}
}

func TestPlayersAreChecked(t *testing.T) {
	q := quarrel(t)
	if _, err := game.NewPlay(q.dims, q.players[:1], nil, game.Simultaneous); err == nil {
		t.Error("a decision without an owner was accepted")
	}
	if _, err := game.NewPlay(q.dims, []game.Player{{Size: 2}}, nil, game.Simultaneous); err == nil {
		t.Error("a player without an objective was accepted")
	}
	if _, ok := game.PriceOfAnarchy(-1, 1); ok {
		t.Error("a gain and a loss have a ratio")
	}
}

func TestTurnsAllocateNothing(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector pools forget at random")
	}
	q := quarrel(t)
	e, g := q.gradients(t, q.sensitivity, game.Simultaneous), make([]float64, 2)
	o := kedge.Observation{U: []float64{0, 0}, P: []float64{1, 2, 3, 4}, D: []float64{1, 2, 3, 4}}
	if n := testing.AllocsPerRun(100, func() { _ = e.Estimate(g, o) }); n != 0 {
		t.Errorf("an estimate allocates %v times", n)
	}
}

// One after the other: turn k changes the part of player k modulo 2 alone.
func TestAlternatingPlayersWait(t *testing.T) {
	q := quarrel(t)
	rule := must2(online.Rule{Gradient: q.gradients(t, q.sensitivity, game.Alternating), Step: online.Constant(.1), Set: set.Whole{}}.From([]float64{1, 1}))(t)
	before, after := make([]float64, 2), make([]float64, 2)
	for k := range 6 {
		rule.Ask(before)
		if err := rule.Tell(kedge.Observation{Round: k, U: before, P: []float64{1, 2}, D: []float64{1, 2}}); err != nil {
			t.Fatal(err)
		}
		rule.Ask(after)
		if moves := k % 2; after[moves] == before[moves] || after[1-moves] != before[1-moves] {
			t.Errorf("turn %d leads from %v to %v, want player %d to move", k, before, after, moves)
		}
	}
}

// lost is a sensitivity without an answer.
type lost struct{}

func (lost) PullRows([]float64, []float64, []float64, []float64, []float64) error {
	return fmt.Errorf("about to split: %w", kedge.ErrSingular)
}

// Players whose sensitivity has no answer take the population for given, as those without one do.
func TestPlayersWithoutAnAnswerTakeThePopulationForGiven(t *testing.T) {
	q := quarrel(t)
	got, want := make([]float64, 2), make([]float64, 2)
	o := kedge.Observation{U: []float64{.3, .1}, P: []float64{1, 2, 3, 4}, D: []float64{1, 2, 3, 4}}
	if err := q.gradients(t, lost{}, game.Simultaneous).Estimate(got, o); err != nil {
		t.Fatal(err)
	}
	if err := q.gradients(t, nil, game.Simultaneous).Estimate(want, o); err != nil {
		t.Fatal(err)
	}
	if got[0] != want[0] || got[1] != want[1] {
		t.Errorf("gradients %v, want %v", got, want)
	}
}

func TestOptimisticExtrapolates(t *testing.T) {
	var o online.Optimistic
	for k, want := range []float64{1, 5, 1} { // of the gradients 1, 3, 2: 1, 2·3 − 1, 2·2 − 3
		g := []float64{[]float64{1, 3, 2}[k]}
		o.Apply(g)
		o.Commit(kedge.Observation{})
		if g[0] != want {
			t.Errorf("turn %d gives %v, want %v", k, g[0], want)
		}
	}
}
