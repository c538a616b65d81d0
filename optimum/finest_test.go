package optimum

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/objective"
	"github.com/kedge-opt/kedge/sensitivity"
	"github.com/kedge-opt/kedge/set"
)

// terrace has a kink of 2 at 0 and a plain of 0 above 4.
var terrace = plainly(func(g, u []float64) (float64, error) {
	if g[0] = math.Copysign(1, u[0]); u[0] > 4 {
		g[0] = 0
		return 0, nil
	}
	return 2 + math.Abs(u[0]), nil
})

// By hand, under u₀ ≥ −9, which holds everywhere here: the only walk ended at the kink, stuck, so that the lowest of what was looked at is tried by its values, whatever loss it had in other units. From 3.95 a
// tenth leads down to the plain.
func TestWhoIsStuckUnderConstraintsLooksAgain(t *testing.T) {
	s := line()
	s.land, s.Effort = overSet(terrace, set.Interval{Lower: -10, Upper: 10}, 1), Effort{}.filled(1)
	s.extent = &extent{lower: []float64{-10}, upper: []float64{10}, from: []float64{0}}
	s.land.most = 20_000
	a := newAugmented(s.land, []Function{atLeast(-9)})
	s.screened = []place{{u: []float64{-6}, loss: -50, steepest: 1}, {u: []float64{3.95}, loss: -100, steepest: 1}}
	c := &confined{searcher: s, augmented: a}
	c.ends = []*settled{{place: place{u: []float64{0}, loss: 2, residual: 1, steepest: 1}, multipliers: []float64{0}, over: []float64{-9}, excess: -9}}
	if best := c.finest(); best == nil || best.loss != 0 || !(best.u[0] > 4) {
		t.Errorf("the best is %+v", best)
	}
	c.ends = nil // none ended where the constraints are kept
	if best := c.finest(); best == nil || best.loss != 0 {
		t.Errorf("without ends the best is %+v", best)
	}
}

// By hand: at 0, where the loss is lowest, 5·10⁻⁸ + u²(4 − u) ≤ 0 is missed by five times what counts as kept, and nothing nearby mends that. So a walk that ends there is at rest, and not stuck; what was looked at in the other hollow,
// where the constraint is kept, is tried all the same, and leads to its lowest point 6.
func TestWhoRestsWhereNothingIsKeptLooksAgain(t *testing.T) {
	hollows := plainly(func(g, u []float64) (float64, error) {
		near, far := u[0]*u[0]/2, 1+(u[0]-6)*(u[0]-6)/2
		if g[0] = u[0]; far < near {
			g[0] = u[0] - 6
		}
		return min(near, far), nil
	})
	s := line()
	s.land, s.Effort = overSet(hollows, set.Interval{Lower: -10, Upper: 10}, 1), Effort{}.filled(1)
	s.extent = &extent{lower: []float64{-10}, upper: []float64{10}, from: []float64{0}}
	s.land.most = 20_000
	a := newAugmented(s.land, []Function{plainly(func(g, u []float64) (float64, error) {
		g[0] = u[0] * (8 - 3*u[0])
		return 5e-8 + u[0]*u[0]*(4-u[0]), nil
	})})
	s.screened = []place{{u: []float64{5}, loss: 1.5, steepest: 1}}
	c := &confined{searcher: s, augmented: a}
	c.ends = []*settled{{place: place{u: []float64{0}, residual: 5e-8, steepest: 1}, multipliers: []float64{0}, over: []float64{5e-8}, excess: 5e-8}}
	if best := c.finest(); best == nil || !(math.Abs(best.u[0]-6) <= 1e-6) || !(math.Abs(best.loss-1) <= 1e-9) {
		t.Errorf("the best is %+v", best)
	}
}

