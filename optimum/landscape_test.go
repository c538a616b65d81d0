package optimum

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/set"
)

// bowl is ½k(u − c)² of every entry.
type bowl struct{ k, c float64 }

func (b bowl) Gradient(g, u []float64) (loss float64, err error) {
	for i, v := range u {
		g[i] = b.k * (v - b.c)
		loss += b.k * (v - b.c) * (v - b.c) / 2
	}
	return loss, nil
}

var errNoValue = errors.New("no value")

// flat is a function that always gives the same.
type flat struct {
	loss, slope float64
	err         error
}

func (f flat) Gradient(g, _ []float64) (float64, error) {
	for i := range g {
		g[i] = f.slope
	}
	return f.loss, f.err
}

// over is a landscape of a function over a set.
func overSet(f Function, s kedge.Set, n int) *landscape {
	return newLandscape(context.Background(), f, s, n)
}

func is(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(got == want || !math.IsInf(want, 0) && math.Abs(got-want) <= 1e-13*max(1, math.Abs(want))) {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// By hand, in units of 4 and 2: what is 1 here is 4 there, where ½u² is 8 with the slope 4; that is 8/(4·2) with the slope 4/2 here.
func TestUnitsOfALandscape(t *testing.T) {
	l := overSet(bowl{1, 0}, set.Whole{}, 1)
	l.length, l.slope = 4, 2
	g := make([]float64, 1)
	is(t, "loss", l.eval(g, []float64{1}), 1)
	is(t, "slope", g[0], 2)
	is(t, "height", l.height([]float64{1}), 1)
	v, err := l.inward([]float64{8})
	if err != nil {
		t.Fatal(err)
	}
	is(t, "8 in own units", v[0], 2)
	is(t, "2 in the user's units", l.outward([]float64{2})[0], 8)
	p := l.point(place{u: []float64{1}, loss: 1, residual: 0.5, steepest: 5, steps: 7})
	is(t, "decision", p.Decision[0], 4)
	is(t, "loss of the point", p.Loss, 8)
	is(t, "residual, of the smaller of 5 and 1", p.Residual, 0.5)
	is(t, "steps", float64(p.Steps), 7)
	if l.evaluations != 2 || l.over() {
		t.Errorf("%d evaluations, over: %v", l.evaluations, l.over())
	}
	l.most = 2
	if !l.over() || l.left() != 1 {
		t.Errorf("after 2 of 2 evaluations %d are left, over: %v", l.left(), l.over())
	}
	if l.most = 5; l.over() || l.left() != 3 {
		t.Errorf("after 2 of 5 evaluations %d are left, over: %v", l.left(), l.over())
	}
}

// Where a function fails, or is no number, it has no value, and the first reason is kept: unless the context has ended, which is reason enough.
func TestWhereThereIsNoValue(t *testing.T) {
	nan := math.NaN()
	for name, f := range map[string]flat{"fails": {0, 0, errNoValue}, "is NaN": {nan, 0, nil}, "has a slope of NaN": {0, nan, nil}, "has no end of a slope": {0, math.Inf(1), nil}, "fails and is no number": {nan, nan, errNoValue}} {
		l := overSet(f, set.Whole{}, 1)
		if loss := l.eval(make([]float64, 1), []float64{0}); !math.IsInf(loss, 1) || l.refused == nil || f.err != nil && !errors.Is(l.refused, f.err) {
			t.Errorf("what %s has the loss %v, refused for %v", name, loss, l.refused)
		}
		end := l.descend([]float64{0}, 0, 1e-9, 100)
		if !math.IsInf(end.loss, 1) || !math.IsInf(end.residual, 1) || end.steps != 1 {
			t.Errorf("what %s ends at %+v", name, end)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	l := newLandscape(ctx, flat{err: errNoValue}, set.Whole{}, 1)
	if l.eval(make([]float64, 1), []float64{0}); l.refused != nil || !l.over() {
		t.Errorf("after the end of the context: %v", l.refused)
	}
}

func TestPowersOfTwo(t *testing.T) {
	for x, want := range map[float64]float64{1: 1, 1.5: 1, 2: 2, 3.9: 2, 0.75: 0.5, 0.5: 0.5, 0: 0, -1: 0, math.Inf(1): 0} {
		is(t, "the power of two below", power(x), want)
	}
	is(t, "that below no number", power(math.NaN()), 0)
}

// By hand: within ends evenly, towards no end ever faster.
func TestSharesOfAnExtent(t *testing.T) {
	inf := math.Inf(1)
	for _, x := range []struct{ lower, upper, share, want float64 }{
		{2, 6, 0, 2}, {2, 6, 0.25, 3}, {2, 6, 1, 6}, {2, inf, 0, 2}, {2, inf, 0.51, 12}, {2, inf, 1, 502}, {-inf, 4, 1, 4}, {-inf, 4, 0.49, -6}, {-inf, 4, 0, -496},
		{-inf, inf, 0.5, 7}, {-inf, inf, 1, 507}, {-inf, inf, 0, -493},
	} {
		e := &extent{lower: []float64{x.lower}, upper: []float64{x.upper}, from: []float64{7}, step: 5}
		is(t, "a share", e.at(0, x.share), x.want)
	}
	e := &extent{lower: []float64{0, 0}, upper: []float64{10, 2}, from: []float64{4, 1}, step: 5}
	is(t, "the longest side", e.diagonal(), 8)
	if !e.bounded() || (&extent{lower: []float64{0}, upper: []float64{inf}}).bounded() || (&extent{lower: []float64{-inf}, upper: []float64{0}}).bounded() {
		t.Error("what has an end, and what has none")
	}
	from := e.from
	e.rescale(0.5)
	if !slices.Equal(e.lower, []float64{0, 0}) || !slices.Equal(e.upper, []float64{5, 1}) || !slices.Equal(e.from, []float64{2, 0.5}) || e.step != 2.5 || from[0] != 4 {
		t.Errorf("half as long: %+v, and the start is %v", e, from)
	}
}

// By hand, for one and two axes: parts of the golden ratio and of the plastic number, from ½ on [roberts2018].
func TestPointsAreSpreadEvenly(t *testing.T) {
	for _, x := range []struct {
		n, k int
		want []float64
	}{
		{1, 0, []float64{0.5 + 0.6180339887498949 - 1}}, {1, 1, []float64{0.5 + 2*0.6180339887498949 - 1}}, {2, 0, []float64{0.2548776662466927, 0.0698402909980532}}, {2, 2, []float64{0.7646329987400782, 0.2095208729941596}},
	} {
		for i, v := range even(x.n, x.k) {
			if !(math.Abs(v-x.want[i]) <= 1e-12) {
				t.Errorf("point %d of %d axes is %v, want %v", x.k, x.n, even(x.n, x.k), x.want)
			}
		}
	}
	if a, b := even(13, 0), even(13, 1); len(a) != 13 || slices.Equal(a, b) || !slices.Equal(a, even(13, 0)) {
		t.Errorf("of many axes: %v and %v", a, b)
	}
	l := overSet(bowl{1, 0}, set.Box{Lower: []float64{0, 0}, Upper: []float64{1, 1}}, 2)
	e := &extent{lower: []float64{0, 0}, upper: []float64{4, 4}, from: []float64{0, 0}}
	for k := range 2 {
		u, err := l.spread(e, k)
		if err != nil {
			t.Fatal(err)
		}
		for i, share := range even(2, k) {
			want := 4 * share
			if k == 1 { // half way to the middle
				want = (want + 2) / 2
			}
			is(t, "an entry inside of the set", u[i], min(want, 1))
		}
	}
}

// By hand: a box ends where it ends, space nowhere, and what is a point has no length.
func TestHowFarSetsGo(t *testing.T) {
	box := overSet(bowl{1, 0}, set.Box{Lower: []float64{-3, 0}, Upper: []float64{8, 0.001}}, 2)
	start := []float64{1, 0}
	is(t, "down", box.reach(start, 0, -1), -3)
	is(t, "up", box.reach(start, 0, 1), 8)
	is(t, "up a little", box.reach(start, 1, 1), 0.001)
	is(t, "not at all", box.reach(start, 1, -1), 0)
	whole := overSet(bowl{1, 0}, set.Whole{}, 1)
	for _, sign := range []float64{-1, 1} {
		if far := whole.reach([]float64{5}, 0, sign); !math.IsInf(far, int(sign)) {
			t.Errorf("space ends at %v", far)
		}
	}
	e, err := box.survey(start)
	if err != nil {
		t.Fatal(err)
	}
	is(t, "the length of what is 11 wide", box.length, 4)
	is(t, "its upper end, in that", e.upper[0], 2)
}

// By hand: ½(u − 100)² falls from 0 to 64, not to 256; of a bowl that is 1/1000 away, 1/4⁵ is the first power of four that falls by a tenth of what the slope promises. One that is 1/8 away is as high at 1/4 as it is at 0, and lower at 1/16.
func TestHowFarDownhillGoes(t *testing.T) {
	is(t, "a far bowl", overSet(bowl{1, 100}, set.Whole{}, 1).downhill([]float64{0}), 64)
	is(t, "a near bowl", overSet(bowl{1e6, 0.001}, set.Whole{}, 1).downhill([]float64{0}), math.Pow(4, -5))
	is(t, "one across a valley", overSet(bowl{1, 0.125}, set.Whole{}, 1).downhill([]float64{0}), 1./16)
	is(t, "a plain", overSet(flat{}, set.Whole{}, 1).downhill([]float64{3}), 3)
	is(t, "no value", overSet(flat{err: errNoValue}, set.Whole{}, 1).downhill([]float64{0}), 1)
	fenced := overSet(bowl{1, 100}, set.Whole{}, 1)
	fenced.beyond = func(u []float64) bool { return u[0] > 5 }
	is(t, "a bowl behind a fence", fenced.downhill([]float64{0}), 4)
}

// By hand: a bowl 100 away is another field, by a quarter, after 25, which 2⁸ is the first power of sixteen beyond; one that is 1/1000 away after 1/4000, which 2⁻⁸ is. A field that is the same all over never is, and one 64 away is after just 16.
func TestHowFarAFieldStays(t *testing.T) {
	for _, x := range []struct {
		f    Function
		at   float64
		want float64
	}{{bowl{3, 100}, 0, 256}, {bowl{1e6, 0.001}, 0, 0x1p-8}, {bowl{1, 5}, 5, 5}, {flat{slope: 2}, 3, 3}, {bowl{1, 64}, 0, 16}} {
		l, g := overSet(x.f, set.Whole{}, 1), make([]float64, 1)
		l.eval(g, []float64{x.at})
		is(t, "the length of a field", l.change(g, []float64{x.at}), x.want)
	}
}

// By hand, from the parabola −slope·t²/2(tried − loss − t·slope), within a tenth and a half of the step.
func TestStepsAreShortened(t *testing.T) {
	for _, x := range []struct{ t, loss, tried, slope, want float64 }{{1, 0, 1, -1, 0.25}, {1, 0, 10, -1, 0.5}, {1, 0, -0.5, -1, 0.5}, {2, 3, 7, -1, 2. / 6}, {1, 0, math.Inf(1), -1, 0.5}} {
		is(t, "the next step", shorten(x.t, x.loss, x.tried, x.slope), x.want)
	}
	w := &walk{}
	is(t, "steps that agree", w.spectral(1, 0.8), 1)
	w.turn = 1
	is(t, "one that is shorter", w.spectral(2, 0.9), 0.8) // the shortest of late is that before
	w.turn = 2
	is(t, "the shortest of late", w.spectral(2, 0.5), 0.5)
}

func TestWhyAPlaceIsNoAnswer(t *testing.T) {
	inf := math.Inf(1)
	good := place{u: []float64{1}, loss: 2, residual: 1e-9, steepest: 1}
	l := overSet(bowl{1, 0}, set.Whole{}, 1)
	l.length, l.slope = 4, 2
	if err := l.trouble(good); err != nil {
		t.Errorf("a good place: %v", err)
	}
	for name, p := range map[string]place{"without a loss": {u: []float64{1}, loss: inf}, "of −∞": {u: []float64{1}, loss: -inf}, "of no number": {u: []float64{1}, loss: math.NaN()}} {
		if err := l.trouble(p); err == nil {
			t.Errorf("a place %s is an answer", name)
		}
	}
	var out *Unbounded
	if err := l.trouble(place{u: []float64{-2e12}, loss: -3, steepest: 1}); !errors.As(err, &out) || out.Decision[0] != -8e12 || out.Loss != -24 {
		t.Errorf("a place without end: %v", err)
	}
	l.refused = errNoValue
	if err := l.trouble(place{u: []float64{1}, loss: inf}); !errors.Is(err, errNoValue) {
		t.Errorf("a place where the function fails: %v", err)
	}
	for _, x := range []struct {
		at, residual float64
		want         bool
	}{{1e13, 0, true}, {1e8, 0, false}, {1e8, 0.5, true}, {1e6, 0.5, false}} {
		if got := endless(place{u: []float64{0, -x.at}, residual: x.residual, steepest: 1}); got != x.want {
			t.Errorf("a residual of %v at %v runs away: %v", x.residual, x.at, got)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := newLandscape(ctx, bowl{}, set.Whole{}, 1).trouble(good); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// By hand.
func TestSmallestMeans(t *testing.T) {
	for _, x := range []struct {
		name          string
		vectors, rays [][]float64
		mean, shares  []float64
	}{
		{"opposite", [][]float64{{1, 0}, {-1, 0}}, nil, []float64{0, 0}, []float64{0.5, 0.5}},
		{"opposite, not alike", [][]float64{{2, 0}, {-1, 0}}, nil, []float64{0, 0}, []float64{1. / 3, 2. / 3}},
		{"across", [][]float64{{2, 0}, {0, 2}}, nil, []float64{1, 1}, []float64{0.5, 0.5}},
		{"one is enough", [][]float64{{1, 1}, {3, 1}}, nil, []float64{1, 1}, []float64{1, 0}},
		{"pushed", [][]float64{{1, 1}}, [][]float64{{0, -3}}, []float64{1, 0}, []float64{1}},
		{"not pushed", [][]float64{{1, 1}}, [][]float64{{0, 3}}, []float64{1, 1}, []float64{1}},
		{"pushed and mixed", [][]float64{{4, 1}, {-4, 3}}, [][]float64{{0, -1}}, []float64{0, 0}, []float64{0.5, 0.5}},
		{"nothing", [][]float64{{0, 0}}, nil, []float64{0, 0}, []float64{0}},
	} {
		mean, shares := smallestMean(x.vectors, x.rays)
		if rows.Distance(mean, x.mean) > 1e-13 || rows.Distance(shares, x.shares) > 1e-13 {
			t.Errorf("%s: %v of %v, want %v of %v", x.name, mean, shares, x.mean, x.shares)
		}
	}
}

// By hand, w(w + 1)/n(n − 1) [boender1987].
func TestChanceOfAnotherPlace(t *testing.T) {
	for _, x := range []struct {
		places, walks int
		want          float64
	}{{2, 10, 6. / 90}, {1, 3, 1. / 3}, {1, 2, 1}, {5, 3, 1}, {1, 1, 1}, {0, 0, 1}} {
		is(t, "the chance", missed(x.places, x.walks), x.want)
	}
	if o := (Effort{}).filled(3); o.Tolerance != 1e-10 || o.MaxSteps != 5000 || o.Starts != 3 {
		t.Errorf("%+v", o)
	}
	if o := (Effort{Tolerance: 1e-3, MaxSteps: 7, Starts: 9, Screen: 5}).filled(3); o != (Effort{Tolerance: 1e-3, MaxSteps: 7, Starts: 9, Screen: 5}) || o.Few(2) != (Effort{Tolerance: 1e-3, MaxSteps: 7, Starts: 2}) {
		t.Errorf("%+v, %+v", o, o.Few(2))
	}
}

// Values alone lead to the corner of |u₀ − 1| + 2|u₁ + 3|, from far and from near; a smooth minimum has nothing lower around it.
func TestPolling(t *testing.T) {
	l := overSet(corner{}, set.Whole{}, 2)
	p := l.poll(place{u: []float64{0, 0}, loss: 7}, 1)
	if !(math.Abs(p.u[0]-1) <= 1e-9) || !(math.Abs(p.u[1]+3) <= 1e-9) || p.loss > 1e-8 || p.steps != l.evaluations {
		t.Errorf("polled to %+v in %d evaluations", p, l.evaluations)
	}
	smooth := overSet(bowl{2, 1}, set.Whole{}, 1)
	if q := smooth.glance(place{u: []float64{1}, loss: 0}); q.u[0] != 1 || smooth.evaluations != 6 {
		t.Errorf("around a minimum %+v is lower, of %d looks", q, smooth.evaluations)
	}
	if q := smooth.glance(place{u: []float64{1.3}, loss: 0.09}); !(math.Abs(q.u[0]-1) <= 1e-12) || q.loss > 1e-12 {
		t.Errorf("beside a minimum: %+v", q)
	}
}

type corner struct{}

func (corner) Gradient(g, u []float64) (float64, error) {
	g[0], g[1] = math.Copysign(1, u[0]-1), math.Copysign(2, u[1]+3)
	return math.Abs(u[0]-1) + 2*math.Abs(u[1]+3), nil
}

// walled fails as a set.
type walled struct{ set.Whole }

func (walled) Project([]float64) error { return errNoValue }

// What keeps a search from its start is told, by all of them.
func TestSearchesTellErrors(t *testing.T) {
	ctx, u := context.Background(), []float64{1, 2}
	fails := flat{err: errNoValue}
	for name, ask := range map[string]func(f Function, s kedge.Set) error{
		"Find":     func(f Function, s kedge.Set) error { _, err := Find(ctx, f, s, [][]float64{u}, Effort{}); return err },
		"Minimize": func(f Function, s kedge.Set) error { _, err := Minimize(ctx, f, s, u, Effort{}); return err },
		"Constrain": func(f Function, s kedge.Set) error {
			_, err := Constrain(ctx, f, nil, s, [][]float64{u}, Effort{})
			return err
		},
		"Rests":  func(f Function, s kedge.Set) error { _, err := Rests(ctx, f.Gradient, s, u, Effort{}); return err },
		"Stable": func(f Function, s kedge.Set) error { _, err := Stable(ctx, f.Gradient, s, u, Effort{}); return err },
	} {
		if err := ask(fails, set.Ball{Radius: 5}); !errors.Is(err, errNoValue) {
			t.Errorf("%s of what fails: %v", name, err)
		}
		if err := ask(bowl{1, 0}, walled{}); !errors.Is(err, errNoValue) {
			t.Errorf("%s over what cannot be projected onto: %v", name, err)
		}
		if err := ask(bowl{1, 0}, set.Ball{Radius: 5}); err != nil {
			t.Errorf("%s of a bowl: %v", name, err)
		}
	}
	one := set.Interval{Lower: -3, Upper: 3}
	if _, err := Shared[Function](ctx, tug{a: 0.5}, []Function{atLeast(0)}, []kedge.Set{one, one}, walled{}, u, Effort{}); !errors.Is(err, errNoValue) {
		t.Errorf("Shared over what cannot be projected onto: %v", err)
	}
	whole := set.Lattice{Lower: []float64{-3, -3}, Upper: []float64{3, 3}}
	if p, err := Minimize(ctx, bowl{1, 0.7}, whole, u, Effort{}); err != nil || !slices.Equal(p.Decision, []float64{1, 1}) { // the whole numbers nearest to 0.7
		t.Errorf("Minimize over whole numbers: %+v, %v", p, err)
	}
	if _, err := Minimize(ctx, fails, whole, u, Effort{}); !errors.Is(err, errNoValue) {
		t.Errorf("Minimize of what fails over whole numbers: %v", err)
	}
	if _, err := Find(ctx, bowl{}, set.Whole{}, nil, Effort{}); !errors.Is(err, errNoStart) {
		t.Errorf("Find without a start: %v", err)
	}
	if _, err := Constrain(ctx, bowl{}, nil, set.Whole{}, nil, Effort{}); !errors.Is(err, errNoStart) {
		t.Errorf("Constrain without a start: %v", err)
	}
}

// By hand: a linear field F(u) = M(u − c) rests at c with the eigenvalues of M, and attracts where their real parts are above 0: who
// follows it in small steps comes to rest there.
func TestWhereLinearFieldsRest(t *testing.T) {
	for _, x := range []struct {
		name       string
		m          []float64
		want       [][2]float64
		attracting bool
	}{
		{"bowl", []float64{2, 0, 0, 3}, [][2]float64{{2, 0}, {3, 0}}, true}, {"saddle", []float64{-1, 0, 0, 4}, [][2]float64{{-1, 0}, {4, 0}}, false},
		{"whirl", []float64{1, -2, 2, 1}, [][2]float64{{1, 2}, {1, -2}}, true}, {"fast whirl", []float64{1, -10, 10, 1}, [][2]float64{{1, 10}, {1, -10}}, true},
		{"whirl that leads out", []float64{-1, -2, 2, -1}, [][2]float64{{-1, 2}, {-1, -2}}, false},
		{"hill", []float64{-1, 0, 0, -2}, [][2]float64{{-2, 0}, {-1, 0}}, false},
	} {
		c := []float64{0.5, -0.25}
		field := func(g, u []float64) (float64, error) {
			for i := range g {
				g[i] = x.m[2*i]*(u[0]-c[0]) + x.m[2*i+1]*(u[1]-c[1])
			}
			return 0, nil
		}
		list, err := Rests(context.Background(), field, set.Box{Lower: []float64{-4, -4}, Upper: []float64{4, 4}}, []float64{1, 1}, Effort{Starts: 6})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(list, func(r Rest) bool { return rows.Distance(r.Decision, c) < 1e-7 })
		if i < 0 {
			t.Errorf("%s rests at %+v", x.name, list)
			continue
		}
		r := list[i]
		if len(r.Eigenvalues) != 2 || r.Attracting != x.attracting || r.Reached != x.attracting {
			t.Errorf("%s: %+v", x.name, r)
			continue
		}
		for k, want := range x.want {
			if got := r.Eigenvalues[k]; !(math.Abs(got[0]-want[0]) <= 1e-4) || !(math.Abs(math.Abs(got[1])-math.Abs(want[1])) <= 1e-4) {
				t.Errorf("%s has the eigenvalues %v, want %v", x.name, r.Eigenvalues, x.want)
			}
		}
	}
}

// A whirl that leads neither in nor out goes round and round whoever follows it. Where it rests is solved for, however many decisions there are.
func TestWhereLongWhirlsRest(t *testing.T) {
	for _, n := range []int{2, mostSolved, mostSolved + 2} {
		field := func(g, u []float64) (float64, error) {
			for i := 0; i < n; i += 2 {
				g[i], g[i+1] = 0.25-u[i+1], u[i]-0.5
			}
			return 0, nil
		}
		list, err := Rests(context.Background(), field, set.Ball{Radius: 9}, slices.Repeat([]float64{1}, n), Effort{MaxSteps: 200})
		if err != nil || len(list) != 1 || list[0].Reached || rows.Distance(list[0].Decision, slices.Repeat([]float64{0.5, 0.25}, n/2)) > 1e-7 {
			t.Errorf("%d decisions: %+v, %v", n, list, err)
		}
	}
}
