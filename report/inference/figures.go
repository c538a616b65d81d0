package inference

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
)

// picture is a figure and, where it goes over turns, an interactive chart of the same.
type picture struct {
	sketch draw.Sketch
	graph  *page.Graph
}

// mostStates is how many entries of the state are drawn, and mostWays how many answers.
const (
	mostStates = 4
	mostWays   = 8
)

// pictures are all figures in the order in which a reader asks.
func pictures(e *logs.Inference) (list []picture) {
	list = append(list, paths(e)...)
	states := e.Log.States.Names[:min(len(e.Log.States.Names), mostStates)]
	each := func(of func(e *logs.Inference, s int, name string) picture) {
		for s, name := range states {
			list = append(list, of(e, s, name))
		}
	}
	if e.Ahead != nil {
		each(observed)
		each(missed)
	}
	if e.Quality != nil && len(e.Quality.Steps) > 0 {
		each(rolled)
	}
	list = append(list, picture{sketch: answers(e)}, picture{sketch: byMethod(e)})
	if e.Ahead != nil {
		list = append(list, picture{sketch: scattered(e, states)}, picture{sketch: spread(e, states)})
	}
	return list
}

// look is the style of a line.
func look(i int) draw.Style {
	return draw.Style{Ink: draw.Ink(i), Dash: draw.Dashes(i), Mark: draw.Shapes()[i%len(draw.Shapes())]}
}

// drawn makes a picture of lines, on paper and in a chart.
func drawn(id, title, about, label, along string, list draw.Lines, rules ...page.GraphRule) picture {
	g := &page.Graph{ID: id, Title: title, About: about, Label: label, Along: along, Digits: 5, Twin: true, Rules: append([]page.GraphRule{}, rules...)}
	for _, l := range list {
		l.Points = draw.Thin(l.Points, 400)
		g.Add(l)
	}
	draw.Prepare(false, list)
	p := draw.Panel{Layers: []draw.Layer{list}}
	for _, r := range rules {
		p.Layers = append(p.Layers, draw.Rule{Value: r.Value})
	}
	p.Layers = append(p.Layers, draw.Marks(list))
	x, y := draw.Extents(p)
	if x.Low == x.High {
		x = draw.Extent{Low: x.Low - 0.5, High: x.High + 0.5}
	}
	p.X, p.Y = draw.Axis{Ruler: draw.Ruler{Min: x.Low, Max: x.High, Whole: x.High-x.Low > 3}, Label: along}, draw.Axis{Ruler: draw.NewRuler(y, false), Label: label}
	grid := draw.Grid{Columns: 1, Panels: []draw.Panel{p}, Legend: draw.Entries(list)}
	return picture{grid.Sketch(id, title, about, false), g}
}

// paths are the ways to the settled answers.
func paths(e *logs.Inference) []picture {
	if e.Answer == nil {
		return nil
	}
	var list draw.Lines
	var rules []page.GraphRule
	for i, r := range e.Answer.Entries[:min(len(e.Answer.Entries), mostWays)] {
		line := draw.Line{Name: r.State + " by " + r.Decision, Style: look(i), Banded: true}
		for h, f := range r.Path {
			p := draw.LinePoint{X: float64(h), Mean: float64(f.Value), Low: float64(f.Low), High: float64(f.High)}
			if !f.Low.Known() || !f.High.Known() {
				p.Low, p.High = p.Mean, p.Mean
			}
			line.Points = append(line.Points, p)
		}
		list = append(list, line)
		if r.Settled.Value.Known() && len(e.Answer.Entries) == 1 {
			rules = append(rules, page.GraphRule{Value: float64(r.Settled.Value), Label: "settled"})
		}
	}
	if len(list) == 0 || len(list[0].Points) == 0 {
		return nil
	}
	return []picture{drawn(prefix+"path", "How long it takes", "What has changed so many turns after a decision was raised by one and left there, on average over people. Where a line levels off is the settled answer.",
		"change since", "turns since the change", list, rules...)}
}

// clock is where turns stand on an axis: by their times where those are numbers, else counted.
func clock(e *logs.Inference) (at func(turn int) float64, label string) {
	if _, err := strconv.ParseFloat(e.First, 64); err != nil {
		return func(turn int) float64 { return float64(turn) }, "turn, from " + e.First + " on"
	}
	return func(turn int) float64 {
		v, err := strconv.ParseFloat(e.Log.When(turn), 64)
		if err != nil {
			return float64(turn)
		}
		return v
	}, e.Spec.Data.Time
}

// overTime gathers numbers by turn: means, and the middle eight tenths.
func overTime(e *logs.Inference, of func(i int) float64) (points []draw.LinePoint) {
	at, _ := clock(e)
	by := map[int][]float64{}
	for i, t := range e.Ahead.Turn {
		by[t] = append(by[t], of(i))
	}
	for _, t := range slices.Sorted(maps.Keys(by)) {
		list := by[t]
		slices.Sort(list)
		mean := 0.0
		for _, v := range list {
			mean += v / float64(len(list))
		}
		if size := max(-list[0], list[len(list)-1]); mean < 1e-12*size && mean > -1e-12*size {
			mean = 0 // but for rounding
		}
		points = append(points, draw.LinePoint{X: at(t), Mean: mean, Low: list[len(list)/10], High: list[len(list)-1-len(list)/10]})
	}
	return points
}

