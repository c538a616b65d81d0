package report

import (
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/plot"
)

func angleFigure(r *folder.Result) draw.Sketch {
	if r.Angles == nil {
		return draw.Sketch{}
	}
	list := momentsOf(r.Angles, names(r))
	if len(list) == 0 {
		return draw.Sketch{}
	}
	see := "Every individual's angle to the decision: at the start, after the last turn of the last trial, and settled under the optimum." +
		" The smaller the angle, the closer the individual is to the decision; the dashed line is the mean."
	if list[len(list)-1].title == "optimal" {
		see += " The dark outline repeats the optimal histogram: the closer a final one follows it, the closer the population is to the best reachable one."
	}
	return angleGrid(list).Sketch("angles", "Angles between states and decision", see, false)
}

// moment is the angles of everybody at one time.
type moment struct {
	title   string
	style   draw.Style
	final   bool
	degrees []float64
}

// momentsOf lists what a result knows of angles, the optimal ones last.
func momentsOf(a *folder.Angles, names []string) []moment {
	styles := plot.StylesOf(names)
	list := []moment{{"initial", draw.Style{Ink: draw.Dim()}, false, a.Initial}}
	for _, name := range names {
		list = append(list, moment{"final, " + name, styles[name], true, a.Final[name]})
	}
	list = append(list, moment{"optimal", draw.Style{Ink: draw.Hex(0x4d4d4d)}, false, a.Optimal})
	return slices.DeleteFunc(list, func(m moment) bool { return over(m.degrees).count == 0 })
}

// angleGrid draws one histogram a moment, over the same bins; the final ones show the optimal outline.
func angleGrid(list []moment) draw.Grid {
	all := draw.Nothing()
	for _, m := range list {
		all.Add(m.degrees...)
	}
	edges := draw.EdgesOver(all, draw.DegreeBins(all))
	g := draw.Grid{Columns: 2, Shared: true}
	var outline []float64
	if last := list[len(list)-1]; last.title == "optimal" {
		outline = draw.Bin(last.degrees, edges)
	}
	for _, m := range list {
		b := draw.Bars{Style: m.style, Edges: edges, Counts: draw.Bin(m.degrees, edges), Mean: over(m.degrees).Mean}
		if m.final {
			b.Outline = outline
		}
		g.Panels = append(g.Panels, draw.Panel{Title: m.title, Note: "mean " + phrase.Fixed(b.Mean, 1) + "°", Layers: []draw.Layer{b}})
	}
	g.Legend = []draw.Entry{{Sample: &draw.Line{Style: draw.MeanStyle()}, Words: "mean"}}
	if outline != nil {
		g.Legend = append(g.Legend, draw.Entry{Sample: &draw.Line{Style: draw.OutlineStyle()}, Words: "outline of the optimal one"})
	}
	x, y := draw.Extents(g.Panels...)
	g.SetAxes(draw.DegreeAxis(x, "angle between state and decision"), draw.Axis{Ruler: draw.Ruler{Max: y.High, Whole: true}, Label: "number of individuals"})
	return g
}
