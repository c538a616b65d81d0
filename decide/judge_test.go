package decide

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge/optimum"
	"github.com/kedge-opt/kedge/set"
)

func TestKnownIntervals(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, c := range []struct {
		of   Between
		want bool
	}{{Between{1, 2}, true}, {Between{1, 1}, true}, {Between{2, 1}, false}, {Between{-inf, 2}, false}, {Between{1, inf}, false}, {Between{inf, inf}, false}, {Between{-inf, -inf}, false}, {Between{nan, 2}, false}, {Between{1, nan}, false}} {
		if got := c.of.Known(); got != c.want {
			t.Errorf("%v is known: %v", c.of, got)
		}
	}
}

// A draw whose best was missed is mended by a decision that is better there, from which the search goes on: with B = [b, 0; 0, c] and traits d the revenue of
// q·(d − Bq) is largest at d/2b and d/2c. Only regret, which is measured from those, is then to be searched for anew.
func TestJudgesMendWhatWasMissed(t *testing.T) {
	traits := []float64{4, 6}
	for _, c := range []struct {
		rule Rule
		want bool
	}{{Rule{Kind: Regret}, true}, {Rule{Kind: Mean}, false}, {Rule{CVaR, 0.5}, false}} {
		q := Matter{Rule: c.rule, Plug: []float64{1, 1}, Set: set.Box{Lower: []float64{0, 0}, Upper: []float64{20, 20}}}
		for _, b := range []float64{1, 2} {
			q.Worlds = append(q.Worlds, shop(t, 0.5, [4]float64{b, 0, 0, b}, traits))
		}
		all, err := solve(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		all.answer.Search = &optimum.Search{Point: optimum.Point{Decision: []float64{1.5, 2}}}
		if found, err := all.judge(t.Context()); found || err != nil {
			t.Errorf("%v: nothing was missed, and found is %v, %v", c.rule, found, err)
		}
		missed := &all.answer.Draws[1]
		missed.Decision, missed.Loss = []float64{0, 0}, 0
		if found, err := all.judge(t.Context()); found != c.want || err != nil {
			t.Errorf("%v: found %v, %v, want %v", c.rule, found, err, c.want)
		}
		for j, want := range []float64{4.0 / 4, 6.0 / 4} {
			if math.Abs(missed.Decision[j]-want) > 1e-6 {
				t.Errorf("%v: the best is %v, want entry %d to be %v", c.rule, missed.Decision, j, want)
			}
		}
		if want := -(4*4/8.0 + 6*6/8.0); math.Abs(missed.Loss-want) > 1e-9 {
			t.Errorf("%v: the loss is %v, want %v", c.rule, missed.Loss, want)
		}
		ctx, over := context.WithCancel(t.Context())
		over()
		missed.Loss = 0
		if found, err := all.judge(ctx); found || !errors.Is(err, context.Canceled) {
			t.Errorf("called off: %v, %v", found, err)
		}
	}
}

// By hand: of 20 costs the middle is between the tenth and the eleventh, and the largest is as far from it as 9.5; ten people stretch that by t₁₀(0.999)/z(20/21) = 4.14370/1.66839. Of fewer draws, or where some have no answer, it cannot be told.
func TestCostsAreStretched(t *testing.T) {
	costs := func(n int) (list []float64) {
		for i := range n {
			list = append(list, float64((7*i+3)%n)) // 0 … n − 1, in no order
		}
		return list
	}
	for _, c := range []struct {
		n, missing    int
		most, stretch float64
	}{
		{20, 0, 19, 9.5 + 9.5*4.14370/1.66839}, {22, 0, 21, 10.5 + 10.5*Reaches(22)}, {23, 0, 22, 11 + 11*Reaches(23)}, {19, 0, 18, math.Inf(1)}, {20, 1, 19, math.Inf(1)},
	} {
		if most, stretch := stretched(costs(c.n), c.missing); most != c.most || stretch != c.stretch && (math.IsInf(c.stretch, 1) || !(math.Abs(stretch-c.stretch) <= 1e-4*c.stretch)) {
			t.Errorf("%d costs, %d missing: %v and %v, want %v and %v", c.n, c.missing, most, stretch, c.most, c.stretch)
		}
	}
}

// By hand: of 0 … 40 the ranks 1 and 39 hold 95 of 100; what is missing may be anywhere, so that ranks are of more numbers and one beyond those known is infinite.
func TestIntervalsHoldNinetyFive(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		n, missing int
		want       Between
	}{
		{41, 0, Between{1, 39}}, {40, 1, Between{0, 39}}, {39, 2, Between{-inf, inf}}, {2, 0, Between{0.025, 0.975}}, {1, 0, Between{0, 0}}, {80, 1, Between{1, 78}}, {79, 2, Between{0, 78}}, {78, 3, Between{-inf, inf}}, {60, 1, Between{0.5, 58.5}}, {59, 2, Between{-inf, inf}},
	} {
		list := make([]float64, c.n)
		for i := range list {
			list[i] = float64(c.n - 1 - i)
		}
		got := within(list, c.missing)
		if got != c.want && !(math.Abs(got.Low-c.want.Low) <= 1e-12 && math.Abs(got.High-c.want.High) <= 1e-12) {
			t.Errorf("%d numbers, %d missing: %v, want %v", c.n, c.missing, got, c.want)
		}
	}
	if got := within([]float64{inf, 1}, 0); got != (Between{-inf, inf}) { // between 1 and no value there is nothing to tell
		t.Errorf("of 1 and no value: %v", got)
	}
	known := []float64{inf}
	for i := range 40 {
		known = append(known, float64(i))
	}
	if got := within(known, 0); got != (Between{1, 39}) { // a rank is met, and what is beside it does not matter
		t.Errorf("of 0 … 39 and no value: %v", got)
	}
	if got := within([]float64{inf, inf, inf}, 0); got != (Between{inf, inf}) {
		t.Errorf("of no values: %v", got)
	}
}

