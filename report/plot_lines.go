package report

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
	"gonum.org/v1/plot/vg/draw"
)

// looks gives every group a style: the methods have their own, ordered numbers go from dark to light, others take turns. The
// same group of another folder has another mark.
func (d *plotted) looks(groups []part) map[string]style {
	var bases []string
	for _, g := range groups {
		bases = append(bases, g.base)
	}
	methods := stylesOf(bases)
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, polygon{4, 0}, polygon{3, 0.5}, polygon{5, 0}, polygon{6, 0}, polygon{3, 0}, polygon{4, 0.5}}
	styles := map[string]style{}
	for i, g := range groups {
		s := methods[g.base]
		if d.by != nil && d.by.numeric() {
			s = style{viridis(0.88 * float64(i) / max(1, float64(len(groups)-1))), shapes[i%len(shapes)]}
		}
		if g.turn > 0 {
			s.mark = shapes[g.turn%len(shapes)]
		}
		styles[g.name] = s
	}
	return styles
}

// panels parts all rows by the column that has panels of its own. Numbers are named after their column.
func (d *plotted) panels() []part {
	parts := split(d.facet, d.all())
	d.facet.title(parts)
	return parts
}

// title names parts that are numbers after their column, and shortens them.
func (c *series) title(parts []part) {
	if c == nil || !c.numeric() {
		return
	}
	key := c.name[strings.LastIndexByte(c.name, '.')+1:]
	for i, name := range readable(partNames(parts)) {
		parts[i].name = key + " " + name
	}
}

func partNames(parts []part) []string {
	list := make([]string, len(parts))
	for i, p := range parts {
		list[i] = p.name
	}
	return list
}

// groups parts rows by the column that tells lines apart and, of several folders, by folder too.
func (d *plotted) groups(rows []int) []part {
	groups := split(d.by, rows)
	d.by.title(groups)
	folder, err := d.column("folder")
	if err != nil || d.by == folder || d.facet == folder || len(folder.values()) < 2 {
		return groups
	}
	if len(groups) == 1 {
		return split(folder, groups[0].rows)
	}
	var parts []part
	for _, g := range groups {
		for i, f := range split(folder, g.rows) {
			parts = append(parts, part{f.name + ", " + g.name, f.rows, g.name, i})
		}
	}
	return parts
}

func (d *plotted) lines() (sketch, error) {
	logX, logY := d.logs()
	g := grid{shared: d.facet != nil}
	styles := d.looks(d.groups(d.all()))
	var all curves
	for _, facet := range d.panels() {
		var list curves
		for _, group := range d.groups(facet.rows) {
			rows, banded, err := d.rowsOf(group.rows, logX)
			if err != nil {
				return sketch{}, err
			}
			if len(rows) > 0 {
				list = append(list, curve{name: group.name, style: styles[group.name], banded: banded, dashed: group.turn > 0, rows: rows})
			}
		}
		g.panels = append(g.panels, panel{title: facet.name, layers: []layer{list, marks(list)}})
		all = append(all, list...)
	}
	if len(all) == 0 {
		return sketch{}, d.empty()
	}
	floored := all.prepare(logY)
	d.share(&g, all)
	d.axes(&g, logX, logY)
	d.legend(&g, all)
	return g.sketch("plot", d.y.labelOf(), d.caption(len(all), "line"), floored), nil
}

// share gives the panels the prepared curves back, in order.
func (d *plotted) share(g *grid, all curves) {
	for i := range g.panels {
		n := len(g.panels[i].layers[0].(curves))
		g.panels[i].layers = []layer{all[:n], marks(all[:n])}
		all = all[n:]
	}
}

func (d *plotted) empty() error {
	return fmt.Errorf("column %s holds no number to draw over %s; it was not measured, or --where leaves nothing", d.Y, d.X)
}

// rowsOf lines values up by x: mean and band.
func (d *plotted) rowsOf(rows []int, log bool) (out []row, banded bool, err error) {
	for _, place := range split(d.x, rows) {
		x := d.x.numbers[place.rows[0]]
		values := choose(d.y.numbers, place.rows)
		s := over(values)
		if s.count == 0 || !phrase.Finite(x) || log && x <= 0 {
			continue
		}
		if d.Band == Quantiles {
			s = quantiles(values)
		}
		if d.y.low != nil {
			if d.Band == Quantiles && s.count == 1 {
				return nil, false, errors.New("--band quantiles: the table of a sweep holds mean, least and greatest only; take minmax")
			}
			s.low, s.high = min(s.low, over(choose(d.y.low, place.rows)).low), max(s.high, over(choose(d.y.high, place.rows)).high)
		}
		banded = banded || s.low < s.high
		out = append(out, row{x, s})
	}
	return out, banded && d.Band != NoBand, nil
}

