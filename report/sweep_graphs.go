package report

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/kedge-opt/kedge/report/plot"
)

// mostLines is how many lines of one chart can still be told apart.
const mostLines = 8

// sweepGraphs draws where methods end over the key with the most numbers: one line a method and combination of the other keys
// or, where those are too many, one line a method, its mean over the other keys.
func sweepGraphs(r *folder.SweepResult, ended []cellEnd) []page.Graph {
	x := axisOf(r)
	if x < 0 {
		return nil
	}
	free := freeOf(r, x)
	name := func(e cellEnd) string { return e.lineName(r, free) }
	apart := len(lineNames(ended, name)) <= mostLines
	if !apart {
		name = func(e cellEnd) string { return e.method }
	}
	var list []page.Graph
	for _, q := range sweptCharts() {
		if g := q.graph(ended, name, r.Keys[x], x); len(g.Lines) > 0 {
			g.LogX, g.About = isWide(r, x), g.About+spannedWords(apart)
			list = append(list, g)
		}
	}
	return list
}

func spannedWords(apart bool) string {
	if apart {
		return ""
	}
	return " Lines are means over the other keys, bands reach from the least to the greatest of all trials."
}

// axisOf picks the key with the most different numbers, -1 when none has two.
func axisOf(r *folder.SweepResult) int {
	best, most := -1, 1
	for i := range r.Keys {
		values := map[float64]bool{}
		for _, c := range r.Cells {
			values[c.Numbers[i]] = true
		}
		numeric := !slices.ContainsFunc(r.Cells, func(c folder.CellResult) bool { return math.IsNaN(c.Numbers[i]) })
		if numeric && len(values) > most {
			best, most = i, len(values)
		}
	}
	return best
}

// isWide tells whether the values of a key want a logarithmic axis.
func isWide(r *folder.SweepResult, key int) bool {
	low, high := math.Inf(1), 0.0
	for _, c := range r.Cells {
		low, high = min(low, c.Numbers[key]), max(high, c.Numbers[key])
	}
	return low > 0 && high/low > 30
}

// freeOf lists the keys that are not settled by the value on the axis.
func freeOf(r *folder.SweepResult, axis int) []int {
	var list []int
	for i := range r.Keys {
		seen := map[string]string{}
		for _, c := range r.Cells {
			if before, ok := seen[c.Values[axis]]; ok && before != c.Values[i] {
				list = append(list, i)
				break
			}
			seen[c.Values[axis]] = c.Values[i]
		}
	}
	return list
}

// lineName is the method and the values of the keys that the axis leaves free.
func (e cellEnd) lineName(r *folder.SweepResult, free []int) string {
	parts := []string{e.method}
	for _, i := range free {
		key := r.Keys[i]
		parts = append(parts, key[strings.LastIndex(key, ".")+1:]+" "+valueIn(e.cell, i))
	}
	return strings.Join(parts, ", ")
}

func lineNames(ended []cellEnd, name func(cellEnd) string) []string {
	var list []string
	for _, e := range ended {
		if n := name(e); !slices.Contains(list, n) {
			list = append(list, n)
		}
	}
	return list
}

// sweptChart is what a graph shows of the end of a cell.
type sweptChart struct {
	chart
	pick   func(e cellEnd) *folder.Spread
	stable func(p *folder.Point) float64
}

func sweptCharts() []sweptChart {
	of := func(column, about string) chart {
		c := chart{Column: loop.Describe(column)}
		c.Meaning = about
		return c
	}
	return []sweptChart{
		{of("gap", "What the last decision loses, once the population has settled under it, relative to the best possible."),
			func(e cellEnd) *folder.Spread { return e.Gap }, func(p *folder.Point) float64 { return p.Gap }},
		{of("distance", "How far the last decision lies from the optimal one."),
			func(e cellEnd) *folder.Spread { return e.Distance }, func(p *folder.Point) float64 { return p.Distance }},
		{of("value", "The value of the last decision, once the population has settled under it."),
			func(e cellEnd) *folder.Spread { return e.Value }, func(p *folder.Point) float64 { return p.Value }},
	}
}

func (q sweptChart) graph(ended []cellEnd, name func(cellEnd) string, along string, x int) page.Graph {
	g := q.frame(along, 6)
	lines, methods := lineNames(ended, name), methodsOf(ended)
	styles := plot.StylesOf(methods)
	for i, line := range lines {
		at := map[float64]spread{}
		method := ""
		for _, e := range ended {
			if s := q.pick(e); name(e) == line && s != nil {
				at[e.cell.Numbers[x]] = at[e.cell.Numbers[x]].with(*s)
				method = e.method
			}
		}
		ink, dash := styles[method].Ink, dashes(i/max(len(methods), 1))
		if l := lineOf(at, page.NewGraphLine(line, ink, dash, 6, true)); len(l.X) > 0 {
			g.Lines = append(g.Lines, l)
		}
	}
	g.Lines = append(g.Lines, q.stableLine(ended, x)...)
	g.Compact()
	return g
}

// stableLine is where retraining settles, over the key.
func (q sweptChart) stableLine(ended []cellEnd, x int) []page.GraphLine {
	at := map[float64]spread{}
	for _, e := range ended {
		if p := e.cell.Summary.Stable; p != nil && phrase.Finite(q.stable(p)) {
			v := q.stable(p)
			at[e.cell.Numbers[x]] = at[e.cell.Numbers[x]].with(folder.Spread{Mean: v, Min: v, Max: v})
		}
	}
	if len(at) == 0 {
		return nil
	}
	return []page.GraphLine{lineOf(at, page.NewGraphLine("stable point", draw.Pale(), []int{2, 3}, 6, true))}
}

// with adds the spread of one more cell.
func (s spread) with(o folder.Spread) spread {
	if s.count == 0 {
		return spread{o, 1}
	}
	n := float64(s.count)
	return spread{folder.Spread{Mean: s.Mean + (o.Mean-s.Mean)/(n+1), Min: min(s.Min, o.Min), Max: max(s.Max, o.Max)}, s.count + 1}
}

// lineOf puts spreads in the order of their places.
func lineOf(at map[float64]spread, l page.GraphLine) page.GraphLine {
	for _, x := range slices.Sorted(maps.Keys(at)) {
		l.Add(at[x].at(x))
	}
	return l
}
