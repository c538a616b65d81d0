package plot

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/report/draw"
)

// heat draws y as colour over two columns. Values that are no grid become coloured points.
func (d *plotted) heat() (draw.Sketch, error) {
	_, logY := d.logs()
	bar := &draw.ColourBar{Ruler: d.y.shade(logY), Label: d.short(d.y)}
	if measuredIn(d.y.numbers) == 0 {
		return draw.Sketch{}, d.empty()
	}
	if d.scattered() {
		return d.heatDots(bar), nil
	}
	across, up := d.x.values(), d.by.values()
	g := d.grid(func(rows []int) []draw.Layer { return []draw.Layer{d.cells(rows, across, up, bar.Ruler)} })
	g.SetAxes(draw.CellAxis(d.cellNames(across), d.label(d.x)), draw.CellAxis(d.cellNames(up), d.label(d.by)))
	g.Bar, g.Columns = bar, min(g.Columns, max(1, 24/len(across)))
	see := fmt.Sprintf("%s by colour, over %s and %s; every cell is a mean.", d.y.labelOf(), d.x.name, d.by.name)
	return g.Sketch("plot", d.y.labelOf(), see, false), nil
}

// scattered tells whether most pairs of values have no cell, as in a random design.
func (d *plotted) scattered() bool {
	pairs := map[[2]string]bool{}
	for i := range d.rows {
		pairs[[2]string{d.x.word(i), d.by.word(i)}] = true
	}
	n := len(d.x.values()) * len(d.by.values())
	return d.x.numeric() && d.by.numeric() && 3*len(pairs) < n
}

// heatDots shows y by the colour of points over x and by.
func (d *plotted) heatDots(bar *draw.ColourBar) draw.Sketch {
	g := d.grid(func(rows []int) []draw.Layer { return []draw.Layer{d.shadedDots(rows, d.by, d.y, bar.Ruler)} })
	g.Bar = bar
	x, y := draw.Extents(g.Panels...)
	g.SetAxes(d.axis(d.x, draw.NewRuler(x, d.x.geometric())), d.axis(d.by, draw.NewRuler(y, d.by.geometric())))
	see := fmt.Sprintf("%s by colour, one point a cell, over %s and %s.", d.y.labelOf(), d.x.name, d.by.name)
	return g.Sketch("plot", d.y.labelOf(), see, false)
}

// cellNames are values beside their cells.
func (d *plotted) cellNames(values []string) []string {
	shown := slices.Clone(readable(values))
	for i, value := range values {
		shown[i] = d.renamed(value, shown[i])
	}
	return shown
}

// cells are the means of y over every pair of values.
func (d *plotted) cells(rows []int, across, up []string, shade draw.Ruler) draw.Cells {
	at := map[[2]string][]float64{}
	for _, row := range rows {
		pair := [2]string{d.x.word(row), d.by.word(row)}
		at[pair] = append(at[pair], d.y.numbers[row])
	}
	c := draw.Cells{Columns: len(across), Rows: len(up), Shade: shade, Text: short}
	for _, y := range up {
		for _, x := range across {
			c.Values = append(c.Values, mean(at[[2]string{x, y}]))
		}
	}
	return c
}

// short shows a number with two digits, to be written in a cell.
func short(v float64) string {
	switch a := math.Abs(v); {
	case v == 0:
		return "0"
	case a >= 1e-3 && a < 1e4:
		return phrase.Digits(v, 2)
	}
	mantissa, exponent := phrase.Parts(v, 2)
	return phrase.Minus(mantissa) + "·" + phrase.TenTo(exponent)
}

// histogram counts numbers of x, one panel a group.
func (d *plotted) histogram() (draw.Sketch, error) {
	logX, _ := d.logs()
	numbers := d.x.numbers
	all := draw.Nothing()
	for _, v := range numbers {
		if !logX || v > 0 {
			all.Add(v)
		}
	}
	if all.Empty() {
		return draw.Sketch{}, fmt.Errorf("column %s holds no number to count", d.X)
	}
	edges := draw.BinEdges(all, logX)
	groups := d.groups(d.all())
	styles := d.looks(groups)
	g := draw.Grid{Shared: true}
	for _, group := range groups {
		some := choose(numbers, group.rows)
		if measuredIn(some) == 0 {
			continue
		}
		b := draw.Bars{Style: styles[group.name], Edges: edges, Counts: draw.Bin(some, edges), Mean: mean(some)}
		if logX {
			b.Mean = math.NaN()
		}
		g.Panels = append(g.Panels, draw.Panel{Title: group.name, Note: "mean " + phrase.Plain(mean(some)), Layers: []draw.Layer{b}})
	}
	g.Columns = min(draw.ColumnsFor(len(g.Panels)), 2)
	_, y := draw.Extents(g.Panels...)
	if !logX {
		g.Legend = []draw.Entry{{Sample: &draw.Line{Style: draw.MeanStyle()}, Words: "mean"}}
	}
	g.SetAxes(d.axis(d.x, draw.Ruler{Min: edges[0], Max: edges[len(edges)-1], Log: logX}),
		draw.Axis{Ruler: draw.Ruler{Max: y.High, Whole: true}, Label: "number of rows"})
	return g.Sketch("plot", d.x.labelOf(), fmt.Sprintf("How often %s occurs, in %s.", d.x.labelOf(), phrase.Count(d.rows, "row")), false), nil
}
