package report

import (
	"encoding/json"
	"image/color"
	"math"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
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
	run  lab.Run
	ink  color.NRGBA
	dash []int
}

// quantity is what a graph shows of a measured turn.
type quantity struct {
	id, title, label, about string
	pick                    metric
	bound                   metric // drawn dashed beside it; nil for none
	linear, absolute        bool
}

// quantities lists what can be shown over the turns.
func quantities() []quantity {
	return []quantity{
		{id: "gap", title: "Gap to the optimum", label: "relative gap", pick: gapOf,
			about: "What the decision in force loses, once the population has settled under it, relative to the best possible."},
		{id: "distance", title: "Distance to the optimum", label: "relative distance ‖u − u★‖ / ‖u★‖", pick: distanceOf,
			about: "How far the decision in force lies from the optimal one."},
		{id: "nash", title: "Distance to the Nash equilibrium", label: "relative distance ‖u − u_N‖ / ‖u_N‖", pick: nashOf,
			about: "How far the players' decisions lie from one that none of them would change by itself."},
		{id: "excess", title: "Excess over bounds", label: "largest excess of a constraint", pick: worstExcessOf, linear: true, absolute: true,
			about: "By how much the population that settles under the decision in force exceeds its bounds; at most 0 all are kept."},
		{id: "multiplier", title: "Multipliers", label: "largest multiplier", pick: largestMultiplierOf, linear: true, absolute: true,
			about: "How hard the method presses towards the constraint that is the hardest to keep."},
		{id: "tracking", title: "Distance to the moving optimum", label: "tracking error ‖u − u★‖", pick: trackingOf, absolute: true,
			about: "How far the decision in force lies from the optimal one for the people who are there."},
		{id: "regret", title: "Dynamic regret", label: "regret", pick: regretOf, linear: true, absolute: true,
			about: "What has been lost so far against a decision-maker who knows the optimum of every turn."},
		{id: "value", title: "Value", label: "value of the settled population", pick: valueOf, linear: true, absolute: true,
			about: "The value of the decision in force, once the population has settled under it."},
		{id: "w1", title: "Distance of the population", label: "W₁ to the optimal settled population", pick: w1Of, absolute: true,
			about: "How far the population is from the one that settles under the optimum."},
		{id: "lag", title: "Lag of the population", label: "W₁ to its own settled population", absolute: true,
			pick:  func(m kedge.Metrics) float64 { return m.W1Own },
			about: "How far the population is from the one that would settle under the decision in force."},
		{id: "gradient", title: "Squared gradient", label: "‖∇Φ̃(u)‖²", absolute: true,
			pick:  func(m kedge.Metrics) float64 { return m.Gradient },
			about: "The squared gradient of the settled value at the decision in force."},
		{id: "unsettled", title: "Distance from settled", label: "V, mean distance from the settled state", absolute: true, pick: vOf, bound: vBoundOf,
			about: "How far individuals are, on average, from where the decision in force would settle them; dashed, the bound by the turn before."},
		{id: "gradient-error", title: "Error of the gradient", label: "‖e‖, because the population has not settled", absolute: true, pick: biasOf, bound: biasByVOf,
			about: "How far the gradient of the whole population is from that of the settled one; dashed, the bound L_p·V."},
	}
}

// rulesOf are the levels that a result gives a quantity.
func rulesOf(r *lab.Result) func(id string) []graphRule {
	stable := "stable point: where retraining settles"
	return func(id string) []graphRule {
		if restless(r) {
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
	return slices.DeleteFunc(all, func(r graphRule) bool { return !phrase.Finite(r.Value) || math.Abs(r.Value) < tiniest })
}

// mostNumbers bounds the numbers behind the graphs of a page: about nine bytes each.
const mostNumbers = 120_000

// graphsOf draws every quantity that some strand has, thinned to what a page may hold. Values have so many digits.
func graphsOf(strands []strand, rules func(id string) []graphRule, valueDigits int) []graph {
	list := slices.DeleteFunc(quantities(), func(q quantity) bool { return !q.measured(strands) })
	graphs := make([]graph, len(list))
	for i, q := range list {
		q.linear = q.linear || q.id == "gap" && slices.ContainsFunc(strands, func(s strand) bool { return heeds(s.run) }) // it may be below 0
		digits := 5                                                                                                       // readers see three, which rounding twice could change
		if q.id == "value" {
			digits = valueDigits
		}
		graphs[i] = q.graph(strands, mostNumbers/len(list)/(4*len(strands)), digits)
		graphs[i].Rules = rules(q.id)
	}
	return graphs
}

func (q quantity) measured(strands []strand) bool {
	return slices.ContainsFunc(strands, func(s strand) bool { return len(rowsOf(s.run, q.pick)) > 0 })
}

func (q quantity) graph(strands []strand, most, digits int) graph {
	g := graph{ID: q.id, Title: q.title, About: q.about, Label: q.label, Along: "turn", Log: !q.linear, Percent: !q.absolute, Digits: digits}
	for _, s := range strands {
		if rows := thin(rowsOf(s.run, q.pick), max(most, 10)); len(rows) > 0 {
			g.Lines = append(g.Lines, s.line(rows, digits))
		}
		if q.bound != nil {
			g.addBound(s, thin(means(rowsOf(s.run, q.bound)), max(most, 10)), digits)
		}
	}
	g.compact()
	return g
}

// addBound draws what bounds a strand's curve.
func (g *graph) addBound(s strand, rows []row, digits int) {
	if len(rows) == 0 {
		return
	}
	l := newLine(s.name+", bound", s.ink, []int{5, 3}, digits, false)
	for _, r := range rows {
		l.add(r.x, r.spread)
	}
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

func (s strand) line(rows []row, digits int) graphLine {
	l := newLine(s.name, s.ink, s.dash, digits, len(s.run.Trials) > 1)
	for _, r := range rows {
		l.add(r.x, r.spread)
	}
	return l
}

func newLine(name string, ink color.NRGBA, dash []int, digits int, banded bool) graphLine {
	l := graphLine{Name: name, Light: css(ink), Dark: css(tint(ink, 0.72)), Dash: dash, Mean: rounded{digits: digits}}
	if banded {
		l.Low, l.High = &rounded{digits: digits}, &rounded{digits: digits}
	}
	return l
}

func (l *graphLine) add(x float64, s spread) {
	l.X = append(l.X, x)
	l.Mean.values = append(l.Mean.values, s.mean)
	if l.Low != nil {
		l.Low.values, l.High.values = append(l.Low.values, s.low), append(l.High.values, s.high)
	}
}

func css(c color.NRGBA) string {
	return "#" + strconv.FormatUint(1<<24|uint64(c.R)<<16|uint64(c.G)<<8|uint64(c.B), 16)[1:]
}

// strandsOf gives every method of a result its colour.
func strandsOf(r *lab.Result) []strand {
	styles := stylesOf(names(r))
	var list []strand
	for _, run := range r.Runs {
		list = append(list, strand{name: run.Name, run: run, ink: styles[run.Name].ink})
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