// observed shows what was seen beside what was predicted a turn ahead, over time.
func observed(e *logs.Inference, s int, name string) picture {
	a := e.Ahead
	_, along := clock(e)
	list := draw.Lines{
		{Name: "seen", Style: look(0), Banded: true, Points: overTime(e, func(i int) float64 { return a.Seen[i*a.Entries+s] })},
		{Name: "predicted a turn ahead", Style: look(1), Points: draw.Means(overTime(e, func(i int) float64 { return a.Said[i*a.Entries+s] }))},
	}
	return drawn(numbered("observed", s), name+", seen and predicted", "Means over people; the band holds the middle eight tenths of what was seen."+seasoned(e), name, along, list)
}

func numbered(id string, s int) string { return fmt.Sprintf("%s%s-%d", prefix, id, s+1) }

func seasoned(e *logs.Inference) string {
	if e.Spec.Data.HasTimes() {
		return " What times have of their own was found from the same rows, so that means agree by themselves."
	}
	return ""
}

// missed shows errors over time.
func missed(e *logs.Inference, s int, name string) picture {
	a := e.Ahead
	_, along := clock(e)
	list := draw.Lines{{Name: "seen less predicted", Style: look(0), Banded: true, Points: overTime(e, func(i int) float64 { return a.Seen[i*a.Entries+s] - a.Said[i*a.Entries+s] })}}
	return drawn(numbered("errors", s), name+", errors over time", "What was seen less what was predicted: the mean over people and the middle eight tenths. A band that widens, or a mean that wanders, is something that the model does not know."+seasoned(e),
		"error in "+name, along, list, page.GraphRule{Value: 0, Label: "no error"})
}

// rolled shows forecasts beside simpler ways.
func rolled(e *logs.Inference, s int, name string) picture {
	var list draw.Lines
	for i, way := range []struct {
		name string
		of   func(logs.Missed) []logs.Amount
	}{
		{"the model", func(m logs.Missed) []logs.Amount { return m.Model }}, {"no change", func(m logs.Missed) []logs.Amount { return m.Last }},
		{"a person's mean before", func(m logs.Missed) []logs.Amount { return m.Usual }}, {"a static regression", func(m logs.Missed) []logs.Amount { return m.Static }},
	} {
		line := draw.Line{Name: way.name, Style: look(i)}
		for _, m := range e.Quality.Steps {
			if v := way.of(m)[s]; v.Known() {
				line.Points = append(line.Points, draw.LinePoint{X: float64(m.Ahead), Mean: float64(v), Low: float64(v), High: float64(v)})
			}
		}
		if len(line.Points) > 0 {
			list = append(list, line)
		}
	}
	return drawn(numbered("forecasts", s), name+", forecasts from past dates", fmt.Sprintf("By how much forecasts miss, fitted on what was seen before each of %s, %s to %s, and led on under the decisions that were made. Lower is better.",
		phrase.Count(e.Quality.Origins, "date"), e.Quality.From, e.Quality.To), "root of the mean square of errors", "turns ahead", list)
}

// span is an interval of a row of a figure.
type span struct {
	name string
	logs.Inferred
	style draw.Style
}

// spans draws intervals below each other, the first on top.
func spans(title, label string, rows []span) draw.Panel {
	p := draw.Panel{Title: title}
	var marks []draw.Tick
	for i, r := range rows {
		y := float64(len(rows) - i)
		marks = append(marks, draw.Tick{Value: y, Label: phrase.Cut(r.name, 34)})
		if !r.Value.Known() {
			continue
		}
		v := float64(r.Value)
		low, high := v, v
		if r.Low.Known() && r.High.Known() {
			low, high = float64(r.Low), float64(r.High)
		}
		p.Layers = append(p.Layers, draw.Lines{{Style: draw.Style{Ink: r.style.Ink}, Points: []draw.LinePoint{{X: low, Mean: y, Low: y, High: y}, {X: high, Mean: y, Low: y, High: y}}}},
			draw.Dots{Style: r.style, X: []float64{v}, Y: []float64{y}})
	}
	x, _ := draw.Extents(p)
	if x.Empty() {
		x = draw.Extent{Low: 0, High: 1}
	}
	p.X = draw.Axis{Ruler: draw.Fitted(x), Label: label}
	p.Y = draw.Axis{Ruler: draw.Ruler{Min: 0.3, Max: float64(len(rows)) + 0.7}, Marks: marks}
	return p
}

