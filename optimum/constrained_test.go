package optimum_test

import (
	"context"
	"math"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/risk"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/steady"
	"github.com/kedge-opt/kedge/stream"
)

func TestMeanConstraintReachesItsClosedForm(t *testing.T) {
	want, multiplier := closed(-.1)
	if !(math.Abs(want[0]+.638596) <= 1e-6) || !(math.Abs(want[1]-.396491) <= 1e-6) || !(math.Abs(multiplier-2.050877) <= 1e-6) {
		t.Fatalf("closed form %v, %v", want, multiplier)
	}
	rule, u := lq2(t).play(t, []float64{2, -.5, 0, -.5, 2, -1.5, 0, -1.5}, everybody(), 4, 4000, online.Constant(.1), online.Constant(.1), lq2(t).constraint(risk.Mean{}, -.1))
	if e := off(u, want); e > 1e-12 {
		t.Errorf("decision %v is %.1e off", u, e)
	}
	if e := math.Abs(rule.Multipliers()[0] - multiplier); e > 1e-12 {
		t.Errorf("multiplier %v is %.1e off", rule.Multipliers(), e)
	}
}

func TestCVaRConstraintReachesItsClosedForm(t *testing.T) {
	const kappa = 1.7549833193248685 // φ(z)/0.1 at z = 1.2815515655446004
	want, multiplier := closed(1.5 - kappa*deviation)
	if !(math.Abs(want[0]+.799926) <= 1e-6) || !(math.Abs(want[1]-.381825) <= 1e-6) || !(math.Abs(multiplier-2.890525) <= 1e-6) {
		t.Fatalf("closed form %v, %v", want, multiplier)
	}
	traits := people(.9, kappa)
	rule, u := lq2(t).play(t, traits, everybody(), 400, 4000, online.Constant(.1), online.Constant(.1), lq2(t).constraint(risk.CVaR{Level: .9}, 1.5))
	if e := off(u, want); e > 1e-9 {
		t.Errorf("decision %v is %.1e off", u, e)
	}
	if e := math.Abs(rule.Multipliers()[0] - multiplier); e > 1e-9 {
		t.Errorf("multiplier %v is %.1e off", rule.Multipliers(), e)
	}
}

func (w world) crowd(traits kedge.Block) func() risk.SettlingCrowd {
	f, err := steady.New(kedge.Model{Settler: w.dynamics, Objective: w.loss, Traits: traits})
	if err != nil {
		panic(err)
	}
	return func() risk.SettlingCrowd { return f.Clone() }
}

// linear is cᵀu.
type linear []float64

func (c linear) Gradient(g, u []float64) (float64, error) {
	copy(g, c)
	return rows.Dot(c, u), nil
}

// ellipse is Σ aᵢuᵢ² − 1.
type ellipse []float64

func (a ellipse) Gradient(g, u []float64) (float64, error) {
	v := -1.0
	for i, x := range u {
		g[i] = 2 * a[i] * x
		v += a[i] * x * x
	}
	return v, nil
}

// The minimum of cᵀu over Σ aᵢuᵢ² ≤ 1 is −√(Σ cᵢ²/aᵢ) by Lagrange; without the constraint the loss falls without end.
func TestConstraintsMayAloneBoundTheLoss(t *testing.T) {
	for _, unit := range []float64{1e-9, 1, 1e9} {
		for _, start := range [][]float64{{0, 0}, {3 * unit, -5 * unit}} {
			c, a := linear{1, -2}, ellipse{1 / (unit * unit), 4 / (unit * unit)}
			best, err := optimum.Constrain(context.Background(), c, []optimum.Function{a}, set.Whole{}, [][]float64{start}, optimum.Effort{Starts: 5})
			if err != nil {
				t.Fatalf("unit %g from %v: %v", unit, start, err)
			}
			if want := -math.Sqrt2 * unit; math.Abs(best.Loss-want) > 1e-6*unit {
				t.Errorf("unit %g from %v: loss %v, want %v", unit, start, best.Loss, want)
			}
		}
	}
}

func (w world) settled(t testing.TB, traits []float64) *steady.Objective {
	t.Helper()
	f, err := steady.New(kedge.Model{Settler: w.dynamics, Objective: w.loss, Sensitivity: w.sensitivity, Traits: kedge.Block{Data: traits, Width: 2}})
	must(t, err)
	return f
}

func (w world) offline(t testing.TB, traits []float64, all ...risk.Constraint) (*optimum.Constrained, error) {
	t.Helper()
	f := w.settled(t, traits)
	var list []optimum.Function
	for _, c := range all {
		s, err := risk.NewSettled(c, w.crowd(kedge.Block{Data: traits, Width: 2}), kedge.Block{Data: traits, Width: 2})
		must(t, err)
		list = append(list, s)
	}
	c, err := optimum.Constrain(context.Background(), f, list, set.Whole{}, [][]float64{{0, 0}, {3, -2}}, optimum.Effort{})
	return c, err
}

func TestOfflineOptimumReachesItsClosedForm(t *testing.T) {
	const kappa = 1.7549833193248685
	w, traits := lq2(t), people(.9, kappa)
	for name, one := range map[string]struct {
		constraint risk.Constraint
		beta       float64
	}{
		"mean":  {w.constraint(risk.Mean{}, -.1), -.1},
		"cvar":  {w.constraint(risk.CVaR{Level: .9}, 1.5), 1.5 - kappa*deviation},
		"slack": {w.constraint(risk.Mean{}, 100), math.NaN()},
		"all":   {w.constraint(risk.CVaR{Level: 0}, -.1), -.1},
	} {
		c, err := w.offline(t, traits, one.constraint)
		must(t, err)
		want, multiplier := [2]float64{-56.0 / 229, 99.0 / 229}, 0.0
		if !math.IsNaN(one.beta) {
			want, multiplier = closed(one.beta)
		}
		if e := off(c.Decision, want); e > 1e-9 || !(math.Abs(c.Multipliers[0]-multiplier) <= 1e-8) || c.Residual > 1e-10 {
			t.Errorf("%s: %v with λ = %v, residual %.1e; want %v with %v", name, c.Decision, c.Multipliers, c.Residual, want, multiplier)
		}
	}
}

