package online_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/risk"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/stream"
)

// weighing is a kind of rule that must weigh its sample.
type weighing struct {
	name  string
	make  func(c *classic) online.Estimator
	tol   float64 // beside the decision; 0 means 1e-9
	turns int     // 0 means 12
	panel bool    // those who are seen stay, or rotate
}

// learning is Composite with a learned sensitivity that is used once much was seen. A wide prior leaves no ridge, and any trust will do: both
// depend on how many rows there are, which repeated ones change and weights do not.
func learning(c sensitivity.Learning) func(*classic) online.Estimator {
	return func(p *classic) online.Estimator {
		c.Dims, c.Least, c.Every, c.Prior = p.f.Dims(), 1e-9, 15, 1e3
		return online.NewLearning(p.loss, must(sensitivity.NewLearned(c)), c.Dims)
	}
}

// keeping is Vanilla under a constraint, whose multiplier moves quickly.
func keeping(m risk.Measure, among func(d []float64) bool) func(*classic) online.Estimator {
	return func(c *classic) online.Estimator {
		g := must(risk.NewGauge(risk.Constraint{Name: "c", Loss: c.loss, Measure: m, Bound: -5, Among: among, Sensitivity: c.answer, Dims: c.f.Dims()}))
		return must(online.NewLagrangian(2, vanilla(c), []online.Restriction{g}, online.Dual{Step: online.Constant(1), Most: []float64{100}}))
	}
}

func weighings() []weighing {
	performative := func(s online.Score) func(*classic) online.Estimator {
		return func(c *classic) online.Estimator {
			return must(online.NewPerformative(c.loss, c.f.Dims(), s, 5, 0.1, stream.New(3, "directions")))
		}
	}
	plugIn := func(f online.Family) func(*classic) online.Estimator {
		return func(c *classic) online.Estimator {
			return must(online.NewPlugIn(c.loss, c.f.Dims(), f, 5, 0.5, stream.New(3, "directions"), c.set))
		}
	}
	return []weighing{
		{name: "vanilla", make: vanilla},
		{name: "composite", make: composite},
		{name: "retrain", make: func(c *classic) online.Estimator { return online.NewRetrain(c.loss, c.f.Dims(), c.set) }},
		{name: "performative", make: performative(online.Reparametrized)},
		{name: "performative, Gaussian", make: performative(online.Gaussian)},
		{name: "plug-in, location", make: plugIn(online.Location)},
		{name: "plug-in, location and scale", make: plugIn(online.LocationScale)},
		{name: "learned, naive", make: learning(sensitivity.Learning{Lag: sensitivity.Naive}), turns: 30},
		{name: "learned, state", make: learning(sensitivity.Learning{}), turns: 30},
		{name: "learned, traits", make: learning(sensitivity.Learning{Lag: sensitivity.Filtered, Controls: sensitivity.Traits}), turns: 30},
		{name: "learned, alignment", make: learning(sensitivity.Learning{Lag: sensitivity.Naive, Controls: sensitivity.Alignment}), turns: 30},
		// Of repeated rows each moves the running mean of traits that the next is compared with, by up to 2e-3 of the decision here.
		{name: "learned, conditional", make: learning(sensitivity.Learning{Lag: sensitivity.Naive, Trend: 1e3, Form: sensitivity.Conditional}), turns: 30, tol: 5e-3},
		{name: "learned, conditional Kalman", make: learning(sensitivity.Learning{Lag: sensitivity.Naive, Trend: 1e3, Form: sensitivity.Conditional, Method: sensitivity.Kalman, Drift: 1e-12}), turns: 30, tol: 5e-3},
		{name: "learned, conditional window", make: learning(sensitivity.Learning{Lag: sensitivity.Naive, Trend: 1e3, Form: sensitivity.Conditional, Method: sensitivity.Window, Memory: 1e4}), turns: 30, tol: 5e-3},
		{name: "learned, panel", make: learning(sensitivity.Learning{Form: sensitivity.Panel}), turns: 30, tol: 1e-6, panel: true},
		{name: "mean constraint", make: keeping(risk.Mean{}, nil)},
		{name: "chance constraint", make: keeping(risk.Chance{Limit: 1, Width: 0.5}, nil)},
		{name: "CVaR constraint", make: keeping(risk.CVaR{Level: 0.8}, nil)},
		{name: "constraint on a group", make: keeping(risk.Mean{}, func(d []float64) bool { return d[0] > 0 })},
	}
}

