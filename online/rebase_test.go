package online_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/online"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// deploy runs a rule against everybody, deploying what it asks for after some change, with a lead.
func deploy(t *testing.T, c *classic, d *online.Descent, turns int, lead float64, change func(u []float64)) (end []float64) {
	t.Helper()
	crowd := c.crowd(population.Everyone{})
	u, p, q := make([]float64, 2), make([]float64, 8), make([]float64, 8)
	for k := range turns {
		d.Ask(u)
		change(u)
		if err := crowd.Respond(context.Background(), u); err != nil {
			t.Fatal(err)
		}
		must(crowd.Sample(p, q))
		o := withLoss(c, kedge.Observation{Round: k, U: u, P: p, D: q})
		if err := errors.Join(d.Rebase(u, lead), d.Tell(o)); err != nil {
			t.Fatal(err)
		}
	}
	d.Center(u)
	return u
}

func roundTo(grid float64) func(u []float64) {
	return func(u []float64) {
		for i, v := range u {
			u[i] = grid * math.Round(v/grid)
		}
	}
}

func patient(c *classic) *online.Descent {
	return must(online.Rule{Gradient: composite(c), Step: online.Constant(0.01), Set: c.set}.From(c.start))
}

// Rounded where it is deployed, a composite rule ends within the rounding of the optimum with a lead; without one, steps shorter than half a
// grain are rounded away, and it stops where they become so: at η‖∇Φ̃‖ ≈ grain/2, with ∇Φ̃ of at most the greatest curvature 8 times the distance, not nearer
// than 0.01/2/0.01/8 ≈ 0.06 along that direction.
func TestLeadLetsSmallStepsAddUp(t *testing.T) {
	for _, grid := range []float64{0.01, 0.05, 0.2} {
		c := lq2()
		with, without := deploy(t, c, patient(c), 4000, 0.4, roundTo(grid)), deploy(t, c, patient(c), 4000, 0, roundTo(grid))
		near, far := rows.Distance(with, c.optimal), rows.Distance(without, c.optimal)
		if near > grid || far < 2*near || far < 0.05 {
			t.Errorf("rounded to %v: ends %.3g from the optimum with a lead, %.3g without", grid, near, far)
		}
	}
}

// While nothing that it asks for is deployed, the iterate stays within the lead of what is.
func TestRefusedDecisionsDoNotRunAway(t *testing.T) {
	c := lq2()
	fixed := []float64{2, 2}
	for _, lead := range []float64{0, 0.2} {
		end := deploy(t, c, patient(c), 3000, lead, func(u []float64) { copy(u, fixed) })
		// One step from within the lead: the gradient at fixed is that of everybody settled there.
		if off := rows.Distance(end, fixed); off > lead+0.4 || off == 0 {
			t.Errorf("with a lead of %v the iterate is %v away", lead, off)
		}
	}
}

