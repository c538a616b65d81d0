package report

import (
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/report/draw"
)

// contrast is a measured quantity, a bound on it at the same turns and something at fewer ones.
type contrast struct {
	measured, bound, sparse  string // columns
	saying, bounding, dotted string // what the three are, for the legend
}

// lagFigure shows how far populations are from settled, below the bound that the turn before gives.
func lagFigure(r *folder.Result) draw.Sketch {
	c := contrast{
		measured: "v", bound: "v_bound", sparse: "w1_joint",
		saying: "V, measured", bounding: "bound by the turn before", dotted: "W₁, measured",
	}
	return c.figure(r, "lag", "How far the population is from settled",
		"V is the mean distance of individuals from where the decision in force would settle them. The theory bounds it by the V of the turn before and "+
			"the step of the decision, √(ρ₁V² + ρ₂‖Δu‖²). The Wasserstein distance between the population and the settled one is never above V.")
}

// biasFigure shows how far gradients are led astray, below what the theory allows.
func biasFigure(r *folder.Result) draw.Sketch {
	c := contrast{
		measured: "bias", bound: "bias_by_v", sparse: "bias_by_w1",
		saying: "‖e‖, measured", bounding: "bound Lₚ·V", dotted: "bound L·W₁",
	}
	return c.figure(r, "bias", "What an unsettled population does to the gradient",
		"e is the error of the gradient of the whole population because it has not settled. It is bounded by Lₚ·V, individual by individual, and by L·W₁.")
}

// figure draws a panel an algorithm, all on the same axes.
func (c contrast) figure(r *folder.Result, name, title, see string) draw.Sketch {
	g, floored := draw.Grid{Shared: true}, false
	for _, s := range strandsOf(r) {
		if measured := c.line(s, c.measured); len(measured.Points) > 0 {
			p, low := c.panel(s, measured, len(r.Runs))
			g.Panels, floored = append(g.Panels, p), floored || low
		}
	}
	g.Columns = draw.ColumnsFor(len(g.Panels))
	x, y := draw.Extents(g.Panels...)
	g.SetAxes(draw.Axis{Ruler: draw.Ruler{Min: 1, Max: max(x.High, 10), Log: true}, Label: "turn k + 1"},
		draw.Axis{Ruler: draw.NewRuler(y, true), Label: loop.Describe(c.measured).Label})
	g.Legend = c.entries(r)
	if trialsOf(r) > 1 {
		see += " Lines are means over trials; the table of bounds judges every trial by itself."
	}
	return g.Sketch(name, title, see, floored)
}

// panel is one algorithm among several, its bound behind it.
func (c contrast) panel(s strand, measured draw.Line, among int) (p draw.Panel, floored bool) {
	list := draw.Lines{measured}
	if bound := c.line(s, c.bound); len(bound.Points) > 0 {
		bound.Style = draw.Style{Ink: draw.Tint(s.Ink, boundTint)}
		list = draw.Lines{bound, measured}
	}
	floored = draw.Raise(list)
	for i := range list {
		list[i].Points = draw.ThinLate(list[i].Points, min(400, max(draw.MostPoints/(4*among), 10)))
	}
	spots := draw.Dots{Style: draw.Style{Ink: s.Ink, Mark: draw.Disc{}}}
	for _, row := range draw.Thin(c.line(s, c.sparse).Points, min(50, max(draw.MostPoints/(20*among), 10))) {
		spots.X, spots.Y = append(spots.X, row.X), append(spots.Y, row.Mean)
	}
	return draw.Panel{Title: s.name, Layers: []draw.Layer{list, spots}}, floored
}

// line is the mean over trials, with turns counted from 1 so that a logarithmic axis shows how the run begins.
func (c contrast) line(s strand, column string) draw.Line {
	l := s.mean(column)
	for i := range l.Points {
		l.Points[i].X++
	}
	return l
}

// boundTint is how much of its colour the bound of an algorithm has.
const boundTint = 0.45

// entries explain what every panel shows.
func (c contrast) entries(r *folder.Result) []draw.Entry {
	list := []draw.Entry{{Sample: &draw.Line{Style: draw.Style{Ink: draw.Pale()}}, Words: c.saying}}
	has := func(column string) bool { return len(linesOf(r, column)) > 0 }
	if has(c.bound) {
		list = append(list, draw.Entry{Sample: &draw.Line{Style: draw.Style{Ink: draw.Tint(draw.Pale(), boundTint)}}, Words: c.bounding})
	}
	if has(c.sparse) {
		list = append(list, draw.Entry{Sample: &draw.Line{Style: draw.Style{Ink: draw.Pale(), Mark: draw.Disc{}}}, Words: c.dotted, Dot: true})
	}
	return list
}
