package optimum

import (
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/set"
	"github.com/kedge-opt/kedge/stream"
)

// line is a searcher of a bowl over [0, 10], in its units, whose longest side is taken for 8.
func line(losses ...float64) *searcher {
	s := &searcher{land: overSet(bowl{1, 0}, set.Interval{Lower: 0, Upper: 10}, 1), extent: &extent{lower: []float64{0}, upper: []float64{10}, from: []float64{0}}, worst: 1}
	for i, v := range losses {
		s.screened = append(s.screened, place{u: []float64{3 * float64(i)}, loss: v, steepest: float64(i)})
	}
	return s
}

// By hand: the unit is the power of two below what the lowest quarter of losses differs by, or the next that does; else that below the steepest gradient, else 1.
func TestUnitsOfLosses(t *testing.T) {
	inf := math.Inf(1)
	for _, x := range []struct {
		losses       []float64
		slope, worst float64
	}{
		{[]float64{5, 1, 2, 8, inf, 4, 3, 6, 7}, 2, 1}, {[]float64{1, 1, 1, 5}, 4, 1}, {[]float64{1, 1, 4, 90}, 2, 1.5}, {[]float64{7, 7, 7, 7, 7, 7, 7}, 4, 0}, {[]float64{7}, 1, 0}, {[]float64{inf, inf}, 1, 1},
	} {
		s := line(x.losses...)
		s.measure()
		is(t, "the unit of slopes", s.land.slope, x.slope)
		is(t, "what losses differ by", s.worst, x.worst)
		for i, v := range x.losses {
			if math.IsInf(x.losses[0], 1) {
				continue
			}
			is(t, "a loss in that", s.screened[i].loss, v/x.slope)
		}
	}
}

// By hand: of four points on a line of 8 those within 4 are near. Walks begin where they are told to, then at the lowest that have no lower one nearby, then at the first of the others that have a value.
func TestWhereWalksBegin(t *testing.T) {
	s := line(9, 3, 1, 2, 0.5) // the first is given
	s.given = 1
	s.screened[4].u[0] = 12.5
	if got := s.hollows(s.screened[1:]); !slices.Equal(got, []int{3, 1}) {
		t.Errorf("hollows %v", got)
	}
	for starts, want := range map[int][]float64{1: {0, 12.5, 6}, 3: {0, 12.5, 6}, 4: {0, 12.5, 6, 3}, 9: {0, 12.5, 6, 3, 9}} {
		s.Starts = starts
		var got []float64
		for _, u := range s.beginnings() {
			got = append(got, u[0])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d starts: %v, want %v", starts, got, want)
		}
	}
	s.screened[1].loss = math.Inf(1)
	if s.Starts = 9; len(s.beginnings()) != 4 {
		t.Errorf("begins where there is no value: %v", s.beginnings())
	}
	wide := &searcher{extent: &extent{lower: []float64{0, 0}, upper: []float64{10, 10}, from: []float64{0, 0}}} // near is 1.2·8·√(ln 2/2) = 5.65
	for far, want := range map[float64][]int{5.6: {0}, 5.7: {0, 1}} {
		if got := wide.hollows([]place{{u: []float64{0, 0}, loss: 1}, {u: []float64{0, far}, loss: 2}}); !slices.Equal(got, want) {
			t.Errorf("%v apart: hollows %v, want %v", far, got, want)
		}
	}
}

