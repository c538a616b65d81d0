package risk_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/conform"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/risk"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

func (w world) rule(t testing.TB, all ...risk.Constraint) *online.Descent {
	t.Helper()
	var list []online.Restriction
	for _, c := range all {
		g, err := risk.NewGauge(c)
		must(t, err)
		list = append(list, g)
	}
	gradient, err := online.NewLagrangian(2, &online.Composite{Objective: w.loss, Sensitivity: w.sensitivity, Dims: dims}, list, online.Dual{Step: online.Constant(.1), Leak: .01, Most: most(len(all))})
	must(t, err)
	rule, err := online.Rule{Gradient: gradient, Step: online.Constant(.1), Set: set.Whole{}}.From([]float64{.3, -.2})
	must(t, err)
	return rule
}

func (w world) everyKind() []risk.Constraint {
	upper := w.constraint(risk.Mean{}, -.2)
	upper.Among = func(d []float64) bool { return d[0] > 0 }
	return []risk.Constraint{w.constraint(risk.Mean{}, -.1), w.constraint(risk.CVaR{Level: .5}, 0), w.constraint(risk.Chance{Limit: .2, Width: .3}, .1), upper}
}

// lost is a sensitivity without an answer, which it finds halfway.
type lost struct{}

func (lost) PullRows(g, _, _, _, _ []float64) error {
	g[0]++
	return fmt.Errorf("about to split: %w", kedge.ErrSingular)
}

// Where the sensitivity has no answer a sample is judged with its states taken for given, as the composite gradient does; the settled
// population is not.
func TestGaugeWithoutAnAnswerTakesStatesForGiven(t *testing.T) {
	w := lq2(t)
	c := w.constraint(risk.Mean{}, 0)
	c.Loss, c.Sensitivity = w.loss, lost{}
	gauge, err := risk.NewGauge(c)
	must(t, err)
	given := c
	given.Sensitivity = nil
	plain, err := risk.NewGauge(given)
	must(t, err)
	o := kedge.Observation{U: []float64{.3, -.2}, P: []float64{1, 2, 3, 4}, D: []float64{1, 1, 2, 2}}
	got, want := make([]float64, 2), make([]float64, 2)
	if _, err := gauge.Assess(got, o); err != nil {
		t.Fatal(err)
	}
	if _, err := plain.Assess(want, o); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("gradient %v, want %v", got, want)
	}
	settled, err := risk.NewSettled(c, w.crowd(kedge.Block{Data: o.D, Width: 2}), kedge.Block{Data: o.D, Width: 2})
	must(t, err)
	if _, err := settled.Gradient(got, o.U); !errors.Is(err, kedge.ErrSingular) {
		t.Errorf("the settled population has the gradient %v, %v", got, err)
	}
}

func TestConstrainedRulesConform(t *testing.T) {
	w := lq2(t)
	conform.Algorithm(t, func() kedge.Algorithm { return w.rule(t, w.everyKind()...) }, conform.Turns{
		Decision: 2, Count: 12,
		Observe: func(r *stream.Stream, round int, u []float64) kedge.Observation {
			o := kedge.Observation{Round: round, U: u, P: make([]float64, 10), D: make([]float64, 10), Loss: r.Normal()}
			r.Normals(o.P)
			r.Normals(o.D)
			return o
		},
	})
}

func TestTurnsAllocateNothing(t *testing.T) {
	if heap.Race {
		t.Skip("under the race detector pools forget at random")
	}
	w := lq2(t)
	rule := w.rule(t, w.everyKind()...)
	o := kedge.Observation{U: []float64{0, 0}, P: []float64{1, 2, 3, 4, -1, 5}, D: []float64{1, 2, -1, 3, 2, 2}}
	must(t, rule.Tell(o))
	if n := testing.AllocsPerRun(100, func() { _ = rule.Tell(o) }); n != 0 {
		t.Errorf("a turn allocates %v times", n)
	}
}

