package optimum

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/set"
)

// step is 0 at 0, near within a millionth of it and far beyond, without a slope.
type step struct{ near, far, base float64 }

func (s step) Gradient(g, u []float64) (float64, error) {
	clear(g)
	switch at := rows.MaxAbs(u); {
	case at == 0:
		return s.base, nil
	case at <= 1e-6:
		return s.base + s.near, nil
	}
	return s.base + s.far, nil
}

// By hand: a loss jumps that differs next to a place by more than 10⁻⁹ of the losses' range, or of itself, and by more than a 32nd of what it differs by at a thousandth.
func TestHowMuchIsAJump(t *testing.T) {
	for _, x := range []struct {
		near, far, base, worst float64
		want                   bool
	}{
		{1, 31.5, 0, 1, true}, {1, 32, 0, 1, false}, {1, 32.5, 0, 1, false}, {1e-9, 1e-9, 0, 1, false}, {1.1e-9, 1.1e-9, 0, 1, true}, {0.9e-9, 0.9e-9, 0, 1, false}, {1.5e-9, 1.5e-9, 0, 2, false}, {2.2e-9, 2.2e-9, 0, 2, true},
		{3e-9, 3e-9, -4, 1, false}, {5e-9, 5e-9, -4, 1, true},
	} {
		s := line()
		s.land, s.worst = overSet(step{x.near, x.far, x.base}, set.Whole{}, 1), x.worst
		if got := s.jumps(place{u: []float64{0}, loss: x.base, kink: true, residual: 1, steepest: 1}); got != x.want {
			t.Errorf("%+v: jumps %v", x, got)
		}
	}
}

// By hand: what is lower nearby by more than 10⁻⁹ of the losses' range, or 10⁻¹² of the loss itself, shows that a minimum is none. A constraint that is broken there weighs 10, or four times its multiplier.
func TestWhatIsLowerNearby(t *testing.T) {
	low := func(by, base float64) Function { // by so much, a hundredth away
		return plainly(func(g, u []float64) (float64, error) {
			if g[0] = 0; u[0] > 5e-3 {
				return base - by, nil
			}
			return base, nil
		})
	}
	broken := func(by float64) Function {
		return plainly(func(g, u []float64) (float64, error) {
			if g[0] = 0; u[0] > 5e-3 {
				return by, nil
			}
			return -1, nil
		})
	}
	for _, x := range []struct {
		by, base, worst, breaks, multiplier float64
		want                                bool
	}{
		{1.1e-9, 0, 1, -1, 0, true}, {0.9e-9, 0, 1, -1, 0, false}, {1.9e-9, 0, 2, -1, 0, false}, {2.1e-9, 0, 2, -1, 0, true}, {1.1e-6, 1e6, 1, -1, 0, true}, {0.9e-6, 1e6, 1, -1, 0, false},
		{1, 0, 1, 0.09, 0, true}, {1, 0, 1, 0.11, 0, false}, {1, 0, 1, 0.024, 10, true}, {1, 0, 1, 0.026, 10, false},
	} {
		land := overSet(low(x.by, x.base), set.Whole{}, 1)
		c := &confined{searcher: &searcher{land: land, worst: x.worst}, augmented: newAugmented(land, []Function{broken(x.breaks)})}
		at := &settled{place: place{u: []float64{0}, loss: x.base}, multipliers: []float64{x.multiplier}}
		if got := c.lowerNearby(at); got != x.want {
			t.Errorf("%+v: lower nearby %v", x, got)
		}
	}
}

// By hand: an equilibrium is known that is within a millionth of its own length.
func TestKnownEquilibria(t *testing.T) {
	for _, x := range []struct {
		known, u []float64
		want     bool
	}{
		{[]float64{3, 4}, []float64{3, 4 + 4.9e-6}, true}, {[]float64{3, 4}, []float64{3, 4 + 5.1e-6}, false}, {[]float64{0, 0}, []float64{0, 0}, true}, {[]float64{0, 0}, []float64{0, 1e-9}, false},
	} {
		if got := alike(x.u, x.known); got != x.want {
			t.Errorf("%v beside %v: known %v", x.u, x.known, got)
		}
		h := tugging().table
		h.game = tug{a: 0.5, c0: x.u[0] - x.u[1]/2, c1: x.u[1] - x.u[0]/2} // that rests at u
		h.found = []Equilibrium{{Point: Point{Decision: x.known}}}
		if err := h.consider(Point{Decision: x.u}, nil); err != nil || (len(h.found) == 1) != x.want {
			t.Errorf("%v beside %v: %d are found, %v", x.u, x.known, len(h.found), err)
		}
	}
}