// By hand: a little and u² are together at most 0 nowhere. Of all values from 0 to 1 most are within ¼, the unit, so that at 0 it is four times the little that is missed. Whether that is roughly nothing, up to 10⁻⁷, or more, it is told.
func TestWhatIsHardlyMissedIsTold(t *testing.T) {
	for _, little := range []float64{1e-8, 2e-8, 4e-8} {
		missed := plainly(func(g, u []float64) (float64, error) {
			g[0] = 2 * u[0]
			return little + u[0]*u[0], nil
		})
		p, err := Constrain(context.Background(), bowl{1, 0}, []Function{missed}, set.Interval{Lower: -1, Upper: 1}, [][]float64{{0.5}}, Effort{})
		var not *kedge.NotConvergedError
		if !errors.As(err, &not) || !(math.Abs(not.Residual-4*little) <= 1e-9) || not.Tolerance != 1e-8 || not.Steps < 1 {
			t.Errorf("%v: %+v, %v", little, p, err)
		}
	}
}

// By hand, of u ≥ 2: of ends that keep it roughly the one that is nearest is told, the first of two that are as near; of others the one that was remembered.
func TestNothingKeptIsTold(t *testing.T) {
	end := func(u float64, steps int) *settled {
		return &settled{place: place{u: []float64{u}, steps: steps}, excess: 2 - u}
	}
	for name, x := range map[string]struct {
		ends   []*settled
		missed *settled
		far    float64
		steps  int
	}{
		"several": {[]*settled{end(2-0x1p-24, 4), end(2-0x1p-25, 5), end(2-0x1p-25, 6)}, end(1.5, 7), 0x1p-25, 5}, "one": {[]*settled{end(2-0x1p-24, 4)}, nil, 0x1p-24, 4},
		"other": {nil, end(1.5, 7), 0.5, 7}, "kept at first": {[]*settled{end(3, 8)}, nil, 0, 8},
	} {
		c := &confined{augmented: heldAbove(), ends: x.ends, missed: x.missed}
		var not *kedge.NotConvergedError
		if err := c.nothingKept(); !errors.As(err, &not) || not.Residual != x.far || not.Steps != x.steps {
			t.Errorf("%s: %v, want %v after %d", name, err, x.far, x.steps)
		}
	}
	c := &confined{searcher: line(), augmented: heldAbove()}
	if err := c.nothingKept(); err == nil || err.Error() != "optimum: the constraints have no value at any start" {
		t.Errorf("without an end: %v", err)
	}
	if c.land.refused = errNoValue; c.nothingKept() != errNoValue {
		t.Errorf("without an end and with a cause: %v", c.nothingKept())
	}
}

// Of two answers to the same conditions the one that meets them better stays, unless it met those of a smoothed form.
func TestSettledEndsStay(t *testing.T) {
	for name, x := range map[string]struct {
		constraint Function
		stays      bool
	}{"as it is": {atLeast(2), true}, "smoothed": {evened{}, false}} {
		s := line()
		s.land, s.Effort = overSet(bowl{1, 0}, set.Interval{Lower: -10, Upper: 10}, 1), Effort{}.filled(1)
		s.land.most = 20_000
		c := &confined{searcher: s, augmented: newAugmented(s.land, []Function{x.constraint})}
		p := &settled{place: place{u: []float64{2}, loss: 2, residual: 0, steepest: 2}, multipliers: []float64{2}, over: []float64{0}}
		got := c.settle(p)
		if (got == p) != x.stays || !(math.Abs(got.u[0]-2) <= 1e-6) || c.augmented.sharp {
			t.Errorf("%s: settles at %+v", name, got)
		}
	}
}

// An end at which no conditions hold is first walked from along the exact penalty, to the kink at 2. What the conditions then say of it counts, although it is higher by rounding: it has no kink, and 2 for a multiplier.
func TestEndsAreSettledByConditions(t *testing.T) {
	s := line()
	s.land, s.Effort = overSet(bowl{1, 0}, set.Interval{Lower: -10, Upper: 10}, 1), Effort{}.filled(1)
	s.extent = &extent{lower: []float64{-10}, upper: []float64{10}, from: []float64{0}}
	s.land.most = 20_000
	c := &confined{searcher: s, augmented: newAugmented(s.land, []Function{atLeast(2)})}
	got := c.settle(&settled{place: place{u: []float64{3}, loss: 4.5, residual: 3, steepest: 3}, multipliers: []float64{0}, over: []float64{-1}})
	if got.kink || got.radius != 0 || !(got.residual <= 1e-9) || !(math.Abs(got.multipliers[0]-2) <= 1e-6) || !(math.Abs(got.u[0]-2) <= 1e-9) {
		t.Errorf("settles at %+v", got)
	}
}

