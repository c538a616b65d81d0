package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/loop"
)

// sketches lists the figures of a result in the order of the page.
func sketches(r *lab.Result) []sketch {
	var all []sketch
	for _, figure := range []func(*lab.Result) (sketch, bool){gapFigure, distanceFigure, nashFigure, constraintFigure, trackingFigure, regretFigure, w1Figure, angleFigure, pathFigure, referenceFigure, lagFigure, biasFigure} {
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
	rule  rule
}

// columnMeasure is a column under the label that it has everywhere.
func columnMeasure(name string) measure { return measure{label: loop.Describe(name).Label, name: name} }

func gapFigure(r *lab.Result) (sketch, bool) {
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

func distanceFigure(r *lab.Result) (sketch, bool) {
	m := measure{"relative distance to the optimum, ‖u − u*‖ / ‖u*‖", "distance", retraining(r, r.Stable.Distance)}
	see := "How far the decision in force lies from the optimal one." + below(r, m, "the distance of the stable point")
	return lineFigure(r, "distance", "Distance to the optimum", see, m)
}

func w1Figure(r *lab.Result) (sketch, bool) {
	m := columnMeasure("w1_optimal")
	see := "How far, in W₁, the population at each turn is from the one that settles under the optimum: " +
		"a curve that levels off shows a population that is held away from it."
	return lineFigure(r, "w1", "Distance of the population", see, m)
}

// retraining marks the level at which the vanilla rule comes to rest. In a population that moves it never does.
func retraining(r *lab.Result, level float64) rule {
	if optimumMoves(r) {
		return rule{value: math.NaN()}
	}
	return rule{level, []string{"where", "retraining", "settles"}}
}

// below says what the rule is and which algorithms end clearly below it.
func below(r *lab.Result, m measure, what string) string {
	if !m.rule.shown() {
		return ""
	}
	see := " The dashed line is " + what + ", " + phrase.Percent(m.rule.value) + ", where plain retraining settles"
	var under []string
	for _, run := range r.Runs {
		if end := final(run, m.name).mean; end < 0.9*m.rule.value {
			under = append(under, fmt.Sprintf("%s ends below it, at %s", run.Name, phrase.Percent(end)))
		}
	}
	if under == nil {
		return see + "."
	}
	return see + "; " + strings.Join(under, "; ") + "."
}

// lineFigure draws one measure for all algorithms. It is not ok when nothing was measured.
func lineFigure(r *lab.Result, name, title, see string, m measure) (sketch, bool) {
	list, floored := m.curves(r)
	if len(list) == 0 {
		return sketch{}, false
	}
	g := grid{columns: 1, panels: []panel{m.panel(list)}, legend: []entry{{words: trialsNote(r)}}}
	if fitBeside(list) {
		g.panels[0].beside = append(g.panels[0].beside, ends(list)...)
	} else {
		g.legend = append(entries(list), g.legend...)
	}
	g.panels[0].x = turns(g.panels)
	if trialsOf(r) > 1 {
		see += " Lines are means over trials, bands reach from the least to the greatest."
	}
	return g.sketch(name, title, see, floored), true
}

func (g grid) sketch(name, title, see string, floored bool) sketch {
	if floored {
		see += " What is zero or below, up to rounding, is drawn at the smallest positive number."
	}
	return sketch{name: name, title: title, caption: see, grid: g}
}

// turns is the horizontal axis of panels over the turns.
func turns(panels []panel) axis {
	x, _ := extents(panels...)
	if x.low == x.high {
		x = extent{x.low - 0.5, x.high + 0.5}
	}
	return axis{scale: scale{min: x.low, max: x.high, whole: true}, label: "turn k"}
}

// maxRows bounds the rows of one panel, so that a file stays small whatever the number of algorithms.
const maxRows = 4000

// curves gathers every algorithm that has the measure, ready for a logarithmic axis.
func (m measure) curves(r *lab.Result) (list curves, floored bool) {
	styles := stylesOf(names(r))
	for _, run := range r.Runs {
		if rows := rowsOf(run, m.name); len(rows) > 0 {
			list = append(list, curve{name: run.Name, style: styles[run.Name], banded: len(run.Trials) > 1, rows: rows})
		}
	}
	return list, list.prepare(true)
}

// panel draws curves on a logarithmic axis, with the rule if it has a place there.
func (m measure) panel(list curves) panel {
	p := panel{layers: []layer{list}}
	if m.rule.shown() {
		p.layers = append(p.layers, m.rule)
		p.beside = []aside{{at: m.rule.value, words: m.rule.meaning}}
	}
	p.layers = append(p.layers, marks(list))
	_, y := extents(p)
	p.y = axis{scale: newScale(y, true), label: m.label}
	return p
}

// prepare lifts what a logarithm cannot show and thins what an eye cannot see.
func (list curves) prepare(log bool) (floored bool) {
	if log {
		floored = list.raise()
	}
	for i := range list {
		list[i].rows = thin(list[i].rows, min(1000, max(maxRows/len(list), 10)))
	}
	return floored
}

// raise lifts what a logarithm cannot show.
func (list curves) raise() (floored bool) {
	all := make([][]row, len(list))
	for i, c := range list {
		all[i] = c.rows
	}
	floor, floored := floorOf(all...)
	for i := range list {
		list[i].rows = raise(list[i].rows, floor)
	}
	return floored
}

func entries(curves []curve) []entry {
	var list []entry
	for _, c := range curves {
		list = append(list, entry{sample: &c, words: c.name})
	}
	return list
}

// names lists the algorithms, each once.
func names(r *lab.Result) []string {
	var list []string
	for _, run := range r.Runs {
		if !slices.Contains(list, run.Name) {
			list = append(list, run.Name)
		}
	}
	return list
}

// trialsOf is the largest number of finished trials of an algorithm.
func trialsOf(r *lab.Result) int {
	n := 0
	for _, run := range r.Runs {
		n = max(n, len(run.Trials))
	}
	return n
}

func trialsNote(r *lab.Result) string {
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

func angleFigure(r *lab.Result) (sketch, bool) {
	if r.Angles == nil {
		return sketch{}, false
	}
	list := momentsOf(r.Angles, names(r))
	if len(list) == 0 {
		return sketch{}, false
	}
	see := "Every individual's angle to the decision: at the start, after the last turn of the last trial, and settled under the optimum." +
		" The smaller the angle, the closer the individual is to the decision; the dashed line is the mean."
	if list[len(list)-1].title == "optimal" {
		see += " The dark outline repeats the optimal histogram: the closer a final one follows it, the closer the population is to the best reachable one."
	}
	return angleGrid(list).sketch("angles", "Angles between states and decision", see, false), true
}

// referenceFigure measures the same runs against two optima.
func referenceFigure(r *lab.Result) (sketch, bool) {
	if r.Reference == nil {
		return sketch{}, false
	}
	itself := []string{fmt.Sprintf("the %d-step", r.Reference.Steps), "optimum", "itself"}
	gap := measure{"relative gap", "gap", rule{r.Reference.True.Gap, itself}}
	distance := measure{"relative distance", "distance", rule{r.Reference.True.Distance, itself}}
	g := grid{columns: 1}
	floored := false
	for _, m := range []struct {
		measure
		reference string
	}{
		{gap, "gap_rollout"},
		{distance, "distance_rollout"},
	} {
		if list, low := m.against(r, m.reference); len(list) > 0 {
			g.panels = append(g.panels, m.panel(list))
			g.legend = optimaEntries(r, list)
			floored = floored || low
		}
	}
	if len(g.panels) == 0 {
		return sketch{}, false
	}
	for i := range g.panels {
		g.panels[i].x = turns(g.panels)
	}
	return g.sketch("reference", "Two notions of optimum", referenceCaption(r), floored), true
}

// against draws means only: solid by the measure itself, dashed by its counterpart against the reference optimum.
func (m measure) against(r *lab.Result, reference string) (list curves, floored bool) {
	styles := stylesOf(names(r))
	for _, run := range r.Runs {
		compared := means(rowsOf(run, reference))
		if len(compared) == 0 {
			continue
		}
		if rows := means(rowsOf(run, m.name)); len(rows) > 0 {
			list = append(list, curve{name: run.Name, style: styles[run.Name], rows: rows})
		}
		list = append(list, curve{name: run.Name, style: styles[run.Name], rows: compared, dashed: true})
	}
	return list, list.prepare(true)
}

// means forgets the range over trials.
func means(rows []row) []row {
	for i := range rows {
		rows[i].low, rows[i].high = rows[i].mean, rows[i].mean
	}
	return rows
}

func optimaEntries(r *lab.Result, drawn curves) []entry {
	var list []entry
	for _, curve := range drawn {
		if !curve.dashed {
			list = append(list, entry{sample: &curve, words: curve.name})
		}
	}
	solid, dashed := &curve{style: style{ink: pale}}, &curve{style: style{ink: pale}, dashed: true}
	return append(list,
		entry{sample: solid, words: "against the true optimum", fresh: true},
		entry{sample: dashed, words: fmt.Sprintf("against the %d-step optimum", r.Reference.Steps)})
}

// referenceCaption says how far the best algorithm ends from either optimum, and how much of the difference is the distance
// between the two.
func referenceCaption(r *lab.Result) string {
	ref := r.Reference
	see := fmt.Sprintf("The same runs, measured against the optimum of the settled population (solid) and against the optimum after %[1]d steps (dashed)."+
		" The thin line is the %[1]d-step optimum itself, judged by the true one.", ref.Steps)
	best, end, other := "", math.Inf(1), 0.0
	for _, run := range r.Runs {
		first, second := final(run, "distance").mean, final(run, "distance_rollout").mean
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
