package inference

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/logs/backtest"
	"github.com/kedge-opt/kedge/report/draw"
)

// By hand: of ten numbers the middle eight tenths leave one out on either side, of twenty two, and of nine none.
func TestTheMiddleEightTenths(t *testing.T) {
	for n, out := range map[int]float64{1: 0, 9: 0, 10: 1, 19: 1, 20: 2, 21: 2} {
		e := &logs.Inference{First: "Monday", Ahead: &logs.Foreseen{Turn: slices.Repeat([]int{4}, n)}}
		points := overTime(e, func(i int) float64 { return float64((7*i + 3) % n) }) // 0 … n−1, where 7 does not divide n
		if n%7 == 0 {
			points = overTime(e, func(i int) float64 { return float64((5*i + 3) % n) })
		}
		want := draw.LinePoint{X: 4, Mean: float64(n-1) / 2, Low: out, High: float64(n-1) - out}
		if len(points) != 1 || math.Abs(points[0].Mean-want.Mean) > 1e-12 || points[0].X != 4 || points[0].Low != want.Low || points[0].High != want.High {
			t.Errorf("of %d numbers: %+v, want %+v", n, points, want)
		}
	}
}

// unknown is what was not found, and from its value on an interval of 1 and 2 to either side.
func unknown() logs.Amount { return logs.Amount(math.NaN()) }

func within(v float64) logs.Inferred {
	return logs.Inferred{Value: logs.Amount(v), Low: logs.Amount(v - 1), High: logs.Amount(v + 2)}
}

// Rows of intervals stand below each other at whole heights, the first on top, named with 34 letters at most; what is not known is named alone, and has no interval where one of its
// ends is not known.
func TestIntervalsBelowEachOther(t *testing.T) {
	half, dark := within(5), within(7)
	half.High, dark.Value = unknown(), unknown()
	p := spans("title", "label", []span{{"a", within(2), look(0)}, {strings.Repeat("b", 40), half, look(1)}, {"c", dark, look(0)}})
	var marks []string
	for _, m := range p.Y.Marks {
		marks = append(marks, fmt.Sprint(m.Value, m.Label))
	}
	if want := []string{"3a", "2" + strings.Repeat("b", 34), "1c"}; !slices.Equal(marks, want) || p.Y.Min != 0.3 || p.Y.Max != 3.7 || p.Title != "title" || p.X.Label != "label" {
		t.Errorf("%q from %v to %v", marks, p.Y.Min, p.Y.Max)
	}
	var at []string
	for _, l := range p.Layers {
		switch l := l.(type) {
		case draw.Lines:
			at = append(at, fmt.Sprint("from ", l[0].Points[0].X, " to ", l[0].Points[1].X, " at ", l[0].Points[1].Low, l[0].Points[0].High))
		case draw.Dots:
			at = append(at, fmt.Sprint(l.X, l.Y))
		}
	}
	if want := []string{"from 1 to 4 at 3 3", "[2] [3]", "from 5 to 5 at 2 2", "[5] [2]"}; !slices.Equal(at, want) {
		t.Errorf("%q, want %q", at, want)
	}
	if x := draw.Fitted(draw.Extent{Low: 1, High: 5}); p.X.Ruler != x {
		t.Errorf("from %v to %v, want %v", p.X.Min, p.X.Max, x)
	}
	if p := spans("", "", []span{{"c", dark, look(0)}}); p.X.Min != -0.05 || p.X.Max != 1.05 {
		t.Errorf("of nothing known from %v to %v", p.X.Min, p.X.Max)
	}
}

