package proof

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/interval"
	"github.com/kedge-opt/kedge/set"
)

// flat is the same everywhere, and counts how often it is asked.
type flat struct {
	n, work int
	value   float64
	asked   *int
}

func (f flat) Decisions() int              { return f.n }
func (f flat) Convex([]interval.Span) bool { return true }
func (f flat) Enclose(dst interval.Jet, _ []interval.Span) int {
	clear(dst)
	dst[0] = interval.Point(f.value)
	*f.asked++
	return f.work
}

// By hand: of the disc of radius 2 the farthest from (1, 0) along the axes are (2, 0), (−2, 0) and, nearly, (0, ±2): 1, 3, 2 and 2 away, 8 together. Where the way there is not straight the set may go on beyond by
// four times its size for every entry, in millionths, and on curves by a hundredth of it.
func TestBoxesAroundSets(t *testing.T) {
	for curved, beyond := range map[bool]float64{false: 4 * 2 * 8 / 1e6, true: 0.08} {
		s := &search{n: 2, set: set.Ball{Radius: 2}, isCurved: curved}
		box, err := s.bounds([]float64{1, 0})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{-2, 2, -2 - beyond, 2 + beyond} {
			if got := []float64{box[i/2].Lo, box[i/2].Hi}[i%2]; math.Abs(got-want) > 1e-9 {
				t.Errorf("curved %v: end %d is at %v, want %v", curved, i, got, want)
			}
		}
		reached := []float64{}
		for k := range 4 {
			r, err := s.reach([]float64{1, 0}, k)
			if err != nil {
				t.Fatal(err)
			}
			reached = append(reached, math.Round(1e3*r)/1e3)
		}
		if !slices.Equal(reached, []float64{3, 1, 2, 2}) {
			t.Errorf("the set reaches %v", reached)
		}
	}
	s := &search{n: 2, set: set.Box{Lower: []float64{-3, math.Inf(-1)}, Upper: []float64{math.Inf(1), 5}}}
	if box, err := s.bounds([]float64{1, 5}); err != nil || box[0] != (interval.Span{Lo: -3, Hi: math.Inf(1)}) || box[1] != (interval.Span{Lo: math.Inf(-1), Hi: 5}) {
		t.Errorf("%v, %v", box, err)
	}
}

// Points are projected on curves in the time of 16,384 spans, and on others for nothing.
func TestProjectionsOnCurvesTakeWork(t *testing.T) {
	for curved, want := range map[bool]int{false: 0, true: 2 << 14} {
		s := &search{n: 1, set: set.Interval{Lower: 0, Upper: 1}, isCurved: curved}
		for range 2 {
			u := []float64{3}
			if err := s.project(u); err != nil || u[0] != 1 {
				t.Errorf("%v, %v", u, err)
			}
		}
		if s.work != want {
			t.Errorf("curved %v: %d spans, want %d", curved, s.work, want)
		}
	}
}

