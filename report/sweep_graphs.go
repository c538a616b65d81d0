package report

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/loop"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/kedge-opt/kedge/report/plot"
)

// mostLines is how many lines of one chart can still be told apart.
const mostLines = 8

// sweptChart is what a graph shows of the end of a cell.
type sweptChart struct {
	column, about string
	end           func(e folder.Ending) *folder.Spread
	stable        func(p *folder.Point) float64
}

func sweptCharts() []sweptChart {
	return []sweptChart{
		{"gap", "What the last decision loses, once the population has settled under it, relative to the best possible.",
			func(e folder.Ending) *folder.Spread { return e.Gap }, func(p *folder.Point) float64 { return p.Gap }},
		{"distance", "How far the last decision lies from the optimal one.",
			func(e folder.Ending) *folder.Spread { return e.Distance }, func(p *folder.Point) float64 { return p.Distance }},
		{"value", "The value of the last decision, once the population has settled under it.",
			func(e folder.Ending) *folder.Spread { return e.Value }, func(p *folder.Point) float64 { return p.Value }},
	}
}

// sweepGraphs draws where methods end over the key with the most numbers: one line a method and combination of the other keys
// or, where those are too many, one line a method, its mean over the other keys.
func sweepGraphs(r *folder.SweepResult) (list []page.Graph) {
	x := axisOf(r)
	if x < 0 {
		return nil
	}
	ended, free := r.Endings(), freeOf(r, x)
	name, spanned := func(e folder.Ending) string { return lineName(r, e, free) }, ""
	if len(lists.Distinct(lists.Of(ended, name))) > mostLines {
		name, spanned = methodOf, " Lines are means over the other keys, bands reach from the least to the greatest of all trials."
	}
	numbers := numbersOf(r, x)
	wide := slices.Min(numbers) > 0 && slices.Max(numbers)/slices.Min(numbers) > 30
	for _, q := range sweptCharts() {
		q.about += spanned
		if g := q.graph(ended, name, plot.KeyLabel(r.Keys[x]), x); len(g.Lines) > 0 {
			g.LogX = wide
			list = append(list, g)
		}
	}
	return list
}

// numbersOf are the values of a key in all cells, NaN where one is not a number.
func numbersOf(r *folder.SweepResult, key int) []float64 {
	return lists.Of(r.Cells, func(c folder.CellResult) float64 { return c.Numbers[key] })
}

// axisOf picks the key with the most different numbers, -1 when none has two.
func axisOf(r *folder.SweepResult) int {
	best, most := -1, 1
	for i := range r.Keys {
		numbers := numbersOf(r, i)
		if n := len(lists.Distinct(numbers)); n > most && !slices.ContainsFunc(numbers, math.IsNaN) {
			best, most = i, n
		}
	}
	return best
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

func methodOf(e folder.Ending) string { return e.Algorithm }

// lineName is the method and the values of the keys that the axis leaves free.
func lineName(r *folder.SweepResult, e folder.Ending, free []int) string {
	values := lists.Of(free, func(i int) string {
		key := r.Keys[i]
		return key[strings.LastIndex(key, ".")+1:] + " " + valueIn(e.Cell, i)
	})
	return strings.Join(append([]string{e.Algorithm}, values...), ", ")
}

// graph draws one line a name, and where retraining settles.
func (q sweptChart) graph(ended []folder.Ending, name func(folder.Ending) string, along string, x int) page.Graph {
	c := chart{Column: loop.Describe(q.column)}
	c.Meaning = q.about
	g := c.frame(along, 6)
	methods := lists.Distinct(lists.Of(ended, methodOf))
	styles := plot.StylesOf(methods)
	for i, line := range lists.Distinct(lists.Of(ended, name)) {
		some := slices.DeleteFunc(slices.Clone(ended), func(e folder.Ending) bool { return name(e) != line })
		look := styles[some[0].Algorithm]
		look.Dash = draw.Dashes(i / len(methods))
		g.Add(draw.Line{Name: line, Style: look, Banded: true, Points: sweptPoints(some, x, q.end)})
	}
	stable := sweptPoints(ended, x, func(e folder.Ending) *folder.Spread {
		if p := e.Cell.Summary.Stable; p != nil && phrase.Finite(q.stable(p)) {
			return &folder.Spread{Mean: q.stable(p), Min: q.stable(p), Max: q.stable(p)}
		}
		return nil
	})
	g.Add(draw.Line{Name: "stable point", Style: draw.Style{Ink: draw.Pale(), Dash: draw.Dashes(2)}, Banded: true, Points: stable})
	return g
}

// sweptPoints gathers spreads by the value of a key.
func sweptPoints(ended []folder.Ending, key int, of func(folder.Ending) *folder.Spread) []draw.LinePoint {
	at := map[float64]spread{}
	for _, e := range ended {
		if s := of(e); s != nil {
			at[e.Cell.Numbers[key]] = at[e.Cell.Numbers[key]].with(*s)
		}
	}
	return lists.Of(slices.Sorted(maps.Keys(at)), func(x float64) draw.LinePoint { return at[x].at(x) })
}

// with adds the spread of one more cell.
func (s spread) with(o folder.Spread) spread {
	if s.count == 0 {
		return spread{o, 1}
	}
	n := float64(s.count)
	return spread{folder.Spread{Mean: s.Mean + (o.Mean-s.Mean)/(n+1), Min: min(s.Min, o.Min), Max: max(s.Max, o.Max)}, s.count + 1}
}
