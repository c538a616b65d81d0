package fit

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

var errLog = errors.New("no log")

// parabola is a log whose loss is Σ bendⱼ(θⱼ − lowⱼ)²/2 + floor; after so many looks it fails.
type parabola struct {
	bend, low []float64
	floor     float64
	looks     *int
	fails     int // at this look; 0: never
}

func (x parabola) at(_ context.Context, theta, _, _ []float64, _ int) (*Foothold, error) {
	if *x.looks++; *x.looks == x.fails {
		return nil, errLog
	}
	out := newFoothold(theta, len(theta), 1)
	out.Loss = x.floor
	for j, v := range theta {
		off := v - x.low[j]
		out.Loss += x.bend[j] * off * off / 2
		out.Slope[j] = -x.bend[j] * off
		out.Normal[j*len(theta)+j] = x.bend[j]
	}
	return out, nil
}

func (parabola) scores(context.Context, []float64, []float64, []float64, int) (*mat.Dense, *mat.Dense, error) {
	return nil, nil, errLog
}

func searching(x parabola, unknowns ...Unknown) *search {
	return &search{how: x, unknowns: unknowns, asked: len(unknowns), spread: []float64{1}}
}

// By hand: a loss of 8(θ − 3)²/2 is 4 above its least at 3 ± 1, whichever step the climb begins with; a bound before that is its end. It asks as often as it says at
// most, a few looks each, and tells errors.
func TestClimbs(t *testing.T) {
	best := &Foothold{Theta: []float64{3, -1}, Loss: 5}
	for _, x := range []struct{ step, bound, want float64 }{
		{1e-3, 9, 4}, {0.3, 9, 4}, {0.99, 9, 4}, {50, 90, 4}, {-1e-3, -9, 2}, {-20, -90, 2}, {0.3, 3.5, 3.5}, {2, 3.5, 3.5}, {-0.3, 2.5, 2.5}, {-2, 2.75, 2.75},
	} {
		looks := 0
		how := parabola{[]float64{8, 2}, []float64{3, -1}, 5, &looks, 0}
		o := &origin{search: searching(how, Free("a", 3), Free("b", -1)), best: best}
		got, err := o.climb(t.Context(), 0, x.step, x.bound, 4)
		if err != nil || !(math.Abs(got-x.want) <= 2e-4) || got == x.bound != (x.want == x.bound) {
			t.Errorf("from a step of %v to %v: %v, %v, want %v", x.step, x.bound, got, err, x.want)
		}
		if side := x.want - 3; got != x.bound && (got-x.want)*side < 0 {
			t.Errorf("from a step of %v: %v is inside", x.step, got)
		}
		needs := looks
		for n := 1; n <= needs; n++ {
			looks, how.fails = 0, n
			o.search.how = how
			if _, err := o.climb(t.Context(), 0, x.step, x.bound, 4); !errors.Is(err, errLog) {
				t.Errorf("from a step of %v: look %d of %d failed, and it says %v", x.step, n, needs, err)
			}
		}
	}
	looks := 0
	flat := &origin{search: searching(parabola{[]float64{0, 2}, []float64{3, -1}, 5, &looks, 0}, Free("a", 3), Free("b", -1)), best: best}
	if got, err := flat.climb(t.Context(), 0, 1, math.Inf(1), 4); err != nil || got != 3+(1<<15-1)+(1<<15) {
		t.Errorf("where nothing rises: %v, %v, want 16 steps that double", got, err)
	}
}

