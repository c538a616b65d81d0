package report

import (
	"fmt"
	"image/color"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab/compare"
	"github.com/kedge-opt/kedge/report/draw"
)

// suiteSketch shows who arrives where, methods down and problems across.
func suiteSketch(r *compare.Comparison) draw.Sketch {
	m := draw.WordTable{Columns: len(r.Arenas), Rows: len(r.Arenas[0].Rows)}
	var problems, methods []string
	for _, a := range r.Arenas {
		problems = append(problems, a.Name)
	}
	for i, row := range r.Arenas[0].Rows {
		methods = append(methods, row.Method)
		for j := range r.Arenas {
			word, ground := suiteCell(&r.Arenas[j], &r.Arenas[j].Rows[i])
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
func suiteCell(a *compare.Arena, m *compare.Row) (string, color.NRGBA) {
	const pastel = 0.45
	looks := stylesOf(nil)
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