func TestRebaseMovesTheIterate(t *testing.T) {
	c := lq2()
	c.set = set.Ball{Radius: 1}
	adam := &online.Adam{Beta1: 0.9, Beta2: 0.99, Epsilon: 1e-8}
	rule := online.Rule{Gradient: composite(c), Transforms: []online.Transform{adam}, Step: online.Constant(0.1), Set: c.set}
	for _, x := range []struct {
		u    []float64
		lead float64
		want []float64
	}{
		{[]float64{0.5, 0.5}, 0, []float64{0.5, 0.5}},     // there already
		{[]float64{0.5, 0.1}, 0.5, []float64{0.5, 0.5}},   // near enough
		{[]float64{0.5, -0.5}, 0.5, []float64{0.5, 0}},    // half of the way
		{[]float64{-0.5, 0.5}, 0, []float64{-0.5, 0.5}},   // all of it
		{[]float64{3, 4}, 0, []float64{0.6, 0.8}},         // into the set
		{[]float64{9, 9}, math.Inf(1), []float64{.5, .5}}, // however far
	} {
		d := must(rule.From(c.start))
		if err := d.Rebase(x.u, x.lead); err != nil {
			t.Fatal(err)
		}
		got := make([]float64, 2)
		if d.Center(got); rows.Distance(got, x.want) > 1e-15 {
			t.Errorf("rebased to %v with a lead of %v it is at %v, want %v", x.u, x.lead, got, x.want)
		}
	}
	d := must(rule.From(c.start))
	before := must(d.AppendBinary(nil))
	var length *kedge.DimError
	var finite *kedge.NotFiniteError
	var outside *kedge.RangeError
	if err := d.Rebase([]float64{1}, 1); !errors.As(err, &length) {
		t.Error(err)
	}
	if err := d.Rebase([]float64{1, math.NaN()}, 1); !errors.As(err, &finite) {
		t.Error(err)
	}
	if err := errors.Join(d.Rebase([]float64{1, 1}, -1), nil); !errors.As(err, &outside) {
		t.Error(err)
	}
	if err := d.Rebase([]float64{1, 1}, math.NaN()); !errors.As(err, &outside) {
		t.Error(err)
	}
	if !slices.Equal(before, must(d.AppendBinary(nil))) {
		t.Error("a refused decision has changed the rule")
	}
}

// A rule that is never told what is deployed, or told just what it asked for, goes the same way.
func TestRebaseOnWhatWasAskedForChangesNothing(t *testing.T) {
	for _, a := range attempts() {
		if a.panel {
			continue
		}
		var ends [2][]float64
		for i, lead := range []float64{-1, 0} {
			c := lq2()
			d := must(must(a.rule(c, stream.New(1), 100)).From(c.start))
			crowd := c.crowd(population.Everyone{})
			u, p, q := make([]float64, 2), make([]float64, 8), make([]float64, 8)
			for k := range 60 {
				d.Ask(u)
				if err := crowd.Respond(context.Background(), u); err != nil {
					t.Fatal(err)
				}
				must(crowd.Sample(p, q))
				if lead == 0 {
					if err := d.Rebase(u, 0); err != nil {
						t.Fatal(err)
					}
				}
				if err := d.Tell(withLoss(c, kedge.Observation{Round: k, U: u, P: p, D: q})); err != nil {
					t.Fatal(err)
				}
			}
			d.Center(u)
			ends[i] = u
		}
		if !slices.Equal(ends[0], ends[1]) {
			t.Errorf("%s: %v and %v", a.name, ends[0], ends[1])
		}
	}
}

// What was not asked for says nothing about the decision that was: explorers take no step on it, whatever loss they see, and go on with another
// direction.
func TestExplorersTakeNoStepOnAMiss(t *testing.T) {
	for name, g := range map[string]func() online.Estimator{
		"one-point":       func() online.Estimator { return must(online.NewOnePoint(2, 0.1, stream.New(1))) },
		"two-point":       func() online.Estimator { return must(online.NewTwoPoint(2, 0.1, stream.New(1))) },
		"derivative-free": func() online.Estimator { return must(online.NewDerivativeFree(2, 0.1, stream.New(1))) },
	} {
		for turns := range 4 {
			d := must(online.Rule{Gradient: g(), Step: online.Constant(0.1), Set: set.Whole{}}.From([]float64{1, 2}))
			u, was, is := make([]float64, 2), make([]float64, 2), make([]float64, 2)
			for k := range turns {
				d.Ask(u)
				if err := errors.Join(d.Rebase(u, 0.01), d.Tell(kedge.Observation{Round: k, U: u, Loss: u[0]})); err != nil {
					t.Fatal(err)
				}
			}
			d.Center(was)
			steps := d.Steps()
			d.Ask(u)
			u[0] += 0.005
			if err := d.Rebase(u, 0.01); err != nil {
				t.Fatal(err)
			}
			if d.Center(is); !slices.Equal(is, was) {
				t.Errorf("%s, after %d turns: rounding has moved the iterate", name, turns)
			}
			u[0] += 0.1
			elsewhere := slices.Clone(u)
			if err := errors.Join(d.Rebase(elsewhere, 0.01), d.Tell(kedge.Observation{Round: turns, U: elsewhere, Loss: 1e6})); err != nil {
				t.Fatal(err)
			}
			if d.Center(is); d.Steps() != steps || rows.Distance(is, elsewhere) > 0.01+1e-12 {
				t.Errorf("%s, after %d turns: a step was taken on a miss, to %v", name, turns, is)
			}
			first := make([]float64, 2)
			if d.Ask(first); rows.Distance(first, elsewhere) > 0.2 {
				t.Errorf("%s asks for %v", name, first)
			}
			d.Rebase(first, 0.01)
			for k := range 2 {
				d.Ask(u)
				if err := d.Tell(kedge.Observation{Round: turns + 1 + k, U: u, Loss: 1}); err != nil {
					t.Fatal(err)
				}
			}
			if d.Center(is); name != "one-point" && rows.Distance(is, elsewhere) > 0.01+1e-9 {
				t.Errorf("%s has compared with what it saw on a miss: it is at %v", name, is)
			}
		}
	}
}

