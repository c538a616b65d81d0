package report

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/report/draw"
)

// ended is a method that ends at some gaps, one a trial.
func ended(name string, gaps ...float64) methodEnd {
	run := folder.Run{Name: name}
	for i, gap := range gaps {
		run.Trials = append(run.Trials, folder.Trial{Index: i, Measured: measured([]int{0}, map[string]float64{"gap": gap})})
	}
	return newMethodEnd(name, run, false)
}

// course is a method whose gap goes so over turns.
func course(turns []int, gaps ...float64) folder.Run {
	var rows []map[string]float64
	for _, v := range gaps {
		rows = append(rows, map[string]float64{"gap": v})
	}
	return folder.Run{Name: "it", Trials: []folder.Trial{{Measured: measured(turns, rows...)}}}
}

// Words for numbers at the edges of how they are said are what they were when they were last looked at.
func TestWordsAreAsRecorded(t *testing.T) {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	for _, v := range []float64{1.4, 1.49, 1.5, 2, 99999, 1e5, 1e6} {
		say("%v times %q, below 0 %q", v, times(0.25, 0.25*v), times(-0.25, 0.25*v))
	}
	for _, v := range []float64{1.2345674, 1.2345676, -1.2345674, 0.1, 1.0 / 3, 2.0 / 3, 1e-300, 123456.49999999999, 0} {
		say("%v outward %s and %s", v, outward(v, 1), outward(v, -1))
	}
	for _, v := range []float64{0, 9.9e-5, 1e-4, 0.02, 0.5, 1, 2} {
		say("%v is roughly %s", v, roughly(v))
	}
	for n := range 11 {
		u := []float64{1, 2.5, -3, 4, 5, 6, 7, 8, 9, 10}[:n]
		say("%d entries: %s; of four %s", n, firstOf(u, 8, fourDigits), vectorWords(u, 4))
	}
	for _, n := range []int{0, 1, 59, 60, 61, 62} {
		say("a setting of %d: %s", n, setting(strings.Repeat("ä", n)))
	}
	for _, gap := range []float64{0.5, 0.02, 1e-4, 1e-5, 9.9e-6, 1e-9, 1e-10, 1e-11, 0, -1, math.NaN()} {
		r := &folder.Result{Runs: []folder.Run{course([]int{0}, gap)}}
		format := valueFormat(r)
		say("a gap of %v: %d digits, %s %s %s %s %s %s", gap, valueDigits(r), format(1.0/3), format(1e-4), format(9.9e-5), format(9.99e8), format(1e9), format(0))
	}
	for _, gap := range []float64{-1, -1.5e-12, -1e-12, 0, 1e-12, 1.5e-12, 0.1, math.NaN()} {
		for _, name := range []string{"gap", "excess_1"} {
			run := folder.Run{Name: "vanilla", Trials: []folder.Trial{{Measured: measured([]int{0}, map[string]float64{"gap": 0.109, name: 0.109})}}}
			say("retraining with %s and a gap of %v: %s", name, gap, retrained(&folder.Result{Stable: folder.Point{Gap: gap, Decision: []float64{1}}, Runs: []folder.Run{run}}))
		}
	}
	for n := range 9 {
		best, differ := ended("best", 0.001, 0.002), []difference{}
		all := []methodEnd{best}
		var open []lead
		for i := range n {
			all = append(all, ended(fmt.Sprint("m", i), 0.01*float64(i+1), 0.011*float64(i+1)))
			open = append(open, lead{behind: all[i+1]})
			differ = append(differ, difference{fmt.Sprint("key", i), []string{"1", "2"}})
		}
		j := judge(all)
		say("%d others: %s %d reasons, the last %q; %s; %s", n, j.Headline, len(j.Reasons), append([]string{""}, j.Reasons...)[len(j.Reasons)], listed(open), keyed(differ))
	}
	for _, c := range [][4]float64{{100, 10, 0.02, 0.01}, {100, 10, 0.0011, 0.00101}, {100, 10, 0.9, 0.89}, {7, 1, 0.02, 0.01}, {1000, 100, 0.5, 0.0012}, {95, 5, 0.02, 0.0019}} {
		say("%v: enough are %v", c, enough(int(c[0]), int(c[1]), c[2], c[3]))
	}
	evidence.AsRecorded(t, "testdata/words.txt", lines)
}

// What is said of how gaps go is what it was when it was last looked at: where they move, swing, or have arrived.
func TestCoursesAreAsRecorded(t *testing.T) {
	var lines []string
	for _, turns := range [][]int{{0, 5, 9, 10}, {0, 5, 8, 9, 10}, {0, 8, 9, 10, 11}, {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 91, 100}, {10}, {0, 10}} {
		for _, by := range []float64{0.5, 0.97, 0.98, 0.981, 0.99, 1, 1.03, 1.5} {
			for _, from := range []float64{0.5, 2e-3, 1.05e-3, 1e-3, -0.2} {
				gaps, swung := make([]float64, len(turns)), make([]float64, len(turns))
				for i := range gaps {
					gaps[i] = from
					swung[i] = from * (1 + 0.1*float64(i%2))
					from *= by
				}
				run, other := course(turns, gaps...), course(turns, swung...)
				lines = append(lines, fmt.Sprintf("%v by %v to %.6g: late %d, arrived %v, astray %v, one way %v", turns, by, gaps[len(gaps)-1], lateRow(run.Trials[0].K), arrived(run), astray(run), oneWay(gaps)))
				for _, one := range []folder.Run{run, other} {
					if d := moving(one, 100); d != nil {
						lines = append(lines, "  "+d.Text+" "+d.Remedy)
					}
				}
			}
		}
	}
	evidence.AsRecorded(t, "testdata/courses.txt", lines)
}