// By hand: places are one that are within a fiftieth of the length and a ten-thousandth of what losses differ by. Two of four walks that ended somewhere ended at the best.
func TestEndsAreCounted(t *testing.T) {
	s := line()
	s.land.length, s.land.slope, s.worst = 4, 2, 3
	best := place{u: []float64{1}, loss: 1, residual: 1e-3, steepest: 1}
	for _, x := range []struct {
		u, loss float64
		want    bool
	}{{1.0199, 1, true}, {1.0201, 1, false}, {1, 1.0003, true}, {1, 1.00031, false}, {0.9801, 0.99971, true}} {
		if got := s.same(best, place{u: []float64{x.u}, loss: x.loss}); got != x.want {
			t.Errorf("%v with %v is the same: %v", x.u, x.loss, got)
		}
	}
	ends := []place{best, {u: []float64{1.01}, loss: 1.0001}, {u: []float64{5}, loss: 2}, {u: []float64{5.01}, loss: 2}, {u: []float64{7}, loss: math.Inf(1)}}
	out := s.report(best, ends)
	if out.Here != 2 || out.Walls != 1 || out.Basins != 2 || len(out.Found) != 5 || out.Found[2].Decision[0] != 20 || out.Decision[0] != 4 || out.Loss != 8 {
		t.Errorf("%+v", out)
	}
	is(t, "the spread", out.Spread, 0.0001/3)
	is(t, "the range", out.Range, 3*4*2)
	is(t, "the chance of another", out.Missed, 6./12)
	is(t, "the residue", out.Residue, 1e-3)
}

// By hand: between the slopes (1, ½) and (−1, ½) the smallest mean is (0, ½). At the lower end of the second entry the set takes it away.
func TestBundles(t *testing.T) {
	box := set.Box{Lower: []float64{-9, 0}, Upper: []float64{9, 9}}
	s := &bundle{land: overSet(corner{}, box, 2), place: place{u: []float64{0, 3}, radius: 0.5}, d: make([]float64, 2), next: make([]float64, 2), random: stream.New(1)}
	s.gradients = [][]float64{{1, 0.5}, {-1, 0.5}}
	is(t, "the residual inside", s.smallest(), 0.5)
	if s.d[1] != -0.5 || len(s.normals()) != 0 {
		t.Errorf("leads %v, held back by %v", s.d, s.normals())
	}
	s.u[1] = 0
	is(t, "the residual at the end", s.smallest(), 0)
	for _, n := range s.normals() {
		if n[0] != 0 || !(n[1] < 0) {
			t.Errorf("the normal %v does not lead out", n)
		}
	}
	if s.gradients = nil; !math.IsInf(s.smallest(), 1) {
		t.Error("without gradients there is a residual")
	}
	s.u = []float64{1, 0.25}
	s.sample()
	if len(s.gradients) != 7 || s.steps != 7 {
		t.Errorf("%d gradients of %d looks, want 2·2 + 3", len(s.gradients), s.steps)
	}
	if kinds := slices.CompactFunc(slices.SortedFunc(slices.Values(s.gradients), slices.Compare), slices.Equal); len(kinds) != 2 { // on both sides of the kink at 1
		t.Errorf("the slopes %v", kinds)
	}
	s.land = overSet(flat{err: errNoValue}, box, 2)
	if s.sample(); len(s.gradients) != 0 {
		t.Error("what has no value has gradients")
	}
}

// By hand: a step of a whole d leads from 1 to the bottom of a bowl; the wrong way none does, of the six from 1 to 1/32 that are longer than a 64th of the radius.
func TestStepsOfABundle(t *testing.T) {
	for _, x := range []struct {
		d     float64
		to    float64
		moved bool
		steps int
	}{{-1, 0, true, 1}, {-1.5, -0.5, true, 1}, {-4, 0, true, 3}, {1, 1, false, 6}} {
		s := &bundle{land: overSet(bowl{1, 0}, set.Whole{}, 1), place: place{u: []float64{1}, loss: 0.5, radius: 1}, d: []float64{x.d}, next: make([]float64, 1)}
		if moved := s.step(); moved != x.moved || s.steps != x.steps || s.u[0] != x.to {
			t.Errorf("along %v: %v, to %v after %d", x.d, moved, s.u, s.steps)
		}
		is(t, "the loss there", s.loss, s.u[0]*s.u[0]/2)
	}
}