// plain is a game of one who loses nothing anywhere.
type plain struct {
	tug
	asked *int
}

func (p plain) Reply(int, []float64) Function { return counted{flat{}, p.asked} }

// A reply is looked for from 4 to 8 starts after 64 to 256 looks, as near to what was asked for as that lets.
func TestEffortOfReplies(t *testing.T) {
	look := func(starts, screen int) (walks, asked int) {
		h := tugging().table
		h.game, h.effort = plain{tug{}, &asked}, Effort{Starts: starts, Screen: screen}
		s, err := h.reply(0, []float64{0, 0})
		if err != nil {
			t.Fatal(err)
		}
		return len(s.Found), asked
	}
	for starts, want := range map[int]int{0: 4, 4: 4, 5: 5, 8: 8, 20: 8} {
		if walks, _ := look(starts, 0); walks != want {
			t.Errorf("%d starts: %d walks, want %d", starts, walks, want)
		}
	}
	_, least := look(4, 0)
	for screen, more := range map[int]int{64: 0, 65: 1, 200: 136, 256: 192, 257: 192, 1000: 192} {
		if _, asked := look(4, screen); asked-least != more {
			t.Errorf("a screen of %d: %d looks more than of the least, want %d", screen, asked-least, more)
		}
	}
}

// The evaluations of a finish are asking on from those before it.
func TestStepsAreCountedOn(t *testing.T) {
	from := place{u: []float64{7}, loss: 18, residual: math.Inf(1), steepest: 1}
	for _, before := range []int{0, 100} {
		s := line()
		s.land, s.Effort = overSet(bowl{1, 1}, set.Whole{}, 1), Effort{MaxSteps: 5000, Tolerance: 1e-10}
		from.steps = before
		alone := overSet(bowl{1, 1}, set.Whole{}, 1).descend(from.u, 1, 1e-10, 5000)
		if p := s.finish(from, 1e-10); p.steps != before+alone.steps || math.Abs(p.u[0]-1) > 1e-9 || p.kink {
			t.Errorf("after %d steps and %d more: %+v", before, alone.steps, p)
		}
	}
}

// By hand: around what is 0 everywhere nothing is lower, which three looks on both sides tell, and no more are taken.
func TestWhatIsFlatIsLookedAroundOnce(t *testing.T) {
	s := line()
	s.land, s.Effort, s.worst = overSet(flat{}, set.Whole{}, 1), Effort{}.filled(1), 0
	if p := s.finish(place{u: []float64{4}, steepest: 1}, 1e-10); s.land.evaluations != 6 || p.u[0] != 4 {
		t.Errorf("%d looks end at %v", s.land.evaluations, p.u)
	}
}

// By hand: a slope whose gradient says nothing is always lower .3 further down. Of six rounds five look around and go there; the last stays where it is still.
func TestLookingAroundEnds(t *testing.T) {
	s := line()
	s.land, s.Effort = overSet(plainly(func(g, u []float64) (float64, error) {
		g[0] = 0
		return u[0], nil
	}), set.Whole{}, 1), Effort{}.filled(1)
	if p := s.finish(place{u: []float64{0}, steepest: 1}, 1e-10); math.Abs(p.u[0]+1.5) > 1e-12 || p.residual != 0 {
		t.Errorf("it ends at %v with the residual %v", p.u, p.residual)
	}
}

// By hand: where the gradient leads up, −1 everywhere instead of 1, no descent helps, but what is tried besides is lower, in every round; what the last leaves is the length 1 of that gradient.
func TestWhatLiesAboutItsSlopeEnds(t *testing.T) {
	s := line()
	s.land, s.Effort = overSet(plainly(func(g, u []float64) (float64, error) {
		g[0] = -1
		return u[0], nil
	}), set.Whole{}, 1), Effort{}.filled(1)
	if p := s.finish(place{u: []float64{0}, residual: 1, steepest: 1}, 1e-10); !(p.u[0] < -12) || p.residual != 1 || !p.kink {
		t.Errorf("%+v", p)
	}
}

