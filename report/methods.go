package report

import (
	"fmt"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/kedge-opt/kedge/report/plot"
)

// SaveComparison writes the data of a comparison of methods and its pages to the folder that was taken for it. It returns what the pages say.
func SaveComparison(c *folder.Taken, r *compare.Comparison) (*page.Document, error) {
	id := folder.CurrentIdentity(r.Inputs)
	d, pages, err := paged(comparisonDocument(r, id.Build))
	if err != nil {
		return nil, err
	}
	table := r.Table()
	return d, c.Commit(folder.Manifest{Case: r.Name, Seed: r.Problems[0].Seed, Identity: id}, folder.Contents{
		folder.CompareFile: r.Encode, "table.csv": table.WriteCSV, "table.parquet": table.WriteParquet, "times.json": folder.AsTimes(r.Seconds),
	}.With(pages), nil)
}

// comparisonDocument says who ended where.
func comparisonDocument(r *compare.Comparison, build folder.Build) (d *page.Document, err error) {
	d = &page.Document{
		Title: r.Title(), Facts: comparisonFacts(r), Question: comparisonQuestion(r), Verdict: page.Finding{Headline: r.Headline(), Reasons: r.Reasons()},
		Spec: r.Problems[0].Spec, Repeat: r.Command(), Origin: origin(r.Problems[0].Seed, build),
	}
	if r.Suite {
		d.Spec = ""
		d.Tables = append(d.Tables, suiteTable(r), answersTable(r))
	}
	for i := range r.Problems {
		d.Tables = append(d.Tables, methodTable(&r.Problems[i], r.Seconds[r.Name]))
	}
	d.Tables = append(d.Tables, tuningTable(r))
	d.Brief = append(comparisonBrief(r, d.Tables), page.Plainly{""}, d.Verdict)
	d.Figures, err = draw.Render(comparisonSketches(r)...)
	return d, err
}

// comparisonSketches are the figures: of a suite who arrives where, then the distances on every problem.
func comparisonSketches(r *compare.Comparison) (list []draw.Sketch) {
	if r.Suite {
		list = append(list, suiteSketch(r))
	}
	return append(list, lists.Of(r.Problems, distanceSketch)...)
}

func comparisonFacts(r *compare.Comparison) string {
	list := []string{phrase.Count(len(r.Problems[0].Rows), "method")}
	if r.Suite {
		list = append(list, phrase.Count(len(r.Problems), "problem"))
	} else {
		list = append(list, phrase.Count(r.Problems[0].Turns, "turn"))
	}
	return strings.Join(append(list, fmt.Sprintf("seed %d", r.Problems[0].Seed)), " · ")
}

func comparisonQuestion(r *compare.Comparison) []page.Term {
	list := []page.Term{
		{Name: "What is compared", Text: "Where methods end that meet the same crowd, see the same samples and have the same number of turns. How many decisions a method " +
			"deploys in them, and how many people it looks at, is its own affair and is counted."},
		{Name: "Where a method must end", Text: "At the point that its theory names: the stable one, the myopic one or the optimum (docs/methods.md). It has arrived when it is nearer " +
			"than a twentieth of the way between the stable point and the optimum; where both are the same, of the way from the start."},
	}
	if r.Points > 0 {
		list = append(list, page.Term{Name: "How methods are tuned", Text: fmt.Sprintf("Every method tries %s, a log grid, on %s apart from those that are reported. The winner is nearest "+
			"to the point where the method must end, on average over the later half of the turns. Other settings are the usual ones, told below. "+
			"So a method that has arrived can be brought to its point, by somebody who knows it; not every step does it.",
			phrase.Count(r.Points, "step size"), phrase.Count(r.Tuning, "trial"))})
	}
	return list
}

// comparisonBrief is what a terminal shows of the tables: of a suite who arrives where and the answers, otherwise the methods and
// the steps that they tried.
func comparisonBrief(r *compare.Comparison, tables []page.TextTable) []page.Piece {
	if !r.Suite {
		one := &r.Problems[0]
		return append([]page.Piece{tables[0], page.Bullets{Texts: gridsTried(one), Whole: true}}, noted("optimum:", one.Answer, one.Maximize)...)
	}
	tried := fmt.Sprintf("every method tried %d steps on %d trials apart from those that are told; the grids are in the report", r.Points, r.Tuning)
	return []page.Piece{tables[0], page.Plainly{""}, page.Paragraphs{Texts: compare.Legend()}, page.Plainly{""}, tables[1], page.Plainly{"", tried}}
}