// sampled shows five people with weights that add up to 10, as they are and repeated as often as they count.
func sampled(w weighing, r *stream.Stream, round int, u []float64) (weighted, repeated kedge.Observation) {
	const people = 5
	counts := []float64{3, 0, 1, 4, 2}
	o := kedge.Observation{Round: round, U: slices.Clone(u), P: make([]float64, 2*people), D: make([]float64, 2*people)}
	who := r
	if w.panel {
		who = stream.New(1, "panel")
	}
	who.Normals(o.D)
	r.Normals(o.P)
	if w.turns > 0 {
		r.Normals(o.U) // whatever was asked for: learning wants excitation, and little noise
		rows.Scale(o.P, 0.1)
	}
	g := []float64{1.25, 0.5, 0.5, 1}
	for i := range people {
		rows.AddMul(kedge.Row(o.P, i, 2), g, o.U)
		o.W = append(o.W, counts[i])
		if !w.panel {
			o.W[i] = counts[(i+round)%people]
		}
	}
	weighted, repeated = o, o
	repeated.P, repeated.D, repeated.W = nil, nil, nil
	for i, w := range o.W {
		for range int(w) {
			repeated.P = append(repeated.P, kedge.Row(o.P, i, 2)...)
			repeated.D = append(repeated.D, kedge.Row(o.D, i, 2)...)
		}
	}
	return weighted, repeated
}

// withLoss sets the mean loss, by weight.
func withLoss(c *classic, o kedge.Observation) kedge.Observation {
	n := len(o.P) / 2
	o.Loss = kedge.EvalWeighted(c.loss, nil, nil, o.P, o.U, o.D, o.W, nil) / o.Total(n)
	return o
}

// follow tells two rules of a kind what was seen, in two forms, and compares where they are after every turn. A rule that never moves shows nothing.
func (w weighing) follow(t *testing.T, forms func(r *stream.Stream, round int, u []float64) (kedge.Observation, kedge.Observation)) {
	c, r := lq2(), stream.New(7, "weights", w.name)
	start := func() *online.Descent {
		return must(online.Rule{Gradient: w.make(c), Step: online.Constant(0.1), Set: c.set}.From(c.start))
	}
	one, other := start(), start()
	u, v := make([]float64, 2), make([]float64, 2)
	for round := range max(w.turns, 12) {
		one.Ask(u)
		a, b := forms(r, round, u)
		if err := errors.Join(one.Tell(withLoss(c, a)), other.Tell(withLoss(c, b))); err != nil {
			t.Fatalf("turn %d: %v", round, err)
		}
		one.Center(u)
		other.Center(v)
		if off := rows.Distance(u, v); !(off <= max(w.tol, 1e-9)*max(1, rows.Norm(u))) {
			t.Fatalf("after turn %d one is at %v, the other at %v", round, u, v)
		}
	}
	if slices.Equal(u, c.start) {
		t.Error("the rule has not moved")
	}
	if one.Trust() == 0 || other.Trust() == 0 {
		t.Error("what was learned was not used")
	}
}

// Individuals with whole weights are as good as so many of them.
func TestWeightsAreRepeatedRows(t *testing.T) {
	for _, w := range weighings() {
		t.Run(w.name, func(t *testing.T) {
			w.follow(t, func(r *stream.Stream, round int, u []float64) (kedge.Observation, kedge.Observation) {
				return sampled(w, r, round, u)
			})
		})
	}
}

// Equal weights of any size are no weights.
func TestEqualWeightsAreNone(t *testing.T) {
	for _, w := range weighings() {
		t.Run(w.name, func(t *testing.T) {
			w.follow(t, func(r *stream.Stream, round int, u []float64) (kedge.Observation, kedge.Observation) {
				with, _ := sampled(w, r, round, u)
				without := with
				with.W, without.W = filled(5, 1e300), nil
				return with, without
			})
		})
	}
}

