package plot

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/report/draw"
)

// StylesOf gives every method a look; the best known ones always have the same.
func StylesOf(names []string) map[string]draw.Style {
	return draw.Styles([]string{"vanilla", "composite", "derivative-free"}, names)
}

// looks gives every group a style: the methods have their own, ordered numbers go from dark to light, others take turns. The
// same group of another folder has another mark.
func (d *plotted) looks(groups []part) map[string]draw.Style {
	var bases []string
	for _, g := range groups {
		bases = append(bases, g.base)
	}
	methods := StylesOf(bases)
	shapes := draw.Shapes()
	looks := map[string]draw.Style{}
	for i, g := range groups {
		s := methods[g.base]
		if d.by != nil && d.by.numeric() {
			s = draw.Style{Ink: draw.Viridis(0.88 * float64(i) / max(1, float64(len(groups)-1))), Mark: shapes[i%len(shapes)]}
		}
		if g.turn > 0 {
			s.Mark = shapes[g.turn%len(shapes)]
		}
		looks[g.name] = s
	}
	return looks
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

func (d *plotted) lines() (draw.Sketch, error) {
	logX, logY := d.logs()
	g := draw.Grid{Shared: d.facet != nil}
	styles := d.looks(d.groups(d.all()))
	var all draw.Lines
	for _, facet := range d.panels() {
		var list draw.Lines
		for _, group := range d.groups(facet.rows) {
			rows, banded, err := d.rowsOf(group.rows, logX)
			if err != nil {
				return draw.Sketch{}, err
			}
			if len(rows) > 0 {
				list = append(list, draw.Line{Name: group.name, Style: styles[group.name], Banded: banded, Dashed: group.turn > 0, Points: rows})
			}
		}
		g.Panels = append(g.Panels, draw.Panel{Title: facet.name, Layers: []draw.Layer{list, draw.Marks(list)}})
		all = append(all, list...)
	}
	if len(all) == 0 {
		return draw.Sketch{}, d.empty()
	}
	floored := all.Prepare(logY)
	d.share(&g, all)
	d.axes(&g, logX, logY)
	d.legend(&g, all)
	return g.Sketch("plot", d.y.labelOf(), d.caption(len(all), "line"), floored), nil
}

// share gives the panels the prepared curves back, in order.
func (d *plotted) share(g *draw.Grid, all draw.Lines) {
	for i := range g.Panels {
		n := len(g.Panels[i].Layers[0].(draw.Lines))
		g.Panels[i].Layers = []draw.Layer{all[:n], draw.Marks(all[:n])}
		all = all[n:]
	}
}

func (d *plotted) empty() error {
	return fmt.Errorf("column %s holds no number to draw over %s; it was not measured, or --where leaves nothing", d.Y, d.X)
}

// rowsOf lines values up by x: mean and band.
func (d *plotted) rowsOf(rows []int, log bool) (out []draw.LinePoint, banded bool, err error) {
	for _, place := range split(d.x, rows) {
		x := d.x.numbers[place.rows[0]]
		values := choose(d.y.numbers, place.rows)
		s, count := folder.SpreadOfFinite(values)
		if count == 0 || !phrase.Finite(x) || log && x <= 0 {
			continue
		}
		if d.Band == Quantiles {
			s.Min, s.Max = middle(values)
		}
		if d.y.low != nil {
			if d.Band == Quantiles && count == 1 {
				return nil, false, errors.New("--band quantiles: the table of a sweep holds mean, least and greatest only; take minmax")
			}
			low, _ := folder.SpreadOfFinite(choose(d.y.low, place.rows))
			high, _ := folder.SpreadOfFinite(choose(d.y.high, place.rows))
			s.Min, s.Max = min(s.Min, low.Min), max(s.Max, high.Max)
		}
		banded = banded || s.Min < s.Max
		out = append(out, draw.LinePoint{X: x, Mean: s.Mean, Low: s.Min, High: s.Max})
	}
	return out, banded && d.Band != NoBand, nil
}

// axes gives all panels axes over all their data, and arranges them.
func (d *plotted) axes(g *draw.Grid, logX, logY bool) {
	g.Columns = draw.ColumnsFor(len(g.Panels))
	x, y := draw.Extents(g.Panels...)
	for i := range g.Panels {
		g.Panels[i].X = draw.Axis{Ruler: d.across(x, logX), Label: d.x.labelOf()}
		g.Panels[i].Y = draw.Axis{Ruler: draw.NewRuler(y, logY), Label: d.y.labelOf()}
	}
}

// across is a scale from the first to the last place; turns and trials are whole.
func (d *plotted) across(x draw.Extent, log bool) draw.Ruler {
	switch {
	case log && x.High > 0:
		return draw.NewRuler(x, true)
	case x.Low == x.High && d.x.whole():
		return draw.Ruler{Min: x.Low - 0.5, Max: x.High + 0.5, Whole: true}
	case x.Low == x.High:
		return draw.NewRuler(x, false)
	}
	return draw.Ruler{Min: x.Low, Max: x.High, Whole: d.x.whole()}
}

func (c *series) whole() bool {
	return !slices.ContainsFunc(c.numbers, func(v float64) bool { return v != math.Trunc(v) })
}

// legend names the lines beside them where there is one panel with room, otherwise above.
func (d *plotted) legend(g *draw.Grid, all draw.Lines) {
	switch {
	case len(all) == 1 && all[0].Name == "":
	case len(g.Panels) == 1 && len(all) > 1 && draw.FitBeside(all) && d.roomy():
		g.Panels[0].Beside = draw.Ends(all)
	default:
		g.Legend = draw.OnceEach(draw.Entries(all))
	}
	if words := d.bandNote(all); words != "" {
		g.Legend = append(g.Legend, draw.Entry{Words: words})
	}
}

// roomy tells whether names fit beside a panel.
func (d *plotted) roomy() bool {
	_, width, _ := draw.Printed(d.Width, d.Height)
	return width == 0 || width > 260
}

func (d *plotted) bandNote(all draw.Lines) string {
	banded := slices.ContainsFunc(all, func(c draw.Line) bool { return c.Banded })
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

func (d *plotted) scatter() (draw.Sketch, error) {
	logX, logY := d.logs()
	g := draw.Grid{Shared: d.facet != nil}
	shaded := d.by != nil && d.by.numeric() && len(d.by.values()) > 6
	styles := d.looks(d.groups(d.all()))
	var shade draw.Ruler
	if shaded {
		shade = d.shade(d.by, false)
		g.Bar = &draw.ColourBar{Ruler: shade, Label: d.by.name}
	}
	var samples draw.Lines
	for _, facet := range d.panels() {
		p := draw.Panel{Title: facet.name}
		if shaded {
			p.Layers = append(p.Layers, d.shadedDots(facet.rows, d.by, shade))
		} else {
			for _, group := range d.groups(facet.rows) {
				p.Layers = append(p.Layers, draw.Dots{Style: styles[group.name], X: choose(d.x.numbers, group.rows), Y: choose(d.y.numbers, group.rows)})
				samples = append(samples, draw.Line{Name: group.name, Style: styles[group.name]})
			}
		}
		g.Panels = append(g.Panels, p)
	}
	if _, y := draw.Extents(g.Panels...); y.Empty() {
		return draw.Sketch{}, d.empty()
	}
	d.axes(&g, logX, logY)
	for i := range g.Panels {
		x, _ := draw.Extents(g.Panels...)
		g.Panels[i].X.Ruler = draw.NewRuler(x, logX)
	}
	if !shaded && len(samples) > 1 {
		g.Legend = draw.OnceEach(draw.Entries(samples))
		for i := range g.Legend {
			g.Legend[i].Dot = true
		}
	}
	return g.Sketch("plot", d.y.labelOf(), d.caption(d.rows, "point"), false), nil
}

// shadedDots are points whose colour is a number.
func (d *plotted) shadedDots(rows []int, by *series, shade draw.Ruler) draw.Dots {
	out := draw.Dots{Style: draw.Style{Mark: draw.Disc{}}, X: choose(d.x.numbers, rows), Y: choose(d.y.numbers, rows)}
	for _, v := range choose(by.numbers, rows) {
		ink := color.NRGBA(draw.Grey())
		if phrase.Finite(v) {
			ink = draw.Viridis(shade.At(v))
		}
		out.Inks = append(out.Inks, ink)
	}
	return out
}
