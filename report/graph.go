package report

import (
	"cmp"
	"encoding/json"
	"image/color"
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/report/draw"
)

// graph is an interactive chart of one quantity, over the turns or over a key.
type graph struct {
	ID      string      `json:"id"`
	Title   string      `json:"title"`
	About   string      `json:"-"`
	Label   string      `json:"label"`
	Along   string      `json:"along"` // what the horizontal axis shows
	LogX    bool        `json:"logx"`
	Log     bool        `json:"log"`     // begin with a logarithmic axis
	Percent bool        `json:"percent"` // the quantity is relative
	Digits  int         `json:"digits"`  // that say something
	Lines   []graphLine `json:"lines"`
	Rules   []graphRule `json:"rules"`
}

// graphLine is one method: the mean over trials and, when there are several, the least and the greatest.
type graphLine struct {
	Name  string    `json:"name"`
	Light string    `json:"light"` // its colour on white
	Dark  string    `json:"dark"`  // and on black
	Dash  []int     `json:"dash,omitempty"`
	X     []float64 `json:"x,omitempty"` // left out when it is that of the line before
	Mean  rounded   `json:"mean"`
	Low   *rounded  `json:"low,omitempty"`
	High  *rounded  `json:"high,omitempty"`
}

// graphRule is a level to compare with.
type graphRule struct {
	Value float64 `json:"value"`
	Label string  `json:"label"`
}

// rounded numbers are written with so many digits.
type rounded struct {
	values []float64
	digits int
}

// largest keeps rounding from making an infinity of a number.
const largest = 1e300

// MarshalJSON writes a list of short numbers.
func (r rounded) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, v := range r.values {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendFloat(out, min(max(v, -largest), largest), 'g', r.digits, 64)
	}
	return append(out, ']'), nil
}

// strand is a method's curve in all graphs: which run it is and how it looks.
type strand struct {
	name string
	run  folder.Run
	ink  color.NRGBA
	dash []int
}

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
	place := func(c chart) int {
		if i := slices.Index(firstCharts(), c.Chart); i >= 0 {
			return i
		}
		return len(firstCharts())
	}
	slices.SortStableFunc(list, func(a, b chart) int { return cmp.Compare(place(a), place(b)) })
	return list
}

// rulesOf are the levels that a result gives a quantity.
func rulesOf(r *folder.Result) func(id string) []graphRule {
	stable := "stable point: where retraining settles"
	return func(id string) []graphRule {
		if optimumMoves(r) {
			return []graphRule{}
		}
		switch id {
		case "gap":
			return levels(graphRule{r.Stable.Gap, stable})
		case "distance":
			return levels(graphRule{r.Stable.Distance, stable})
		case "value":
			return levels(graphRule{r.Optimum.Value, "optimum"}, graphRule{r.Stable.Value, stable})
		}
		return []graphRule{}
	}
}

// levels keeps what can be drawn.
func levels(all ...graphRule) []graphRule {
	return slices.DeleteFunc(all, func(r graphRule) bool { return !phrase.Finite(r.Value) || math.Abs(r.Value) < draw.Tiniest })
}

// mostNumbers bounds the numbers behind the graphs of a page: about nine bytes each.
const mostNumbers = 120_000

// graphsOf draws every chart that some strand has, thinned to what a page may hold. Values have so many digits.
func graphsOf(strands []strand, rules func(id string) []graphRule, valueDigits int) []graph {
	list := slices.DeleteFunc(chartsOf(columnsOf(strands)), func(c chart) bool { return !c.measured(strands) })
	graphs := make([]graph, len(list))
	for i, c := range list {
		if c.Chart == "gap" && slices.ContainsFunc(strands, func(s strand) bool { return heeds(s.run) }) {
			c.Scale = kedge.Linear // it may be below 0
		}
		digits := 5 // readers see three, which rounding twice could change
		if c.Chart == "value" {
			digits = valueDigits
		}
		graphs[i] = c.graph(strands, mostNumbers/len(list)/(4*len(strands)), digits)
		graphs[i].Rules = rules(c.Chart)
	}
	return graphs
}

