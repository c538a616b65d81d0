package inference

import (
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/logs"
	"github.com/kedge-opt/kedge/logs/backtest"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
)

// Names of what a look back is shown by: a page that stands alone, and its figure.
const (
	LookbackFile   = "backtest.html"
	LookbackFigure = "backtest-rules"
)

// Lookback are the page and the figure of a look back, by name. The same look back gives the same bytes.
func Lookback(h *backtest.Retrospect, spec string, by Recipe) (map[string][]byte, error) {
	sketch := rules(h)
	svg, err := sketch.SVG()
	if err != nil {
		return nil, fmt.Errorf("draw figure %s: %w", sketch.Name, err)
	}
	name := strings.TrimSuffix(path.Base(h.File), path.Ext(h.File))
	d := &page.Document{
		Title: name + ": looking back", Facts: fmt.Sprintf("%s, %s to %s: %s", h.Data, h.First, h.Last, phrase.Count(len(h.Dates), "date")), Single: true,
		Answer:  &page.Finding{Headline: h.Answer(), Cautions: h.Warn, Reasons: lists.Of(h.Assumptions, func(text string) string { return "Assumed: " + text + "." })},
		Verdict: trust(h), Graphs: charts(h), Tables: lookbackTables(h), Spec: spec, Repeat: by.Command,
		Figures:  []draw.Figure{{Name: sketch.Name, Title: sketch.Title, Caption: sketch.Caption, SVG: svg}},
		Sections: []page.Chapter{{ID: "meant", Title: "What rules mean", Paragraphs: lists.Of(h.Meaning, capital)}},
		Headings: page.Headings{
			Verdict: "How far to believe it", Charts: "Values are what the model that is fitted on the whole log says; bands hold them under 95 of 100 draws of its numbers.", Figures: "Figure",
			Same: "The same version, build, spec and log give the same numbers bit for bit, on any number of cores.",
		},
		Origin: []page.Term{{Name: "log", Text: h.Data}, {Name: "draws", Text: fmt.Sprint(h.Draws)}, {Name: "seed", Text: fmt.Sprint(by.Seed)}},
	}
	if len(h.Notes) > 0 {
		d.Sections = append(d.Sections, page.Chapter{ID: "notes", Title: "What to know of it", Paragraphs: h.Notes})
	}
	files := map[string][]byte{sketch.Name + ending: svg}
	files[LookbackFile], err = d.HTML()
	return files, err
}

// trust says how far what was observed is from what the model says of what was done.
func trust(h *backtest.Retrospect) page.Finding {
	square, n := 0.0, 0
	for _, o := range h.Dates {
		if done := o.Rules[0].Once.Value; done.Known() && o.Observed.Known() {
			off := float64(o.Observed - done)
			square += float64(off * off)
			n++
		}
	}
	out := page.Finding{Headline: "Nothing of what rules would have done was seen.", Reasons: []string{"Dates are judged one by one, each from where people really stood: it is no history in which a rule had been followed all along."}}
	if n > 0 {
		out.Reasons = append([]string{fmt.Sprintf("What people really did is worth more or less than what the model says of done, a turn later: by %s, in the root of the mean square of %s. Compare that with what a rule is said to gain.",
			phrase.FourDigits(math.Sqrt(square/float64(n))), phrase.Count(n, "date"))}, out.Reasons...)
	}
	return out
}

// styled are the looks of rules: what is searched by colours that they have elsewhere, what was is dark.
func styled(rule string) draw.Style {
	shapes := draw.Shapes()
	switch rule {
	case backtest.Composite:
		return draw.Style{Ink: draw.Ink(0), Mark: shapes[0]}
	case backtest.Vanilla:
		return draw.Style{Ink: draw.Ink(1), Mark: shapes[6], Dash: draw.Dashes(1)}
	case backtest.Nothing:
		return draw.Style{Ink: draw.Ink(2), Mark: shapes[2], Dash: draw.Dashes(2)}
	}
	return draw.Style{Ink: draw.Ink(7), Mark: shapes[1]}
}

// days is where dates stand on an axis: by their times where those are numbers, else counted, with marks that name them.
func days(h *backtest.Retrospect) (at []float64, axis draw.Axis) {
	numbers := true
	for i, o := range h.Dates {
		v, err := strconv.ParseFloat(o.Date, 64)
		numbers = numbers && err == nil && phrase.Finite(v)
		at = append(at, v)
		axis.Marks = append(axis.Marks, draw.Tick{Value: float64(i), Label: o.Date})
	}
	if numbers {
		axis.Marks = nil
	} else {
		for i := range at {
			at[i] = float64(i)
		}
	}
	step := 1.0
	if n := len(at); n > 1 {
		step = (at[n-1] - at[0]) / float64(n-1)
	}
	axis.Ruler = draw.Ruler{Min: at[0] - float64(0.3*step), Max: at[len(at)-1] + float64(0.3*step), Whole: numbers && at[len(at)-1]-at[0] > 3}
	axis.Label = "date of the decision"
	return at, axis
}

// over draws a line for every rule, of the dates at which it is known.
func over(h *backtest.Retrospect, apart bool, of func(v backtest.Verdict) backtest.Worth) (list draw.Lines) {
	at, axis := days(h)
	shift := 0.0
	if apart { // so that intervals do not cover each other
		shift = (axis.Max - axis.Min) / float64(len(at)) / 12
	}
	for r, rule := range backtest.Rules() {
		line := draw.Line{Name: rule, Style: styled(rule)}
		for i, o := range h.Dates {
			w := of(o.Rules[r])
			if !w.Value.Known() {
				continue
			}
			if !w.Low.Known() || !w.High.Known() {
				w.Low, w.High = w.Value, w.Value
			}
			line.Points = append(line.Points, draw.LinePoint{X: at[i] + float64(shift*(float64(r)-1.5)), Mean: float64(w.Value), Low: float64(w.Low), High: float64(w.High)})
		}
		if len(line.Points) > 0 {
			list = append(list, line)
		}
	}
	return list
}