// By hand: a neighbourhood is a tenth of the domain to either side, a sixteenth of that more above, or as much as decisions are large where there is no end; it stays in the domain.
func TestNeighbourhoods(t *testing.T) {
	inf := math.Inf(1)
	s := &search{n: 3, best: []float64{5, -2, 10}, domain: []interval.Span{{Lo: 0, Hi: 10}, {Lo: -inf, Hi: inf}, {Lo: 0, Hi: 10}}, budget: Budget{Size: 3}}
	if got, want := s.neighbourhood(), []interval.Span{{Lo: 4, Hi: 6.0625}, {Lo: -12, Hi: 8.625}, {Lo: 9, Hi: 10}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, c := range []struct{ budget, best, want float64 }{{0, 0, 1}, {0, 0.25, 0.25}, {0, -7, 7}, {3, 2, 3}, {3, -4, 4}} {
		if got := (&search{best: []float64{c.best}, budget: Budget{Size: c.budget}}).size(); got != c.want {
			t.Errorf("decisions like %v, said to be like %v, are like %v", c.best, c.budget, got)
		}
	}
	s = &search{best: []float64{7}, budget: Budget{Size: 8}}
	for _, c := range []struct {
		x    interval.Span
		want float64
	}{{interval.Span{Lo: 1, Hi: 4}, 2.5}, {interval.Span{Lo: -inf, Hi: inf}, 7}, {interval.Span{Lo: 3, Hi: inf}, 11}, {interval.Span{Lo: 30, Hi: inf}, 60}, {interval.Span{Lo: -inf, Hi: -3}, -11}, {interval.Span{Lo: -inf, Hi: -30}, -60}, {interval.Span{Lo: -inf, Hi: 3}, -5}} {
		if got := s.middle(c.x, 0); got != c.want {
			t.Errorf("%v is cut at %v, want %v", c.x, got, c.want)
		}
	}
}

// By the definition: number k along axis i is k·φ^(1+i), without what is before the point, for eight axes and then again; φ³ + φ² = 1.
func TestScatteredPoints(t *testing.T) {
	phi := 0.75
	for range 50 {
		phi = 1 / math.Sqrt(1+phi)
	}
	for k := 1; k < 40; k++ {
		for i := range 10 {
			want := math.Mod(float64(k)*math.Pow(phi, float64(1+i%8)), 1)
			if got := scattered(k, i); math.Abs(got-want) > 1e-12 {
				t.Errorf("number %d along axis %d is at %v, want %v", k, i, got, want)
			}
		}
	}
}

// A side is cut along which the function varies most, or, where that is not known, the longest for its domain; the halves meet.
func TestRegionsAreCut(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		box, slopes []interval.Span
		side        int
		at          float64
	}{
		{[]interval.Span{{Lo: 0, Hi: 1}, {Lo: 0, Hi: 4}}, []interval.Span{{Lo: -9, Hi: 1}, {Lo: 1, Hi: 2}}, 0, 0.5}, {[]interval.Span{{Lo: 0, Hi: 1}, {Lo: 0, Hi: 4}}, []interval.Span{{Lo: -7, Hi: 1}, {Lo: 1, Hi: 2}}, 1, 2},
		{[]interval.Span{{Lo: 0, Hi: 1}, {Lo: 0, Hi: 4}}, []interval.Span{{Lo: -inf, Hi: inf}, {Lo: 1, Hi: 2}}, 1, 2}, {[]interval.Span{{Lo: 0, Hi: 6}, {Lo: 0, Hi: 4}}, []interval.Span{{Lo: -inf, Hi: inf}, {Lo: 1, Hi: 2}}, 0, 3},
		{[]interval.Span{{Lo: 0, Hi: 1}, {Lo: 8, Hi: inf}}, []interval.Span{{Lo: -9, Hi: 1}, {}}, 1, 16}, {[]interval.Span{{Lo: 2, Hi: 2}, {Lo: 0, Hi: 4}}, []interval.Span{{Lo: -9, Hi: 1}, {}}, 1, 2}, {[]interval.Span{{Lo: 0, Hi: 1}, {Lo: 0, Hi: 1}}, []interval.Span{{Lo: 1, Hi: 1}, {Lo: -1, Hi: 1}}, 0, 0.5},
	} {
		s := &search{n: 2, best: []float64{1, 1}, domain: []interval.Span{{Lo: 0, Hi: 10}, {Lo: 0, Hi: 10}}}
		halves := s.split(&region{box: c.box, slopes: c.slopes})
		low, high := slices.Clone(c.box), slices.Clone(c.box)
		low[c.side].Hi, high[c.side].Lo = c.at, c.at
		if !slices.Equal(halves[0], low) || !slices.Equal(halves[1], high) {
			t.Errorf("%v with the slopes %v is cut into %v", c.box, c.slopes, halves)
		}
	}
}

// A budget is spent with the last box or the last span, and nobody looks for bounds of more than four decisions.
func TestBudgetsAreSpent(t *testing.T) {
	if got := (Budget{}).filled(); got != (Budget{Boxes: 20_000, Work: 30_000_000}) || (Budget{Boxes: 3, Work: 4, Size: 5}).filled() != (Budget{Boxes: 3, Work: 4, Size: 5}) {
		t.Errorf("%+v", got)
	}
	inf := math.Inf(1)
	for _, c := range []struct {
		n, boxes, work int
		lower          float64
		want           string
	}{{4, 99, 999, 0, ""}, {4, 100, 0, 0, "the budget is spent"}, {4, 0, 1000, 0, "the budget is spent"}, {5, 0, 0, 0, "there are too many decisions for bounds"}, {1, 0, 0, -inf, "there is no bound far out"}} {
		s := &search{n: c.n, boxes: c.boxes, work: c.work, budget: Budget{Boxes: 100, Work: 1000}, best: []float64{0}}
		if got := s.isSpent(&region{lower: c.lower, box: []interval.Span{{Lo: 2e6, Hi: inf}}}); got != (c.want != "") || s.failure != c.want {
			t.Errorf("%+v: %v, %q", c, got, s.failure)
		}
	}
}

