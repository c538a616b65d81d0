package optimum

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/dynamics"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/set"
)

// By hand: the field k(u − c) changes by k for every 1, so that steps of 1/k lead to c. Where it never changes they are 1, and where it ends nearby a tenth.
func TestFirstStepsAreAsLongAsTheFieldIsSteady(t *testing.T) {
	ends := plainly(func(g, u []float64) (float64, error) {
		if g[0] = -1; u[0] > 0.5 {
			return 0, errNoValue
		}
		return 0, nil
	})
	for _, x := range []struct {
		name string
		f    Function
		u    float64
		want float64
	}{
		{"steep", bowl{4, 1}, 4, 0.25}, {"a step of one", bowl{2, 0}, 0.5, 0.5}, {"a change of one", bowl{0.5, 0}, 4, 2}, {"at rest", bowl{4, 1}, 1, 1},
		{"the same everywhere", flat{slope: 2}, 3, 1}, {"ends nearby", ends, 0, 0.1},
	} {
		r := &resting{land: overSet(x.f, set.Whole{}, 1), g: make([]float64, 1)}
		got, err := r.stepSize([]float64{x.u})
		if err != nil {
			t.Errorf("%s: %v", x.name, err)
		}
		is(t, x.name+": the step", got, x.want)
	}
	r := &resting{land: overSet(flat{err: errNoValue}, set.Whole{}, 1), g: make([]float64, 1)}
	if _, err := r.stepSize([]float64{1}); !errors.Is(err, errNoValue) {
		t.Errorf("where there is no field: %v", err)
	}
}

// valley is narrow along u₁ = side·u₀ and lowest at u₀ = low.
type valley struct{ side, low float64 }

func (v valley) Gradient(g, u []float64) (float64, error) {
	off, far := u[1]-v.side*u[0], u[0]-v.low
	g[0], g[1] = -200*v.side*off+2*far, 200*off
	return 100*off*off + far*far, nil
}

func over(f Function, l set.Lattice, from ...float64) *gaps {
	g := &gaps{ctx: context.Background(), f: f, of: l, lattice: l, from: from, known: map[string]*spot{}}
	for i := range from {
		g.whole = append(g.whole, i)
	}
	return g
}

// By hand: a valley across two entries is gone along by steps of one of both at once, never out of the lattice; longer steps are of one entry.
func TestStepsOfTwoWholeNumbers(t *testing.T) {
	wide := set.Lattice{Lower: []float64{-9, -9}, Upper: []float64{9, 9}}
	for _, x := range []struct {
		f    valley
		next []float64
		end  []float64
	}{
		{valley{1, 7}, []float64{1, 1}, []float64{7, 7}}, {valley{1, -7}, []float64{-1, -1}, []float64{-7, -7}},
		{valley{-1, 7}, []float64{1, -1}, []float64{7, -7}}, {valley{-1, -7}, []float64{-1, 1}, []float64{-7, 7}},
	} {
		g := over(x.f, wide, 0, 0)
		at := g.look([]float64{0, 0})
		if got := g.around(at, 1); !slices.Equal(got.u, x.next) {
			t.Errorf("%+v: a step leads to %v, want %v", x.f, got.u, x.next)
		}
		if got := g.around(at, 2); got != at {
			t.Errorf("%+v: a step of two leads to %v", x.f, got.u)
		}
		if got := g.descend([]float64{0, 0}); !slices.Equal(got.u, x.end) {
			t.Errorf("%+v: ends at %v, want %v", x.f, got.u, x.end)
		}
	}
	narrow := over(valley{1, 7}, set.Lattice{Lower: []float64{0, 0}, Upper: []float64{0, 9}}, 0, 0)
	if got := narrow.around(narrow.look([]float64{0, 0}), 1); !slices.Equal(got.u, []float64{0, 0}) {
		t.Errorf("out of the lattice to %v", got.u)
	}
	single := over(sloped{-1}, set.Lattice{Lower: []float64{0}, Upper: []float64{9}}, 0)
	if got := single.around(single.look([]float64{0}), 4); got.u[0] != 4 {
		t.Errorf("a step of four leads to %v", got.u)
	}
}