// By hand: a parabola is descended in few steps, to its lowest point or the bounds before it; a prior of m ± d is (θ − m)²/2d² more.
func TestDescents(t *testing.T) {
	bound := Free("b", 0)
	bound.Lower, bound.Upper = -0.5, 9
	looks := 0
	p := searching(parabola{[]float64{8, 2}, []float64{3, -1}, 5, &looks, 0}, Free("a", 0), bound)
	for name, g := range map[string]gait{"firstly": firstly, "loosely": loosely, "nearby": nearby} {
		looks = 0
		end, err := p.descend(t.Context(), []float64{40, 4}, nil, 1, g)
		if err != nil || end == nil || !(math.Abs(end.Theta[0]-3) <= 1e-3) || end.Theta[1] != -0.5 || !(math.Abs(end.Loss-5.25) <= 1e-5) || looks > 8 {
			t.Errorf("%s: %+v after %d looks (%v)", name, end, looks, err)
		}
	}
	p.pinned = []int{0}
	if end, err := p.descend(t.Context(), []float64{40, 4}, nil, 1, firstly); err != nil || end.Theta[0] != 40 || end.Theta[1] != -0.5 {
		t.Errorf("pinned: %+v, %v", end, err)
	}
	known := Free("a", 0)
	known.Mean, known.Deviation = 7, 0.5 // 4(θ − 7)²/2 beside 8(θ − 3)²/2: least at (8·3 + 4·7)/12
	p = searching(parabola{[]float64{8}, []float64{3}, 0, &looks, 0}, known)
	end, err := p.descend(t.Context(), []float64{0}, nil, 1, firstly)
	if err != nil || !(math.Abs(end.Theta[0]-52./12) <= 1e-9) || !(math.Abs(end.Loss-(4*math.Pow(52./12-3, 2)+2*math.Pow(52./12-7, 2))) <= 1e-9) || end.Normal[0] != 12 {
		t.Errorf("with a prior: %+v, %v, want %v", end, err, 52./12)
	}
	wall := searching(parabola{[]float64{math.NaN()}, []float64{3}, 0, &looks, 0}, Free("a", 0))
	if end, err := wall.descend(t.Context(), []float64{0}, nil, 1, firstly); err != nil || end != nil {
		t.Errorf("where there is no loss: %+v, %v", end, err)
	}
	if _, err := wall.fromAll(t.Context()); !errors.As(err, new(*NoEndError)) {
		t.Errorf("from everywhere: %v", err)
	}
}

// By hand: of 8(θ − 3)²/2 + 5 from 4 all that a step gains is less than the loss, so that with such a look the first step is the last, unless it is damped by more than a thousandth: then it is looked at, and damped less after that.
func TestStepsThatAreDampedAreLookedAt(t *testing.T) {
	for damping, want := range map[float64]int{1e-3: 1, 1.5e-3: 2} {
		looks := 0
		p := searching(parabola{[]float64{8}, []float64{3}, 5, &looks, 0}, Free("a", 0))
		end, err := p.descend(t.Context(), []float64{4}, nil, 1, gait{damping, 1e-21, 1, 10})
		if err != nil || end == nil || looks != want || !(math.Abs(end.Theta[0]-3) <= 2e-3) {
			t.Errorf("damped by %v: %+v after %d looks, want %d (%v)", damping, end, looks, want, err)
		}
	}
}

