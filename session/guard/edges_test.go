package guard

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/risk"
)

func TestTheSameIsTold(t *testing.T) {
	one, two := 1.0, 2.0
	for _, c := range []struct {
		a, b Metered
		want bool
	}{
		{Metered{Value: 1}, Metered{Value: 1}, true},
		{Metered{Value: 1}, Metered{Value: 2}, false},
		{Metered{SE: 1}, Metered{SE: 2}, false},
		{Metered{N: &one}, Metered{}, false},
		{Metered{}, Metered{N: &one}, false},
		{Metered{N: &one}, Metered{N: &two}, false},
		{Metered{N: &one}, Metered{N: new(1.0)}, true},
	} {
		if c.a.Equal(c.b) != c.want {
			t.Errorf("%v and %v are the same: %t", c.a, c.b, !c.want)
		}
	}
}

func TestNumbersThatCannotBeTold(t *testing.T) {
	for _, c := range []struct {
		m    Metered
		want string
	}{
		{Metered{Value: math.NaN()}, "/value value is NaN, want a finite number"},
		{Metered{Value: math.Inf(1)}, "/value value is +Inf, want a finite number"},
		{Metered{SE: -1e-9}, "/se se is -1e-09, want a finite number ≥ 0"},
		{Metered{SE: math.Inf(1)}, "/se se is +Inf, want a finite number ≥ 0"},
		{Metered{}, " "},
	} {
		if at, why := c.m.Wrong(); at+" "+why != c.want {
			t.Errorf("%v: %s %s, want %s", c.m, at, why, c.want)
		}
	}
}

// A number of which nobody says how certain it is breaks its bound or keeps it; with an error of 1 it is uncertain up to 2.576 beyond.
func TestJudgeTold(t *testing.T) {
	g := watch(t, "hold", "{}", "{}", "24h", nil)
	for _, c := range []struct {
		name    string
		m       Metered
		verdict string
		known   bool
	}{
		{"told", Metered{Value: 3}, Pass, true},
		{"told", Metered{Value: 3.01}, Fail, true},
		{"told", Metered{Value: 5.57, SE: 1}, Inconclusive, true},
		{"told", Metered{Value: 5.58, SE: 1}, Fail, true},
		{"both", Metered{Value: -3.57, SE: 1}, Inconclusive, true},
		{"both", Metered{Value: -3.58, SE: 1}, Fail, true},
		{"mean", Metered{}, "", false},
		{"nobody", Metered{}, "", false},
	} {
		if verdict, known := g.JudgeTold(c.name, c.m); verdict != c.verdict || known != c.known {
			t.Errorf("%s %v: %q, %t", c.name, c.m, verdict, known)
		}
	}
}

// What is beyond all numbers, or has an end that nobody knows, keeps no bound and breaks none.
func TestReadingsThatSayNothing(t *testing.T) {
	inf, nan, zero := math.Inf(1), math.NaN(), 0.0
	for _, r := range []reading{{inf, nan, inf}, {inf, 1, 2}, {-inf, -inf, nan}, {-inf, 0, 0}, {nan, nan, nan}, {nan, 1, 2}, {1, nan, 2}, {-1, nan, 0}, {1, 0, nan}, {-1, -2, nan}} {
		for _, bounds := range [][2]*float64{{&zero, nil}, {nil, &zero}} {
			if got := r.verdict(bounds[0], bounds[1]); got != Inconclusive {
				t.Errorf("%v within %v: %s", r, bounds, got)
			}
		}
	}
}

// The interval of a mean, by hand: of 1 and 3 it is 2, with an error of 1, and Student's law with one degree of freedom has 63.657 to either side [any table].
func TestMeansByHand(t *testing.T) {
	m := MeanOf([]float64{1, 3}, nil)
	r := m.reading()
	if m.Value != 2 || r.value != 2 || math.Abs(m.SE-1) > 1e-15 || m.N != 2 || math.Abs(r.low+61.657) > 1e-3 || math.Abs(r.high-65.657) > 1e-3 {
		t.Errorf("%+v, from %g to %g", m, r.low, r.high)
	}
	if m := MeanOf([]float64{5, 7}, []float64{0, 2}); m != (Gauged{7, 0, 1}) || !math.IsInf(m.Half(certainty), 1) {
		t.Errorf("of one who counts: %+v ± %g", m, m.Half(certainty))
	}
	if m := MeanOf(nil, nil).known(); m != nil {
		t.Errorf("of nobody: %+v", m)
	}
	if n := Worth([]float64{0, 0}, 2); n != 0 {
		t.Errorf("two who do not count are worth %g", n)
	}
	x := weighted{[]float64{1, 2, 4}, []float64{1, 2, 4}}
	if x.median() != 3 || x.quantile(0.5) != 2 || x.quantile(0.51) != 4 || x.quantile(0.25) != 1 {
		t.Errorf("median %g, quantiles %g, %g and %g", x.median(), x.quantile(0.5), x.quantile(0.51), x.quantile(0.25))
	}
	if !math.IsInf(x.quantile(0), -1) || !math.IsInf(x.quantile(1), 1) {
		t.Error("beyond all numbers is one")
	}
}

