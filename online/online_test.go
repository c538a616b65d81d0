package online_test

import (
	"errors"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/conform"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

var dims = kedge.Dims{Decision: 3, State: 3, Trait: 3}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// observe shows two unit vectors.
func observe(r *stream.Stream, round int, u []float64) kedge.Observation {
	p := make([]float64, 6)
	for i := range p {
		p[i] = r.Normal()
	}
	for i := range 2 {
		row := kedge.Row(p, i, 3)
		rows.Scale(row, 1/rows.Norm(row))
	}
	return kedge.Observation{Round: round, U: u, P: p, D: append([]float64(nil), p...), Loss: r.Normal()}
}

func rules() map[string]func() online.Rule {
	polarized := func() kedge.Sensitivity { return &sensitivity.Polarized{Dim: 3, Lambda: 0.4, Sigma: 0.5} }
	ball := set.Ball{Radius: 1}
	return map[string]func() online.Rule{
		"vanilla": func() online.Rule {
			return online.Rule{Gradient: online.Vanilla{Objective: objective.Affinity{}, Dims: dims}, Step: online.Constant(0.1), Set: ball}
		},
		"composite with momentum": func() online.Rule {
			g := &online.Composite{Objective: objective.Affinity{}, Sensitivity: polarized(), Dims: dims}
			return online.Rule{Gradient: g, Transforms: []online.Transform{online.Clip{Norm: 0.5}, &online.Momentum{Beta: 0.9}}, Step: online.InverseSqrt(0.1), Set: ball}
		},
		"derivative-free": func() online.Rule {
			g := must(online.NewDerivativeFree(3, 0.1, stream.New(5, "directions")))
			return online.Rule{Gradient: g, Step: online.Horizon{Eta: 1, Turns: 100}, Set: ball}
		},
		"lazy": func() online.Rule {
			g := online.Vanilla{Objective: objective.Affinity{}, Dims: dims}
			return online.Rule{Gradient: g, Step: online.Diminishing{Eta: 0.1, Delay: 2, Power: 1}, Set: ball, Inner: online.Polynomial{First: 1.5, Power: 1}, Average: 2}
		},
		"retrain": func() online.Rule {
			return online.Rule{Gradient: online.NewRetrain(objective.Affinity{}, dims, ball), Step: online.Constant(1), Set: ball, Wait: online.Hold(2), Average: 1}
		},
		"one-point, waiting": func() online.Rule {
			g := must(online.NewOnePoint(3, 0.1, stream.New(5, "directions")))
			return online.Rule{Gradient: g, Step: online.Constant(0.01), Set: ball, Wait: online.Settling{Contraction: 0.5}, Average: 1}
		},
		"two-point": func() online.Rule {
			g := must(online.NewTwoPoint(3, 0.1, stream.New(5, "directions")))
			adam := &online.Adam{Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-8}
			return online.Rule{Gradient: g, Transforms: []online.Transform{adam}, Step: online.Constant(0.01), Set: ball}
		},
		"performative": func() online.Rule {
			g := must(online.NewPerformative(objective.Affinity{}, dims, online.Reparametrized, 5, 0.1, stream.New(5, "directions")))
			return online.Rule{Gradient: g, Step: online.Constant(0.1), Set: ball}
		},
		"plug-in": func() online.Rule {
			g := must(online.NewPlugIn(objective.Affinity{}, dims, online.LocationScale, 5, 0.1, stream.New(5, "directions"), ball))
			return online.Rule{Gradient: g, Step: online.Constant(1), Set: ball}
		},
	}
}

// panel shows two people, of whom the first was the second of the round before.
func panel(r *stream.Stream, round int, u []float64) kedge.Observation {
	o := observe(r, round, u)
	for i := range 3 {
		o.D[i], o.D[3+i] = float64(round), float64(round+1)
	}
	return o
}

func TestRecursiveConforms(t *testing.T) {
	start := func() kedge.Algorithm {
		g := must(online.NewRecursive(online.Vanilla{Objective: objective.Affinity{}, Dims: dims}, dims, 0.1))
		return must(online.Rule{Gradient: g, Step: online.Constant(0.1), Set: set.Ball{Radius: 1}}.From([]float64{0.3, -0.2, 0.1}))
	}
	conform.Algorithm(t, start, conform.Turns{Decision: 3, Observe: panel})
}

func TestRulesConform(t *testing.T) {
	for name, rule := range rules() {
		t.Run(name, func(t *testing.T) {
			start := func() kedge.Algorithm { return must(rule().From([]float64{0.3, -0.2, 0.1})) }
			conform.Algorithm(t, start, conform.Turns{Decision: 3, Observe: observe})
		})
	}
}

func TestSchedules(t *testing.T) {
	for _, c := range []struct {
		s    online.Schedule
		k    int
		want float64
	}{
		{online.Constant(0.5), 7, 0.5},
		{online.InverseSqrt(0.5), 0, 0.5},
		{online.InverseSqrt(0.5), 3, 0.25},
		{online.Horizon{Eta: 1, Turns: 16}, 9, 0.25},
	} {
		if got := c.s.Step(c.k); got != c.want {
			t.Errorf("%#v at turn %d gives %v, want %v", c.s, c.k, got, c.want)
		}
	}
}

func TestClip(t *testing.T) {
	g := []float64{3, 4}
	online.Clip{Norm: 5}.Apply(g)
	if g[0] != 3 || g[1] != 4 {
		t.Errorf("a gradient of the allowed length became %v", g)
	}
	online.Clip{Norm: 1}.Apply(g)
	if !(math.Abs(g[0]-0.6) <= 1e-15) || !(math.Abs(g[1]-0.8) <= 1e-15) {
		t.Errorf("clipped to %v, want (0.6, 0.8)", g)
	}
}

// Closed form: a constant gradient g is averaged to (1 − βᵏ)g after k turns.
func TestMomentum(t *testing.T) {
	m := &online.Momentum{Beta: 0.5}
	for k := 1; k <= 5; k++ {
		g := []float64{8}
		m.Apply(g)
		m.Apply([]float64{1e9}) // without Commit nothing is remembered
		g[0] = 8
		m.Apply(g)
		m.Commit(kedge.Observation{})
		if want := 8 * (1 - math.Pow(0.5, float64(k))); g[0] != want {
			t.Errorf("turn %d averages to %v, want %v", k, g[0], want)
		}
	}
}

// By hand: 2gₖ − gₖ₋₁, where the first is as it is, and what was not committed does not count.
func TestOptimistic(t *testing.T) {
	o := &online.Optimistic{}
	for k, x := range []struct{ g, want float64 }{{8, 8}, {5, 2}, {5, 5}, {-1, -7}} {
		o.Apply([]float64{1e9})
		g := []float64{x.g}
		o.Apply(g)
		o.Commit(kedge.Observation{})
		if g[0] != x.want {
			t.Errorf("turn %d steps by %v, want %v", k, g[0], x.want)
		}
	}
}

// By hand: g = (n/δ)(loss − previous)v, and the first turn only observes unless a previous loss is given.
func TestDerivativeFreeByHand(t *testing.T) {
	e := must(online.NewDerivativeFree(3, 0.5, stream.New(1, "v")))
	u := make([]float64, 3)
	e.Perturb(u)
	if !(math.Abs(rows.Norm(u)-0.5) <= 1e-15) {
		t.Errorf("perturbed by %v, want length 0.5", u)
	}
	g := []float64{1, 1, 1}
	if err := e.Estimate(g, kedge.Observation{Loss: 2}); err != nil || rows.MaxAbs(g) != 0 {
		t.Errorf("the first turn gives %v (%v), want nothing", g, err)
	}
	e.Resume(1.5)
	if err := e.Estimate(g, kedge.Observation{Loss: 2}); err != nil {
		t.Fatal(err)
	}
	rows.AddScaled(g, -3/0.5*0.5/0.5, u)
	if rows.MaxAbs(g) > 1e-15 {
		t.Errorf("off by %v", g)
	}
	e.Commit(kedge.Observation{Loss: 2})
	next := make([]float64, 3)
	e.Perturb(next)
	if rows.Distance(u, next) == 0 || e.Previous() != 2 {
		t.Errorf("after a turn the direction is %v again, the loss %v", next, e.Previous())
	}
}

func TestRefusesBadParts(t *testing.T) {
	good := rules()["vanilla"]()
	for name, rule := range map[string]online.Rule{
		"no gradient": {Step: good.Step, Set: good.Set},
		"no step":     {Gradient: good.Gradient, Set: good.Set},
		"no set":      {Gradient: good.Gradient, Step: good.Step},
	} {
		if _, err := rule.From([]float64{1}); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	var finite *kedge.NotFiniteError
	if _, err := good.From([]float64{0, math.Inf(1), 0}); !errors.As(err, &finite) || finite.Arg != "start" {
		t.Errorf("an infinite start gives %v", err)
	}
	for _, delta := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := online.NewDerivativeFree(3, delta, stream.New(1)); err == nil {
			t.Errorf("δ = %v was accepted", delta)
		}
	}
}

func TestRefusesBadObservations(t *testing.T) {
	rule := must(rules()["vanilla"]().From([]float64{0.3, -0.2, 0.1}))
	before, after := make([]float64, 3), make([]float64, 3)
	rule.Ask(before)
	for name, spoil := range map[string]func(*kedge.Observation){
		"observation U":    func(o *kedge.Observation) { o.U = o.U[:2] },
		"observation P":    func(o *kedge.Observation) { o.P[4] = math.NaN() },
		"observation D":    func(o *kedge.Observation) { o.D[0] = math.Inf(-1) },
		"observation Loss": func(o *kedge.Observation) { o.Loss = math.NaN() },
	} {
		o := observe(stream.New(1), 0, append([]float64(nil), before...))
		spoil(&o)
		err := rule.Tell(o)
		var finite *kedge.NotFiniteError
		var dim *kedge.DimError
		named := errors.As(err, &finite) && finite.Arg == name || errors.As(err, &dim) && dim.Arg == name
		rule.Ask(after)
		if !named || rows.Distance(before, after) != 0 {
			t.Errorf("%s: error %v, decision moved by %v", name, err, rows.Distance(before, after))
		}
	}
	empty := kedge.Observation{U: before}
	if err := rule.Tell(empty); err == nil {
		t.Error("an observation of nobody was accepted")
	}
}

// By hand: without a set in the way, u₂ = u₀ + η(1 + 1/√2)p for the loss −pᵀu of one person at p.
func TestStepsFollowTheSchedule(t *testing.T) {
	rule := rules()["vanilla"]()
	rule.Step, rule.Set = online.InverseSqrt(0.5), set.Whole{}
	d := must(rule.From([]float64{0, 0, 0}))
	u := make([]float64, 3)
	for range 2 {
		d.Ask(u)
		p := []float64{1, -2, 4}
		if err := d.Tell(kedge.Observation{U: u, P: p, D: p}); err != nil {
			t.Fatal(err)
		}
	}
	d.Center(u)
	if want := 0.5 * (1 + math.Sqrt(0.5)); !(math.Abs(u[0]-want) <= 1e-15) || !(math.Abs(u[2]-4*want) <= 1e-15) {
		t.Errorf("after two turns at %v, want %v times (1, −2, 4)", u, want)
	}
}