// Starts are the user's first, then within what is known: a prior, a range, or around the user's.
func TestStarts(t *testing.T) {
	prior, within := Free("a", 1), Free("b", 2)
	prior.Mean, prior.Deviation = 100, 1
	within.Lower, within.Upper = 0, 4
	list := []Unknown{prior, within, Free("c", 50), Free("d", 9)}
	if got := startOf(list, 3, 1, 0); got[0] != 1 || got[1] != 2 || got[2] != 50 || got[3] != 9 {
		t.Errorf("the first start is %v", got)
	}
	const n = 400
	sum, square := make([]float64, 4), make([]float64, 4)
	for k := range n {
		for j, v := range startOf(list, 3, 1, 1+k) {
			sum[j] += v / n
			square[j] += v * v / n
		}
	}
	// Means and deviations of the laws that are drawn from: normal, even on [0, 4], normal with the size of the start; the last is never drawn.
	for j, want := range [][2]float64{{100, 1}, {2, 4 / math.Sqrt(12)}, {50, 50}, {9, 0}} {
		deviation := math.Sqrt(max(0, square[j]-sum[j]*sum[j]))
		if !(math.Abs(sum[j]-want[0]) <= 1e-9+5*want[1]/math.Sqrt(n)) || !(math.Abs(deviation-want[1]) <= 1e-5+0.2*want[1]) {
			t.Errorf("starts of %s: %v ± %v, want %v", list[j].Name, sum[j], deviation, want)
		}
	}
	looks := 0
	p := searching(parabola{[]float64{8, 2}, []float64{3, -1}, 5, &looks, 0}, Free("a", 0), Free("b", 0))
	p.o.Starts = 4
	if best, err := p.fromAll(t.Context()); err != nil || !(math.Abs(best.Loss-5) <= 1e-12) || p.agreed != 5 {
		t.Errorf("%+v, %v: %d of 5 agree", best, err, p.agreed)
	}
	if best, agreed, err := Lowest(list[1:3], Options{Starts: 3}, func(theta []float64) (*Foothold, error) {
		if looks++; looks%2 == 0 {
			return nil, nil
		}
		return &Foothold{Theta: theta, Loss: math.Abs(theta[1] - 50)}, nil
	}); err != nil || best.Loss != 0 && agreed > 2 || agreed < 1 {
		t.Errorf("%+v, %d, %v", best, agreed, err)
	}
	if _, _, err := Lowest(list[1:3], Options{Starts: 3}, func([]float64) (*Foothold, error) { return nil, nil }); !errors.As(err, new(*NoEndError)) {
		t.Errorf("from nowhere: %v", err)
	}
	if _, _, err := Lowest(list[1:3], Options{Starts: 3}, func([]float64) (*Foothold, error) { return nil, errLog }); !errors.Is(err, errLog) {
		t.Errorf("with an error: %v", err)
	}
}

// By hand, as for a search over a log: a parabola of 8(θ − 3)²/2 + 2(θ − 7)²·2/2 by a prior of 7 ± ½ is least at 52/12, or at a bound before it.
func TestDescentsOfFootholds(t *testing.T) {
	known := Free("a", 0)
	known.Mean, known.Deviation = 7, 0.5
	bound := known
	bound.Upper = 4
	of := func(unknowns []Unknown) func(theta []float64) (*Foothold, error) {
		return func(theta []float64) (*Foothold, error) {
			off := theta[0] - 3
			p := &Foothold{Theta: theta, Loss: 4 * off * off, Slope: []float64{-8 * off, 0}[:1], Normal: []float64{8}}
			p.Know(unknowns)
			return p, nil
		}
	}
	for name, x := range map[string]struct {
		u    Unknown
		want float64
	}{"free": {Free("a", 0), 3}, "prior": {known, 52. / 12}, "bound": {bound, 4}} {
		end, err := Descend([]float64{-40}, []Unknown{x.u}, of([]Unknown{x.u}))
		if err != nil || end == nil || !(math.Abs(end.Theta[0]-x.want) <= 1e-7) {
			t.Errorf("%s: %+v, %v, want %v", name, end, err, x.want)
		}
	}
	p := &Foothold{Theta: []float64{1, 8}, Loss: 2, Slope: []float64{1, 1}, Normal: []float64{5, 6, 0, 7}}
	p.Know([]Unknown{Free("b", 0), known})
	if p.Loss != 2+2*2/2 || p.Slope[1] != 1-4 || p.Slope[0] != 1 || p.Normal[2] != 6 || p.Normal[3] != 11 || p.Normal[0] != 5 {
		t.Errorf("with what is known: %+v", p)
	}
	for _, bad := range []Foothold{{Loss: math.NaN(), Normal: []float64{1}, Slope: []float64{1}}, {Normal: []float64{math.Inf(1)}, Slope: []float64{1}}, {Normal: []float64{1}, Slope: []float64{math.NaN()}}} {
		bad.Theta = []float64{0}
		if bad.Know([]Unknown{Free("a", 0)}); !math.IsInf(bad.Loss, 1) {
			t.Errorf("%+v has a loss", bad)
		}
	}
	if _, err := Descend([]float64{0}, []Unknown{known}, func([]float64) (*Foothold, error) { return nil, errLog }); !errors.Is(err, errLog) {
		t.Errorf("with an error: %v", err)
	}
	looks := 0
	if _, err := Descend([]float64{0}, []Unknown{known}, func(theta []float64) (*Foothold, error) {
		if looks++; looks == 2 {
			return nil, errLog
		}
		return of([]Unknown{known})(theta)
	}); !errors.Is(err, errLog) {
		t.Errorf("with an error on the way: %v", err)
	}
	if end, err := Descend([]float64{0}, []Unknown{known}, func(theta []float64) (*Foothold, error) { return &Foothold{Theta: theta, Loss: math.Inf(1)}, nil }); end != nil || err != nil {
		t.Errorf("where there is no loss: %+v, %v", end, err)
	}
}