// Where the start cannot be judged there is no fence.
func TestFencesNeedValues(t *testing.T) {
	for name, x := range map[string]struct {
		set kedge.Set
		c   Function
	}{"no value": {set.Whole{}, flat{err: errNoValue}}, "no projection": {walled{}, atLeast(2)}} {
		l := overSet(bowl{1, 0}, x.set, 1)
		if l.fence(newAugmented(l, []Function{atLeast(3), x.c}), []float64{0}); l.beyond != nil {
			t.Errorf("%s: there is a fence, %v away", name, l.lack)
		}
	}
	l := overSet(bowl{1, 0}, set.Whole{}, 1)
	l.fence(newAugmented(l, []Function{atLeast(3), plainly(func(g, u []float64) (float64, error) {
		if g[0] = 4; u[0] > 5 {
			return 0, errNoValue
		}
		return 4 * (u[0] + 2), nil
	})}), []float64{0})
	is(t, "how far the start is from 3, and by a slope of 4 from −2", l.lack, 3)
	level := overSet(bowl{1, 0}, set.Whole{}, 1)
	level.fence(newAugmented(level, []Function{plainly(func(g, _ []float64) (float64, error) { g[0] = 0; return 1, nil })}), []float64{0})
	is(t, "how far it is where no slope tells", level.lack, 0)
	for u, want := range map[float64]bool{0: false, -0.5: true, 0.5: true, 6: true} { // where either is worse than at 0, or has no value
		if l.beyond([]float64{u}) != want {
			t.Errorf("%v is beyond: %v", u, !want)
		}
	}
}

// hazy cannot be projected onto from afar.
type hazy struct{ set.Interval }

func (h hazy) Project(u []float64) error {
	if math.Abs(u[0]) > 1e6 {
		return errNoValue
	}
	return h.Interval.Project(u)
}

// A set that answers from nearby alone is asked from there.
func TestSetsAreAskedFromNearby(t *testing.T) {
	l := overSet(bowl{1, 0}, hazy{set.Interval{Lower: -3, Upper: 8}}, 1)
	is(t, "the upper end", l.reach([]float64{1}, 0, 1), 8)
	is(t, "the lower end", l.reach([]float64{1}, 0, -1), -3)
	is(t, "where it cannot be told", overSet(bowl{1, 0}, walled{}, 1).reach([]float64{1}, 0, 1), 1)
}

// By hand: of three ends one is at the best, one elsewhere and one behind a wall, of four points seen with losses from 1 to 7.
func TestReportsOfPoints(t *testing.T) {
	best, other := &spot{u: []float64{1}, loss: 1, over: []float64{-2}, residual: 1e-9, steps: 3, missed: 0.25}, &spot{u: []float64{2}, loss: 4, steps: 5}
	wall, high := &spot{u: []float64{3}, loss: math.Inf(1)}, &spot{u: []float64{4}, loss: 7}
	g := &gaps{seen: []*spot{other, best, wall, high}}
	out := g.report(best, []*spot{other, best, wall}, 9)
	if out.Decision[0] != 1 || out.Loss != 1 || out.Residual != 1e-9 || out.Residue != 1e-9 || out.All != 9 || out.Walls != 1 || out.Here != 1 || out.Basins != 2 || out.Steps != 4 || out.Range != 6 || out.Excess[0] != -2 {
		t.Errorf("%+v", out)
	}
	if len(out.Found) != 2 || out.Found[0].Decision[0] != 2 || out.Found[0].Loss != 4 || out.Found[0].Steps != 5 || out.Found[1].Loss != 1 {
		t.Errorf("found %+v", out.Found)
	}
	is(t, "the chance of another", out.Missed, missed(2, 2))
	all := g.report(best, g.seen, 0)
	is(t, "the chance in a slice", all.Missed, 0.25)
	if out.Decision[0] = 5; best.u[0] != 1 {
		t.Error("the report shares its decision")
	}
}

