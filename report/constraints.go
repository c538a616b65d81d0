package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/problem"
)

// mostShown is how many constraints are drawn; the table has all.
const mostShown = 4

// constraintFigure shows how constraints are kept, and by which multipliers.
func constraintFigure(r *lab.Result) (sketch, bool) {
	g := grid{columns: 2, legend: []entry{{words: trialsNote(r)}}}
	for j := range mostShown {
		excess := linearPanel(r, columnMeasure(fmt.Sprintf("excess_%d", j+1)), rule{value: 0})
		if len(excess.layers) == 0 {
			break
		}
		g.panels = append(g.panels, excess)
		if pressed := linearPanel(r, columnMeasure(fmt.Sprintf("multiplier_%d", j+1)), rule{value: math.NaN()}); len(pressed.layers) > 0 {
			g.panels = append(g.panels, pressed)
		}
	}
	if len(g.panels) == 0 {
		return sketch{}, false
	}
	x := turns(g.panels)
	for i := range g.panels {
		g.panels[i].x = x
	}
	g.legend = append(runEntries(r), g.legend...)
	see := "By how much the population that settles under the decision in force exceeds a bound; at the dashed line and below, the constraint is kept. " +
		"Beside it the multiplier with which the method presses towards it."
	if trialsOf(r) > 1 {
		see += " Lines are means over trials, bands reach from the least to the greatest."
	}
	return g.sketch("constraints", "How the constraints are kept", see, false), true
}

// off is what a trial is ranked by: its last gap, and under constraints the size of it, because a value that is better than the
// optimum's is that of a decision that breaks them.
func off(t *lab.Trial) float64 {
	if t.Has("excess_1") {
		return math.Abs(t.Last("gap"))
	}
	return t.Last("gap")
}

// constrained tells whether decisions are judged by constraints on the settled population.
func constrained(r *lab.Result) bool {
	return slices.ContainsFunc(r.Runs, heeds)
}

// heeds tells whether a run was judged by constraints.
func heeds(run lab.Run) bool {
	return slices.ContainsFunc(run.Trials, func(t lab.Trial) bool { return len(t.K) > 0 && t.Has("excess_1") })
}

// constrainedGap shows gaps on a linear axis: below 0 they mean that constraints are broken, not that all is well.
func constrainedGap(r *lab.Result) (sketch, bool) {
	p := linearPanel(r, measure{label: "relative gap to the best that keeps all constraints", name: "gap"}, rule{value: 0})
	if len(p.layers) == 0 {
		return sketch{}, false
	}
	g := grid{columns: 1, panels: []panel{p}, legend: append(runEntries(r), entry{words: trialsNote(r)})}
	g.panels[0].x = turns(g.panels)
	see := "The relative gap between the value of the decision in force and that of the best decision that keeps all constraints, the dashed line. " +
		"On the wrong side of it a decision has a better value because it breaks them."
	return g.sketch("gap", "Gap to the constrained optimum", see, false), true
}

// linearPanel draws a measure of all algorithms that have it, with a rule where that is finite.
func linearPanel(r *lab.Result, m measure, at rule) panel {
	var list curves
	styles := stylesOf(names(r))
	for _, run := range r.Runs {
		if rows := rowsOf(run, m.name); len(rows) > 0 {
			list = append(list, curve{name: run.Name, style: styles[run.Name], banded: len(run.Trials) > 1, rows: rows})
		}
	}
	if len(list) == 0 {
		return panel{}
	}
	list.prepare(false)
	p := panel{layers: []layer{list}}
	if phrase.Finite(at.value) {
		p.layers = append(p.layers, at)
	}
	p.layers = append(p.layers, marks(list))
	_, y := extents(p)
	p.y = axis{scale: newScale(y, false), label: m.label}
	return p
}

// runEntries explain the lines of all algorithms.
func runEntries(r *lab.Result) []entry {
	var list []curve
	styles := stylesOf(names(r))
	for _, run := range r.Runs {
		list = append(list, curve{name: run.Name, style: styles[run.Name]})
	}
	return entries(list)
}

// bounded says what the settled population must keep.
func bounded(s *problem.Spec) string {
	var list []string
	for _, c := range s.Constraints {
		loss, most := "a loss ("+c.Of.Kind+")", " is at most "+phrase.Exact(c.Bound)
		what := map[string]string{
			"expectation": "the mean of " + loss + most,
			"cvar":        "the mean of " + loss + " over the worst " + phrase.Percent(1-c.Level) + " of people" + most,
			"chance":      loss + most + " for " + phrase.Percent(c.Level) + " of people",
			"worst-group": "the mean of " + loss + " over each of " + phrase.Count(len(c.Cuts)+1, "group") + most,
		}
		list = append(list, c.Name+": "+what[c.Kind])
	}
	return "Of the settled population: " + phrase.Enumerate(list) + "."
}