// A limit of the reach is around what is deployed.
func TestReachIsFromWhatIsDeployed(t *testing.T) {
	c := lq2()
	c.set = set.RateLimit{Of: set.Whole{}, Most: 0.05}
	d := must(online.Rule{Gradient: composite(c), Step: online.Constant(1), Set: c.set}.From(c.start))
	live := []float64{0.45, 0.5}
	o := kedge.Observation{U: live, P: make([]float64, 8), D: c.traits}
	if err := errors.Join(d.Rebase(live, 1), d.Tell(o)); err != nil {
		t.Fatal(err)
	}
	u := make([]float64, 2)
	if d.Ask(u); !(math.Abs(rows.Distance(u, live)-0.05) <= 1e-12) {
		t.Errorf("the next decision %v is %v from the live one, want 0.05", u, rows.Distance(u, live))
	}
}

// Of people of LQ2 settled under 0, whose mean is Fμ = (1/2, −1), the terms are ∂Φ/∂u = Fμ and ∇ᵤh∂Φ/∂p = GᵀFμ.
func TestTermsTellWhy(t *testing.T) {
	c := lq2()
	settled := make([]float64, 8)
	if _, err := kedge.BatchedSettler(c.f.(kedge.Settler)).SettleRows(settled, []float64{0, 0}, c.traits); err != nil {
		t.Fatal(err)
	}
	o := kedge.Observation{U: []float64{0, 0}, P: settled, D: c.traits}
	for name, x := range map[string]struct {
		of             online.Estimator
		direct, answer []float64
	}{
		"composite": {composite(c), []float64{0.5, -1}, []float64{0.125, -0.75}},
		"dithered":  {must(online.NewDither(composite(c), 2, online.Dithering{Size: 0.1}, c.set, stream.New(1))), []float64{0.5, -1}, []float64{0.125, -0.75}},
		"vanilla":   {vanilla(c), []float64{0.5, -1}, nil},
	} {
		d := must(online.Rule{Gradient: x.of, Transforms: []online.Transform{online.Clip{Norm: 0.1}}, Step: online.Constant(0.1), Set: c.set}.From([]float64{0, 0}))
		if err := d.Tell(o); err != nil {
			t.Fatal(err)
		}
		direct, answer := d.Terms()
		if len(direct) != len(x.direct) || rows.Distance(direct, x.direct) > 1e-12 || len(answer) != len(x.answer) || rows.Distance(answer, x.answer) > 1e-12 {
			t.Errorf("%s: %v and %v, want %v and %v", name, direct, answer, x.direct, x.answer)
		}
	}
}