// A start takes no more than half of the work, and samples after the fourth no more than an eighth: by hand, of 10 spans a time.
func TestStartsTakeTheirShare(t *testing.T) {
	for _, c := range []struct {
		work, asked int
		failure     string
	}{{19, 1, "the budget is spent"}, {20, 5, ""}, {320, 5, ""}, {400, 6, ""}, {480, 7, ""}, {1 << 20, 33, ""}} {
		asked := 0
		s := &search{f: flat{1, 10, 2e6, &asked}, n: 1, isBox: true, set: set.Interval{Lower: 0, Upper: 1}, budget: Budget{Boxes: 1, Work: c.work}}
		if err := s.begin([]float64{0.5}); err != nil || asked != c.asked || s.failure != c.failure {
			t.Errorf("of %d spans: asked %d times, want %d, %q, %v", c.work, asked, c.asked, s.failure, err)
		}
		if c.failure == "" && (!(math.Abs(s.tolerance-2e-7) < 1e-20) || s.target != s.tolerance/1e3) { // nothing differs
			t.Errorf("tolerance %v, target %v", s.tolerance, s.target)
		}
	}
	asked := 0
	s := &search{f: flat{2, 10, -3, &asked}, n: 2, set: set.Ball{Radius: 1}, budget: Budget{}.filled()}
	if err := s.begin([]float64{0.5, 0}); err != nil || !(math.Abs(s.tolerance-3e-13) < 1e-26) || s.target != s.tolerance/20 {
		t.Errorf("tolerance %v, target %v, %v", s.tolerance, s.target, err)
	}
}

// A value that is said to be another by more than a millionth is not believed.
func TestValuesThatAreSaid(t *testing.T) {
	for off, want := range map[float64]bool{0: true, 0.9e-6: true, -0.9e-6: true, 1.2e-6: false, -1.2e-6: false, 1.9e-6: false} {
		asked := 0
		p, err := Prove(t.Context(), flat{1, 1, 1000, &asked}, set.Interval{Lower: 0, Upper: 1}, []float64{0.5}, 1000*(1+off), Budget{})
		if err != nil || strings.Contains(p.Reason, "by its formula") == want {
			t.Errorf("off by %v: %+v, %v", off, p, err)
		}
	}
}

// Paraboloids are fitted by gradients as far away as the decision is large, or 1 where it is next to 0.
func TestFitsLookAround(t *testing.T) {
	for _, c := range []struct{ at, step float64 }{{0, 1}, {3, 3}, {-0.5, 0.5}, {1e-201, 1}, {0.9e-200, 1}, {1e-200, 1e-200}, {1.5e-200, 1.5e-200}} {
		var asked []float64
		q, err := FitParaboloid(func(g, u []float64) (float64, error) {
			asked = append(asked, u[0])
			g[0] = 4 * u[0]
			return 2 * u[0] * u[0], nil
		}, []float64{c.at})
		if err != nil || !slices.Equal(asked, []float64{c.at, c.at + c.step, c.at - c.step}) || math.Abs(q.hessian[0].Mid()-4) > 1e-9 {
			t.Errorf("around %v: %v, %+v, %v", c.at, asked, q, err)
		}
	}
}

// Sets of sets are boxes, or have curves, as their members are and have.
func TestKindsOfSets(t *testing.T) {
	box, ball, bent := set.Interval{Lower: 0, Upper: 1}, set.Ball{Radius: 1}, set.Convex{}
	for _, c := range []struct {
		set           kedge.Set
		isBox, curved bool
	}{
		{nil, true, false}, {box, true, false}, {set.Box{}, true, false}, {set.Whole{}, true, false}, {ball, false, false}, {bent, false, true}, {set.Intersection{Of: []kedge.Set{box, box}}, true, false}, {set.Intersection{Of: []kedge.Set{box, ball}}, false, false},
		{set.Intersection{Of: []kedge.Set{bent, box}}, false, true}, {set.Product{Parts: []set.Part{{Set: box}, {Set: box}}}, true, false}, {set.Product{Parts: []set.Part{{Set: box}, {Set: ball}}}, false, false}, {set.Product{Parts: []set.Part{{Set: box}, {Set: set.Intersection{Of: []kedge.Set{ball, bent}}}}}, false, true},
	} {
		if isBox(c.set) != c.isBox || curved(c.set) != c.curved {
			t.Errorf("%T: a box %v, with curves %v", c.set, isBox(c.set), curved(c.set))
		}
	}
	if got := fmt.Sprint(Unproven, ByConvexity, ByBounds); got != "not proven proven by convexity proven by bounds" {
		t.Error(got)
	}
}

// The region with the lowest bound is taken next, which is the last one, and of equal ones the oldest, in whichever order they came.
func TestWhichRegionIsTakenNext(t *testing.T) {
	low, old, young := &region{lower: 1, number: 7}, &region{lower: 2, number: 3}, &region{lower: 2, number: 5}
	for _, open := range [][]*region{{low, old, young}, {young, old, low}, {old, low, young}, {young, low, old}} {
		if slices.SortFunc(open, worseFirst); !slices.Equal(open, []*region{young, old, low}) {
			t.Errorf("%v of bound %g, then %v, then %v", open[0].number, open[0].lower, open[1].number, open[2].number)
		}
	}
}