// columnsOf lists the columns that some strand has.
func columnsOf(strands []strand) []kedge.Column {
	var list []kedge.Column
	for _, s := range strands {
		for _, t := range s.run.Trials {
			for _, c := range t.Columns {
				if !slices.ContainsFunc(list, func(o kedge.Column) bool { return o.Name == c.Name }) {
					list = append(list, c)
				}
			}
		}
	}
	return list
}

func (c chart) measured(strands []strand) bool {
	return slices.ContainsFunc(strands, func(s strand) bool { return len(rowsOf(s.run, c.names...)) > 0 })
}

// frame is the chart without its lines.
func (c chart) frame(along string, digits int) graph {
	return graph{
		ID: c.Chart, Title: c.Title, About: c.Meaning, Label: c.Symbols, Along: along,
		Log: c.Scale == kedge.Logarithmic, Percent: c.Relative, Digits: digits, Rules: []graphRule{},
	}
}

func (c chart) graph(strands []strand, most, digits int) graph {
	g := c.frame("turn", digits)
	for _, s := range strands {
		if rows := draw.Thin(rowsOf(s.run, c.names...), max(most, 10)); len(rows) > 0 {
			g.Lines = append(g.Lines, s.line(rows, digits))
		}
		if c.Bound != "" {
			g.addBound(s, draw.Thin(draw.Means(rowsOf(s.run, c.Bound)), max(most, 10)), digits)
		}
	}
	g.compact()
	return g
}

// addBound draws what bounds a strand's curve.
func (g *graph) addBound(s strand, rows []draw.LinePoint, digits int) {
	if len(rows) == 0 {
		return
	}
	l := newLine(s.name+", bound", s.ink, []int{5, 3}, digits, false)
	l.add(rows...)
	g.Lines = append(g.Lines, l)
}

// compact leaves out what a line has in common with the one before.
func (g *graph) compact() {
	var before []float64
	for i := range g.Lines {
		x := g.Lines[i].X
		if slices.Equal(x, before) {
			g.Lines[i].X = nil
		}
		before = x
	}
}

func (s strand) line(rows []draw.LinePoint, digits int) graphLine {
	l := newLine(s.name, s.ink, s.dash, digits, len(s.run.Trials) > 1)
	l.add(rows...)
	return l
}

func newLine(name string, ink color.NRGBA, dash []int, digits int, banded bool) graphLine {
	l := graphLine{Name: name, Light: css(ink), Dark: css(draw.Tint(ink, 0.72)), Dash: dash, Mean: rounded{digits: digits}}
	if banded {
		l.Low, l.High = &rounded{digits: digits}, &rounded{digits: digits}
	}
	return l
}

func (l *graphLine) add(rows ...draw.LinePoint) {
	for _, r := range rows {
		l.X = append(l.X, r.X)
		l.Mean.values = append(l.Mean.values, r.Mean)
		if l.Low != nil {
			l.Low.values, l.High.values = append(l.Low.values, r.Low), append(l.High.values, r.High)
		}
	}
}

func css(c color.NRGBA) string {
	return "#" + strconv.FormatUint(1<<24|uint64(c.R)<<16|uint64(c.G)<<8|uint64(c.B), 16)[1:]
}

// stylesOf gives every method a look; the best known ones always have the same.
func stylesOf(names []string) map[string]draw.Style {
	return draw.Styles([]string{"vanilla", "composite", "derivative-free"}, names)
}

// strandsOf gives every method of a result its colour.
func strandsOf(r *folder.Result) []strand {
	styles := stylesOf(names(r))
	var list []strand
	for _, run := range r.Runs {
		list = append(list, strand{name: run.Name, run: run, ink: styles[run.Name].Ink})
	}
	return list
}

// embedded is the graphs as a page carries them; angle brackets are escaped.
func embedded(graphs []graph) ([]byte, error) {
	if graphs == nil {
		graphs = []graph{}
	}
	return json.Marshal(graphs)
}
