package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
)

// chart is what a graph shows of measured turns: a column, or the greatest of several.
type chart struct {
	kedge.Column
	names []string
}

// firstCharts is the order in which a reader asks; other charts follow as their columns do.
func firstCharts() []string {
	return []string{"gap", "distance", "nash", "excess", "multiplier", "tracking", "regret", "value", "w1", "lag", "gradient", "unsettled", "gradient-error"}
}

// chartsOf lists the charts of columns.
func chartsOf(columns []kedge.Column) []chart {
	var list []chart
	for _, c := range columns {
		i := slices.IndexFunc(list, func(o chart) bool { return o.Chart == c.Chart })
		switch {
		case c.Chart == "":
		case i >= 0:
			list[i].names = append(list[i].names, c.Name)
		default:
			list = append(list, chart{c, []string{c.Name}})
		}
	}
	place := func(c chart) int { return slices.Index(append(firstCharts(), c.Chart), c.Chart) } // the last for all that are not among the first
	slices.SortStableFunc(list, func(a, b chart) int { return cmp.Compare(place(a), place(b)) })
	return list
}

// rulesOf are the levels that a result gives a quantity.
func rulesOf(r *folder.Result, id string) []page.GraphRule {
	if optimumMoves(r) {
		return nil
	}
	const stable = "stable point: where retraining settles"
	all := map[string][]page.GraphRule{
		"gap": {{Value: r.Stable.Gap, Label: stable}}, "distance": {{Value: r.Stable.Distance, Label: stable}},
		"value": {{Value: r.Optimum.Value, Label: "optimum"}, {Value: r.Stable.Value, Label: stable}},
	}
	return slices.DeleteFunc(all[id], func(r page.GraphRule) bool { return !phrase.Finite(r.Value) || math.Abs(r.Value) < draw.Tiniest })
}

// mostNumbers bounds the numbers behind the graphs of a page: about nine bytes each.
const mostNumbers = 120_000

// graphsOf draws every chart that some strand has, thinned to what a page may hold. Values have so many digits.
func graphsOf(strands []strand, rules func(id string) []page.GraphRule, valueDigits int) []page.Graph {
	list := slices.DeleteFunc(chartsOf(columnsOf(strands)), func(c chart) bool { return !c.measured(strands) })
	graphs := make([]page.Graph, len(list))
	for i, c := range list {
		if c.Chart == "gap" && slices.ContainsFunc(strands, func(s strand) bool { return heeds(s.run) }) {
			c.Scale = kedge.Linear // it may be below 0
		}
		digits := 5 // readers see three, which rounding twice could change
		if c.Chart == "value" {
			digits = valueDigits
		}
		graphs[i] = c.graph(strands, mostNumbers/len(list)/(4*len(strands)), digits)
		graphs[i].Rules = append(graphs[i].Rules, rules(c.Chart)...)
	}
	return graphs
}

// columnsOf lists the columns that some strand has.
func columnsOf(strands []strand) (list []kedge.Column) {
	for _, s := range strands {
		for _, t := range s.run.Trials {
			list = append(list, t.Columns...)
		}
	}
	return lists.Distinct(list)
}

func (c chart) measured(strands []strand) bool {
	return slices.ContainsFunc(strands, func(s strand) bool { return len(rowsOf(s.run, c.names...)) > 0 })
}

// frame is the chart without its lines.
func (c chart) frame(along string, digits int) page.Graph {
	return page.Graph{
		ID: c.Chart, Title: c.Title, About: c.about(), Label: c.ChartAxis(), Along: along,
		Log: c.Scale == kedge.Logarithmic, Percent: c.Relative, Digits: digits, Rules: []page.GraphRule{},
	}
}

// about says what a chart shows. Those in the order of reading say by themselves which way is better.
func (c chart) about() string {
	if slices.Contains(firstCharts(), c.Chart) {
		return c.Meaning
	}
	return strings.TrimSpace(c.Meaning + " " + c.Better.String())
}

func (c chart) graph(strands []strand, most, digits int) page.Graph {
	g := c.frame("turn", digits)
	add := func(l draw.Line) {
		l.Points = draw.Thin(l.Points, max(most, 10))
		g.Add(l)
	}
	for _, s := range strands {
		add(s.line(c.names...))
		if c.Bound != "" {
			bound := s.mean(c.Bound)
			bound.Name += ", bound"
			bound.Style.Dash = []int{5, 3}
			add(bound)
		}
	}
	return g
}