// Two constraints that exclude each other: multipliers stop at their bound, and no step is longer than those of the gradients.
func TestInfeasibleConstraintsAreVisibleAndHarmless(t *testing.T) {
	w := lq2(t)
	against, err := objective.NewQuadratic(dims, nil, nil, nil, nil, []float64{-1, 0})
	must(t, err)
	never := w.constraint(risk.Mean{}, -2) // −E p₁ ≤ −2 and E p₁ ≤ −1
	never.Loss = against
	traits := []float64{2, -.5, 0, -.5, 2, -1.5, 0, -1.5}
	rule, u := w.play(t, traits, everybody(), 4, 3000, online.Constant(.1), online.Constant(.5), w.constraint(risk.Mean{}, -1), never)
	for j, l := range rule.Multipliers() {
		if l != 100 {
			t.Errorf("multiplier %d is %v, want its bound", j, l)
		}
	}
	if length := math.Hypot(u[0], u[1]); length > 3 {
		t.Errorf("the decision went to %v", u)
	}
	if c, err := w.offline(t, traits, w.constraint(risk.Mean{}, -1), never); err == nil {
		t.Errorf("a decision keeps both: %v", c)
	}
}

// On 100 000 people drawn anew, runs that saw samples of 50 of 1500 others keep CVaR and chance constraints within the sampling
// error of both crowds, four standard deviations, and cost what the offline optimum of their own crowd costs.
func TestConstraintsHoldOnFreshPeople(t *testing.T) {
	w, traits, fresh := lq2(t), drawn(2, 1500), drawn(3, 100_000)
	for name, c := range map[string]struct {
		risk.Constraint
		error float64 // of the measure on 1500 people
		dual  float64 // step: a share changes by less than a loss, so its multiplier must move by more
	}{
		// The standard deviation of the tail's mean is below s·√(1/(n(1−α))); that of a share √(δ(1−δ)/n).
		"cvar":   {w.constraint(risk.CVaR{Level: .9}, 1.5), deviation / math.Sqrt(150), 3},
		"chance": {w.constraint(risk.Chance{Limit: 1.5, Width: .1}, .1), math.Sqrt(.09 / 1500), 10},
	} {
		pick := population.WithReplacement{Source: stream.New(4, name)}
		_, u := w.play(t, traits, pick, 50, 4000, online.InverseSqrt(.3), online.InverseSqrt(c.dual), c.Constraint)
		judge := c.Constraint
		if chance, ok := c.Measure.(risk.Chance); ok {
			judge.Measure = risk.Chance{Limit: chance.Limit, Width: 1e-6} // the share itself
		}
		s, err := risk.NewSettled(judge, w.crowd(kedge.Block{Data: fresh, Width: 2}), kedge.Block{Data: fresh, Width: 2})
		must(t, err)
		excess, err := s.Excess(u)
		must(t, err)
		if excess > 4*c.error || excess < -8*c.error {
			t.Errorf("%s: on fresh people the bound is exceeded by %.4f, sampling error %.4f", name, excess, c.error)
		}
		best, err := w.offline(t, traits, c.Constraint)
		must(t, err)
		loss, err := w.settled(t, traits).Value(u)
		must(t, err)
		if gap := (loss - best.Loss) / best.Loss; !(math.Abs(gap) <= .02) {
			t.Errorf("%s: costs %.4f, the offline optimum %.4f", name, loss, best.Loss)
		}
		t.Logf("%s: excess %.4f on fresh people (sampling error %.4f), cost %.4f, offline %.4f", name, excess, c.error, loss, best.Loss)
	}
}

// A bound far out of reach drives the multiplier to its limit at once; steps stay below η(‖∇Φ̃‖/Σλ + ‖∇c‖), here 0.3.
func TestLargeMultipliersTakeNoWildSteps(t *testing.T) {
	w := lq2(t)
	g, err := risk.NewGauge(w.constraint(risk.Mean{}, -1e6))
	must(t, err)
	e, err := online.NewLagrangian(2, &online.Composite{Objective: w.loss, Sensitivity: w.sensitivity, Dims: dims}, []online.Restriction{g}, online.Dual{Step: online.Constant(1), Most: []float64{100}})
	must(t, err)
	rule, err := online.Rule{Gradient: e, Step: online.Constant(.1), Set: set.Ball{Radius: 1000}}.From([]float64{0, 0})
	must(t, err)
	crowd, err := population.Gather(population.Config{Dynamics: w.dynamics, Traits: kedge.Block{Data: drawn(1, 20), Width: 2}, Pick: everybody()})
	must(t, err)
	last, u, longest := make([]float64, 2), make([]float64, 2), 0.0
	l := loop.Loop{Population: crowd, Algorithm: rule, Objective: w.loss, Turns: 300, Batch: 20, After: func(int) error {
		rule.Ask(u)
		longest = max(longest, math.Hypot(u[0]-last[0], u[1]-last[1]))
		copy(last, u)
		return nil
	}}
	must(t, l.Run(context.Background()))
	if rule.Multipliers()[0] != 100 || longest > .3 {
		t.Errorf("multiplier %v, longest step %v", rule.Multipliers(), longest)
	}
}
