package problem

import (
	"math"
	"os"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/kind"
)

const duel = `iterations: 10
population: {size: 4, dim: 1, law: normal}
dynamics: {kind: affine, a: [[0.5]], b: [[-0.25, -0.25]], e: [[0.5]]}
players:
  - {name: left, size: 1, objective: {kind: quadratic, cross: [[-1], [0]]}, set: {kind: whole}}
  - {name: right, size: 1, objective: {kind: quadratic, cross: [[0], [-1]]}, set: {kind: box, lower: 0, upper: 3}}
algorithms:
  - {name: composite, step: 0.1}
`

func TestPlayerMistakes(t *testing.T) {
	for _, c := range []mistakeTest{
		{"name: right", "name: left", "x.yaml:6: players.1.name is left, which another player has"},
		{"left, size: 1", "left, size: 2", "x.yaml:4: players have 3 entries together, the decision has 2"},
		{"algorithms:", "set: {kind: whole}\nalgorithms:", "x.yaml:7: set and players are both given; players have objectives and sets of their own, so one must go"},
		{"law: normal", "law: normal, churn: 0.1", "x.yaml:4: players and people who change by themselves are both given: the equilibrium that players are measured against would have to be found and verified anew at every turn; want no drift or churn, or one run for each moment"},
		{"step: 0.1", "step: 0.1, play: chess", "x.yaml:8: algorithms.composite.play is \"chess\", want simultaneous, alternating, best-response, alternating-response or planner"},
		{"cross: [[0], [-1]]", "cross: [[0]]", "x.yaml:6: players.right.objective.cross has 1 row of 1 entry, want 2 rows of 1 entry"},
	} {
		c.breaks(t, duel)
	}
}

// The example is the duopoly whose equilibrium is 4/5.
func TestDuopolyIsBuilt(t *testing.T) {
	data, err := os.ReadFile("../examples/duopoly.yaml")
	if err != nil {
		t.Fatal(err)
	}
	s, err := Parse(kind.Standard(), "duopoly.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Build("duopoly", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	g, err := p.Game()
	if err != nil {
		t.Fatal(err)
	}
	if r, err := g.Residual([]float64{.8, .8}); err != nil || r > 1e-14 {
		t.Errorf("the residual at 4/5 is %v, %v", r, err)
	}
	for i, want := range []float64{1, .8, .8, .8, 2. / 3} {
		trial, err := p.Trial(i, 0, math.NaN())
		if err != nil {
			t.Fatal(err)
		}
		u, obs := make([]float64, 2), kedge.Observation{U: make([]float64, 2)}
		for k := range 400 {
			trial.Algorithm.Ask(obs.U)
			obs.Round, obs.D = k, []float64{2}
			obs.P = []float64{2 - obs.U[0]/2 - obs.U[1]/2} // as it would settle
			if err := trial.Algorithm.Tell(obs); err != nil {
				t.Fatal(err)
			}
		}
		trial.Algorithm.Ask(u)
		if e := max(math.Abs(u[0]-want), math.Abs(u[1]-want)); e > 1e-9 {
			t.Errorf("%s settles at %v, want %v", s.Algorithms[i].Name, u, want)
		}
	}
}

const sharing = `iterations: 3
population: {size: 2, dim: 1, law: values, values: [[1], [3]]}
dynamics: {kind: affine, a: [[0.5]], b: [[-0.25, -0.25]], e: [[0.5]]}
players:
  - {name: left, size: 1, objective: {kind: quadratic, decision: [[1, 0], [0, 0]], cross: [[-1], [0]]}, set: {kind: box, lower: 0, upper: 3}}
  - {name: right, size: 1, objective: {kind: quadratic, decision: [[0, 0], [0, 1]], cross: [[0], [-1]]}, set: {kind: box, lower: 0, upper: 3}}
constraints: [{name: capacity, kind: expectation, of: {kind: quadratic, linear-state: [1]}, bound: 1}]
algorithms: [{name: composite, step: 0.1, play: simultaneous}]
`

func TestSharedConstraintMistakes(t *testing.T) {
	mustParse(t, sharing)
	mustParse(t, strings.Replace(sharing, "play: simultaneous", "play: best-response, heed: false", 1))
	for _, c := range []mistakeTest{
		{"kind: expectation", "kind: cvar, level: 0.5", "x.yaml:7: constraints.capacity.kind is cvar, but players can share bounds on means alone: an equilibrium is where gradients balance, " +
			"and tails and shares have kinks or are smoothed, so that none could be verified; want expectation or worst-group"},
		{"play: simultaneous", "play: best-response", "x.yaml:8: algorithms.composite.play is best-response, but the price of a shared constraint moves all players at once, " +
			"and best responses to a sample know no bound on the crowd; want simultaneous, planner or heed false"},
		{"play: simultaneous", "play: alternating", "x.yaml:8: algorithms.composite.play is alternating, but the price of a shared constraint moves all players at once, " +
			"and best responses to a sample know no bound on the crowd; want simultaneous, planner or heed false"},
	} {
		c.breaks(t, sharing)
	}
}