// Curvatures are by a step of 1e-4 of the decision's size, which is 50, forward, and backward where there is no value ahead. By hand, of −log(2.001 − q₀), whose slope is 1/(2.001 − q₀): over a step from a to b it rises by 1/(ab) a unit.
func TestCurvaturesByDifferences(t *testing.T) {
	q := Matter{Rule: Rule{Kind: Mean}, Plug: []float64{1, 50}, Set: set.Box{Lower: []float64{0, 0}, Upper: []float64{2, 60}}}
	q.Worlds = []World{shopThat(t, "log(2.001 - q[0]) + 0*p[0]", 0.5, [4]float64{1, 0, 0, 1}, []float64{4, 6})}
	c, err := solve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for u, want := range map[float64]float64{1: 1 / (1.001 * 0.996), 1.997: 1 / (0.004 * 0.009)} {
		b, err := c.bend([]float64{u, 50})
		if err != nil {
			t.Fatal(err)
		}
		if got := b.curve[0]; !(math.Abs(got[0]-want) <= 1e-9*want) || got[1] != 0 || got[2] != 0 || got[3] != 0 {
			t.Errorf("at %v: %v, want %v", u, got, want)
		}
	}
}

// By hand, of a loss with two wells, at 1 and −1: two walks that end in both leave the chance of another at 1, as does one alone, beside one that begins where there is no value; three that end in one leave 1·2/(3·2).
func TestWalksOverDrawsAreCounted(t *testing.T) {
	q := Matter{Rule: Rule{Kind: Mean}, Plug: []float64{0.8, 0}, Set: set.Box{Lower: []float64{-3, -3}, Upper: []float64{3, 3}}}
	q.Worlds = []World{shopThat(t, "-(q[0]^2 - 1)^2 - q[1]^2 + 0*sqrt(q[0] + 2) + 0*p[0]", 0.5, [4]float64{1, 0, 0, 1}, []float64{4, 6})}
	c, err := solve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct {
		starts                     [][]float64
		found, here, basins, walls int
		missed                     float64
	}{
		{[][]float64{{-0.8, 0.1}}, 2, 1, 2, 0, 1}, {[][]float64{{-2.5, 0}}, 1, 1, 1, 1, 1}, {[][]float64{{0.7, 0.1}, {1.2, 0}}, 3, 3, 1, 0, 2. / 6},
	} {
		c.answer.Draws[0].Decision = []float64{0.9, 0}
		s, err := c.find(t.Context(), x.starts)
		if err != nil {
			t.Fatal(err)
		}
		if len(s.Found) != x.found || s.Here != x.here || s.Basins != x.basins || s.Walls != x.walls || s.Residue != s.Residual || math.Abs(s.Missed-x.missed) > 1e-12 {
			t.Errorf("from %v: %d found, %d here, %d basins, %d walls, %v missed; want %+v", x.starts, len(s.Found), s.Here, s.Basins, s.Walls, s.Missed, x)
		}
	}
	if _, err := c.find(t.Context(), [][]float64{{-2.5, 0}, {-2.6, 0}}); err != nil {
		t.Errorf("one walk of three ends: %v", err)
	}
	c.answer.Draws[0].Decision = []float64{-2.7, 0}
	if s, err := c.find(t.Context(), [][]float64{{-2.5, 0}}); err == nil {
		t.Errorf("nowhere with a value: %+v", s)
	}
}