// stopping ends a context at a look.
type stopping struct {
	Function
	looks, at int
	stop      func()
}

func (s *stopping) Gradient(g, u []float64) (float64, error) {
	if s.looks++; s.looks == s.at {
		s.stop()
	}
	return s.Function.Gradient(g, u)
}

// stopped is a game that does.
type stopped struct {
	tug
	looks *stopping
}

func (s stopped) Field(g, u []float64) (float64, error) {
	_, _ = s.looks.Gradient(make([]float64, 2), u)
	return s.tug.Field(g, u)
}

func (s stopped) Reply(j int, u []float64) Function {
	f := s.tug.Reply(j, u)
	return plainly(func(g, x []float64) (float64, error) {
		_, _ = s.looks.Gradient(make([]float64, 1), x)
		return f.Gradient(g, x)
	})
}

// Whenever a context ends, at any look of a search but its last few, the search says so.
func TestSearchesStopAnywhere(t *testing.T) {
	one, both := set.Interval{Lower: -10, Upper: 10}, set.Box{Lower: []float64{-10, -10}, Upper: []float64{10, 10}}
	start := [][]float64{{1, 1}}
	for name, ask := range map[string]func(ctx context.Context, f *stopping) error{
		"Find": func(ctx context.Context, f *stopping) error {
			_, err := Find(ctx, f, both, start, Effort{Starts: 3})
			return err
		},
		"Minimize": func(ctx context.Context, f *stopping) error {
			_, err := Minimize(ctx, f, both, start[0], Effort{})
			return err
		},
		"Constrain": func(ctx context.Context, f *stopping) error {
			_, err := Constrain(ctx, f, []Function{atLeast(2)}, both, start, Effort{Starts: 2})
			return err
		},
		"Rests": func(ctx context.Context, f *stopping) error {
			_, err := Rests(ctx, f.Gradient, both, start[0], Effort{})
			return err
		},
		"whole numbers": func(ctx context.Context, f *stopping) error {
			_, err := Find(ctx, f, set.Lattice{Lower: []float64{-9, -9}, Upper: []float64{9, 9}}, start, Effort{})
			return err
		},
		"some whole numbers": func(ctx context.Context, f *stopping) error {
			_, err := Find(ctx, f, set.Lattice{Lower: []float64{-2, -2}, Upper: []float64{2, 2}, Whole: []bool{true, false}}, start, Effort{})
			return err
		},
		"Equilibria": func(ctx context.Context, f *stopping) error {
			_, err := Equilibria[Function](ctx, stopped{tug{a: 0.5, c0: 1, c1: 2}, f}, []kedge.Set{one, one}, both, start[0], Effort{})
			return err
		},
		"Shared": func(ctx context.Context, f *stopping) error {
			_, err := Shared[Function](ctx, stopped{tug{a: 0.5, c0: 1, c1: 2}, f}, []Function{atLeast(4)}, []kedge.Set{one, one}, both, start[0], Effort{})
			return err
		},
	} {
		whole := &stopping{Function: bowl{1, 0.25}}
		if err := ask(context.Background(), whole); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		last := whole.looks * 8 / 10
		at := []int{1, 2, 3, last}
		for k := range 6 {
			at = append(at, 1+k*last/6)
		}
		for _, k := range slices.Compact(slices.Sorted(slices.Values(at))) {
			ctx, stop := context.WithCancel(context.Background())
			f := &stopping{Function: bowl{1, 0.25}, at: k, stop: stop}
			if err := ask(ctx, f); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, stopped at look %d of %d: %v", name, k, whole.looks, err)
			}
			if more := f.looks - k; more > 400 {
				t.Errorf("%s, stopped at look %d of %d, takes %d more", name, k, whole.looks, more)
			}
			stop()
		}
	}
}