// methodTable has one row a method.
func methodTable(a *compare.Meeting, seconds map[string]float64) page.TextTable {
	t := page.TextTable{
		ID: "methods-" + a.Name, Title: a.Name, About: problemAbout(a), Brief: []int{0, 2, 3, 5, 4, 6, 7, 8, 9, 1},
		Columns: []page.Head{
			{Name: "method", Short: a.Name, Wide: -longest(a.Rows)}, {Name: "ends at"}, {Name: "to optimum", Numeric: true, Wide: 10},
			{Name: "to stable", Numeric: true, Wide: 10}, {Name: "gap", Numeric: true, Wide: 10}, {Name: "value", Numeric: true, Wide: 12},
			{Name: "deployed", Numeric: true, Short: "deployments", Wide: 11}, {Name: "people", Numeric: true, Wide: 9},
			{Name: "step", Wide: 9, Off: true}, {Name: "seconds", Wide: 7, Off: true},
		},
	}
	for _, m := range a.Rows {
		t.Rows = append(t.Rows, []page.TextCell{
			page.Words(m.Method), endCell(a, &m), rangeCell(m.ToOptimal), rangeCell(m.ToStable),
			meanCell(m.Gap, phrase.Brief), meanCell(m.Value, phrase.Shortest),
			page.Count(m.Deployments).InShort(phrase.Grouped(m.Deployments)), page.Count(m.Samples).InShort(phrase.Grouped(m.Samples)),
			page.Words(fmt.Sprintf("%.3g", m.Step)), page.Words(fmt.Sprintf("%.1f", seconds[m.Method])),
		})
	}
	return t
}

// endCell marks where a method ends, with the reason where that is not the point of its theory.
func endCell(a *compare.Meeting, m *compare.Row) page.TextCell {
	mark, reason := a.Mark(m), why(m)
	return page.Words(strings.ReplaceAll(mark, " ", noBreak), inSmall(reason)...).InShort(strings.TrimRight(mark+" "+reason, " "))
}

// gridsTried tells which steps were tried, once for all methods that tried the same.
func gridsTried(a *compare.Meeting) []string {
	tried := gathered(a.Rows, methodName, func(m compare.Row) []string {
		if n := len(m.Grid); n > 0 {
			return []string{fmt.Sprintf("%d steps from %.3g to %.3g", n, m.Grid[0].Step, m.Grid[n-1].Step)}
		}
		return nil
	})
	return lists.Of(tried, func(s shareable[string]) string {
		return "tried " + s.said + ", on a log grid: " + strings.Join(s.by, ", ")
	})
}

func methodName(m compare.Row) string { return m.Method }

// noBreak is a space at which no line ends.
const noBreak = "\u00a0"

// why explains the mark of a method that has not arrived.
func why(m *compare.Row) string {
	switch {
	case m.Arrived:
		return ""
	case m.Outside != "":
		return m.Outside
	case m.Failed > 0:
		return fmt.Sprintf("%s of %d: %s", phrase.Count(m.Failed, "trial"), m.Trials, m.Failure)
	case m.ToTarget == nil:
		return "no " + m.Limit + " point is known"
	}
	return "tolerances from the " + m.Limit + " point"
}

// problemAbout says what is known of a problem.
func problemAbout(a *compare.Meeting) string {
	text := fmt.Sprintf("The optimum has the value %s.", phrase.Shortest(a.Value))
	if words := standing(a.Answer, a.Maximize); words != "" {
		text += " It is " + words + "."
	}
	if a.About != "" {
		text = a.About + " " + text
	}
	switch {
	case a.Stable == nil:
		text += " No stable point was found."
	case a.Separates:
		text += fmt.Sprintf(" The stable point is %s away from it.", phrase.Shortest(20*a.Tolerance))
	default:
		text += " The stable point is the optimum, so this problem cannot tell methods of the two kinds apart."
	}
	if a.Settled {
		text += fmt.Sprintf(" The crowd settles within %s.", phrase.Count(a.Settling, "turn"))
	} else {
		text += fmt.Sprintf(" The crowd does not settle within %s, and there is no time to wait longer: methods that learn from its answer are myopic.", phrase.Count(a.Settling, "turn"))
	}
	return text + " Means over trials, of distances with least and largest below; distances are Euclidean. Deployed are decisions, and people those that the method looked at, in a trial."
}