func TestColumn(t *testing.T) {
	for entry, want := range [][]float64{{1, 4}, {2, 5}, {3, 6}} {
		if got := Column([]float64{1, 2, 3, 4, 5, 6}, 3, entry); !slices.Equal(got, want) || Column(nil, 3, entry) != nil {
			t.Errorf("column %d is %v, want %v", entry, got, want)
		}
	}
}

// A quantile is known of as many people as have one of them beyond it, and a share counts who is at its edge where it says so.
func TestStatisticsAtTheirEdges(t *testing.T) {
	x := []float64{-1, 0, 0, 1, 2, 3, 4, 5, 6, 7}
	for _, level := range []float64{0.125, 0.875} {
		if v := measure(live.Statistic{Of: live.QuantileOf, Level: level}, x[:8], nil).value; math.IsNaN(v) {
			t.Errorf("the quantile %g of eight is not known", level)
		}
		if r := measure(live.Statistic{Of: live.QuantileOf, Level: level}, x[:7], nil); !math.IsNaN(r.value) || !math.IsNaN(r.low) || !math.IsNaN(r.high) {
			t.Errorf("the quantile %g of seven is %g", level, r.value)
		}
	}
	for level, want := range map[float64]bool{0.9: true, 0.1: true, 0.91: false, 0.09: false} { // 1 − 0.9, as numbers are kept, is less than 0.1
		if v := measure(live.Statistic{Of: live.QuantileOf, Level: level}, x, nil).value; math.IsNaN(v) == want {
			t.Errorf("the quantile %g of ten is %g", level, v)
		}
	}
	for equal, want := range map[bool]float64{false: 0.7, true: 0.9} {
		if v := measure(live.Statistic{Of: live.ShareOf, Equal: equal}, x, nil).value; v != want {
			t.Errorf("a share of %g, want %g", v, want)
		}
	}
}

// How likely it is to be said so.
func TestChance(t *testing.T) {
	for p, want := range map[float64]string{0.999e-6: "less than once in a million closes", 1e-6: "once in 1 000 000 closes", 0.0003: "once in 3333 closes", 0.004: "once in 250 closes"} {
		if got := chance(p); got != want {
			t.Errorf("%g: %s, want %s", p, got, want)
		}
	}
}