// By hand, near 0 and near 1: points of rest are one up to a millionth of the unit, or of their length and that.
func TestPointsOfRestAreKeptOnce(t *testing.T) {
	for _, x := range []struct {
		at, by float64
		want   int
	}{{1e-6, -1e-6, 1}, {0, 1.1e-6, 2}, {0, -1.5e-6, 2}, {1, 1.9e-6, 1}, {1, 2.1e-6, 2}} {
		r := &resting{land: overSet(bowl{1, 0}, set.Whole{}, 1), g: make([]float64, 1)}
		for _, u := range []float64{x.at, x.at + x.by} {
			r.add(Point{Decision: []float64{u}}, false)
		}
		if len(r.found) != x.want {
			t.Errorf("%v and %v more are %d points of rest, want %d", x.at, x.by, len(r.found), x.want)
		}
	}
}

// Sampling errors do not depend on where decisions are: those of a mean near 10⁸ are those of a mean near 0, √7/√5 by hand.
func TestSamplingErrorsFarAway(t *testing.T) {
	m, err := formula.Compile(formula.Source{Decision: "u", State: "p", Trait: "d", Next: "0.5*p + 0.5*d", Minimize: "0.5*(u - p)^2"})
	if err != nil {
		t.Fatal(err)
	}
	for _, far := range []float64{0, 1e4, 1e8} {
		model := kedge.Model{Dynamics: m.Dynamics(), Objective: m.Objective(), Sensitivity: m.Sensitivity(), Traits: kedge.Block{Data: []float64{far + 3, far + 5, far + 1, far + 3, far + 8}, Width: 1}}
		s, err := SamplingOf(t.Context(), model, nil, []float64{far + 4})
		if err != nil {
			t.Fatal(far, err)
		}
		if want := math.Sqrt(7. / 5); math.Abs(s.Decision[0]-want) > 1e-5 {
			t.Errorf("around %v: %v, want %v", far, s.Decision[0], want)
		}
	}
}

// By hand: p is still at a part of the smaller of the steepest gradient and of the loss, at least 1.
func TestWhatIsTypical(t *testing.T) {
	for _, x := range []struct{ steepest, loss, want float64 }{{5, 100, 5}, {100, -7, 7}, {100, 0.5, 1}, {0.25, 0.5, 0.25}} {
		p := &place{steepest: x.steepest, loss: x.loss, residual: 1e-3 * x.want}
		is(t, "what is typical", p.typical(), x.want)
		if !p.still(1e-3*(1+1e-12)) || p.still(0.9e-3) {
			t.Errorf("%+v is still at another part", x)
		}
	}
}

// By hand: a walk ran away beyond 10¹², or beyond 10⁷ if it is still going.
func TestWhoRunsAway(t *testing.T) {
	for _, x := range []struct {
		u        []float64
		residual float64
		want     bool
	}{{[]float64{0, -2e12}, 0, true}, {[]float64{0.5e12, 0}, 0, false}, {[]float64{2e7, 0}, 1, true}, {[]float64{-2e7, 0}, 1e-6, false}, {[]float64{0.5e7, 0}, 1, false}, {[]float64{2e7, 0}, 1.1e-5, true}, {[]float64{2e7, 0}, 0.9e-5, false}} {
		if got := endless(place{u: x.u, residual: x.residual, steepest: 1}); got != x.want {
			t.Errorf("%+v ran away: %v", x, got)
		}
	}
}

// By hand: the parabola through a loss of 0 with the slope −1 and what was tried at t has its bottom at t²/(2(tried + t)), taken if that is between a tenth and a half of t.
func TestBottomsOfParabolas(t *testing.T) {
	for _, x := range []struct{ t, tried, want float64 }{{1, 0.5, 1. / 3}, {2, 1, 2. / 3}, {1, 3.5, 1. / 9 * 4.5}, {1, 9, 0.5}, {1, -0.5, 0.5}, {1, 1, 0.25}} {
		want := x.t * x.t / (2 * (x.tried + x.t))
		if want < 0.1*x.t || want > 0.5*x.t {
			want = 0.5 * x.t
		}
		is(t, "the next step", shorten(x.t, 0, x.tried, -1), want)
	}
}

// Of two places that keep the constraints the one with the smaller residual is better, of others the one with the smaller excess.
func TestBetterPlaces(t *testing.T) {
	at := func(excess, residual float64) *settled {
		return &settled{place: place{residual: residual}, excess: excess}
	}
	for _, x := range []struct {
		p, q *settled
		want bool
	}{
		{at(0, 1), at(0, 2), true}, {at(0, 2), at(0, 1), false}, {at(0, 1), at(0, 1), false}, {at(1e-8, 1), at(0, 2), true}, {at(1.1e-8, 1), at(0, 2), false}, {at(0, 5), at(1, 1), true}, {at(1, 1), at(2, 0), true}, {at(2, 0), at(1, 1), false},
		{at(0, 2), at(1.1e-8, 1), true},
	} {
		if better(x.p, x.q) != x.want {
			t.Errorf("%+v before %+v: %v", x.p, x.q, !x.want)
		}
	}
}

