package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/plot"
)

// mostShown is how many constraints are drawn; the table has all.
const mostShown = 4

// constraintFigure shows how constraints are kept, and by which multipliers.
func constraintFigure(r *folder.Result) (draw.Sketch, bool) {
	g := draw.Grid{Columns: 2, Legend: []draw.Entry{{Words: trialsNote(r)}}}
	for j := range mostShown {
		excess := linearPanel(r, columnMeasure(fmt.Sprintf("excess_%d", j+1)), draw.Rule{Value: 0})
		if len(excess.Layers) == 0 {
			break
		}
		g.Panels = append(g.Panels, excess)
		if pressed := linearPanel(r, columnMeasure(fmt.Sprintf("multiplier_%d", j+1)), draw.Rule{Value: math.NaN()}); len(pressed.Layers) > 0 {
			g.Panels = append(g.Panels, pressed)
		}
	}
	if len(g.Panels) == 0 {
		return draw.Sketch{}, false
	}
	x := turns(g.Panels)
	for i := range g.Panels {
		g.Panels[i].X = x
	}
	g.Legend = append(runEntries(r), g.Legend...)
	see := "By how much the population that settles under the decision in force exceeds a bound; at the dashed line and below, the constraint is kept. " +
		"Beside it the multiplier with which the method presses towards it."
	if trialsOf(r) > 1 {
		see += " Lines are means over trials, bands reach from the least to the greatest."
	}
	return g.Sketch("constraints", "How the constraints are kept", see, false), true
}

// off is what a trial is ranked by: its last gap, and under constraints the size of it, because a value that is better than the
// optimum's is that of a decision that breaks them.
func off(t *folder.Trial) float64 {
	if t.Has("excess_1") {
		return math.Abs(t.Last("gap"))
	}
	return t.Last("gap")
}

// constrained tells whether decisions are judged by constraints on the settled population.
func constrained(r *folder.Result) bool {
	return slices.ContainsFunc(r.Runs, heeds)
}

// heeds tells whether a run was judged by constraints.
func heeds(run folder.Run) bool {
	return slices.ContainsFunc(run.Trials, func(t folder.Trial) bool { return len(t.K) > 0 && t.Has("excess_1") })
}

// constrainedGap shows gaps on a linear axis: below 0 they mean that constraints are broken, not that all is well.
func constrainedGap(r *folder.Result) (draw.Sketch, bool) {
	p := linearPanel(r, measure{label: "relative gap to the best that keeps all constraints", name: "gap"}, draw.Rule{Value: 0})
	if len(p.Layers) == 0 {
		return draw.Sketch{}, false
	}
	g := draw.Grid{Columns: 1, Panels: []draw.Panel{p}, Legend: append(runEntries(r), draw.Entry{Words: trialsNote(r)})}
	g.Panels[0].X = turns(g.Panels)
	see := "The relative gap between the value of the decision in force and that of the best decision that keeps all constraints, the dashed line. " +
		"On the wrong side of it a decision has a better value because it breaks them."
	return g.Sketch("gap", "Gap to the constrained optimum", see, false), true
}

// linearPanel draws a measure of all algorithms that have it, with a rule where that is finite.
func linearPanel(r *folder.Result, m measure, at draw.Rule) draw.Panel {
	var list draw.Lines
	styles := plot.StylesOf(names(r))
	for _, run := range r.Runs {
		if rows := rowsOf(run, m.name); len(rows) > 0 {
			list = append(list, draw.Line{Name: run.Name, Style: styles[run.Name], Banded: len(run.Trials) > 1, Points: rows})
		}
	}
	if len(list) == 0 {
		return draw.Panel{}
	}
	list.Prepare(false)
	p := draw.Panel{Layers: []draw.Layer{list}}
	if phrase.Finite(at.Value) {
		p.Layers = append(p.Layers, at)
	}
	p.Layers = append(p.Layers, draw.Marks(list))
	_, y := draw.Extents(p)
	p.Y = draw.Axis{Ruler: draw.NewRuler(y, false), Label: m.label}
	return p
}

// runEntries explain the lines of all algorithms.
func runEntries(r *folder.Result) []draw.Entry {
	var list []draw.Line
	styles := plot.StylesOf(names(r))
	for _, run := range r.Runs {
		list = append(list, draw.Line{Name: run.Name, Style: styles[run.Name]})
	}
	return draw.Entries(list)
}

// bounded says what the settled population must keep.
func bounded(s *problem.Spec) string {
	var list []string
	for _, c := range s.Constraints {
		list = append(list, c.Name+": "+c.Kind.Words("a loss ("+form.NameOf(c.Of)+")", " is at most "+phrase.Exact(c.Bound)))
	}
	return "Of the settled population: " + phrase.Enumerate(list) + "."
}