// Two like samples differ by chance; of 60 and 40 beside 40 and 60 χ² is 4·100/50 = 8, whose chance with one degree of freedom is 0.004677734981 [any table].
func TestAlike(t *testing.T) {
	for _, c := range []struct {
		a, b []float64
		want float64
	}{
		{[]float64{60, 40}, []float64{40, 60}, 0.004677734981},
		{[]float64{60, 0, 40}, []float64{40, 0, 60}, 0.004677734981},
		{[]float64{60, 40}, []float64{30, 20}, 1},
		{[]float64{5}, []float64{9}, 1},
		{[]float64{5, 0}, []float64{9, 0}, 1},
		{[]float64{0, 0}, []float64{1, 1}, 1},
	} {
		if got := alike(c.a, c.b); math.Abs(got-c.want) > 1e-11 {
			t.Errorf("%v beside %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// Edges lie between values of which there are ten at most, else at fifths; around none there is half of a unit.
func TestEdges(t *testing.T) {
	ten, eleven := make([]float64, 0, 30), make([]float64, 0, 33)
	for i := range 33 {
		if i < 30 {
			ten = append(ten, float64(i%10))
		}
		eleven = append(eleven, float64(i%11))
	}
	if got := edgesOf(ten, nil); !slices.Equal(got, []float64{0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5}) {
		t.Errorf("ten values: %v", got)
	}
	if got := edgesOf(eleven, nil); !slices.Equal(got, []float64{2, 4, 6, 8}) {
		t.Errorf("eleven values: %v", got)
	}
	if got := binned([]float64{0, 1, 1, 2, 5}, []float64{1, 1, 1, 1, 2}, []float64{1, 2}); !slices.Equal(got, []float64{3 * 0.75, 0.75, 2 * 0.75}) { // worth 36/8 = 4.5 of a weight of 6
		t.Errorf("in bins: %v", got)
	}
	for _, c := range []struct{ edges, want []float64 }{{nil, []float64{2.5, 3.5}}, {[]float64{1}, []float64{0, 1, 2}}, {[]float64{1, 2, 5}, []float64{-1, 1, 2, 5, 7}}} {
		if got := framed(c.edges, 3); !slices.Equal(got, c.want) {
			t.Errorf("%v framed is %v, want %v", c.edges, got, c.want)
		}
	}
}

// A close at which some guardrail failed is one that failed, however the others are; what passes and still acts is told.
func TestHindsight(t *testing.T) {
	h := &Hindsight{}
	h.Add(1, []Judged{{Name: "a", Verdict: Pass}})
	h.Add(2, []Judged{{Name: "a", Verdict: Fail}, {Name: "b", Verdict: Inconclusive, Words: "?"}, {Name: "c", Verdict: Pass, Acts: live.Hold}})
	h.Add(3, []Judged{{Name: "a", Verdict: Inconclusive}, {Name: "b", Verdict: Pass, Acts: live.Hold}})
	h.Add(4, []Judged{{Name: "a", Verdict: Pass, Acts: live.Hold}})
	want := []Would{{2, "a", Fail, none, ""}, {2, "b", Inconclusive, none, "?"}, {2, "c", Pass, live.Hold, ""}, {3, "a", Inconclusive, none, ""}, {3, "b", Pass, live.Hold, ""}, {4, "a", Pass, live.Hold, ""}}
	if h.Closes != 4 || h.Pass != 2 || h.Fail != 1 || h.Inconclusive != 1 || !slices.Equal(h.Would, want) {
		t.Errorf("%+v", h)
	}
}

// two is a guard of people with one state and no trait.
func two(change func(l *live.Arrangement)) *Guard {
	l := live.New()
	change(l)
	return New(Duty{Live: l, Dims: kedge.Dims{Decision: 1, State: 1}})
}

// Whoever is outside of a range does not count, those at its ends do; of nobody who counts nothing is remembered.
func TestSieveAtTheEdges(t *testing.T) {
	g := two(func(l *live.Arrangement) { l.StateRange, l.Share = []float64{-1, 2}, 0.5 })
	seen := kedge.Observation{P: []float64{-1.5, -1, 2, 2.5}}
	out := g.Sieve(&seen)
	if !slices.Equal(seen.P, []float64{-1, 2}) || out.Out != 2 || out.Outside != 2 || out.Concern != nil || out.Spread.Median[0] != 0.5 {
		t.Errorf("%+v of %v", out, seen.P)
	}
	seen = kedge.Observation{P: slices.Repeat([]float64{7}, 30)}
	if out := g.Sieve(&seen); out.Spread != nil || len(out.Suspects) != mostSuspects || out.Suspects[19].Row != 19 || out.Concern == nil || out.Concern.Words != phrase.Percent(1)+" of answers are outside what live.outliers allows" {
		t.Errorf("%+v", out)
	}
	seen = kedge.Observation{P: []float64{1, 2}, W: []float64{0, 0}}
	if out := g.Sieve(&seen); out.Spread != nil {
		t.Errorf("of nobody who counts: %+v", out.Spread)
	}
}

// Of three closes whose medians are 9, 10 and 11 and whose deviations are 1 the reference is 10 ± max(1, 1.4826): people count up to 12·1.4826 away. Where all were alike everybody does.
func TestWhoIsFar(t *testing.T) {
	g := two(func(*live.Arrangement) {})
	sieve := func(v float64) int {
		seen := kedge.Observation{P: []float64{v}}
		return g.Sieve(&seen).Out
	}
	for _, m := range []float32{9, 11} {
		g.Spread = append(g.Spread, Spreading{[]float32{m}, []float32{1}})
	}
	if sieve(1e6) != 0 {
		t.Error("two closes tell what is far")
	}
	g.Spread = append(g.Spread, Spreading{[]float32{10}, []float32{1}})
	for v, want := range map[float64]int{27.79: 0, 27.80: 1, -7.79: 0, -7.80: 1} { // 12·1.4826 = 17.7912
		if sieve(v) != want {
			t.Errorf("%g: %d out, want %d", v, 1-want, want)
		}
	}
	g.Spread = append(g.Spread, Spreading{[]float32{10}, []float32{4}}) // of four: deviations 1, and medians that lie 0, 0, 1 and 1 from theirs
	for v, want := range map[float64]int{21.99: 0, 22.01: 1} {
		if sieve(v) != want {
			t.Errorf("of four closes %g: %d out, want %d", v, 1-want, want)
		}
	}
	for _, one := range []Spreading{{[]float32{-2}, []float32{0}}, {[]float32{-2}, []float32{1e-9}}} {
		if g.Spread = slices.Repeat([]Spreading{one}, 3); sieve(1e6) != 0 {
			t.Errorf("somebody is far from people who were all alike: %v", one)
		}
	}
	g.Spread = slices.Repeat([]Spreading{{[]float32{-2}, []float32{1e-8}}}, 3)
	if sieve(-2) != 0 || sieve(-1.9) != 1 {
		t.Error("nobody is far from people who were nearly alike")
	}
}

// What people of random turns show of what was said, as it was when this was recorded; of too few turns, of one turn that says it all, and of none that differ nothing.
func TestRatiosAsRecorded(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 5))
	var got []string
	for n := range 9 {
		for _, scale := range []float64{0, 5e-6, 1} {
			points := make([]AnswerPoint, n)
			for i := range points {
				for range 1 + n%3 {
					said := 10 + scale*r.NormFloat64()
					points[i].Said, points[i].Seen = append(points[i].Said, float32(said)), append(points[i].Seen, float32(5+0.7*(said-10)+0.1*scale*r.NormFloat64()))
				}
			}
			if n > 5 && scale == 1 {
				points[2].Said[0] += 1000
			}
			q := ratioOf(points)
			line := fmt.Sprintf("%d turns, %g:", q.Turns, scale)
			if q.Ratio != nil {
				line += fmt.Sprintf(" %.12g from %.12g to %.12g", *q.Ratio, *q.Low, *q.High)
			}
			got = append(got, line)
		}
	}
	evidence.AsRecorded(t, "testdata/ratios.txt", got)
}

// A model that was distrusted is, by its ratio or, where that is lost, without one; what is live is remembered for as long as the model remembers.
func TestDistrust(t *testing.T) {
	g := watch(t, "hold", "{}", "{}", "24h", nil)
	for _, q := range []*AnswerRatio{nil, {}} {
		g.Trust = &Trusting{Verdict: Distrusted, Ratio: q, Lag: 3}
		g.Course = nil
		seen := (&answering{Rand: rand.New(rand.NewPCG(1, 1))}).seen(4, []float64{1, 1})
		if report := g.Examine(Inquiry{People: seen, Losses: make([]float64, 4)}); report.Distrust != "people answer otherwise than the model says" || report.Ratio.Verdict != Distrusted || !g.Distrusts() {
			t.Errorf("%q, %+v", report.Distrust, report.Ratio)
		}
	}
	for i := range 9 {
		g.WentLive([]float64{float64(i), 0}, false)
	}
	g.WentLive([]float64{8.5, 0}, true)
	if len(g.Course) != 4 || g.Course[0][0] != 5 || g.Course[3][0] != 8.5 {
		t.Errorf("remembered is %v", g.Course)
	}
	g.Live.Period *= 2 // two steps between decisions: three of them are forgotten after two decisions
	if g.span() != 2 {
		t.Errorf("looks back at %d decisions", g.span())
	}
	g.Trust = nil
	if g.span() != 32 {
		t.Errorf("looks back at %d decisions", g.span())
	}
}

// People without traits are told apart from those who count, up to the share that may be lost.
func TestWhoIsLost(t *testing.T) {
	g := watch(t, "hold", "{share: 0.25}", "{}", "24h", nil)
	seen := (&answering{Rand: rand.New(rand.NewPCG(1, 1))}).seen(6, []float64{1, 1})
	for lost, want := range map[int]string{2: Pass, 3: Inconclusive} { // of 8 a quarter is 2
		report := g.Examine(Inquiry{People: seen, Losses: make([]float64, 6), Lost: lost})
		if j := report.Rails[10]; j.Kind != live.Value || j.Verdict != want {
			t.Errorf("%d lost: %+v", lost, j)
		}
	}
}

// What cannot be judged is not known, however many people answered; nor is what too few did.
func TestConstraintsThatCannotBeJudged(t *testing.T) {
	g := two(func(*live.Arrangement) {})
	for _, n := range []int{2*folds - 1, 2 * folds} {
		if r := g.excess([]risk.Constraint{{Name: "of nothing"}}, kedge.Observation{P: make([]float64, n)}); !math.IsNaN(r.value) {
			t.Errorf("of %d people: %+v", n, r)
		}
	}
}
