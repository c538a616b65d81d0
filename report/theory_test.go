package report

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
)

// The legend names what there is: a run of which nothing is known shows what was measured, alone.
func TestTheoryFiguresNameWhatTheyShow(t *testing.T) {
	bounded, bare := choiceEvery(100), choiceEvery(100)
	each(bare, func(t *folder.Trial) {
		for _, name := range []string{"v_bound", "w1_joint", "bias_by_w1", "bias_by_v"} {
			set(t, name, math.NaN())
		}
	})
	for want, r := range map[int]*folder.Result{3: bounded, 1: bare} {
		for _, figure := range []func(*folder.Result) draw.Sketch{lagFigure, biasFigure} {
			s := figure(r)
			if len(s.Grid.Legend) != want || len(s.Grid.Panels) != len(r.Runs) {
				t.Errorf("%s: %d entries and %d panels, want %d and %d", s.Name, len(s.Grid.Legend), len(s.Grid.Panels), want, len(r.Runs))
			}
			for _, p := range s.Grid.Panels { // 6000 turns, counted from 1
				if x := p.X.Ruler; x.Min != 1 || x.Max != 6001 || !x.Log {
					t.Errorf("%s: the axis of %s is %+v", s.Name, p.Title, x)
				}
			}
		}
	}
}

// A line of two trials or more is a mean, and the caption says so; one of a single trial is that trial.
func TestTheoryFiguresSayWhatIsAMean(t *testing.T) {
	for trials, want := range map[int]bool{1: false, 2: true, 3: true} {
		r := choiceEvery(1000)
		for i, run := range r.Runs {
			r.Runs[i].Trials = slices.Repeat(run.Trials[:1], trials)
		}
		for _, figure := range []func(*folder.Result) draw.Sketch{lagFigure, biasFigure} {
			if s := figure(r); strings.Contains(s.Caption, "Lines are means over trials") != want {
				t.Errorf("%s of %d trials: %s", s.Name, trials, s.Caption)
			}
		}
	}
}

// A chart draws a bound as a line of its own, dashed, and only where there is one.
func TestChartsShowBounds(t *testing.T) {
	r := choiceEvery(100)
	for _, g := range graphsOf(strandsOf(r), func(id string) []page.GraphRule { return rulesOf(r, id) }, 6) {
		dashed := 0
		for _, l := range g.Lines {
			if len(l.Dash) > 0 {
				dashed++
			}
		}
		want := 0
		if g.ID == "unsettled" || g.ID == "gradient-error" {
			want = len(r.Runs)
		}
		if dashed != want || len(g.Lines) != len(r.Runs)+want {
			t.Errorf("%s: %d of %d lines are dashed, want %d", g.ID, dashed, len(g.Lines), want)
		}
	}
}

// However long a run, its beginning is drawn turn by turn.
func TestThinLateKeepsTheBeginning(t *testing.T) {
	rows := make([]draw.LinePoint, 8001)
	for k := range rows {
		rows[k].X = float64(k)
	}
	got := draw.ThinLate(rows, 400)
	if len(got) > 400 || got[len(got)-1].X != 8000 {
		t.Errorf("%d rows, the last %v", len(got), got[len(got)-1].X)
	}
	for k := range 200 {
		if got[k].X != float64(k) {
			t.Fatalf("row %d is turn %v", k, got[k].X)
		}
	}
}

// A chart has the level of a number that is one and is more than rounding, on either side of 0, and no other.
func TestLevelsOfCharts(t *testing.T) {
	for level, isShown := range map[float64]bool{
		0.1: true, draw.Tiniest: true, -draw.Tiniest: true, -2: true, draw.Tiniest / 2: false, -draw.Tiniest / 2: false, 0: false, math.Inf(1): false, math.Inf(-1): false, math.NaN(): false,
	} {
		r := choiceEvery(100)
		r.Stable.Gap, r.Stable.Distance, r.Stable.Value, r.Optimum.Value = level, level, level, level
		for _, g := range graphsOf(strandsOf(r), func(id string) []page.GraphRule { return rulesOf(r, id) }, 6) {
			want := 0
			if isShown {
				want = map[string]int{"gap": 1, "distance": 1, "value": 2}[g.ID]
			}
			if len(g.Rules) != want || want > 0 && g.Rules[0].Value != level {
				t.Errorf("%s with the level %v has %v", g.ID, level, g.Rules)
			}
		}
	}
}
