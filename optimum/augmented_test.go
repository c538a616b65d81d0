package optimum

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/set"
)

// atLeast is the constraint u₀ ≥ x, as x − u₀ ≤ 0.
type atLeast float64

func (x atLeast) Gradient(g, u []float64) (float64, error) {
	clear(g)
	g[0] = -1
	return float64(x) - u[0], nil
}

// heldAbove is ½u² under u ≥ 2.
func heldAbove() *augmented {
	return newAugmented(overSet(bowl{1, 0}, set.Whole{}, 1), []Function{atLeast(2)})
}

// By hand, with λ = 3 and ρ = 10: at 1, which is 1 short, 13 presses: the loss is ½ + (13² − 3²)/20 with the slope 1 − 13; at 4 nothing does: 8 − 3²/20 with the slope 4.
func TestAugmentedLagrangianByHand(t *testing.T) {
	a, g := heldAbove(), make([]float64, 1)
	a.multipliers[0], a.penalty = 3, 10
	for _, x := range []struct{ u, loss, slope float64 }{{1, 8.5, -12}, {4, 7.55, 4}} {
		loss, err := a.Gradient(g, []float64{x.u})
		if err != nil {
			t.Fatal(err)
		}
		is(t, "the loss", loss, x.loss)
		is(t, "the slope", g[0], x.slope)
		is(t, "the excess", a.excess[0], 2-x.u)
	}
	p := a.fenced(7)
	for _, x := range []struct {
		u, loss, slope float64
		broken         bool
	}{{1, 7.5, -6, true}, {3, 4.5, 3, false}, {2, 2, 2, false}} {
		loss, err := p.Gradient(g, []float64{x.u})
		if err != nil || p.broken[0] != x.broken {
			t.Fatalf("broken at %v: %v (%v)", x.u, p.broken, err)
		}
		is(t, "the loss behind a fence", loss, x.loss)
		is(t, "its slope", g[0], x.slope)
	}
	is(t, "the height", a.penalized(7).height([]float64{1}), 7.5)
}

// By hand, in units of 4 and 2, the constraint in units of 2: what is ¼ here is 1 there, 1 short of 2, that is ½, with the slope −4/2.
func TestConstraintsHaveUnits(t *testing.T) {
	a := heldAbove()
	a.land.length, a.land.slope, a.units[0] = 4, 2, 2
	v, err := a.constraint(0, []float64{0.25})
	if err != nil {
		t.Fatal(err)
	}
	is(t, "the excess", v, 0.5)
	is(t, "its slope", a.g[0], -2)
	excess, multiplier := a.told(0, &settled{place: place{u: []float64{0.25}}, multipliers: []float64{5}, over: []float64{0.25}})
	is(t, "the excess that is told", excess, 0.5)
	is(t, "the multiplier that is told", multiplier, 20)
	is(t, "truly", a.truly([]float64{0.25}), 0.5)
	a.land.length = 1
	var screened []place
	for u := range 8 { // the values are 2 … −5: three quarters of them are within 6
		screened = append(screened, place{u: []float64{float64(u)}})
	}
	a.units[0] = 1
	if err := a.measure(screened); err != nil {
		t.Fatal(err)
	}
	is(t, "the unit", a.units[0], 4)
	same := newAugmented(a.land, []Function{flat{loss: -3}})
	if err := same.measure(screened); err != nil {
		t.Fatal(err)
	}
	is(t, "the unit of what is always −3", same.units[0], 2)
	if err := newAugmented(a.land, []Function{flat{err: errNoValue}}).measure(screened); !errors.Is(err, errNoValue) {
		t.Errorf("the unit of what has no value: %v", err)
	}
}

// By hand: at 2 with λ = 2 the conditions hold; at 1 with λ = 0 and ρ = 10 the excess is 1, the multiplier 10, its product 10, and the gradient 1 − 10.
func TestConditionsAreJudged(t *testing.T) {
	a := heldAbove()
	a.penalty, a.multipliers[0] = 10, 2
	good := a.judge([]float64{2}, 3)
	is(t, "the residual at the answer", good.residual, 0)
	is(t, "its multiplier", good.multipliers[0], 2)
	is(t, "its loss", good.loss, 2)
	a.multipliers[0] = 0
	bad := a.judge([]float64{1}, 3)
	is(t, "the residual short of it", bad.residual, 10)
	is(t, "its multiplier", bad.multipliers[0], 10)
	is(t, "its excess", bad.excess, 1)
	if !a.admits([]float64{2}) || !a.admits([]float64{2 - 1e-9}) || a.admits([]float64{2 - 1e-7}) {
		t.Error("what is admitted")
	}
	for _, x := range []struct {
		p, q settled
		want bool
	}{
		{settled{excess: 0, place: place{residual: 1}}, settled{excess: 1e-9, place: place{residual: 2}}, true}, {settled{excess: 0, place: place{residual: 2}}, settled{excess: 0, place: place{residual: 1}}, false},
		{settled{excess: 0, place: place{residual: 9}}, settled{excess: 1, place: place{residual: 1}}, true}, {settled{excess: 2, place: place{residual: 1}}, settled{excess: 1, place: place{residual: 9}}, false},
	} {
		if better(&x.p, &x.q) != x.want {
			t.Errorf("%+v is better than %+v: %v", x.p, x.q, !x.want)
		}
	}
	inside := a.inside(a.judge([]float64{2 - 1e-6}, 1))
	if inside.excess > 0 || !(math.Abs(inside.u[0]-2) <= 1e-6) {
		t.Errorf("moved inside to %v, over by %v", inside.u, inside.excess)
	}
	if far := a.inside(a.judge([]float64{1}, 1)); far.u[0] != 1 {
		t.Errorf("what is far outside is moved to %v", far.u)
	}
	c := &confined{augmented: a}
	is(t, "a penalty without ends", c.weight(), firstPenalty)
	c.ends = []*settled{{multipliers: []float64{50}}, {multipliers: []float64{7}}}
	is(t, "a penalty above multipliers of 50", c.weight(), 200)
	c.ends[0].multipliers[0] = 1e9
	is(t, "the largest", c.weight(), largePenalty)
	list := []int{3, 1, 2}
	if got := sortedBy(list, func(i int) float64 { return -float64(i) }); !slices.Equal(got, []int{3, 2, 1}) {
		t.Errorf("sorted: %v", got)
	}
}

