package report

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/spec"
)

// mostShown is how many constraints are drawn; the table has all.
const mostShown = 4

// excessOf and multiplierOf pick what was measured of constraint j.
func excessOf(j int) metric {
	return func(m kedge.Metrics) float64 { return constraintOf(m, j).Excess }
}

func multiplierOf(j int) metric {
	return func(m kedge.Metrics) float64 { return constraintOf(m, j).Multiplier }
}

func constraintOf(m kedge.Metrics, j int) kedge.Excess {
	if j >= len(m.Constraints) {
		return kedge.Excess{Excess: math.NaN(), Multiplier: math.NaN()}
	}
	return m.Constraints[j]
}

// constraintFigure shows how constraints are kept, and by which multipliers.
func constraintFigure(r *lab.Result) (sketch, bool) {
	g := grid{columns: 2, legend: []entry{{words: trialsNote(r)}}}
	for j := range mostShown {
		excess := linearPanel(r, excessOf(j), fmt.Sprintf("excess over bound %d", j+1), rule{value: 0})
		if len(excess.layers) == 0 {
			break
		}
		g.panels = append(g.panels, excess)
		if pressed := linearPanel(r, multiplierOf(j), fmt.Sprintf("multiplier %d", j+1), rule{value: math.NaN()}); len(pressed.layers) > 0 {
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

// linearPanel draws a measure of all algorithms that have it, with a rule where that is finite.
func linearPanel(r *lab.Result, pick metric, label string, at rule) panel {
	var list curves
	styles := stylesOf(names(r))
	for _, run := range r.Runs {
		if rows := rowsOf(run, pick); len(rows) > 0 {
			list = append(list, curve{name: run.Name, style: styles[run.Name], banded: len(run.Trials) > 1, rows: rows})
		}
	}
	if len(list) == 0 {
		return panel{}
	}
	list.prepare(false)
	p := panel{layers: []layer{list}}
	if finite(at.value) {
		p.layers = append(p.layers, at)
	}
	p.layers = append(p.layers, marks(list))
	_, y := extents(p)
	p.y = axis{scale: newScale(y, false), label: label}
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
func bounded(s *spec.Spec) string {
	var list []string
	for _, c := range s.Constraints {
		what := map[string]string{
			"expectation": "the mean of %s is at most %s",
			"cvar":        "the mean of %s over the worst " + percent(1-c.Level) + " of people is at most %s",
			"chance":      "%s is at most %[2]s for " + percent(c.Level) + " of people",
			"worst-group": "the mean of %s over each of " + count(len(c.Cuts)+1, "group") + " is at most %s",
		}[c.Kind]
		list = append(list, c.Name+": "+fmt.Sprintf(what, "a loss ("+c.Of.Kind+")", value(c.Bound)))
	}
	return "Of the settled population: " + enumerate(list) + "."
}