// By hand: only the first of two players has a say in u₀ ≥ 4, which binds: with u₀ = 4 the second replies 4, and the slope 4 − 2 − 1 of the first is what the multiplier presses.
func TestSharedConstraintsThatOneAloneKeeps(t *testing.T) {
	one, both := set.Interval{Lower: -10, Upper: 10}, set.Box{Lower: []float64{-10, -10}, Upper: []float64{10, 10}}
	list, err := Shared[Function](context.Background(), tug{a: 0.5, c0: 1, c1: 2}, []Function{atLeast(4)}, []kedge.Set{one, one}, both, []float64{1, 1}, Effort{})
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if e := list[0]; !(math.Abs(e.Decision[0]-4) <= 1e-7) || !(math.Abs(e.Decision[1]-4) <= 1e-7) || !(math.Abs(e.Multipliers[0]-1) <= 1e-6) || !e.Nash {
		t.Errorf("%+v", e)
	}
}

// Decisions of up to 16 entries are looked around, at three distances on both sides of each, longer ones not; those of up to 64 are polled.
func TestLongDecisionsAreNotLookedAround(t *testing.T) {
	for n, want := range map[int]int{1: 6, 16: 96, 17: 0} {
		l := overSet(bowl{1, 0}, set.Whole{}, n)
		if l.glance(place{u: make([]float64, n)}); l.evaluations != want {
			t.Errorf("%d entries: %d looks, want %d", n, l.evaluations, want)
		}
	}
	for n, polled := range map[int]bool{64: true, 65: false} {
		l := overSet(bowl{1, 0}, set.Whole{}, n)
		l.most = 200
		if l.poll(place{u: make([]float64, n)}, 1); (l.evaluations > 0) != polled {
			t.Errorf("%d entries: %d looks", n, l.evaluations)
		}
	}
}

// failing is a sensitivity that fails at one call.
type failing struct {
	kedge.Sensitivity
	calls, at int
}

func (f *failing) PullRows(gu, p, u, d, v []float64) error {
	if f.calls++; f.calls == f.at {
		return errNoValue
	}
	return f.Sensitivity.PullRows(gu, p, u, d, v)
}

// Whenever a gradient fails, how much an optimum owes to a sample is not told.
func TestSamplingFailsWithAnyGradient(t *testing.T) {
	dim := kedge.Dims{Decision: 2, State: 2, Trait: 2}
	f, err := dynamics.NewAffine(dim, []float64{0.5, 0.25, 0, 0.5}, []float64{0.5, 0, 0.25, 0.5}, []float64{0.5, 0, 0, 0.5})
	if err != nil {
		t.Fatal(err)
	}
	phi, err := objective.NewQuadratic(dim, []float64{2, 0, 0, 2}, []float64{1, 0, 0, 1}, []float64{1, 0, 0, 1}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(at int) (int, error) {
		s := &failing{Sensitivity: &sensitivity.Implicit{Dynamics: f}, at: at}
		m := kedge.Model{Dynamics: f, Settler: f, Objective: phi, Traits: kedge.Block{Data: []float64{2, -0.5, 2, -1.5, 0, -0.5}, Width: 2}, Sensitivity: s}
		_, err := SamplingOf(context.Background(), m, set.Ball{Radius: 9}, []float64{1, -1})
		return s.calls, err
	}
	calls, err := ask(0)
	if err != nil || calls < 1+3+4 { // one of all, one of everybody, and two for every entry
		t.Fatalf("%d calls, %v", calls, err)
	}
	for at := range calls {
		if _, err := ask(at + 1); !errors.Is(err, errNoValue) {
			t.Errorf("failing at call %d of %d: %v", at+1, calls, err)
		}
	}
}

// Errors of up to 64 entries are worked out.
func TestSamplingOfLongDecisions(t *testing.T) {
	m := kedge.Model{Traits: kedge.Block{Data: []float64{1, 2}, Width: 1}, Sensitivity: &failing{}}
	for n, want := range map[int]bool{64: false, 65: true} {
		if _, err := SamplingOf(context.Background(), m, set.Whole{}, make([]float64, n)); err == nil || (err.Error() == "the decision has too many entries") != want {
			t.Errorf("%d entries: %v", n, err)
		}
	}
}
