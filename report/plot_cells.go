package report

import (
	"fmt"
	"math"

	"github.com/kedge-opt/kedge/internal/phrase"
)

// shade is a scale of colours over all numbers of a column.
func (d *plotted) shade(c *series, log bool) scale {
	e := nothing()
	for _, v := range c.numbers {
		if !log || v >= tiniest {
			e.add(v)
		}
	}
	if log && !e.empty() {
		return logScale(e.low, e.high)
	}
	s := newScale(e, false)
	s.min, s.max = max(s.min, min(e.low, s.max)), min(s.max, max(e.high, s.min))
	if !(s.min < s.max) {
		return newScale(e, false)
	}
	return s
}

// heat draws y as colour over two columns. Values that are no grid become coloured points.
func (d *plotted) heat() (sketch, error) {
	if d.scattered() {
		return d.heatDots()
	}
	_, logY := d.logs()
	g := grid{shared: d.facet != nil, columns: 1}
	shade := d.shade(d.y, logY)
	across, up := d.x.values(), d.by.values()
	for _, facet := range d.panels() {
		c := d.cells(facet.rows, across, up)
		c.shade = shade
		g.panels = append(g.panels, panel{title: facet.name, layers: []layer{c}, x: cellAxis(readable(across), d.x.labelOf()), y: cellAxis(readable(up), d.by.labelOf())})
	}
	if over(d.y.numbers).count == 0 {
		return sketch{}, d.empty()
	}
	g.columns = min(columnsFor(len(g.panels)), max(1, 24/len(across)))
	g.bar = &colourBar{shade, d.y.name}
	see := fmt.Sprintf("%s by colour, over %s and %s; every cell is a mean.", d.y.labelOf(), d.x.name, d.by.name)
	return g.sketch("plot", d.y.labelOf(), see, false), nil
}

// scattered tells whether most pairs of values have no cell, as in a random design.
func (d *plotted) scattered() bool {
	pairs := map[[2]string]bool{}
	for i := range d.rows {
		pairs[[2]string{d.x.word(i), d.by.word(i)}] = true
	}
	n := len(d.x.values()) * len(d.by.values())
	return d.x.numeric() && d.by.numeric() && n > 9 && 3*len(pairs) < n
}

// heatDots shows y by the colour of points over x and by.
func (d *plotted) heatDots() (sketch, error) {
	_, logY := d.logs()
	shade := d.shade(d.y, logY)
	g := grid{shared: d.facet != nil, bar: &colourBar{shade, d.y.name}}
	y := d.y
	d.y = d.by
	for _, facet := range d.panels() {
		g.panels = append(g.panels, panel{title: facet.name, layers: []layer{d.shadedDots(facet.rows, y, shade)}})
	}
	d.axes(&g, d.x.geometric(), d.by.geometric())
	x, _ := extents(g.panels...)
	for i := range g.panels {
		g.panels[i].x.scale = newScale(x, d.x.geometric())
	}
	see := fmt.Sprintf("%s by colour, one point a cell, over %s and %s.", y.labelOf(), d.x.name, d.by.name)
	return g.sketch("plot", y.labelOf(), see, false), nil
}

// cells are the means of y over every pair of values.
func (d *plotted) cells(rows []int, across, up []string) cells {
	at := map[[2]string][]float64{}
	for _, row := range rows {
		pair := [2]string{d.x.word(row), d.by.word(row)}
		at[pair] = append(at[pair], d.y.numbers[row])
	}
	c := cells{columns: len(across), rows: len(up), text: short}
	for _, y := range up {
		for _, x := range across {
			c.values = append(c.values, over(at[[2]string{x, y}]).mean)
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
	return phrase.Minus(fmt.Sprintf("%se%d", mantissa, exponent))
}

// histogram counts numbers of x, one panel a group.
func (d *plotted) histogram() (sketch, error) {
	logX, _ := d.logs()
	numbers := d.x.numbers
	all := nothing()
	for _, v := range numbers {
		if !logX || v > 0 {
			all.add(v)
		}
	}
	if all.empty() {
		return sketch{}, fmt.Errorf("column %s holds no number to count", d.X)
	}
	edges := binEdges(all, logX)
	groups := d.groups(d.all())
	styles := d.looks(groups)
	g := grid{shared: true}
	for _, group := range groups {
		some := choose(numbers, group.rows)
		b := bars{style: styles[group.name], edges: edges, counts: bin(some, edges), mean: over(some).mean}
		if logX {
			b.mean = math.NaN()
		}
		g.panels = append(g.panels, panel{title: group.name, note: "mean " + phrase.Plain(over(some).mean), layers: []layer{b}})
	}
	g.columns = min(columnsFor(len(g.panels)), 2)
	_, y := extents(g.panels...)
	for i := range g.panels {
		g.panels[i].x = axis{scale: scale{min: edges[0], max: edges[len(edges)-1], log: logX}, label: d.x.labelOf()}
		g.panels[i].y = axis{scale: scale{max: y.high, whole: true}, label: "number of rows"}
	}
	return g.sketch("plot", d.x.labelOf(), fmt.Sprintf("How often %s occurs, in %s.", d.x.labelOf(), phrase.Count(d.rows, "row")), false), nil
}

// binEdges covers an extent with some twenty bins.
func binEdges(all extent, log bool) []float64 {
	const bins = 24
	if !log {
		s := linearScale(all.low, all.high)
		if all.low == all.high {
			all = extent{s.min, s.max}
		}
		return edgesOver(all, niceStep((all.high-all.low)/bins))
	}
	s := logScale(max(all.low, tiniest), max(all.high, tiniest))
	edges := make([]float64, bins+1)
	for i := range edges {
		share := float64(i) / bins
		edges[i] = math.Exp(float64((1-share)*math.Log(s.min)) + float64(share*math.Log(s.max)))
	}
	edges[0], edges[bins] = s.min, s.max
	return edges
}
