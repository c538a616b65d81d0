package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/plot"
)

// sketches lists the figures of a result in the order of the page.
func sketches(r *folder.Result) []draw.Sketch {
	var all []draw.Sketch
	for _, figure := range []func(*folder.Result) (draw.Sketch, bool){gapFigure, distanceFigure, nashFigure, constraintFigure, trackingFigure, regretFigure, w1Figure, angleFigure, pathFigure, referenceFigure, lagFigure, biasFigure} {
		if s, ok := figure(r); ok {
			all = append(all, s)
		}
	}
	return all
}

// measure is one quantity over the turns and what a figure says of it.
type measure struct {
	label string
	name  string // of the column
	rule  draw.Rule
}

// columnMeasure is a column under the label that it has everywhere.
func columnMeasure(name string) measure { return measure{label: loop.Describe(name).Label, name: name} }

func gapFigure(r *folder.Result) (draw.Sketch, bool) {
	if constrained(r) {
		return constrainedGap(r)
	}
	m := measure{"relative gap to the optimum", "gap", retraining(r, r.Stable.Gap)}
	formula := "(Φ̃(u) − Φ̃★) / |Φ̃★|"
	if r.Maximize {
		formula = "(Φ̃★ − Φ̃(u)) / |Φ̃★|"
	}
	see := "The relative gap " + formula + " of the decision in force, judged by the population that it would settle to." +
		below(r, m, "the gap of the stable point")
	return lineFigure(r, "gap", "Gap to the optimum", see, m)
}

func distanceFigure(r *folder.Result) (draw.Sketch, bool) {
	m := measure{"relative distance to the optimum, ‖u − u*‖ / ‖u*‖", "distance", retraining(r, r.Stable.Distance)}
	see := "How far the decision in force lies from the optimal one." + below(r, m, "the distance of the stable point")
	return lineFigure(r, "distance", "Distance to the optimum", see, m)
}

func w1Figure(r *folder.Result) (draw.Sketch, bool) {
	m := columnMeasure("w1_optimal")
	see := "How far, in W₁, the population at each turn is from the one that settles under the optimum: " +
		"a curve that levels off shows a population that is held away from it."
	return lineFigure(r, "w1", "Distance of the population", see, m)
}

// retraining marks the level at which the vanilla rule comes to rest. In a population that moves it never does.
func retraining(r *folder.Result, level float64) draw.Rule {
	if optimumMoves(r) {
		return draw.Rule{Value: math.NaN()}
	}
	return draw.Rule{Value: level, Meaning: []string{"where", "retraining", "settles"}}
}

// below says what the rule is and which algorithms end clearly below it.
func below(r *folder.Result, m measure, what string) string {
	if !m.rule.Shown() {
		return ""
	}
	see := " The dashed line is " + what + ", " + phrase.Percent(m.rule.Value) + ", where plain retraining settles"
	var under []string
	for _, run := range r.Runs {
		if end := final(run, m.name).Mean; end < 0.9*m.rule.Value {
			under = append(under, fmt.Sprintf("%s ends below it, at %s", run.Name, phrase.Percent(end)))
		}
	}
	if under == nil {
		return see + "."
	}
	return see + "; " + strings.Join(under, "; ") + "."
}

// lineFigure draws one measure for all algorithms. It is not ok when nothing was measured.
func lineFigure(r *folder.Result, name, title, see string, m measure) (draw.Sketch, bool) {
	list, floored := m.curves(r)
	if len(list) == 0 {
		return draw.Sketch{}, false
	}
	g := draw.Grid{Columns: 1, Panels: []draw.Panel{m.panel(list)}, Legend: []draw.Entry{{Words: trialsNote(r)}}}
	if draw.FitBeside(list) {
		g.Panels[0].Beside = append(g.Panels[0].Beside, draw.Ends(list)...)
	} else {
		g.Legend = append(draw.Entries(list), g.Legend...)
	}
	g.Panels[0].X = turns(g.Panels)
	if trialsOf(r) > 1 {
		see += " Lines are means over trials, bands reach from the least to the greatest."
	}
	return g.Sketch(name, title, see, floored), true
}

// turns is the horizontal axis of panels over the turns.
func turns(panels []draw.Panel) draw.Axis {
	x, _ := draw.Extents(panels...)
	if x.Low == x.High {
		x = draw.Extent{Low: x.Low - 0.5, High: x.High + 0.5}
	}
	return draw.Axis{Ruler: draw.Ruler{Min: x.Low, Max: x.High, Whole: true}, Label: "turn k"}
}

// curves gathers every algorithm that has the measure, ready for a logarithmic axis.
func (m measure) curves(r *folder.Result) (list draw.Lines, floored bool) {
	styles := plot.StylesOf(names(r))
	for _, run := range r.Runs {
		if rows := rowsOf(run, m.name); len(rows) > 0 {
			list = append(list, draw.Line{Name: run.Name, Style: styles[run.Name], Banded: len(run.Trials) > 1, Points: rows})
		}
	}
	return list, list.Prepare(true)
}

// panel draws curves on a logarithmic axis, with the rule if it has a place there.
func (m measure) panel(list draw.Lines) draw.Panel {
	p := draw.Panel{Layers: []draw.Layer{list}}
	if m.rule.Shown() {
		p.Layers = append(p.Layers, m.rule)
		p.Beside = []draw.Aside{{At: m.rule.Value, Words: m.rule.Meaning}}
	}
	p.Layers = append(p.Layers, draw.Marks(list))
	_, y := draw.Extents(p)
	p.Y = draw.Axis{Ruler: draw.NewRuler(y, true), Label: m.label}
	return p
}