// Each thing that makes no sense, beside one that does.
func TestUnknownsThatMakeNoSense(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	good := Unknown{Name: "a", Start: 1, Lower: 0, Upper: 2, Mean: 1, Deviation: 3}
	for name, x := range map[string]Unknown{
		"below": {Start: -1, Lower: 0, Upper: 2}, "above": {Start: 3, Lower: 0, Upper: 2}, "a point": {Start: 1, Lower: 1, Upper: 1}, "no number": {Start: nan, Lower: 0, Upper: 2}, "endless": {Start: inf, Lower: 0, Upper: inf},
		"a negative deviation": {Start: 1, Lower: 0, Upper: 2, Deviation: -1}, "a mean that is none": {Start: 1, Lower: 0, Upper: 2, Mean: nan}, "a deviation that is none": {Start: 1, Lower: 0, Upper: 2, Deviation: nan},
	} {
		if err := CheckUnknowns([]Unknown{good, x}); !errors.As(err, new(*InputError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := CheckUnknowns([]Unknown{good, {Start: 0, Lower: 0, Upper: 2}, {Start: 2, Lower: 0, Upper: 2}, Free("b", 0)}); err != nil {
		t.Errorf("what makes sense: %v", err)
	}
	if got := (Blindness{Names: []string{"a", "b", "c"}}).String(); got != "a, b and c cannot be told apart: the log never moved what would tell" {
		t.Error(got)
	}
	if got := (Blindness{}).String(); got != "nothing can be told" {
		t.Error(got)
	}
}

// By hand: a step to the bound at 1 is expected to gain its slope and gains nothing. Up to 1e-15 of 1 + |loss| that is the end. More is damped by 2, 4, 8 … from a thousandth on,
// until the damping is above 1e15: after 11 times, for 2⁶⁶ is above 10¹⁸ and 2⁵⁵ is not.
func TestDescentsThatGainNothing(t *testing.T) {
	within := Unknown{Name: "a", Lower: -1, Upper: 1}
	for _, x := range []struct {
		loss, slope float64
		looks       int
	}{{0, 1e-15, 2}, {0, 1.5e-15, 13}, {1, 2e-15, 2}, {1, 2.5e-15, 13}, {-1, 2e-15, 2}, {-1, 2.5e-15, 13}} {
		looks := 0
		end, err := Descend([]float64{0}, []Unknown{within}, func(theta []float64) (*Foothold, error) {
			looks++
			return &Foothold{Theta: theta, Loss: x.loss, Slope: []float64{x.slope}, Normal: []float64{0}}, nil
		})
		if err != nil || end == nil || end.Theta[0] != 0 || looks != x.looks {
			t.Errorf("a slope of %v at a loss of %v: %+v after %d looks, want %d (%v)", x.slope, x.loss, end, looks, x.looks, err)
		}
	}
}
