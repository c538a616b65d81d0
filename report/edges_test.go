package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/page"
)

// A lead is clear where it is above 0, and its interval is or nothing is random.
func TestLeadsThatAreClear(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		l    lead
		want bool
	}{
		{lead{mean: 0.1, exact: true, low: nan}, true}, {lead{mean: 0, exact: true, low: nan}, false}, {lead{mean: -0.1, exact: true}, false}, {lead{mean: 0.1, low: 1e-9}, true}, {lead{mean: 0.1, low: 0}, false},
		{lead{mean: 0.1, low: -0.1}, false}, {lead{mean: 0.1, low: nan}, false}, {lead{mean: -0.1, low: 0.1}, false},
	} {
		if got := c.l.clear(); got != c.want {
			t.Errorf("%+v is clear: %t", c.l, got)
		}
	}
}

// What is exact has one number for all trials; others are compared over the trials that both have, and by their means where there is none.
func TestComparedTrialByTrial(t *testing.T) {
	exact := methodEnd{name: "exact", ends: map[int]float64{0: 1}, exact: true, mean: 1}
	a := methodEnd{name: "a", ends: map[int]float64{0: 2, 2: 4, 5: 9}, mean: 5}
	b := methodEnd{name: "b", ends: map[int]float64{2: 5, 5: 12, 6: 1}, mean: 6}
	c := methodEnd{name: "c", ends: map[int]float64{7: 8}, mean: 8}
	for _, x := range []struct {
		best, other methodEnd
		trials      []int
		mean        float64
		exact       bool
	}{{exact, a, []int{0, 2, 5}, 4, false}, {a, b, []int{2, 5}, 2, false}, {a, c, []int{}, 3, false}, {exact, exact, []int{0}, 0, true}, {a, exact, []int{0, 2, 5}, -4, false}} {
		l := ahead(x.best, x.other, 0.95)
		if got := shared(x.best, x.other); !slices.Equal(got, x.trials) || l.pairs != len(x.trials) || l.mean != x.mean || l.exact != x.exact || l.behind.name != x.other.name {
			t.Errorf("%s ahead of %s over %v: %+v", x.best.name, x.other.name, got, l)
		}
	}
}

// No winner is fair where a step is too long, and none where somebody still moves while the best has not arrived, to within a thousandth on either side.
func TestWinnersThatAreNotFair(t *testing.T) {
	one := func(name string, mean float64, tooLong, moves bool) methodEnd {
		return methodEnd{name: name, mean: mean, tooLong: tooLong, moves: moves}
	}
	for _, c := range []struct {
		best   methodEnd
		behind []methodEnd
		want   string
	}{
		{one("a", 0.5, false, false), []methodEnd{one("b", 1, false, false)}, ""}, {one("a", 0.5, false, false), []methodEnd{one("b", 1, true, true)}, "but the step of b is too long: no fair winner"},
		{one("a", 0.5, true, false), []methodEnd{one("b", 1, true, false)}, "but the step of a and b is too long: no fair winner"}, {one("a", 1e-3, false, true), []methodEnd{one("b", 1, false, true)}, ""},
		{one("a", 1.1e-3, false, false), []methodEnd{one("b", 1, false, true)}, "but b is still moving: no winner yet"}, {one("a", -1.1e-3, false, true), []methodEnd{one("b", 1, false, true)}, "but a and b are still moving: no winner yet"}, {one("a", -1e-3, false, true), nil, ""},
	} {
		var behind []lead
		for _, b := range c.behind {
			behind = append(behind, lead{behind: b})
		}
		if got := unfair(c.best, behind); got != c.want {
			t.Errorf("%+v: %q, want %q", c.best, got, c.want)
		}
	}
}

