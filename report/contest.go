package report

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
)

// WriteContest puts the report of a comparison of methods, report.html and report.md, and its figures into dir.
func WriteContest(dir string, r *compare.Comparison) error {
	d, err := contestDocument(r, folder.CurrentBuild())
	if err != nil {
		return err
	}
	_, err = d.Write(dir)
	return err
}

// readContest makes the report of the folder of a comparison anew.
func readContest(dir string, build folder.Build) (*page.Document, error) {
	f, err := os.Open(filepath.Join(dir, folder.CompareFile))
	if os.IsNotExist(err) {
		return nil, fmt.Errorf("%s holds a report alone; give the folders that it was made of", dir)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := compare.Decode(kind.Standard(), f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return contestDocument(r, build)
}

// contestDocument says who ended where.
func contestDocument(r *compare.Comparison, build folder.Build) (*page.Document, error) {
	d := &page.Document{
		Title: r.Title(), Facts: contestFacts(r), Question: contestQuestion(r), Verdict: page.Finding{Headline: r.Headline(), Reasons: r.Reasons()},
		Spec: r.Arenas[0].Spec, Repeat: r.Command(), Origin: origin(&folder.Result{Seed: r.Arenas[0].Seed, Build: build}),
	}
	if r.Suite {
		d.Spec = ""
		d.Tables = append(d.Tables, suiteTable(r), answersTable(r))
	}
	for i := range r.Arenas {
		d.Tables = append(d.Tables, arenaTable(&r.Arenas[i]))
	}
	d.Tables = append(d.Tables, tuningTable(r))
	for _, s := range contestSketches(r) {
		f, err := s.Render()
		if err != nil {
			return d, fmt.Errorf("draw a comparison: %w", err)
		}
		d.Figures = append(d.Figures, f)
	}
	return d, nil
}

// contestSketches are the figures: of a suite who arrives where, then the distances on every problem.
func contestSketches(r *compare.Comparison) (list []draw.Sketch) {
	if r.Suite {
		list = append(list, suiteSketch(r))
	}
	for i := range r.Arenas {
		list = append(list, arenaSketch(&r.Arenas[i]))
	}
	return list
}

func contestFacts(r *compare.Comparison) string {
	list := []string{phrase.Count(len(r.Arenas[0].Rows), "method")}
	if r.Suite {
		list = append(list, phrase.Count(len(r.Arenas), "problem"))
	} else {
		list = append(list, phrase.Count(r.Arenas[0].Turns, "turn"))
	}
	return strings.Join(append(list, fmt.Sprintf("seed %d", r.Arenas[0].Seed)), " · ")
}

func contestQuestion(r *compare.Comparison) []page.Term {
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

// arenaTable has one row a method.
func arenaTable(a *compare.Arena) page.TextTable {
	t := page.TextTable{
		ID: "methods-" + a.Name, Title: a.Name, About: arenaAbout(a),
		Columns: slices.Concat([]page.Head{{Name: "method"}}, page.Heads("ends at", "to optimum", "to stable", "gap", "value", "deployed", "people")),
	}
	for i := range a.Rows {
		m := &a.Rows[i]
		t.Rows = append(t.Rows, []page.TextCell{
			page.Words(m.Method), page.Words(strings.ReplaceAll(a.Mark(m), " ", noBreak), inSmall(why(a, m))...), rangeCell(m.ToOptimal), rangeCell(m.ToStable),
			meanCell(m.Gap, phrase.Brief), meanCell(m.Value, phrase.Shortest), page.Count(m.Deployments), page.Count(m.Samples),
		})
	}
	return t
}

// noBreak is a space at which no line ends.
const noBreak = "\u00a0"

// why explains the mark of a method that has not arrived.
func why(a *compare.Arena, m *compare.Row) string {
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

func inSmall(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

// arenaAbout says what is known of a problem.
func arenaAbout(a *compare.Arena) string {
	text := fmt.Sprintf("The optimum has the value %s.", phrase.Shortest(a.Value))
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

// rangeCell shows the mean, and the range where there is one.
func rangeCell(s *compare.Range) page.TextCell {
	if s == nil {
		return page.Words("–")
	}
	c := page.Number(s.Mean, phrase.Brief)
	if s.Min < s.Max {
		c.Small = []string{phrase.Minus(fmt.Sprintf("%.2g", s.Min)) + " … " + phrase.Minus(fmt.Sprintf("%.2g", s.Max))}
	}
	return c
}

// meanCell shows the mean alone.
func meanCell(s *compare.Range, text func(float64) string) page.TextCell {
	if s == nil {
		return page.Words("–")
	}
	return page.Number(s.Mean, text)
}

// suiteTable has methods for rows and problems for columns.
func suiteTable(r *compare.Comparison) page.TextTable {
	t := page.TextTable{
		ID: "suite", Title: "Who arrives where",
		About:   strings.Join(compare.Legend(), " ") + " Problems go by their numbers in the next table.",
		Columns: []page.Head{{Name: "method"}},
	}
	for i := range r.Arenas {
		t.Columns = append(t.Columns, page.Head{Name: fmt.Sprint(i + 1)})
	}
	for i := range r.Arenas[0].Rows {
		row := []page.TextCell{page.Words(r.Arenas[0].Rows[i].Method)}
		for j := range r.Arenas {
			row = append(row, page.Words(r.Arenas[j].Letters(&r.Arenas[j].Rows[i])))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// answersTable lists the problems of a suite with their answers.
func answersTable(r *compare.Comparison) page.TextTable {
	t := page.TextTable{
		ID: "answers", Title: "The problems and their answers", Columns: []page.Head{{Name: "problem"}, {Name: "stable"}, {Name: "optimal"}, {Name: "value", Numeric: true}, {Name: "separates"}},
		About: "Known in closed form, but for the optimum of softmax. A problem whose stable point is its optimum cannot make a method that ignores the answer of the crowd look bad.",
	}
	for i := range r.Arenas {
		a := &r.Arenas[i]
		apart := "no"
		if a.Separates {
			apart = "yes"
		}
		t.Rows = append(t.Rows, []page.TextCell{page.Words(fmt.Sprintf("%d %s", i+1, a.Name), inSmall(a.About)...), page.Words(vectorWords(a.Stable)), page.Words(vectorWords(a.Optimal)), page.Number(a.Value, phrase.Shortest), page.Words(apart)})
	}
	return t
}

func vectorWords(u []float64) string {
	var list []string
	for _, v := range u[:min(len(u), 4)] {
		list = append(list, phrase.Shortest(compare.Cleaned(v)))
	}
	if len(u) > 4 {
		list = append(list, "…")
	}
	if u == nil {
		return "–"
	}
	return strings.Join(list, ", ")
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
	for _, a := range r.Arenas {
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

// arenaSketch draws how far from the optimum the methods are, turn by turn, in a panel for every kind of knowledge that they need.
func arenaSketch(a *compare.Arena) draw.Sketch {
	groups := a.Groups()
	if len(a.Rows) <= 5 {
		groups = []compare.Group{{Rows: a.Rows}}
	}
	g := draw.Grid{Columns: 1, Shared: true, Width: 520}
	floor := contestFloor(a)
	for _, group := range groups {
		list := contestCurves(group.Rows, floor)
		p := draw.Panel{Title: group.Name, Layers: []draw.Layer{list, draw.Marks(list)}, Beside: draw.EndsInFull(list)}
		if a.Separates {
			level := draw.Rule{Value: 20 * a.Tolerance}
			p.Layers = append([]draw.Layer{level}, p.Layers...)
		}
		g.Panels = append(g.Panels, p)
	}
	x, y := draw.Extents(g.Panels...)
	for i := range g.Panels {
		g.Panels[i].X = draw.Axis{Ruler: draw.NewRuler(x, true), Label: "turn"}
		g.Panels[i].Y = draw.Axis{Ruler: draw.NewRuler(y, true), Label: "distance to the optimum"}
	}
	caption := "How far the decision that a method recommends is from the optimum, mean and range over trials; what is nearer than the lower edge is drawn there."
	if a.Separates {
		caption += " The dashed line is the stable point, where methods end that do not count the answer of the crowd."
	}
	return g.Sketch("distance-"+a.Name, "Distance to the optimum: "+a.Name, caption, false)
}

// contestFloor is the least distance that is drawn.
func contestFloor(a *compare.Arena) float64 {
	far := a.Tolerance
	for _, m := range a.Rows {
		for _, s := range m.Curve.Far {
			far = max(far, min(s.Max, 1e3*a.Tolerance))
		}
	}
	return far * 1e-6
}

func contestCurves(rows []compare.Row, floor float64) (list draw.Lines) {
	var names []string
	for _, m := range rows {
		names = append(names, m.Method)
	}
	styles := stylesOf(names)
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