// By hand: of the losses 0, 1 … 7 sorted, 8 numbers by their squares, worked out once each.
func TestSortedOnce(t *testing.T) {
	list, asked := []float64{3, -1, 2, -4, 0}, 0
	list = sortedBy(list, func(v float64) float64 { asked++; return v * v })
	if !slices.Equal(list, []float64{0, -1, 2, 3, -4}) || asked != 5 {
		t.Errorf("%v after %d questions", list, asked)
	}
}

// A penalty is four times the largest multiplier of all ends, at least 10 and at most 10⁶.
func TestPenaltiesOfEnds(t *testing.T) {
	for want, multipliers := range map[float64][][]float64{10: {{0, 1}, {2, 0}}, 40: {{1, 10}, {3}}, 1e6: {{3e5}}, 12: {{3}}} {
		c := &confined{}
		for _, m := range multipliers {
			c.ends = append(c.ends, &settled{multipliers: m})
		}
		is(t, "the penalty", c.weight(), want)
	}
	is(t, "without any end", (&confined{}).weight(), 10)
}

// Constraints cost as much again as the loss, each: the looks of a search are shared among them.
func TestLooksUnderConstraints(t *testing.T) {
	count := func(constraints ...Function) int {
		asked := 0
		if _, err := Constrain(context.Background(), counted{bowl{1, 1}, &asked}, constraints, set.Interval{Lower: 0, Upper: 4}, [][]float64{{2}}, Effort{Screen: 600}); err != nil {
			t.Fatal(err)
		}
		return asked
	}
	kept := flat{loss: -1}
	none, one, two := count(), count(kept), count(kept, kept)
	if none-one < 250 || none-one > 350 || one-two < 50 || one-two > 150 {
		t.Errorf("the loss is looked at %d times under no constraint, %d under one and %d under two", none, one, two)
	}
}

// What cannot be told is told so: a search under constraints that have no value anywhere, and one that none can keep.
func TestConstraintsThatNoneKeeps(t *testing.T) {
	within := set.Interval{Lower: 0, Upper: 4}
	_, err := Constrain(context.Background(), bowl{1, 1}, []Function{flat{err: errNoValue}}, within, [][]float64{{2}}, Effort{})
	if !errors.Is(err, errNoValue) {
		t.Errorf("without a value: %v", err)
	}
	_, err = Constrain(context.Background(), bowl{1, 1}, []Function{atLeast(5)}, within, [][]float64{{2}}, Effort{})
	var missed *kedge.NotConvergedError
	if !errors.As(err, &missed) || missed.What != "a decision that keeps the constraints" || missed.Tolerance != kept || !(missed.Residual > 0) || missed.Steps == 0 {
		t.Errorf("at least 5 of up to 4: %+v", err)
	}
}

// By hand: a field that stands still along an axis has the eigenvalue 0 there and draws nobody in, wherever differences round to; one that is weak there does.
func TestAFlatAxisDrawsNobodyIn(t *testing.T) {
	for i := range 20 {
		at := (float64(i) - 9.3) / 10
		for _, weak := range []float64{0, 1e-4, -1e-4} {
			field := func(g, u []float64) (float64, error) { // the first decision is held by the rim, which counts as a large eigenvalue
				g[0], g[1] = 1, weak*(u[1]-at)
				return u[0] + weak*(u[1]-at)*(u[1]-at)/2, nil
			}
			list, err := Rests(context.Background(), field, set.Box{Lower: []float64{-1, -1}, Upper: []float64{1, 1}}, []float64{0.5, at}, Effort{Starts: 1})
			if err != nil || len(list) == 0 {
				t.Fatalf("%v, %v", list, err)
			}
			if r := list[0]; len(r.Eigenvalues) != 2 || r.Attracting != (weak > 0) || weak == 0 && r.Eigenvalues[0][0] != 0 || weak < 0 && !(r.Eigenvalues[0][0] < 0) {
				t.Errorf("%v along the axis, at %v: %+v", weak, at, r)
			}
		}
	}
}