// By hand: 70 and 26 for every row of answers, two of each of eight ways at most; 40, and for each of three numbers at most 56 and 20 for every method that found it.
func TestFiguresOfIntervalsAreAsHighAsTheyNeed(t *testing.T) {
	for n, want := range map[int]float64{1: 122, 2: 174, 8: 486, 9: 486} {
		e := &logs.Inference{Answer: &logs.Response{Entries: make([]logs.Reply, n)}}
		if got := answers(e).Height; got != want {
			t.Errorf("%d answers are %v high, want %v", n, got, want)
		}
	}
	if s := answers(&logs.Inference{Answer: &logs.Response{}}); len(s.Panels) != 0 {
		t.Error("no answers are drawn")
	}
	method := func(name, fault string, values int) logs.Linear {
		return logs.Linear{Method: name, Title: name + ", as it is", Fault: fault, Values: make([]logs.Inferred, values)}
	}
	for _, c := range []struct {
		list []logs.Linear
		want float64
	}{
		{[]logs.Linear{method("a", "", 2), method("b", "", 2)}, 40 + 2*96}, {[]logs.Linear{method("a", "", 3), method("b", "", 3), method("c", "", 3)}, 40 + 3*116}, {[]logs.Linear{method("a", "", 4), method("b", "", 4)}, 40 + 3*96},
		{[]logs.Linear{method("a", "", 2), method("b", "it broke", 2)}, 0}, {[]logs.Linear{method("a", "", 2), method("b", "", 0)}, 0}, {[]logs.Linear{method("a", "", 1), method("b", "it broke", 1), method("c", "", 1)}, 40 + 96},
	} {
		if got := byMethod(&logs.Inference{Linear: c.list, Method: "b"}).Height; got != c.want {
			t.Errorf("%d methods are %v high, want %v", len(c.list), got, c.want)
		}
	}
}

// past is a look back over some dates, at which every rule set its number and is worth ten times that, give or take 1 and 2.
func past(dates ...string) *backtest.Retrospect {
	h := &backtest.Retrospect{Decision: []string{"price"}}
	for i, date := range dates {
		d := backtest.PastDate{Date: date, Observed: unknown()}
		for r := range backtest.Rules() {
			v := float64(10 * r)
			w := backtest.Worth{Value: logs.Amount(v), Low: logs.Amount(v - 1), High: logs.Amount(v + 2)}
			d.Rules = append(d.Rules, backtest.Verdict{Decision: []float64{float64(r)}, Once: w, Settled: w})
		}
		if i == 0 {
			d.Rules[1].Decision, d.Rules[2].Once.Value, d.Rules[3].Once.Low = nil, unknown(), unknown()
		}
		h.Dates = append(h.Dates, d)
	}
	return h
}

// Dates stand at their numbers, or are counted with their names, with three tenths of a step to either side; whole numbers are marked where they go over more than 3.
func TestDatesOnTheirAxis(t *testing.T) {
	for _, c := range []struct {
		dates    []string
		at       []float64
		low      float64
		high     float64
		whole    bool
		isMarked bool
	}{
		{[]string{"3", "5", "9"}, []float64{3, 5, 9}, 2.1, 9.9, true, false}, {[]string{"3", "6"}, []float64{3, 6}, 2.1, 6.9, false, false}, {[]string{"3", "6.5"}, []float64{3, 6.5}, 1.95, 7.55, true, false},
		{[]string{"may", "june", "july"}, []float64{0, 1, 2}, -0.3, 2.3, false, true}, {[]string{"3", "june"}, []float64{0, 1}, -0.3, 1.3, false, true}, {[]string{"may", "3"}, []float64{0, 1}, -0.3, 1.3, false, true},
		{[]string{"1", "Inf"}, []float64{0, 1}, -0.3, 1.3, false, true}, {[]string{"7"}, []float64{7}, 6.7, 7.3, false, false},
	} {
		at, axis := days(past(c.dates...))
		if !slices.Equal(at, c.at) || math.Abs(axis.Min-c.low) > 1e-12 || math.Abs(axis.Max-c.high) > 1e-12 || axis.Whole != c.whole || (axis.Marks != nil) != c.isMarked || axis.Label != "date of the decision" {
			t.Errorf("%q: %v, %+v", c.dates, at, axis)
		}
		for i, m := range axis.Marks {
			if m.Value != float64(i) || m.Label != c.dates[i] {
				t.Errorf("%q: mark %d is %+v", c.dates, i, m)
			}
		}
	}
}