// By hand: a thousand trials are shown beside one without a turn, and that there are more is said; five constraints are drawn as four, with their multipliers.
func TestNotAllIsShown(t *testing.T) {
	for _, n := range []int{999, 1001, 1002} {
		run := folder.Run{Name: "it"}
		for i := range n {
			run.Trials = append(run.Trials, folder.Trial{Index: i, Measured: measured([]int{0}, map[string]float64{"gap": 1})})
		}
		run.Trials[3].Measured = folder.NewMeasured(nil, 0)
		table := trials(&folder.Result{Runs: []folder.Run{run}})
		if len(table.Rows) != min(n-1, mostTrials) || table.Rows[3][1].Text != "4" || strings.Contains(table.About, "first 1000") != (n > 1001) {
			t.Errorf("%d trials: %d rows, %s", n, len(table.Rows), table.About)
		}
	}
	row := map[string]float64{}
	for j := range 5 {
		row[fmt.Sprintf("excess_%d", j+1)], row[fmt.Sprintf("multiplier_%d", j+1)] = 1, 2
	}
	r := &folder.Result{Runs: []folder.Run{{Name: "it", Trials: []folder.Trial{{Measured: measured([]int{0, 1}, row, row)}}}}}
	if s := constraintFigure(r); len(s.Panels) != 2*mostShown || s.Panels[7].Y.Label != loop.Describe("multiplier_4").Label {
		t.Errorf("%d panels", len(s.Panels))
	}
}

// By hand: what v has beside a direction is at a right angle to it and of length 1; of a vector along it, an axis has something beside it.
func TestAcross(t *testing.T) {
	for _, c := range []struct{ along, v, want []float64 }{
		{[]float64{1, 0, 0}, []float64{5, 3, 4}, []float64{0, 0.6, 0.8}}, {[]float64{0, 1, 0}, []float64{0, 7, 0}, []float64{1, 0, 0}}, {[]float64{0.6, 0.8}, []float64{3, 4}, []float64{0.8, -0.6}}, {[]float64{1, 0}, []float64{0, 0}, []float64{0, 1}},
		{[]float64{1, 0}, []float64{1, 2e-9}, []float64{0, 1}}, {[]float64{0, 1}, []float64{-2e-9, 1}, []float64{-1, 0}}, {[]float64{0, 1}, []float64{-5e-10, 1}, []float64{1, 0}},
	} {
		got := across(c.along, c.v)
		for i, v := range got {
			if !(math.Abs(v-c.want[i]) < 1e-15) {
				t.Errorf("%v beside %v: %v, want %v", c.v, c.along, got, c.want)
			}
		}
	}
	for _, c := range []struct {
		v, want []float64
	}{{[]float64{3, 4}, []float64{0.6, 0.8}}, {[]float64{0, 0}, []float64{1, 0}}, {[]float64{math.Inf(1), 1}, []float64{1, 0}}, {[]float64{math.NaN(), 1}, []float64{1, 0}}} {
		if got := unit(c.v); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v at length 1: %v", c.v, got)
		}
	}
	for sum, is := range map[float64]bool{1: true, 1 + 9e-7: true, 1 + 2e-6: false, 1 - 2e-6: false} {
		if got := onSimplex(&folder.Path{States: []float64{0.5, 0.5, 0, sum - 0.5, 0.5, 0}}, 3); got != is {
			t.Errorf("shares of %v: %v", sum, got)
		}
	}
	if onSimplex(&folder.Path{States: []float64{1.5, -0.5, 0}}, 3) {
		t.Error("a share below 0")
	}
}

// Who ends below nine tenths of where retraining settles is named, and a level that a logarithmic axis cannot show is not spoken of.
func TestWhoEndsBelow(t *testing.T) {
	r := &folder.Result{}
	for i, gap := range []float64{0.089, 0.0901, 0.2} {
		run := course([]int{0}, gap)
		run.Name = fmt.Sprint("m", i)
		r.Runs = append(r.Runs, run)
	}
	words := below(r, measure{name: "gap", rule: draw.Rule{Value: 0.1}}, "it")
	if !strings.Contains(words, "m0 ends below it") || strings.Contains(words, "m1") || strings.Contains(words, "m2") || below(r, measure{name: "gap", rule: draw.Rule{Value: 0}}, "it") != "" {
		t.Error(words)
	}
}