// Exact gradients agree with central differences of the excess, for a loss that is not linear.
func TestGradients(t *testing.T) {
	w := lq2(t)
	curved, err := objective.NewQuadratic(dims, []float64{.3, 0, 0, .2}, []float64{.2, 0, .1, .4}, []float64{1, .2, .2, .5}, nil, []float64{1, -1})
	must(t, err)
	traits := make([]float64, 2*31)
	stream.New(5, "traits").Normals(traits)
	for _, c := range w.everyKind() {
		c.Loss = curved
		s, err := risk.NewSettled(c, w.crowd(kedge.Block{Data: traits, Width: 2}), kedge.Block{Data: traits, Width: 2})
		must(t, err)
		u, g, unused := []float64{.3, -.4}, make([]float64, 2), make([]float64, 2)
		_, err = s.Gradient(g, u)
		must(t, err)
		for i := range u {
			const h = 1e-6
			u[i] += h
			above, _ := s.Gradient(unused, u)
			u[i] -= 2 * h
			below, _ := s.Excess(u)
			u[i] += h
			if want := (above - below) / (2 * h); !(math.Abs(g[i]-want) <= 1e-7*max(1, math.Abs(want))) {
				t.Errorf("%T: entry %d of the gradient is %v, by differences %v", c.Measure, i, g[i], want)
			}
		}
	}
}

// CVaR by hand: of 1 … 5 at level 0.7 the worst 1.5 are 5 and half of 4.
func TestCVaRCountsInPart(t *testing.T) {
	w := make([]float64, 5)
	if got, want := (risk.CVaR{Level: .7}).Weigh(w, []float64{2, 5, 1, 4, 3}), (5+.5*4)/1.5; !(math.Abs(got-want) <= 1e-14) {
		t.Errorf("CVaR %v, want %v", got, want)
	}
}

// At level 0 the tail is everybody, so that value and gradient are those of the mean, turn by turn.
func TestTheTailOfAllIsTheMean(t *testing.T) {
	w := lq2(t)
	of := func(m risk.Measure) *risk.Gauge {
		g, err := risk.NewGauge(w.constraint(m, 0.5))
		must(t, err)
		return g
	}
	tail, mean := of(risk.CVaR{}), of(risk.Mean{})
	for turn := range 4 {
		people := drawn(uint64(turn), 5)
		o := kedge.Observation{Round: turn, U: []float64{.3, -.2}, P: people, D: people}
		got, want := make([]float64, 2), make([]float64, 2)
		excess, err := tail.Assess(got, o)
		must(t, err)
		exact, err := mean.Assess(want, o)
		must(t, err)
		if !(math.Abs(excess-exact) <= 1e-14*(1+math.Abs(exact))) || !(math.Abs(got[0]-want[0])+math.Abs(got[1]-want[1]) <= 1e-13) {
			t.Errorf("turn %d: %v with the gradient %v, the mean has %v with %v", turn, excess, got, exact, want)
		}
		tail.Commit(o)
		mean.Commit(o)
	}
}

// drawn draws n people of mean (1, −1) and variances 1 and ¼.
func drawn(seed uint64, n int) []float64 {
	traits := make([]float64, 2*n)
	stream.New(seed, "people").Normals(traits)
	for i := 0; i < len(traits); i += 2 {
		traits[i], traits[i+1] = 1+traits[i], -1+.5*traits[i+1]
	}
	return traits
}

func TestGroupsWithoutPeopleAreRefused(t *testing.T) {
	w := lq2(t)
	c := w.constraint(risk.Mean{}, 0)
	c.Among = func(d []float64) bool { return d[0] > 1e9 }
	if _, err := risk.NewSettled(c, w.crowd(kedge.Block{Data: drawn(1, 10), Width: 2}), kedge.Block{Data: drawn(1, 10), Width: 2}); err == nil {
		t.Error("a constraint on nobody was accepted")
	}
	g, err := risk.NewGauge(c)
	must(t, err)
	if e, err := g.Assess(make([]float64, 2), kedge.Observation{U: []float64{0, 0}, P: []float64{1, 2}, D: []float64{1, 2}}); e != 0 || err != nil {
		t.Errorf("a sample without members exceeds by %v, %v", e, err)
	}
}

func TestMeasuresAreChecked(t *testing.T) {
	w := lq2(t)
	for _, m := range []risk.Measure{risk.CVaR{Level: 1}, risk.CVaR{Level: math.NaN()}, risk.Chance{Limit: math.Inf(1), Width: 1}, risk.Chance{}} {
		if _, err := risk.NewGauge(w.constraint(m, 0)); err == nil {
			t.Errorf("%#v was accepted", m)
		}
	}
	if _, err := risk.NewGauge(w.constraint(risk.Mean{}, math.NaN())); err == nil {
		t.Error("a bound that is no number was accepted")
	}
}