// answers shows answers at once and settled, with intervals.
func answers(e *logs.Inference) draw.Sketch {
	if e.Answer == nil || len(e.Answer.Entries) == 0 {
		return draw.Sketch{}
	}
	var rows []span
	for _, r := range e.Answer.Entries[:min(len(e.Answer.Entries), mostWays)] {
		pair := ""
		if len(e.Answer.Entries) > 1 {
			pair = r.State + " by " + r.Decision + ", "
		}
		rows = append(rows, span{pair + "at once", r.Once, look(0)}, span{pair + "settled", r.Settled, look(1)})
	}
	grid := draw.Grid{Columns: 1, Panels: []draw.Panel{spans("", "change by one more of the decision", rows)}, Height: float64(70 + 26*len(rows))}
	return grid.Sketch(prefix+"answers", "Answers at once and settled", "Marks are what was found, lines 95 % intervals.", false)
}

// byMethod shows the numbers by each of the usual methods.
func byMethod(e *logs.Inference) draw.Sketch {
	good := slices.DeleteFunc(slices.Clone(e.Linear), func(l logs.Linear) bool { return l.Fault != "" || len(l.Values) == 0 })
	if len(good) < 2 {
		return draw.Sketch{}
	}
	grid := draw.Grid{Columns: 1}
	for j := range min(len(good[0].Values), 3) {
		rows := lists.Of(good, func(l logs.Linear) span {
			return span{short(l.Title), l.Values[j], look(map[bool]int{true: 1}[l.Method == e.Method])}
		})
		panel := spans(good[0].Values[j].Name, "", rows)
		grid.Panels = append(grid.Panels, panel)
	}
	grid.Height = float64(40 + len(grid.Panels)*(56+20*len(good)))
	return grid.Sketch(prefix+"methods", "The same numbers by each method", "Marks are estimates, lines 95 % intervals; the answer is in the second colour. Methods that disagree by more than their intervals cannot all be right.", false)
}

// short is a title up to its first comma.
func short(title string) string {
	before, _, _ := strings.Cut(title, ",")
	return before
}

// mostDots is how many points a scatter has.
const mostDots = 1500

// scattered shows what was seen over what was predicted.
func scattered(e *logs.Inference, states []string) draw.Sketch {
	a := e.Ahead
	n := len(a.Person)
	step := max(1, (n+mostDots-1)/mostDots)
	grid := draw.Grid{Columns: cmp.Or(min(len(states), 2), 1)}
	for s, name := range states {
		d := draw.Dots{Style: look(0)}
		for i := 0; i < n; i += step {
			d.X, d.Y = append(d.X, a.Said[i*a.Entries+s]), append(d.Y, a.Seen[i*a.Entries+s])
		}
		p := draw.Panel{Layers: []draw.Layer{d}}
		x, y := draw.Extents(p)
		both := draw.Extent{Low: min(x.Low, y.Low), High: max(x.High, y.High)}
		diagonal := draw.Line{Style: draw.Style{Ink: draw.Ink(1), Dash: draw.Dashes(1)}, Points: draw.Means([]draw.LinePoint{{X: both.Low, Mean: both.Low}, {X: both.High, Mean: both.High}})}
		p.Layers = append(p.Layers, draw.Lines{diagonal})
		p.X, p.Y = draw.Axis{Ruler: draw.Fitted(both), Label: "predicted a turn ahead"}, draw.Axis{Ruler: draw.Fitted(both), Label: name + ", seen"}
		grid.Panels = append(grid.Panels, p)
	}
	see := "One point a pair of rows; on the dashed line what was seen is what was predicted."
	if step > 1 {
		see = fmt.Sprintf("One point for every %d pairs of rows; on the dashed line what was seen is what was predicted.", step)
	}
	return grid.Sketch(prefix+"scatter", "Seen beside predicted", see, false)
}

// spread shows how errors are distributed.
func spread(e *logs.Inference, states []string) draw.Sketch {
	a := e.Ahead
	grid := draw.Grid{Columns: cmp.Or(min(len(states), 2), 1)}
	for s, name := range states {
		var errors []float64
		all := draw.Nothing()
		for i := range a.Person {
			v := a.Seen[i*a.Entries+s] - a.Said[i*a.Entries+s]
			errors = append(errors, v)
			all.Add(v)
		}
		edges := draw.BinEdges(all, false)
		mean := 0.0
		for _, v := range errors {
			mean += v / float64(len(errors))
		}
		p := draw.Panel{Layers: []draw.Layer{draw.Bars{Style: look(0), Edges: edges, Counts: draw.Bin(errors, edges), Mean: mean}}}
		x, y := draw.Extents(p)
		p.X, p.Y = draw.Axis{Ruler: draw.Fitted(x), Label: "error"}, draw.Axis{Ruler: draw.NewRuler(y, false), Label: "pairs, errors in " + name}
		grid.Panels = append(grid.Panels, p)
	}
	return grid.Sketch(prefix+"spread", "How errors are spread", "What was seen less what was predicted; the dashed line is the mean. Intervals need no bell, but a few errors far out may carry the numbers.", false)
}