// entry is what rules set of an entry of the decision.
func entry(j int) func(v backtest.Verdict) backtest.Worth {
	return func(v backtest.Verdict) backtest.Worth {
		if v.Decision == nil {
			return backtest.Worth{Value: logs.Amount(math.NaN())}
		}
		x := logs.Amount(v.Decision[j])
		return backtest.Worth{Value: x, Low: x, High: x}
	}
}

func once(v backtest.Verdict) backtest.Worth { return v.Once }

func settled(v backtest.Verdict) backtest.Worth { return v.Settled }

// seen is what was observed.
func seen(h *backtest.Retrospect) (line draw.Line) {
	at, _ := days(h)
	line = draw.Line{Name: "observed", Style: draw.Style{Ink: draw.Ink(6), Mark: draw.Shapes()[4]}}
	for i, o := range h.Dates {
		if v := float64(o.Observed); o.Observed.Known() {
			line.Points = append(line.Points, draw.LinePoint{X: at[i], Mean: v, Low: v, High: v})
		}
	}
	return line
}

// mostEntries is how many entries of the decision are drawn.
const mostEntries = 3

// rules is the figure: what was set, and what the model says that is worth.
func rules(h *backtest.Retrospect) draw.Sketch {
	_, x := days(h)
	panel := func(title string, list draw.Lines, more ...draw.Line) draw.Panel {
		p := draw.Panel{Title: title, X: x, Layers: []draw.Layer{draw.Whiskers(list), list}}
		for _, l := range more {
			d := draw.Dots{Style: l.Style}
			for _, point := range l.Points {
				d.X, d.Y = append(d.X, point.X), append(d.Y, point.Mean)
			}
			p.Layers = append(p.Layers, d)
		}
		p.Layers = append(p.Layers, draw.Marks(list))
		_, y := draw.Extents(p)
		if y.Empty() {
			y = draw.Extent{Low: 0, High: 1}
		}
		p.Y = draw.Axis{Ruler: draw.Fitted(y)}
		return p
	}
	grid := draw.Grid{Columns: 1}
	for j, name := range h.Decision[:min(len(h.Decision), mostEntries)] {
		grid.Panels = append(grid.Panels, panel(phrase.Cut(name, 40)+", set at each date", over(h, false, entry(j))))
	}
	earned := "cost"
	if h.Maximize {
		earned = "value"
	}
	now, observed := over(h, true, once), seen(h)
	grid.Panels = append(grid.Panels, panel(earned+" a person, a turn later", now, observed), panel(earned+" a person, once settled", over(h, true, settled)))
	grid.Legend = draw.Entries(over(h, false, entry(0)))
	if len(observed.Points) > 0 {
		grid.Legend = append(grid.Legend, draw.Entry{Sample: &observed, Words: observed.Name, Dot: true})
	}
	for _, words := range []string{
		"Lower panels: by the model that is fitted on the whole log, 95 % intervals,",
		"if it is right where nobody tried, nobody else reacts, and all else stays.",
	} {
		grid.Legend = append(grid.Legend, draw.Entry{Words: words, Fresh: true})
	}
	grid.Height = float64(110 + 145*len(grid.Panels))
	return grid.Sketch(LookbackFigure, "What was done, and what rules would have set", "Above what would have been set at each date, by the model as it was fitted then; below what the model that is fitted on the whole log says each is worth, with 95 % intervals. "+
		"Assumed: "+strings.Join(h.Assumptions, "; ")+".", false)
}

// charts are the panels of the figure to move about in.
func charts(h *backtest.Retrospect) (list []page.Graph) {
	_, x := days(h)
	along := x.Label
	if x.Marks != nil {
		along = "dates, counted from " + h.Dates[0].Date + " on"
	}
	chart := func(id, title, about, label string, lines draw.Lines) {
		g := page.Graph{ID: id, Title: title, About: about, Label: label, Along: along, Digits: 5, Rules: []page.GraphRule{}}
		for _, l := range lines {
			l.Banded = true
			g.Add(l)
		}
		list = append(list, g)
	}
	for j, name := range h.Decision[:min(len(h.Decision), mostEntries)] {
		chart(fmt.Sprintf("set-%d", j+1), name, "What was set, and what rules would have set.", name, over(h, false, entry(j)))
	}
	chart("once", "Worth a turn later", "For people as they stood at the date, if all that is assumed holds.", "a person", append(over(h, false, once), seen(h)))
	chart("settled", "Worth once settled", "The same, once all have settled.", "a person", over(h, false, settled))
	return list
}

func lookbackTables(h *backtest.Retrospect) []page.TextTable {
	tables := []page.TextTable{WouldSet(h), WouldBeWorth(h, false), WouldBeWorth(h, true)}
	for i, about := range []string{"What would have been set, by the model as it was fitted then.", "A turn later, by the model that is fitted on the whole log, with 95 % intervals.", "Once all have settled, by the model that is fitted on the whole log, with 95 % intervals."} {
		t := &tables[i]
		t.ID, t.Title, t.About = []string{"set", "later", "settled"}[i], []string{"Set", "Worth a turn later", "Worth once settled"}[i], about
		t.Columns[0].Name = "date"
		for _, row := range t.Rows {
			for j, c := range row {
				if value, within, ok := strings.Cut(c.Text, " ("); ok {
					row[j].Text, row[j].Small = value, []string{strings.TrimSuffix(within, ")")}
				}
			}
		}
	}
	return tables
}