// Why there is an interval or none, and what else there is to say of who lies behind.
func TestWordsOfALead(t *testing.T) {
	best := methodEnd{name: "a", mean: 0.1}
	b := methodEnd{name: "b", mean: 0.2}
	long, lost := b, b
	long.tooLong, lost.lost = true, 2
	const head = "b ends 20.0 % away, behind a by 10.0 % of the optimal value"
	for want, l := range map[string]lead{
		head + "; nothing about the two is random, so there is no chance to allow for.":                                                        {behind: b, mean: 0.1, exact: true, pairs: 3},
		head + "; they have no trial in common, so there is no interval.":                                                                      {behind: b, mean: 0.1},
		head + " in one trial, so there is no interval.":                                                                                       {behind: b, mean: 0.1, pairs: 1, low: 1},
		head + " (95 % interval 5.00 % to 15.0 %, paired over 2 trials; 2.0 times the gap).":                                                   {behind: b, mean: 0.1, pairs: 2, low: 0.05, high: 0.15},
		head + " (95 % interval −5.00 % to 15.0 %, paired over 2 trials), which may be chance: the interval includes 0; its step is too long.": {behind: long, mean: 0.1, pairs: 2, low: -0.05, high: 0.15},
		head + " in one trial, so there is no interval; 2 trials of it had no finite gap.":                                                     {behind: lost, mean: 0.1, pairs: 1},
	} {
		if got := plain(l.words(best)); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
	for want, l := range map[string]lead{"exactly": {exact: true, pairs: 5}, "no interval": {pairs: 1, low: 1, high: 2}, "1.00 % … 2.00 %": {pairs: 2, low: 0.01, high: 0.02}} {
		if got := l.cell().Small; len(got) != 1 || plain(got[0]) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// By hand: of eight recorded gaps the later four are looked at, and 19 and 21 are a tenth of their mean apart, which is no swing.
func TestSwingsBegin(t *testing.T) {
	s := &problem.Spec{Algorithms: []kind.Algorithm{{Name: "a", Step: 0.5}, {Name: "b"}}}
	swung := func(n int, low, high float64) (gaps []float64) {
		for i := range n {
			gaps = append(gaps, []float64{low, high}[i%2])
		}
		return gaps
	}
	for _, c := range []struct {
		name   string
		gaps   []float64
		remedy string
		swings bool
	}{
		{"a", swung(8, 19, 21), "", false}, {"a", swung(8, 18.9, 21.1), "set algorithms.a.step=0.05, a tenth", true}, {"b", swung(8, 18.9, 21.1), "", true}, {"c", swung(8, -21.1, -18.9), "", true}, {"a", swung(7, 1, 2), "set algorithms.a.step=0.05, a tenth", true}, {"a", swung(6, 1, 2), "", false},
		{"a", swung(8, 1e-3, 0.9e-3), "", false}, {"a", append(swung(4, 1, 2), swung(4, 5, 5)...), "", false},
	} {
		got := swinging(falling(c.name, c.gaps), s)
		if (len(got) == 1) != c.swings || c.swings && (got[0].Remedy != c.remedy || got[0].Check != "swinging" || got[0].Method != c.name) {
			t.Errorf("%s over %v: %+v", c.name, c.gaps, got)
		}
	}
	if got := swinging(folder.Run{Name: "a"}, s); got != nil {
		t.Errorf("without a trial: %+v", got)
	}
}

// A method has arrived within a thousandth on either side, with every trial; of one that moves, a fiftieth of its gap must change.
func TestWhoHasArrived(t *testing.T) {
	for _, c := range []struct {
		gaps []float64
		want bool
	}{{[]float64{1e-3}, true}, {[]float64{-1e-3}, true}, {[]float64{1.1e-3}, false}, {[]float64{-1.1e-3}, false}, {[]float64{0, 0.002}, true}, {[]float64{0, math.NaN()}, false}} {
		if got := arrived(ending("a", c.gaps...)); got != c.want {
			t.Errorf("%v has arrived: %t", c.gaps, got)
		}
	}
	for last, moves := range map[float64]bool{0.5: true, 0.97: true, 0.985: false, 1: false, 1.03: true} {
		gaps := []float64{2, 1.9, 1.8, 1.7, 1.6, 1.5, 1.4, 1.3, 1.2, 1, 1, last}
		if last > 1 { // it rises, in one direction all through the later half
			gaps = []float64{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1, last}
		}
		d := moving(falling("a", gaps), 1100)
		if (d != nil) != moves || moves && (d.Remedy != "") != (last < 1) {
			t.Errorf("from 1 to %v at last: %+v", last, d)
		}
	}
}

// Cells of what was compared: a range where there is one, and a dash where there is nothing.
func TestCellsOfRanges(t *testing.T) {
	for want, r := range map[string]*compare.Range{"–": nil, "0.5": {Mean: 0.5, Min: 0.5, Max: 0.5}, "−0.5 −1 … 0.25": {Mean: -0.5, Min: -1, Max: 0.25}} {
		c := rangeCell(r)
		if got := strings.TrimSpace(c.Text + " " + strings.Join(c.Small, "")); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if m := meanCell(r, func(float64) string { return "−1" }); r != nil && (m.Text != "−1" || m.Short != "-1" || m.Small != nil) {
			t.Errorf("%+v", m)
		}
	}
	for want, list := range map[int][]compare.Row{8: nil, 9: {{Method: "a"}, {Method: "123456789"}}} {
		if got := longest(list); got != want {
			t.Errorf("%v: %d wide", list, got)
		}
	}
	cell := inDigits(page.Words("x"), math.Copysign(0, -1), 3)
	if cell.Short != "0" || inDigits(page.Words("x"), 1.0/3, 3).Short != "0.333" || terminalDigits("value") != 9 || terminalDigits("gap") != 3 {
		t.Errorf("%+v", cell)
	}
}

// Angles of nobody are not drawn, and the outline of the optimal ones is said where there are some: bins of one degree from 10 to 13 by hand.
func TestAnglesOfSome(t *testing.T) {
	if s := angleFigure(&folder.Result{}); len(s.Panels) != 0 {
		t.Error("no angles are drawn")
	}
	if s := angleFigure(&folder.Result{Angles: &folder.Angles{Initial: []float64{math.NaN()}}}); len(s.Panels) != 0 {
		t.Error("angles of nobody are drawn")
	}
	r := &folder.Result{Runs: []folder.Run{{Name: "a"}}, Angles: &folder.Angles{Initial: []float64{10.5, 12.5}, Final: map[string][]float64{"a": {11, 11.5}}}}
	bare := angleFigure(r)
	r.Angles.Optimal = []float64{10.5}
	full := angleFigure(r)
	if len(bare.Panels) != 2 || len(bare.Legend) != 1 || strings.Contains(bare.Caption, "outline") || len(full.Panels) != 3 || len(full.Legend) != 2 || !strings.Contains(full.Caption, "dark outline") {
		t.Errorf("%d and %d panels", len(bare.Panels), len(full.Panels))
	}
	if p := full.Panels[1]; p.Title != "final, a" || plain(p.Note) != "mean 11.2°" && plain(p.Note) != "mean 11.3°" || p.X.Min != 10 || p.X.Max != 13 || math.Abs(p.Y.Max-2.1) > 1e-12 {
		t.Errorf("%q %q from %v to %v, up to %v", p.Title, p.Note, p.X.Min, p.X.Max, p.Y.Max)
	}
}