// By hand: of four losses the worst 2½ are 5, 4 and half of 3; at least one counts, and what is no number is the worst. What does not count may be infinite.
func TestTheWorstPart(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		loss, weight []float64
		part         float64
	}{
		{[]float64{1, 5, 3, 4}, []float64{0, 0.4, 0.2, 0.4}, 0.625}, {[]float64{1, 5, 3, 4}, []float64{0, 0.5, 0, 0.5}, 0.5}, {[]float64{1, 5, 3, 4}, []float64{0, 1, 0, 0}, 0.1}, {[]float64{1, 5, 3, 4}, []float64{0.25, 0.25, 0.25, 0.25}, 1}, {[]float64{1, 5, 3, 4}, []float64{0, 1 / 1.5, 0, 0.5 / 1.5}, 0.375},
		{[]float64{2, 2, 2}, []float64{1. / 2, 1. / 2, 0}, 2. / 3}, {[]float64{inf, nan, 3}, []float64{0, 1, 0}, 0.3}, {[]float64{inf, nan, 3}, []float64{0.5, 0.5, 0}, 2. / 3},
	} {
		weight := slices.Repeat([]float64{7}, len(c.loss))
		worst(weight, make([]int, len(c.loss)), c.loss, c.part)
		for i, w := range c.weight {
			if !(math.Abs(weight[i]-w) <= 1e-15) {
				t.Errorf("the worst %v of %v: %v, want %v", c.part, c.loss, weight, c.weight)
				break
			}
		}
	}
	c := &council{Matter: Matter{Rule: Rule{CVaR, 0.5}}, loss: []float64{1, 2}, weight: make([]float64, 2), order: make([]int, 2), slope: [][]float64{{nan}, {3}}}
	g := []float64{9}
	if value := c.mix(g); value != 2 || g[0] != 3 {
		t.Errorf("the worse of two is %v with the slope %v", value, g)
	}
	c.loss, c.weight = []float64{inf, 3}, []float64{0, 0.5}
	if got := c.weighed(); got != 1.5 {
		t.Errorf("weighed: %v", got)
	}
}

// Searches begin at the first start and at the five best of the others and of every second of 17 draws, by losses in closed form.
func TestWhereSearchesBegin(t *testing.T) {
	q, draws, mean := question(t, 17, Rule{Kind: Mean})
	c, err := solve(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	lost := func(u []float64) (sum float64) {
		for _, b := range draws {
			sum += loss(b, mean, u) / float64(len(draws))
		}
		return sum
	}
	starts := [][]float64{{9, 9}, {8, 8}, q.Plug}
	want := slices.Clone(starts[1:])
	for i := 0; i < len(draws); i += 2 {
		want = append(want, best(draws[i], mean))
	}
	slices.SortFunc(want, func(a, b []float64) int { return cmp.Compare(lost(a), lost(b)) })
	got := c.promising(starts)
	if len(got) != 6 || !slices.Equal(got[0], starts[0]) {
		t.Fatalf("%v", got)
	}
	for i, u := range got[1:] {
		if math.Hypot(u[0]-want[i][0], u[1]-want[i][1]) > 1e-6 {
			t.Errorf("number %d is %v, want %v", i+1, u, want[i])
		}
	}
	if got = c.promising(starts[:1]); len(got) != 6 {
		t.Errorf("from one start: %v", got)
	}
}