// Who goes on for ever looks at so many points, and goes as far as the longest step leads: a quarter of 2·64, by hand.
func TestDescentsEnd(t *testing.T) {
	g := over(sloped{-1}, set.Lattice{Lower: []float64{-1e12}, Upper: []float64{1e12}}, 0)
	if got := g.descend([]float64{0}); len(g.seen) < aloneWork || len(g.seen) > aloneWork+4 || got.u[0] != 32*float64(len(g.seen)-2) {
		t.Errorf("ends at %v after %d looks", got.u, len(g.seen))
	}
	many := make([]float64, mostPaired+1)
	far := slices.Repeat([]float64{9}, len(many))
	for n, pairs := range map[int]int{mostPaired: mostPaired * (mostPaired - 1) / 2, mostPaired + 1: 0} { // of two entries that grow both
		g := over(sloped(far[:n]), set.Lattice{Lower: many[:n], Upper: far[:n]}, many[:n]...)
		if g.around(g.look(many[:n]), 1); len(g.seen) != 1+n+pairs {
			t.Errorf("%d entries: %d points are looked at, want %d", n, len(g.seen), 1+n+pairs)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if g.ctx = ctx; g.descend([]float64{5}).u[0] != 5 {
		t.Error("goes on after its context has ended")
	}
}

// By hand: at the bound 2 of u ≥ 2 the slope 2 leads out of the set, so nothing is left to do; seen from a set that ends above, 1 is left.
func TestConditionsAreJudgedAlongTheSet(t *testing.T) {
	for name, x := range map[string]struct {
		set  kedge.Set
		want float64
	}{"held": {set.Interval{Lower: 2, Upper: 9}, 0}, "free for one": {set.Interval{Lower: 1, Upper: 2}, 1}, "free": {set.Whole{}, 2}, "nowhere": {walled{}, math.Inf(1)}} {
		a := newAugmented(overSet(bowl{1, 0}, x.set, 1), []Function{atLeast(0)})
		a.penalty = 10
		is(t, name+": the residual", a.judge([]float64{2}, 1).residual, x.want)
	}
}

// What people cannot be asked is told.
func TestSamplingTellsErrors(t *testing.T) {
	f, err := dynamics.NewAffine(kedge.Dims{Decision: 1, State: 1, Trait: 1}, []float64{0.5}, []float64{0}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	m := kedge.Model{Dynamics: f, Traits: kedge.Block{Data: []float64{1, 2}, Width: 1}}
	if spread, err := scatterOf(context.Background(), m, []float64{1}); err == nil {
		t.Errorf("without a loss: %v", spread)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := scatterOf(ctx, m, []float64{1}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// The shortest mean among many vectors is shorter than every other, by the condition for it: mean·v ≥ |mean|² for all vectors v.
func TestSmallestMeansOfMany(t *testing.T) {
	for n := 2; n <= 5; n++ {
		var list [][]float64
		for k := range 12 {
			v := even(n, k)
			for i := range v {
				v[i] += 0.3 * float64(i%2)
			}
			list = append(list, v)
		}
		mean, shares := smallestMean(list, nil)
		again, sum := make([]float64, n), 0.0
		for k, v := range list {
			if rows.AddScaled(again, shares[k], v); shares[k] < 0 || rows.Dot(mean, v) < rows.Dot(mean, mean)-1e-12 {
				t.Errorf("%d entries: vector %d with the share %v is nearer to zero than the mean %v", n, k, shares[k], mean)
			}
			sum += shares[k]
		}
		is(t, "the shares together", sum, 1)
		if rows.Distance(again, mean) > 1e-12 {
			t.Errorf("%d entries: the shares give %v, not %v", n, again, mean)
		}
	}
}

// By hand: the length of a set that is 20 wide is the power of two below half of that, and gradients of up to 30 there are measured by 16. What is a point, or flat, has units of 1; what has no
// end has the length over which the field changes, which for a bowl 100 away is 256.
func TestUnitsOfFields(t *testing.T) {
	for _, x := range []struct {
		name                        string
		f                           Function
		set                         kedge.Set
		start, length, slope, upper float64
	}{
		{"interval", bowl{3, 0}, set.Interval{Lower: -10, Upper: 10}, 4, 8, 16, 1.25}, {"point", bowl{3, 0}, set.Interval{Lower: 3, Upper: 3}, 3, 1, 8, 3}, {"flat", flat{}, set.Interval{Lower: -10, Upper: 10}, 4, 8, 1, 1.25},
		{"space", bowl{1, 100}, set.Whole{}, 0, 256, 131072, math.Inf(1)}, {"half a space", bowl{1, 100}, set.Box{Lower: []float64{0}}, 0, 256, 65536, math.Inf(1)},
	} {
		l := overSet(x.f, x.set, 1)
		e, err := l.surveyField([]float64{x.start})
		if err != nil {
			t.Fatal(x.name, err)
		}
		is(t, x.name+": the length", l.length, x.length)
		is(t, x.name+": the start in it", e.from[0], x.start/x.length)
		is(t, x.name+": the upper end in it", e.upper[0], x.upper)
		if x.name == "interval" || x.name == "point" || x.name == "flat" {
			is(t, x.name+": the unit of slopes", l.slope, x.slope)
		}
	}
	if _, err := overSet(flat{err: errNoValue}, set.Whole{}, 1).surveyField([]float64{0}); !errors.Is(err, errNoValue) {
		t.Errorf("where there is no field: %v", err)
	}
}

// By hand: along a field that leads on, each step is half as long again as the one before, from a twentieth on and up to a million; one after which the field leads back is halved until it does not, or until it is shorter than 10⁻⁹.
func TestFieldsAreFollowedInGrowingSteps(t *testing.T) {
	whole := set.Whole{}
	alone := func(by func(u float64) float64) func(g, u []float64) error {
		return func(g, u []float64) error {
			g[0] = by(u[0])
			return nil
		}
	}
	for _, x := range []struct {
		name  string
		field func(g, u []float64) error
		start []float64
		steps int
		looks []float64 // the first entries of where the field is asked, two a step
	}{
		{"leads on", alone(func(float64) float64 { return -1 }), []float64{0}, 3, []float64{0, 0.05, 0.05, 0.125, 0.125, 0.2375}},
		{"leads on and grows", alone(func(u float64) float64 { return -u }), []float64{1}, 2, []float64{1, 1.05, 1.05, 1.05 + 0.075*1.05}},
		{"leads back", alone(func(u float64) float64 { return 50 * u }), []float64{1}, 4, []float64{1, -1.5, 1, -0.25, 1, 0.375, 0.375, 0.0234375}},
		{"leads aside, and less far", func(g, u []float64) error {
			g[0], g[1] = 18*u[0], u[1]
			return nil
		}, []float64{1, 1}, 2, []float64{1, 0.1, 0.1, -0.035}},
		{"ends", func(g, u []float64) error {
			if g[0] = -1; u[0] > 0.06 {
				return errNoValue
			}
			return nil
		}, []float64{0}, 4, []float64{0, 0.05, 0.05, 0.125, 0.05, 0.06875, 0.05, 0.0546875}}, // a fourth as far
	} {
		var looks []float64
		l := overSet(plainly(func(g, u []float64) (float64, error) {
			looks = append(looks, u[0])
			return 0, x.field(g, u)
		}), whole, len(x.start))
		r := &resting{land: l, effort: Effort{MaxSteps: x.steps}.filled(1), g: make([]float64, len(x.start))}
		if p, ok := r.follow(x.start); ok {
			t.Errorf("%s: comes to rest at %v", x.name, p.Decision)
		}
		if !slices.EqualFunc(looks, x.looks, func(a, b float64) bool { return math.Abs(a-b) <= 1e-12 }) {
			t.Errorf("%s: asked at %v, want %v", x.name, looks, x.looks)
		}
	}
	var looks []float64
	on := &resting{land: overSet(plainly(func(g, u []float64) (float64, error) {
		looks = append(looks, u[0])
		g[0] = -1
		return 0, nil
	}), whole, 1), effort: Effort{MaxSteps: 60}.filled(1), g: make([]float64, 1)}
	on.follow([]float64{0})
	is(t, "the longest step", looks[119]-looks[118], 1e6)
	looks = nil
	edge := &resting{land: overSet(plainly(func(g, u []float64) (float64, error) {
		looks = append(looks, u[0])
		g[0] = math.Copysign(1, u[0])
		return 0, nil
	}), whole, 1), effort: Effort{MaxSteps: 40}.filled(1), g: make([]float64, 1)}
	edge.follow([]float64{0})
	last := len(looks) - 1
	is(t, "the shortest step, in 10⁻⁹", 1e9*math.Abs(looks[last]-looks[last-1]), 1e9*0x1p-26*0.05)
}

// A start that cannot be brought into the set is told, the first and any other.
func TestStartsOutOfReachAreTold(t *testing.T) {
	afar := hazy{set.Interval{Lower: -3, Upper: 8}}
	for _, x := range []struct {
		starts [][]float64
		want   string
	}{{[][]float64{{1}, {2}}, ""}, {[][]float64{{1e7}, {1}}, "project the start: "}, {[][]float64{{1}, {1e7}}, "project a start: "}} {
		_, err := Find(context.Background(), bowl{1, 0}, afar, x.starts, Effort{})
		if (err == nil) != (x.want == "") || err != nil && (!errors.Is(err, errNoValue) || !strings.HasPrefix(err.Error(), x.want)) {
			t.Errorf("from %v: %v, want %q", x.starts, err, x.want)
		}
		_, err = Constrain(context.Background(), bowl{1, 0}, []Function{atLeast(1)}, afar, x.starts, Effort{})
		if (err == nil) != (x.want == "") || err != nil && (!errors.Is(err, errNoValue) || !strings.HasPrefix(err.Error(), x.want)) {
			t.Errorf("under a constraint, from %v: %v, want %q", x.starts, err, x.want)
		}
	}
}

// What players cannot be asked is told.
func TestPlayersWithoutAnAnswerAreTold(t *testing.T) {
	s := tugging(atLeast(-50))
	if err := s.measure([]float64{0, 0}); err != nil {
		t.Fatal(err)
	}
	s.game = tug{a: 0.5, fails: true}
	if err := s.verify(&SharedEquilibrium{Equilibrium: Equilibrium{Point: Point{Decision: []float64{0, 0}}}}); !errors.Is(err, errNoValue) {
		t.Errorf("without losses: %v", err)
	}
	s.game = speechless{tug{a: 0.5}}
	if err := s.verify(&SharedEquilibrium{Equilibrium: Equilibrium{Point: Point{Decision: []float64{0, 0}}}}); !errors.Is(err, errNoValue) {
		t.Errorf("without replies: %v", err)
	}
	s.game = fieldless{tug{a: 0.5}}
	if _, err := s.pressed(make([]float64, 2), []float64{1, 3}); !errors.Is(err, errNoValue) {
		t.Errorf("without gradients: %v", err)
	}
	if e, err := s.balance([]float64{1, 3}); !errors.Is(err, errNoValue) {
		t.Errorf("a balance without gradients: %+v, %v", e, err)
	}
	one, both := set.Interval{Lower: -10, Upper: 10}, set.Box{Lower: []float64{-10, -10}, Upper: []float64{10, 10}}
	list, err := Shared[Function](context.Background(), tug{a: 0.5, c0: 1, c1: 2}, []Function{atLeast(-50), flat{loss: -1}}, []kedge.Set{one, one}, both, []float64{1, 1}, Effort{})
	if err == nil || !strings.HasPrefix(err.Error(), "optimum: a shared constraint does not depend on the decision") {
		t.Errorf("under a constraint without a unit: %+v, %v", list, err)
	}
}