// axes gives all panels axes over all their data, and arranges them.
func (d *plotted) axes(g *grid, logX, logY bool) {
	g.columns = columnsFor(len(g.panels))
	x, y := extents(g.panels...)
	for i := range g.panels {
		g.panels[i].x = axis{scale: d.across(x, logX), label: d.x.labelOf()}
		g.panels[i].y = axis{scale: newScale(y, logY), label: d.y.labelOf()}
	}
}

// across is a scale from the first to the last place; turns and trials are whole.
func (d *plotted) across(x extent, log bool) scale {
	switch {
	case log && x.high > 0:
		return newScale(x, true)
	case x.low == x.high && d.x.whole():
		return scale{min: x.low - 0.5, max: x.high + 0.5, whole: true}
	case x.low == x.high:
		return newScale(x, false)
	}
	return scale{min: x.low, max: x.high, whole: d.x.whole()}
}

func (c *series) whole() bool {
	return !slices.ContainsFunc(c.numbers, func(v float64) bool { return v != math.Trunc(v) })
}

// columnsFor arranges panels: up to three beside each other.
func columnsFor(panels int) int {
	switch {
	case panels == 1:
		return 1
	case panels == 2 || panels == 4:
		return 2
	}
	return 3
}

// legend names the lines beside them where there is one panel with room, otherwise above.
func (d *plotted) legend(g *grid, all curves) {
	switch {
	case len(all) == 1 && all[0].name == "":
	case len(g.panels) == 1 && len(all) > 1 && fitBeside(all) && d.roomy():
		g.panels[0].beside = ends(all)
	default:
		g.legend = onceEach(entries(all))
	}
	if words := d.bandNote(all); words != "" {
		g.legend = append(g.legend, entry{words: words})
	}
}

// roomy tells whether names fit beside a panel.
func (d *plotted) roomy() bool {
	_, width, _ := printed(d.Width, d.Height)
	return width == 0 || width > 260
}

// onceEach keeps the first entry of every name.
func onceEach(list []entry) []entry {
	var out []entry
	for _, e := range list {
		if !slices.ContainsFunc(out, func(o entry) bool { return o.words == e.words }) {
			out = append(out, e)
		}
	}
	return out
}

func (d *plotted) bandNote(all curves) string {
	banded := slices.ContainsFunc(all, func(c curve) bool { return c.banded })
	switch {
	case !banded:
		return ""
	case d.Band == Quantiles:
		return "mean and 10–90 %"
	}
	return "mean and range"
}

func (d *plotted) caption(n int, what string) string {
	see := fmt.Sprintf("%s over %s: %s", d.y.labelOf(), d.x.labelOf(), phrase.Count(n, what))
	if d.by != nil {
		see += " by " + d.by.name
	}
	return see + "."
}

func (d *plotted) scatter() (sketch, error) {
	logX, logY := d.logs()
	g := grid{shared: d.facet != nil}
	shaded := d.by != nil && d.by.numeric() && len(d.by.values()) > 6
	styles := d.looks(d.groups(d.all()))
	var shade scale
	if shaded {
		shade = d.shade(d.by, false)
		g.bar = &colourBar{shade, d.by.name}
	}
	var samples curves
	for _, facet := range d.panels() {
		p := panel{title: facet.name}
		if shaded {
			p.layers = append(p.layers, d.shadedDots(facet.rows, d.by, shade))
		} else {
			for _, group := range d.groups(facet.rows) {
				p.layers = append(p.layers, dots{style: styles[group.name], x: choose(d.x.numbers, group.rows), y: choose(d.y.numbers, group.rows)})
				samples = append(samples, curve{name: group.name, style: styles[group.name]})
			}
		}
		g.panels = append(g.panels, p)
	}
	if _, y := extents(g.panels...); y.empty() {
		return sketch{}, d.empty()
	}
	d.axes(&g, logX, logY)
	for i := range g.panels {
		x, _ := extents(g.panels...)
		g.panels[i].x.scale = newScale(x, logX)
	}
	if !shaded && len(samples) > 1 {
		g.legend = onceEach(entries(samples))
		for i := range g.legend {
			g.legend[i].dot = true
		}
	}
	return g.sketch("plot", d.y.labelOf(), d.caption(d.rows, "point"), false), nil
}

// shadedDots are points whose colour is a number.
func (d *plotted) shadedDots(rows []int, by *series, shade scale) dots {
	out := dots{style: style{mark: draw.CircleGlyph{}}, x: choose(d.x.numbers, rows), y: choose(d.y.numbers, rows)}
	for _, v := range choose(by.numbers, rows) {
		ink := color.NRGBA(grey)
		if phrase.Finite(v) {
			ink = viridis(shade.at(v))
		}
		out.inks = append(out.inks, ink)
	}
	return out
}