// What has no value is told by everything that looks at constraints.
func TestConstraintsTellErrors(t *testing.T) {
	l := overSet(bowl{1, 0}, set.Whole{}, 1)
	for name, c := range map[string]flat{"fails": {err: errNoValue}, "is NaN": {loss: math.NaN()}, "has a slope of NaN": {slope: math.NaN()}} {
		a, g := newAugmented(l, []Function{atLeast(2), c}), make([]float64, 1)
		a.penalty = 10
		if _, err := a.Gradient(g, []float64{3}); err == nil {
			t.Errorf("what %s has a Lagrangian", name)
		}
		if _, err := a.fenced(1).Gradient(g, []float64{3}); err == nil {
			t.Errorf("what %s has a penalty", name)
		}
		if p := a.judge([]float64{3}, 1); !math.IsInf(a.truly([]float64{3}), 1) || a.admits([]float64{3}) || !math.IsInf(p.excess, 1) {
			t.Errorf("what %s is kept: %+v", name, p)
		}
	}
	none := newAugmented(overSet(flat{err: errNoValue}, set.Whole{}, 1), []Function{atLeast(2)})
	none.penalty = 10
	if _, err := none.Gradient(make([]float64, 1), []float64{3}); err == nil {
		t.Error("a loss without a value has a Lagrangian")
	}
	if _, err := none.fenced(1).Gradient(make([]float64, 1), []float64{3}); err == nil {
		t.Error("a loss without a value has a penalty")
	}
}

// Where a walk has no value the rounds end: one look is the walk's, one is for how well the conditions hold, which 1 short of the bound they do not.
func TestRoundsEndWithoutAValue(t *testing.T) {
	looks := 0
	a := newAugmented(overSet(plainly(func(_, _ []float64) (float64, error) { looks++; return 0, errNoValue }), set.Whole{}, 1), []Function{atLeast(2)})
	a.land.most = 1000
	p := a.solve([]float64{1}, Effort{Tolerance: 1e-10, MaxSteps: 1000}, 1000)
	if looks != 2 || p.steps != 1 || p.u[0] != 1 || p.excess != 1 || !math.IsInf(p.loss, 1) {
		t.Errorf("%+v after %d looks", p, looks)
	}
}

// By hand: ½‖u‖² under u₀ ≥ 2 is least at (2, 0) with the multiplier 2; under u₀ ≥ −1 at 0, with none. Under u₀ ≥ 9 in a ball of 5 nothing is kept, by 4.
func TestConstrainedBowlByHand(t *testing.T) {
	ask := func(x float64) (*Constrained, error) {
		return Constrain(context.Background(), bowl{1, 0}, []Function{atLeast(x)}, set.Ball{Radius: 5}, [][]float64{{1, 1}}, Effort{Starts: 2})
	}
	for _, x := range []struct{ bound, u, multiplier, excess float64 }{{2, 2, 2, 0}, {-1, 0, 0, -1}} {
		c, err := ask(x.bound)
		if err != nil {
			t.Fatal(err)
		}
		if !(math.Abs(c.Decision[0]-x.u) <= 1e-7) || !(math.Abs(c.Decision[1]) <= 1e-7) || !(math.Abs(c.Multipliers[0]-x.multiplier) <= 1e-6) || !(math.Abs(c.Excess[0]-x.excess) <= 1e-7) || !(math.Abs(c.Loss-x.u*x.u/2) <= 1e-7) {
			t.Errorf("under u₀ ≥ %v: %+v, multipliers %v, excess %v", x.bound, c.Point, c.Multipliers, c.Excess)
		}
	}
	var not *kedge.NotConvergedError
	if c, err := ask(9); !errors.As(err, &not) {
		t.Errorf("under u₀ ≥ 9: %+v, %v", c, err)
	}
	l := overSet(bowl{1, 0}, set.Whole{}, 1)
	if l.fence(newAugmented(l, []Function{atLeast(2)}), []float64{0}); l.lack != 2 || !l.beyond([]float64{-1}) || l.beyond([]float64{1}) {
		t.Errorf("2 short of a bound with the slope 1: %v", l.lack)
	}
}