// A step of the loss is a jump; a kink, a slope and a minimum are none.
func TestWhatJumps(t *testing.T) {
	stair := plainly(func(g, u []float64) (float64, error) {
		if g[0] = 0; u[0] > 0 {
			return 1, nil
		}
		return 0, nil
	})
	kink := plainly(func(g, u []float64) (float64, error) {
		g[0] = math.Copysign(1, u[0])
		return math.Abs(u[0]), nil
	})
	for name, x := range map[string]struct {
		f    Function
		p    place
		want bool
	}{
		"stair": {stair, place{u: []float64{0}, kink: true, residual: 1, steepest: 1}, true}, "stair, not stuck": {stair, place{u: []float64{0}, residual: 1e-9, steepest: 1}, false},
		"kink": {kink, place{u: []float64{0}, kink: true, residual: 1, steepest: 1}, false}, "slope": {bowl{1, 5}, place{u: []float64{0}, loss: 12.5, residual: 1, steepest: 1}, false},
		"far from the stair": {stair, place{u: []float64{-1}, kink: true, residual: 1, steepest: 1}, false},
	} {
		s := line()
		s.land = overSet(x.f, set.Whole{}, 1)
		if got := s.jumps(x.p); got != x.want {
			t.Errorf("%s: jumps %v", name, got)
		}
	}
}

// The spectral steps of a bowl with curvatures of 1 to 10⁴ take some hundred looks, where plain steps of the longest length that converges, 2/10⁴, take more than 10⁴·ln 10⁷.
func TestDescentsAreShort(t *testing.T) {
	bent := plainly(func(g, u []float64) (loss float64, err error) {
		for i, v := range u {
			k := math.Pow(10, float64(i))
			g[i] = k * (v - 1)
			loss += k * (v - 1) * (v - 1) / 2
		}
		return loss, nil
	})
	l := overSet(bent, set.Whole{}, 5)
	p := l.descend(make([]float64, 5), 0, 1e-10, 5000)
	if p.steps > 300 || p.steps != l.evaluations || rows.Distance(p.u, []float64{1, 1, 1, 1, 1}) > 1e-5 || !p.still(1e-10) {
		t.Errorf("%+v after %d looks", p, l.evaluations)
	}
	few := overSet(bent, set.Whole{}, 5)
	if p := few.descend(make([]float64, 5), 0, 1e-10, 9); p.steps < 9 || p.steps > 30 {
		t.Errorf("of nine steps %d are taken", p.steps)
	}
	few = overSet(bent, set.Whole{}, 5)
	few.most = 7
	if few.descend(make([]float64, 5), 0, 1e-10, 5000); few.evaluations < 7 || few.evaluations > 25 {
		t.Errorf("of seven looks %d are taken", few.evaluations)
	}
}

// By hand: a kink of 2 at 0, a bowl down to 1 at 5, and a plain of 0 below −4 that no walk came to but that was looked at. As one walk was stuck at the kink, the lowest of what was looked at is
// tried too, although the best is no kink; where none was stuck it is not.
func TestWhoIsStuckLooksAgain(t *testing.T) {
	f := plainly(func(g, u []float64) (float64, error) {
		switch v := u[0]; {
		case v < -4:
			g[0] = 0
			return 0, nil
		case v < 2:
			g[0] = math.Copysign(1, v)
			return 2 + math.Abs(v), nil
		default:
			g[0] = v - 5
			return 1 + (v-5)*(v-5)/2, nil
		}
	})
	kink, bowl := place{u: []float64{0}, loss: 2, residual: 1, steepest: 1}, place{u: []float64{6}, loss: 3, residual: 1, steepest: 1}
	for want, ends := range map[float64][]place{0: {kink, bowl}, 1: {bowl}} {
		s := line()
		s.land, s.Effort = overSet(f, set.Interval{Lower: -10, Upper: 10}, 1), Effort{}.filled(1)
		s.screened = []place{{u: []float64{6}, loss: 1.5}, {u: []float64{-5}, loss: 0, steepest: 1}}
		if best := s.lowest(ends); !(math.Abs(best.loss-want) <= 1e-12) || best.kink {
			t.Errorf("of %d ends the lowest is %+v, want a loss of %v", len(ends), best, want)
		}
	}
}
