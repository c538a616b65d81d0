package report

import (
	"slices"

	"gonum.org/v1/plot/vg/draw"

	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/loop"
)

// contrast is a measured quantity, a bound on it at the same turns and something at fewer ones.
type contrast struct {
	measured, bound, sparse  string // columns
	saying, bounding, dotted string // what the three are, for the legend
}

// lagFigure shows how far populations are from settled, below the bound that the turn before gives.
func lagFigure(r *lab.Result) (sketch, bool) {
	c := contrast{
		measured: "v", bound: "v_bound", sparse: "w1_joint",
		saying: "V, measured", bounding: "bound by the turn before", dotted: "W₁, measured",
	}
	return c.figure(r, "lag", "How far the population is from settled",
		"V is the mean distance of individuals from where the decision in force would settle them. The theory bounds it by the V of the turn before and "+
			"the step of the decision, √(ρ₁V² + ρ₂‖Δu‖²). The Wasserstein distance between the population and the settled one is never above V.")
}

// biasFigure shows how far gradients are led astray, below what the theory allows.
func biasFigure(r *lab.Result) (sketch, bool) {
	c := contrast{
		measured: "bias", bound: "bias_by_v", sparse: "bias_by_w1",
		saying: "‖e‖, measured", bounding: "bound L_p·V", dotted: "bound L·W₁",
	}
	return c.figure(r, "bias", "What an unsettled population does to the gradient",
		"e is the error of the gradient of the whole population because it has not settled. It is bounded by L_p·V, individual by individual, and by L·W₁.")
}

// figure draws a panel an algorithm, all on the same axes.
func (c contrast) figure(r *lab.Result, name, title, see string) (sketch, bool) {
	g := grid{shared: true}
	floored := false
	styles := stylesOf(names(r))
	for _, run := range r.Runs {
		p, low, ok := c.panel(run, styles[run.Name], len(r.Runs))
		if ok {
			g.panels = append(g.panels, p)
		}
		floored = floored || low
	}
	if len(g.panels) == 0 {
		return sketch{}, false
	}
	g.columns = columnsFor(len(g.panels))
	x, y := extents(g.panels...)
	for i := range g.panels {
		g.panels[i].x = axis{scale: scale{min: 1, max: max(x.high, 10), log: true}, label: "turn k + 1"}
		g.panels[i].y = axis{scale: newScale(y, true), label: loop.Describe(c.measured).Label}
	}
	g.legend = c.entries(r)
	if trialsOf(r) > 1 {
		see += " Lines are means over trials; the table of bounds judges every trial by itself."
	}
	return g.sketch(name, title, see, floored), true
}

// panel is one algorithm; it is not ok when nothing was measured.
func (c contrast) panel(run lab.Run, s style, among int) (p panel, floored, ok bool) {
	measured, bound := c.rows(run, c.measured), c.rows(run, c.bound)
	if len(measured) == 0 {
		return panel{}, false, false
	}
	list := curves{{name: run.Name, style: s, rows: measured}}
	if len(bound) > 0 {
		list = append(curves{{name: run.Name, style: style{ink: tint(s.ink, boundTint)}, rows: bound}}, list...)
	}
	floored = list.raise()
	for i := range list {
		list[i].rows = thinLate(list[i].rows, min(400, max(maxRows/(4*among), 10)))
	}
	spots := dots{style: style{s.ink, draw.CircleGlyph{}}}
	for _, row := range thin(c.rows(run, c.sparse), min(50, max(maxRows/(20*among), 10))) {
		spots.x, spots.y = append(spots.x, row.x), append(spots.y, row.mean)
	}
	return panel{title: run.Name, layers: []layer{list, spots}}, floored, true
}

// rows are means over trials, with turns counted from 1 so that a logarithmic axis shows how the run begins.
func (c contrast) rows(run lab.Run, column string) []row {
	list := means(rowsOf(run, column))
	for i := range list {
		list[i].x++
	}
	return list
}

// thinLate thins what a logarithmic axis crowds at its end and keeps the beginning.
func thinLate(rows []row, limit int) []row {
	early := min(len(rows), limit/2)
	return slices.Concat(rows[:early], thin(rows[early:], limit-early))
}

// boundTint is how much of its colour the bound of an algorithm has.
const boundTint = 0.45

// entries explain what every panel shows.
func (c contrast) entries(r *lab.Result) []entry {
	list := []entry{{sample: &curve{style: style{ink: pale}}, words: c.saying}}
	has := func(column string) bool {
		for _, run := range r.Runs {
			if len(rowsOf(run, column)) > 0 {
				return true
			}
		}
		return false
	}
	if has(c.bound) {
		list = append(list, entry{sample: &curve{style: style{ink: tint(pale, boundTint)}}, words: c.bounding})
	}
	if has(c.sparse) {
		list = append(list, entry{sample: &curve{style: style{pale, draw.CircleGlyph{}}}, words: c.dotted, dot: true})
	}
	return list
}
