package report

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/kedge-opt/kedge/report/plot"
)

// suiteTable has methods for rows and problems for columns.
func suiteTable(r *compare.Comparison) page.TextTable {
	t := page.TextTable{
		ID: "suite", Title: "Who arrives where",
		About:   strings.Join(compare.Legend(), " ") + " Problems go by their numbers in the next table.",
		Columns: []page.Head{{Name: "method", Short: " ", Wide: -longest(r.Problems[0].Rows)}}, Brief: []int{0},
	}
	for i := range r.Problems {
		t.Columns, t.Brief = append(t.Columns, page.Head{Name: fmt.Sprint(i + 1), Wide: 4}), append(t.Brief, i+1)
	}
	for i, m := range r.Problems[0].Rows {
		letters := lists.Of(r.Problems, func(a compare.Meeting) page.TextCell { return page.Words(a.Letters(&a.Rows[i])) })
		t.Rows = append(t.Rows, append([]page.TextCell{page.Words(m.Method)}, letters...))
	}
	return t
}

// answersTable lists the problems of a suite with their answers.
func answersTable(r *compare.Comparison) page.TextTable {
	t := page.TextTable{
		ID: "answers", Title: "The problems and their answers", Brief: []int{0, 1, 2, 3, 4},
		Columns: []page.Head{
			{Name: "problem", Short: " ", Wide: -18}, {Name: "stable", Wide: -22}, {Name: "optimal", Wide: -22},
			{Name: "value", Numeric: true, Wide: 10}, {Name: "separates", Short: " "}, {Name: "standing of the optimum"},
		},
		About: "Known in closed form, but for the optimum of softmax. A problem whose stable point is its optimum cannot make a method that ignores the answer of the crowd look bad.",
	}
	for i, a := range r.Problems {
		apart := page.Words("no").InShort("cannot separate")
		if a.Separates {
			apart = page.Words("yes").InShort(" ")
		}
		t.Rows = append(t.Rows, []page.TextCell{
			page.Words(fmt.Sprintf("%d %s", i+1, a.Name), inSmall(a.About)...).InShort(fmt.Sprintf("%2d %s", i+1, a.Name)),
			vectorCell(a.Stable), vectorCell(a.Optimal), plainMinus(page.Number(a.Value, phrase.Shortest)), apart, standingCell(a.Answer, a.Maximize),
		})
	}
	return t
}

// vectorCell shows the first four entries of a decision, on a terminal the first two.
func vectorCell(u []float64) page.TextCell {
	if u == nil {
		return page.Words(phrase.Absent).InShort(" ")
	}
	short := plainMinus(page.Words(vectorWords(u, 2))).Short
	return page.Words(vectorWords(u, 4)).InShort(short)
}

// suiteSketch shows who arrives where, methods down and problems across.
func suiteSketch(r *compare.Comparison) draw.Sketch {
	m := draw.WordTable{Columns: len(r.Problems), Rows: len(r.Problems[0].Rows)}
	problems := lists.Of(r.Problems, func(a compare.Meeting) string { return a.Name })
	methods := lists.Of(r.Problems[0].Rows, methodName)
	for i := range methods {
		for j := range r.Problems {
			word, ground := suiteCell(&r.Problems[j], &r.Problems[j].Rows[i])
			m.Words, m.Grounds = append(m.Words, word), append(m.Grounds, ground)
		}
	}
	slices.Reverse(methods)
	g := draw.Grid{Columns: 1, Width: 840, Height: float64(60 + 19*m.Rows), Panels: []draw.Panel{{Layers: []draw.Layer{m}, X: draw.CellAxis(problems, ""), Y: draw.CellAxis(methods, "")}}}
	return g.Sketch("suite", "Who arrives where", "Coloured where a method ends at the point that it is proven to end at: orange the stable one, green the myopic one, blue the optimum, "+
		"grey where stable and optimal are the same and nobody can look bad. A number on white: not there, but so many tolerances away when the turns are over. "+
		"Pale and without a word: the problem does not meet the method's conditions.", false)
}

// suiteCell is a method on a problem: a word and the colour of the point where it ended.
func suiteCell(a *compare.Meeting, m *compare.Row) (string, color.NRGBA) {
	const pastel = 0.45
	looks := plot.StylesOf(nil)
	points := map[string]color.NRGBA{"stable": looks["vanilla"].Ink, "myopic": looks["derivative-free"].Ink, "optimal": looks["composite"].Ink}
	switch {
	case m.Arrived && !a.Separates:
		return "both", draw.Tint(draw.Dim(), pastel)
	case m.Arrived:
		return m.Limit, draw.Tint(points[m.Limit], pastel)
	case m.Outside != "":
		return "", draw.Tint(draw.Grey(), 0.6)
	case m.Failed > 0:
		return "failed", draw.Paper()
	case m.ToTarget == nil:
		return phrase.Absent, draw.Paper()
	}
	return fmt.Sprintf("%.2g", m.ToTarget.Mean/a.Tolerance), draw.Paper()
}