// By hand: over dates from 3 to 9 the axis is 7.8 long, a third of which, of three dates, is divided by 12 among four rules, two to either side.
func TestRulesStandBesideEachOther(t *testing.T) {
	h := past("3", "5", "9")
	step := 7.8 / 3 / 12
	for apart, shift := range map[bool]float64{false: 0, true: step} {
		list := over(h, apart, once)
		if len(list) != 4 {
			t.Fatalf("%d rules", len(list))
		}
		for r, line := range list {
			if n := map[int]int{2: 2}[r]; line.Name != backtest.Rules()[r] || len(line.Points) != 3 && len(line.Points) != n {
				t.Errorf("%s has %d points", line.Name, len(line.Points))
			}
			last := line.Points[len(line.Points)-1]
			if v := float64(10 * r); math.Abs(last.X-(9+shift*(float64(r)-1.5))) > 1e-12 || last.Mean != v || last.Low != v-1 || last.High != v+2 {
				t.Errorf("%s ends at %+v", line.Name, last)
			}
		}
		if p := list[3].Points[0]; p.Low != 30 || p.High != 30 {
			t.Errorf("an end that is not known: %+v", p)
		}
	}
	set := over(h, false, entry(0))
	if len(set[1].Points) != 2 || len(set[3].Points) != 3 || set[3].Points[0].Mean != 3 || set[3].Points[0].Low != 3 || set[3].Points[0].High != 3 {
		t.Errorf("%+v", set)
	}
}

// By hand: 3 and 4 off, the root of the mean square is √12.5; a date at which nothing was observed, or done is not known, does not count.
func TestTrustIsARootMeanSquare(t *testing.T) {
	h := past("3", "5", "9", "11")
	if got := trust(h); got.Headline != "Nothing of what rules would have done was seen." || len(got.Reasons) != 1 {
		t.Errorf("nothing observed: %+v", got)
	}
	h.Dates[0].Observed, h.Dates[1].Observed, h.Dates[3].Observed = 3, -4, 100
	h.Dates[3].Rules[0].Once.Value = unknown()
	if got := trust(h); len(got.Reasons) != 2 || !strings.Contains(got.Reasons[0], "by 3.536, in the root of the mean square of 2 dates.") {
		t.Errorf("%+v", got)
	}
	if line := seen(h); len(line.Points) != 3 || line.Points[1].X != 5 || line.Points[1].Mean != -4 || line.Points[1].Low != -4 || line.Points[1].High != -4 {
		t.Errorf("%+v", line)
	}
	if s := rules(h); s.Height != 110+145*3 || len(s.Panels) != 3 || len(s.Legend) != 4+1+2 {
		t.Errorf("%v high, %d panels, %d entries", s.Height, len(s.Panels), len(s.Legend))
	}
	h.Decision = []string{"a", "b", "c", "d"}
	for i := range h.Dates {
		for r := range h.Dates[i].Rules {
			h.Dates[i].Rules[r].Decision, h.Dates[i].Rules[r].Settled.Value = []float64{1, 2, 3, 4}, unknown()
		}
	}
	s := rules(h)
	if y := s.Panels[4].Y; len(s.Panels) != 5 || s.Height != 110+145*5 || y.Min != -0.05 || y.Max != 1.05 || s.Panels[2].Title != "c, set at each date" {
		t.Errorf("%d panels, the last from %v to %v", len(s.Panels), y.Min, y.Max)
	}
	if list := charts(h); len(list) != 5 || list[2].ID != "set-3" || len(list[4].Lines) != 0 {
		t.Errorf("%d charts", len(list))
	}
}