// Estimates do not depend on the unit of weights.
func TestWeightsHaveNoUnit(t *testing.T) {
	for _, w := range weighings() {
		c, r := lq2(), stream.New(7)
		one, other := w.make(c), w.make(c)
		g, h := make([]float64, 2), make([]float64, 2)
		for round := range max(w.turns, 12) {
			o, _ := sampled(w, r, round, []float64{r.Normal(), r.Normal()})
			o = withLoss(c, o)
			estimate(t, one, g, o)
			rows.Scale(o.W, 7)
			estimate(t, other, h, o)
			if off := rows.Distance(g, h); !(off <= max(w.tol, 1e-9)*max(1, rows.Norm(g))) {
				t.Fatalf("%s: turn %d gives %v and %v", w.name, round, g, h)
			}
		}
	}
}

// estimate takes a turn of an estimator without a rule.
func estimate(t *testing.T, e online.Estimator, g []float64, o kedge.Observation) {
	if f, ok := e.(online.Follower); ok {
		f.Follow(o.U)
	}
	if err := e.Estimate(g, o); err != nil {
		t.Fatal(err)
	}
	if c, ok := e.(online.Committer); ok {
		c.Commit(o)
	}
}

// Recursive momentum weighs too: the second half of a sample is the first of the next.
func TestRecursiveWeighs(t *testing.T) {
	w := weighing{name: "recursive", panel: true, make: func(c *classic) online.Estimator {
		return must(online.NewRecursive(vanilla(c), c.f.Dims(), 0.3))
	}}
	crowd, counts := make([]float64, 100), []float64{1, 3, 2, 2} // halves are of one size
	stream.New(5).Normals(crowd)
	w.follow(t, func(r *stream.Stream, round int, u []float64) (weighted, repeated kedge.Observation) {
		weighted = kedge.Observation{Round: round, U: slices.Clone(u)}
		repeated = weighted
		for i := range 4 {
			d, weight := crowd[4*round+2*i:4*round+2*i+2], counts[(i+2*round)%4]
			p := []float64{r.Normal(), r.Normal()}
			weighted.P, weighted.D, weighted.W = append(weighted.P, p...), append(weighted.D, d...), append(weighted.W, weight)
		}
		for i, weight := range weighted.W {
			for range int(weight) {
				repeated.P, repeated.D = append(repeated.P, kedge.Row(weighted.P, i, 2)...), append(repeated.D, kedge.Row(weighted.D, i, 2)...)
			}
		}
		return weighted, repeated
	})
}

func TestBadWeightsAreRefused(t *testing.T) {
	for name, bad := range map[string]func(o *kedge.Observation){
		"too few":        func(o *kedge.Observation) { o.W = o.W[:3] },
		"none":           func(o *kedge.Observation) { o.W = []float64{} },
		"negative":       func(o *kedge.Observation) { o.W[2] = -1 },
		"not a number":   func(o *kedge.Observation) { o.W[2] = math.NaN() },
		"infinite":       func(o *kedge.Observation) { o.W[2] = math.Inf(1) },
		"all 0":          func(o *kedge.Observation) { clear(o.W) },
		"a huge sum":     func(o *kedge.Observation) { copy(o.W, filled(5, 1e308)) },
		"too few people": func(o *kedge.Observation) { o.Who = []uint64{1, 2} },
	} {
		for _, w := range append(weighings(), weighing{name: "one-point", make: func(c *classic) online.Estimator {
			return must(online.NewOnePoint(2, 0.1, stream.New(1)))
		}}) {
			c := lq2()
			d := must(online.Rule{Gradient: w.make(c), Step: online.Constant(0.1), Set: c.set}.From(c.start))
			u := make([]float64, 2)
			d.Ask(u)
			o, _ := sampled(w, stream.New(1), 0, u)
			bad(&o)
			before := must(d.AppendBinary(nil))
			err := d.Tell(o)
			var length *kedge.DimError
			var finite *kedge.NotFiniteError
			var outside *kedge.RangeError
			if !errors.As(err, &length) && !errors.As(err, &finite) && !errors.As(err, &outside) {
				t.Errorf("%s, %s: %v", w.name, name, err)
			}
			if after := must(d.AppendBinary(nil)); !slices.Equal(before, after) {
				t.Errorf("%s, %s: the rule has changed", w.name, name)
			}
		}
	}
}
