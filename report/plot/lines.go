package plot

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
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
	methods := StylesOf(lists.Of(groups, func(g part) string { return g.base }))
	shapes := draw.Shapes()
	looks := map[string]draw.Style{}
	for i, g := range groups {
		s := methods[g.base]
		if d.by.numeric() {
			s = draw.Style{Ink: draw.Viridis(0.88 * float64(i) / max(1, float64(len(groups)-1))), Mark: shapes[i%len(shapes)]}
		}
		if g.turn > 0 {
			s.Mark, s.Dash = shapes[g.turn%len(shapes)], draw.Dashes(g.turn)
		}
		looks[g.name] = s
	}
	return looks
}

// grid draws layers for the rows of every panel that has something to show.
func (d *plotted) grid(layers func(rows []int) []draw.Layer) draw.Grid {
	parts := slices.DeleteFunc(split(d.facet, d.all()), func(p part) bool { return measuredIn(choose(d.y.numbers, p.rows)) == 0 })
	d.title(d.facet, parts)
	return draw.Grid{
		Shared: d.facet != nil, Columns: draw.ColumnsFor(len(parts)),
		Panels: lists.Of(parts, func(p part) draw.Panel { return draw.Panel{Title: p.name, Layers: layers(p.rows)} }),
	}
}

// groups parts rows by the column that tells lines apart and, of several folders, by folder too.
func (d *plotted) groups(rows []int) []part {
	groups := d.parts(d.by, rows)
	folder, err := d.column("folder")
	if err != nil || d.by == folder || d.facet == folder || len(folder.values()) < 2 {
		return groups
	}
	if len(groups) == 1 {
		return d.parts(folder, groups[0].rows)
	}
	var parts []part
	for _, g := range groups {
		for i, f := range d.parts(folder, g.rows) {
			parts = append(parts, part{f.name + ", " + g.name, f.rows, g.base, i})
		}
	}
	return parts
}

// parts are those of a column, as the figure calls them.
func (d *plotted) parts(c *series, rows []int) []part {
	parts := split(c, rows)
	d.title(c, parts)
	return parts
}

func (d *plotted) lines() (draw.Sketch, error) {
	logX, logY := d.logs()
	styles := d.looks(d.groups(d.all()))
	var drawn []draw.Lines
	var wrong error
	g := d.grid(func(rows []int) []draw.Layer {
		var list draw.Lines
		for _, group := range d.groups(rows) {
			points, banded, err := d.rowsOf(group.rows, logX)
			wrong = cmp.Or(wrong, err)
			if len(points) > 0 {
				list = append(list, draw.Line{Name: group.name, Style: styles[group.name], Banded: banded, Points: points})
			}
		}
		drawn = append(drawn, list)
		return []draw.Layer{list, draw.Marks(list)}
	})
	floored := draw.Prepare(logY, drawn...)
	all := slices.Concat(drawn...)
	if wrong != nil || len(all) == 0 {
		return draw.Sketch{}, cmp.Or(wrong, d.empty())
	}
	x, y := draw.Extents(g.Panels...)
	g.SetAxes(d.axis(d.x, d.across(x, logX)), d.axis(d.y, draw.NewRuler(y, logY)))
	d.legend(&g, all)
	return g.Sketch("plot", d.y.labelOf(), d.caption(len(all), "line"), floored), nil
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

// across is a scale from the first to the last place; turns and trials are whole.
func (d *plotted) across(x draw.Extent, log bool) draw.Ruler {
	switch {
	case log:
		return draw.NewRuler(x, true)
	case x.Low == x.High && d.x.whole():
		return draw.Ruler{Min: x.Low - 0.5, Max: x.High + 0.5, Whole: true}
	case x.Low == x.High:
		return draw.NewRuler(x, false)
	}
	return draw.Ruler{Min: x.Low, Max: x.High, Whole: d.x.whole()}
}

// legend names the lines beside them where there is one panel with room, otherwise above.
func (d *plotted) legend(g *draw.Grid, all draw.Lines) {
	_, width, _ := draw.Printed(d.Width, d.Height)
	roomy := width == 0 || width > 260
	switch {
	case len(all) == 1 && all[0].Name == "":
	case len(g.Panels) == 1 && len(all) > 1 && draw.FitBeside(all) && roomy:
		g.Panels[0].Beside = draw.Ends(all)
	default:
		g.Legend = draw.Entries(all)
	}
	if !slices.ContainsFunc(all, func(c draw.Line) bool { return c.Banded }) {
		return
	}
	words := "mean and range"
	if d.Band == Quantiles {
		words = "mean and 10–90 %"
	}
	g.Legend = append(g.Legend, draw.Entry{Words: words})
}

func (d *plotted) caption(n int, what string) string {
	return fmt.Sprintf("%s over %s: %s by %s.", d.y.labelOf(), d.x.labelOf(), phrase.Count(n, what), d.by.name)
}

func (d *plotted) scatter() (draw.Sketch, error) {
	logX, logY := d.logs()
	var bar *draw.ColourBar
	if d.by.numeric() && len(d.by.values()) > 6 {
		bar = &draw.ColourBar{Ruler: d.by.shade(false), Label: d.short(d.by)}
	}
	styles := d.looks(d.groups(d.all()))
	var samples draw.Lines
	g := d.grid(func(rows []int) []draw.Layer {
		if bar != nil {
			return []draw.Layer{d.shadedDots(rows, d.y, d.by, bar.Ruler)}
		}
		return lists.Of(d.groups(rows), func(group part) draw.Layer {
			samples = append(samples, draw.Line{Name: group.name, Style: styles[group.name]})
			return draw.Dots{Style: styles[group.name], X: choose(d.x.numbers, group.rows), Y: choose(d.y.numbers, group.rows)}
		})
	})
	x, y := draw.Extents(g.Panels...)
	if y.Empty() {
		return draw.Sketch{}, d.empty()
	}
	x, y = d.x.shown(x, logX), d.y.shown(y, logY)
	g.Bar = bar
	g.SetAxes(d.axis(d.x, draw.NewRuler(x, logX)), d.axis(d.y, draw.NewRuler(y, logY)))
	if len(samples) > 1 {
		g.Legend = draw.Entries(samples)
		for i := range g.Legend {
			g.Legend[i].Dot = true
		}
	}
	return g.Sketch("plot", d.y.labelOf(), d.caption(d.rows, "point"), false), nil
}

// shadedDots are points whose colour is a number.
func (d *plotted) shadedDots(rows []int, y, by *series, shade draw.Ruler) draw.Dots {
	return draw.Dots{
		Style: draw.Style{Mark: draw.Disc{}}, X: choose(d.x.numbers, rows), Y: choose(y.numbers, rows),
		Inks: lists.Of(choose(by.numbers, rows), draw.Cells{Shade: shade}.Colour),
	}
}
