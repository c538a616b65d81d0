package problem

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/problem/kind"
)

// jointly is a problem with one state and one trait, both normal, whose loss is the square of a state: p⁺ = ap + ed, a = 0.7, e = 0.4.
const jointly = `iterations: 3
population: {size: 40000, dim: 1, law: normal, mean: 0, deviation: 1.5, states: {law: normal, mean: 0, deviation: 2, correlation: 0.6}}
dynamics: {kind: affine, a: [[0.7]], b: [[0]], e: [[0.4]]}
objective: {kind: quadratic, decision: 0, cross: 0, state: 1}
set: {kind: ball, radius: 1}
algorithms: [{name: vanilla, step: 0.1}]
record: {rollout: 1}
`

func build(t *testing.T, src string, over ...Overlay) *Problem {
	t.Helper()
	s, err := Parse(kind.Standard(), "x.yaml", []byte(src), over...)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Build("x", s, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// After one step p = ap₀ + ed is normal with the variance v = a²σ² + e²τ² + 2aeρστ, so the mean of p² is v and has the deviation v√(2/N); the
// loss is half of it. Without the correlation it would be 13 % less, 19 deviations away.
func TestCorrelationMovesTheFirstStep(t *testing.T) {
	const a, e, sigma, tau = .7, .4, 2., 1.5
	for _, rho := range []string{"0.6", "0", "-1"} {
		p := build(t, jointly, Assign("population.states.correlation="+rho))
		got, err := p.Rollout().Value([]float64{0})
		if err != nil {
			t.Fatal(err)
		}
		r := map[string]float64{"0.6": .6, "0": 0, "-1": -1}[rho]
		v := a*a*sigma*sigma + e*e*tau*tau + 2*a*e*r*sigma*tau
		if z := (2*got - v) / (v * math.Sqrt(2./40000)); math.Abs(z) > 4 {
			t.Errorf("correlation %s: mean p² is %v, want %v: %.1f deviations off", rho, 2*got, v, z)
		}
	}
}

// Traits and what is drawn from other streams stay what they are; a spec without the key draws what it drew; regenerated is stored.
func TestCorrelationMovesNothingElse(t *testing.T) {
	joint := build(t, jointly, Assign("population.size=100"))
	alone := build(t, jointly, Assign("population.size=100"), Assign("population.states.correlation=null"))
	zero := build(t, jointly, Assign("population.size=100"), Assign("population.states.correlation=0"))
	again := build(t, jointly, Assign("population.size=100"), Assign("population.traits=regenerated"))
	p, d := joint.First(joint.Some(100))
	q, f := alone.First(alone.Some(100))
	r, _ := zero.First(zero.Some(100))
	s, g := again.First(again.Some(100))
	if !slices.Equal(d, f) || slices.Equal(p, q) || !slices.Equal(q, r) || !slices.Equal(p, s) || !slices.Equal(d, g) {
		t.Error("the correlation changes traits, or leaves states, or 0 is not independence, or regenerated states are others")
	}
	if strings.Contains(string(zero.Spec.YAML()), "correlation") {
		t.Error("a correlation of 0 is printed")
	}
}

// Newcomers are drawn from the joint law too: at correlation 1 everybody's first state is a function of the trait, whoever comes.
func TestNewcomersAreCorrelated(t *testing.T) {
	p := build(t, jointly, assign("population.size=50", "population.churn=0.3", "population.states.correlation=1", "record.rollout=0", "dynamics.a=[[0]]", "dynamics.e=[[0]]")...)
	trial, err := p.Trial(0, 0, math.NaN())
	if err != nil {
		t.Fatal(err)
	}
	crowd := trial.Population
	for step := range 4 {
		if err := crowd.Prepare(); err != nil {
			t.Fatal(err)
		}
		fresh := 0
		for i, x := range crowd.States() {
			if want := 2 * crowd.Traits()[i] / 1.5; math.Abs(x-want) <= 1e-12*max(1, math.Abs(want)) {
				fresh++
			} else if x != 0 || step == 0 {
				t.Errorf("step %d: the trait %v has the state %v, want %v", step, crowd.Traits()[i], x, want)
			}
		}
		if want := map[bool]int{true: 50, false: 15}[step == 0]; fresh != want {
			t.Errorf("step %d: %d have just begun, want %d", step, fresh, want)
		}
		if err := crowd.Respond(t.Context(), []float64{0}); err != nil { // who was there moves to 0
			t.Fatal(err)
		}
	}
}

func TestCorrelationMistakes(t *testing.T) {
	key := "x.yaml:2: population.states.correlation"
	for _, c := range []mistakeTest{
		{"correlation: 0.6", "correlation: 1.5", key + ": correlation is 1.5, want between -1 and 1"},
		{"correlation: 0.6", "correlation: high", key + ` is "high", want a list of rows, or a number for that multiple of the identity`},
		{"correlation: 0.6", "correlation: [[0.5, 0.5]]", key + " has 1 row of 2 entries, want 1 row of 1 entry"},
		{"law: normal, mean: 0, deviation: 2, correlation: 0.6", "law: sphere, correlation: 0.6", key + " wants population.states.law normal: " + onlyNormal},
		{"dim: 1, law: normal, mean: 0, deviation: 1.5", "dim: 1, law: dirichlet", key + " is given, but population.law is dirichlet; want normal: " + onlyNormal},
		{"deviation: 1.5", "deviation: 0", key + " is given for an entry whose deviation is 0; nothing is correlated with what is the same for everybody"},
	} {
		c.breaks(t, jointly)
	}
}
