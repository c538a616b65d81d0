package report

import (
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/plot"
)

// contrast is a measured quantity, a bound on it at the same turns and something at fewer ones.
type contrast struct {
	measured, bound, sparse  string // columns
	saying, bounding, dotted string // what the three are, for the legend
}

// lagFigure shows how far populations are from settled, below the bound that the turn before gives.
func lagFigure(r *folder.Result) (draw.Sketch, bool) {
	c := contrast{
		measured: "v", bound: "v_bound", sparse: "w1_joint",
		saying: "V, measured", bounding: "bound by the turn before", dotted: "W₁, measured",
	}
	return c.figure(r, "lag", "How far the population is from settled",
		"V is the mean distance of individuals from where the decision in force would settle them. The theory bounds it by the V of the turn before and "+
			"the step of the decision, √(ρ₁V² + ρ₂‖Δu‖²). The Wasserstein distance between the population and the settled one is never above V.")
}

// biasFigure shows how far gradients are led astray, below what the theory allows.
func biasFigure(r *folder.Result) (draw.Sketch, bool) {
	c := contrast{
		measured: "bias", bound: "bias_by_v", sparse: "bias_by_w1",
		saying: "‖e‖, measured", bounding: "bound L_p·V", dotted: "bound L·W₁",
	}
	return c.figure(r, "bias", "What an unsettled population does to the gradient",
		"e is the error of the gradient of the whole population because it has not settled. It is bounded by L_p·V, individual by individual, and by L·W₁.")
}

// figure draws a panel an algorithm, all on the same axes.
func (c contrast) figure(r *folder.Result, name, title, see string) (draw.Sketch, bool) {
	g := draw.Grid{Shared: true}
	floored := false
	styles := plot.StylesOf(names(r))
	for _, run := range r.Runs {
		p, low, ok := c.panel(run, styles[run.Name], len(r.Runs))
		if ok {
			g.Panels = append(g.Panels, p)
		}
		floored = floored || low
	}
	if len(g.Panels) == 0 {
		return draw.Sketch{}, false
	}
	g.Columns = draw.ColumnsFor(len(g.Panels))
	x, y := draw.Extents(g.Panels...)
	for i := range g.Panels {
		g.Panels[i].X = draw.Axis{Ruler: draw.Ruler{Min: 1, Max: max(x.High, 10), Log: true}, Label: "turn k + 1"}
		g.Panels[i].Y = draw.Axis{Ruler: draw.NewRuler(y, true), Label: loop.Describe(c.measured).Label}
	}
	g.Legend = c.entries(r)
	if trialsOf(r) > 1 {
		see += " Lines are means over trials; the table of bounds judges every trial by itself."
	}
	return g.Sketch(name, title, see, floored), true
}

// panel is one algorithm; it is not ok when nothing was measured.
func (c contrast) panel(run folder.Run, s draw.Style, among int) (p draw.Panel, floored, ok bool) {
	measured, bound := c.rows(run, c.measured), c.rows(run, c.bound)
	if len(measured) == 0 {
		return draw.Panel{}, false, false
	}
	list := draw.Lines{{Name: run.Name, Style: s, Points: measured}}
	if len(bound) > 0 {
		list = append(draw.Lines{{Name: run.Name, Style: draw.Style{Ink: draw.Tint(s.Ink, boundTint)}, Points: bound}}, list...)
	}
	floored = list.Raise()
	for i := range list {
		list[i].Points = draw.ThinLate(list[i].Points, min(400, max(draw.MostPoints/(4*among), 10)))
	}
	spots := draw.Dots{Style: draw.Style{Ink: s.Ink, Mark: draw.Disc{}}}
	for _, row := range draw.Thin(c.rows(run, c.sparse), min(50, max(draw.MostPoints/(20*among), 10))) {
		spots.X, spots.Y = append(spots.X, row.X), append(spots.Y, row.Mean)
	}
	return draw.Panel{Title: run.Name, Layers: []draw.Layer{list, spots}}, floored, true
}

// rows are means over trials, with turns counted from 1 so that a logarithmic axis shows how the run begins.
func (c contrast) rows(run folder.Run, column string) []draw.LinePoint {
	list := draw.Means(rowsOf(run, column))
	for i := range list {
		list[i].X++
	}
	return list
}

// boundTint is how much of its colour the bound of an algorithm has.
const boundTint = 0.45

// entries explain what every panel shows.
func (c contrast) entries(r *folder.Result) []draw.Entry {
	list := []draw.Entry{{Sample: &draw.Line{Style: draw.Style{Ink: draw.Pale()}}, Words: c.saying}}
	has := func(column string) bool {
		for _, run := range r.Runs {
			if len(rowsOf(run, column)) > 0 {
				return true
			}
		}
		return false
	}
	if has(c.bound) {
		list = append(list, draw.Entry{Sample: &draw.Line{Style: draw.Style{Ink: draw.Tint(draw.Pale(), boundTint)}}, Words: c.bounding})
	}
	if has(c.sparse) {
		list = append(list, draw.Entry{Sample: &draw.Line{Style: draw.Style{Ink: draw.Pale(), Mark: draw.Disc{}}}, Words: c.dotted, Dot: true})
	}
	return list
}