// names lists the algorithms, each once.
func names(r *folder.Result) []string {
	var list []string
	for _, run := range r.Runs {
		if !slices.Contains(list, run.Name) {
			list = append(list, run.Name)
		}
	}
	return list
}

// trialsOf is the largest number of finished trials of an algorithm.
func trialsOf(r *folder.Result) int {
	n := 0
	for _, run := range r.Runs {
		n = max(n, len(run.Trials))
	}
	return n
}

func trialsNote(r *folder.Result) string {
	most := trialsOf(r)
	for _, run := range r.Runs {
		if n := len(run.Trials); n > 0 && n < most {
			return fmt.Sprintf("mean and range of up to %d trials", most)
		}
	}
	if most > 1 {
		return fmt.Sprintf("mean and range of %d trials", most)
	}
	return "one trial"
}

func angleFigure(r *folder.Result) (draw.Sketch, bool) {
	if r.Angles == nil {
		return draw.Sketch{}, false
	}
	list := momentsOf(r.Angles, names(r))
	if len(list) == 0 {
		return draw.Sketch{}, false
	}
	see := "Every individual's angle to the decision: at the start, after the last turn of the last trial, and settled under the optimum." +
		" The smaller the angle, the closer the individual is to the decision; the dashed line is the mean."
	if list[len(list)-1].title == "optimal" {
		see += " The dark outline repeats the optimal histogram: the closer a final one follows it, the closer the population is to the best reachable one."
	}
	return angleGrid(list).Sketch("angles", "Angles between states and decision", see, false), true
}

// referenceFigure measures the same runs against two optima.
func referenceFigure(r *folder.Result) (draw.Sketch, bool) {
	if r.Reference == nil {
		return draw.Sketch{}, false
	}
	itself := []string{fmt.Sprintf("the %d-step", r.Reference.Steps), "optimum", "itself"}
	gap := measure{"relative gap", "gap", draw.Rule{Value: r.Reference.True.Gap, Meaning: itself}}
	distance := measure{"relative distance", "distance", draw.Rule{Value: r.Reference.True.Distance, Meaning: itself}}
	g := draw.Grid{Columns: 1}
	floored := false
	for _, m := range []struct {
		measure
		reference string
	}{
		{gap, "gap_rollout"},
		{distance, "distance_rollout"},
	} {
		if list, low := m.against(r, m.reference); len(list) > 0 {
			g.Panels = append(g.Panels, m.panel(list))
			g.Legend = optimaEntries(r, list)
			floored = floored || low
		}
	}
	if len(g.Panels) == 0 {
		return draw.Sketch{}, false
	}
	for i := range g.Panels {
		g.Panels[i].X = turns(g.Panels)
	}
	return g.Sketch("reference", "Two notions of optimum", referenceCaption(r), floored), true
}

// against draws means only: solid by the measure itself, dashed by its counterpart against the reference optimum.
func (m measure) against(r *folder.Result, reference string) (list draw.Lines, floored bool) {
	styles := plot.StylesOf(names(r))
	for _, run := range r.Runs {
		compared := draw.Means(rowsOf(run, reference))
		if len(compared) == 0 {
			continue
		}
		if rows := draw.Means(rowsOf(run, m.name)); len(rows) > 0 {
			list = append(list, draw.Line{Name: run.Name, Style: styles[run.Name], Points: rows})
		}
		list = append(list, draw.Line{Name: run.Name, Style: styles[run.Name], Points: compared, Dashed: true})
	}
	return list, list.Prepare(true)
}

func optimaEntries(r *folder.Result, drawn draw.Lines) []draw.Entry {
	var list []draw.Entry
	for _, curve := range drawn {
		if !curve.Dashed {
			list = append(list, draw.Entry{Sample: &curve, Words: curve.Name})
		}
	}
	solid, dashed := &draw.Line{Style: draw.Style{Ink: draw.Pale()}}, &draw.Line{Style: draw.Style{Ink: draw.Pale()}, Dashed: true}
	return append(list,
		draw.Entry{Sample: solid, Words: "against the true optimum", Fresh: true},
		draw.Entry{Sample: dashed, Words: fmt.Sprintf("against the %d-step optimum", r.Reference.Steps)})
}

// referenceCaption says how far the best algorithm ends from either optimum, and how much of the difference is the distance
// between the two.
func referenceCaption(r *folder.Result) string {
	ref := r.Reference
	see := fmt.Sprintf("The same runs, measured against the optimum of the settled population (solid) and against the optimum after %[1]d steps (dashed)."+
		" The thin line is the %[1]d-step optimum itself, judged by the true one.", ref.Steps)
	best, end, other := "", math.Inf(1), 0.0
	for _, run := range r.Runs {
		first, second := final(run, "distance").Mean, final(run, "distance_rollout").Mean
		if first < end && phrase.Finite(second) {
			best, end, other = run.Name, first, second
		}
	}
	if best == "" {
		return see
	}
	see += fmt.Sprintf(" %s ends %s from the first but %s from the second, and the two are %s apart",
		best, phrase.Percent(end), phrase.Percent(other), phrase.Percent(ref.True.Distance))
	if other > end && ref.True.Distance > other/2 {
		return see + ": the floor against the second is mostly its own truncation, not noise."
	}
	return see + "."
}

// Figures draws what the result holds: gap, distance and w1 over the turns, the angles, the paths, the two optima of a
// reference, and how far the theory's bounds are from what happened. A figure whose quantity was not measured is left out.
func Figures(r *folder.Result) ([]draw.Figure, error) {
	var figures []draw.Figure
	for _, s := range sketches(r) {
		f, err := s.Render()
		if err != nil {
			return nil, fmt.Errorf("draw figure %s: %w", s.Name, err)
		}
		figures = append(figures, f)
	}
	return figures, nil
}
