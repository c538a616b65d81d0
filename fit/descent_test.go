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

func (x parabola) at(_ context.Context, theta, _, _ []float64, _ int) (*point, error) {
	if *x.looks++; *x.looks == x.fails {
		return nil, errLog
	}
	out := newPoint(theta, len(theta), 1)
	out.loss = x.floor
	for j, v := range theta {
		off := v - x.low[j]
		out.loss += x.bend[j] * off * off / 2
		out.slope[j] = -x.bend[j] * off
		out.normal[j*len(theta)+j] = x.bend[j]
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
	best := &point{theta: []float64{3, -1}, loss: 5}
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
		if err != nil || end == nil || !(math.Abs(end.theta[0]-3) <= 1e-3) || end.theta[1] != -0.5 || !(math.Abs(end.loss-5.25) <= 1e-5) || looks > 8 {
			t.Errorf("%s: %+v after %d looks (%v)", name, end, looks, err)
		}
	}
	p.pinned = []int{0}
	if end, err := p.descend(t.Context(), []float64{40, 4}, nil, 1, firstly); err != nil || end.theta[0] != 40 || end.theta[1] != -0.5 {
		t.Errorf("pinned: %+v, %v", end, err)
	}
	known := Free("a", 0)
	known.Mean, known.Deviation = 7, 0.5 // 4(θ − 7)²/2 beside 8(θ − 3)²/2: least at (8·3 + 4·7)/12
	p = searching(parabola{[]float64{8}, []float64{3}, 0, &looks, 0}, known)
	end, err := p.descend(t.Context(), []float64{0}, nil, 1, firstly)
	if err != nil || !(math.Abs(end.theta[0]-52./12) <= 1e-9) || !(math.Abs(end.loss-(4*math.Pow(52./12-3, 2)+2*math.Pow(52./12-7, 2))) <= 1e-9) || end.normal[0] != 12 {
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
	if best, err := p.fromAll(t.Context()); err != nil || !(math.Abs(best.loss-5) <= 1e-12) || p.tried != 5 || p.agreed != 5 {
		t.Errorf("%+v, %v: %d of %d agree", best, err, p.agreed, p.tried)
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