// tuningTable shows settings and grids.
func tuningTable(r *compare.Comparison) page.TextTable {
	t := page.TextTable{
		ID: "tuning", Title: "Settings and steps", Columns: []page.Head{{Name: "method"}},
		About: "Below a method what is set besides its step. Below every step size that was tried the mean distance from where the method must end, over the later half of the turns; " +
			"– a trial failed. ✓ is the winner; what is within a millionth of the tolerance is as good as exact, and of equals the longest step wins.",
	}
	points := max(1, r.Points)
	if r.Suite {
		t.Columns = append(t.Columns, page.Head{Name: "problem", Choices: true})
	}
	for i := range points {
		t.Columns = append(t.Columns, page.Head{Name: fmt.Sprintf("step %d", i+1)})
	}
	for _, a := range r.Problems {
		for _, m := range a.Rows {
			row := []page.TextCell{page.Words(m.Method, inSmall(m.Settings)...)}
			if r.Suite {
				row = append(row, page.Words(a.Name))
			}
			t.Rows = append(t.Rows, append(row, gridCells(m, points)...))
		}
	}
	return t
}

func gridCells(m compare.Row, points int) []page.TextCell {
	list := make([]page.TextCell, points)
	for i, p := range m.Grid[:min(points, len(m.Grid))] {
		text, score := phrase.Brief(p.Step), "–"
		if p.Step == m.Step {
			text += " ✓"
		}
		if p.Score != nil {
			score = phrase.Brief(*p.Score)
		}
		list[i] = page.Words(text, score)
	}
	if len(m.Grid) == 0 {
		list[0] = page.Words(phrase.Brief(m.Step), "given")
	}
	return list
}

// distanceSketch draws how far from the optimum the methods are, turn by turn, in a panel for every kind of knowledge that they need.
func distanceSketch(a compare.Meeting) draw.Sketch {
	groups := []compare.Group{{Rows: a.Rows}}
	if len(a.Rows) > 5 {
		groups = a.Groups()
	}
	g := draw.Grid{Columns: 1, Shared: true, Width: 520}
	floor := leastDistance(a)
	for _, group := range groups {
		list := distanceLines(group.Rows, floor)
		p := draw.Panel{Title: group.Name, Beside: draw.Ends(list)}
		if a.Separates {
			stable := draw.Rule{Value: 20 * a.Tolerance, Meaning: []string{"stable point"}}
			p.Layers, p.Beside = []draw.Layer{stable}, append(p.Beside, stable.Aside())
		}
		p.Layers = append(p.Layers, list, draw.Marks(list))
		g.Panels = append(g.Panels, p)
	}
	x, y := draw.Extents(g.Panels...)
	g.SetAxes(draw.Axis{Ruler: draw.NewRuler(x, true), Label: "turn"}, draw.Axis{Ruler: draw.NewRuler(y, true), Label: "distance to the optimum"})
	caption := "How far the decision that a method recommends is from the optimum, mean and range over trials; what is nearer than the lower edge is drawn there."
	if a.Separates {
		caption += " The dashed line is the stable point, where methods end that do not count the answer of the crowd."
	}
	return g.Sketch("distance-"+a.Name, "Distance to the optimum: "+a.Name, caption, false)
}

// leastDistance is the least distance that is drawn.
func leastDistance(a compare.Meeting) float64 {
	far := a.Tolerance
	for _, m := range a.Rows {
		for _, s := range m.Curve.Far {
			far = max(far, min(s.Max, 1e3*a.Tolerance))
		}
	}
	return far * 1e-6
}

func distanceLines(rows []compare.Row, floor float64) (list draw.Lines) {
	styles := plot.StylesOf(lists.Of(rows, methodName))
	for _, m := range rows {
		c := draw.Line{Name: m.Method, Style: styles[m.Method], Banded: true}
		for i, k := range m.Curve.Turns {
			s := m.Curve.Far[i]
			if k > 0 {
				c.Points = append(c.Points, draw.LinePoint{X: float64(k), Mean: max(floor, s.Mean), Low: max(floor, s.Min), High: max(floor, s.Max)})
			}
		}
		if len(c.Points) > 0 {
			list = append(list, c)
		}
	}
	return list
}
