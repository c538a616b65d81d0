package report

import (
	"fmt"
	"image/color"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab/compare"
	"gonum.org/v1/plot/vg"
)

// matrix is a table of words on coloured grounds, the first row at the top.
type matrix struct {
	columns, rows int
	words         []string
	grounds       []color.NRGBA
}

func (m matrix) cover(x, y *extent) {
	x.add(-0.5, float64(m.columns)-0.5)
	y.add(-0.5, float64(m.rows)-0.5)
}

func (m matrix) draw(p pen, f frame) {
	size := vg.Point{X: f.wide() / vg.Length(m.columns), Y: f.high() / vg.Length(m.rows)}
	for i, word := range m.words {
		at := vg.Point{X: f.box.Min.X + vg.Length(i%m.columns)*size.X, Y: f.box.Max.Y - vg.Length(i/m.columns+1)*size.Y}
		box := vg.Rectangle{Min: at.Add(vg.Point{X: 0.6, Y: 0.6}), Max: at.Add(size).Sub(vg.Point{X: 0.6, Y: 0.6})}
		p.SetColor(m.grounds[i])
		p.Fill(box.Path())
		p.write(vg.Point{X: at.X + size.X/2, Y: at.Y + size.Y/2 - 0.36*smallSize}, centred, smallSize, ink, word)
	}
}

// suiteSketch shows who arrives where, methods down and problems across.
func suiteSketch(r *compare.Comparison) sketch {
	m := matrix{columns: len(r.Arenas), rows: len(r.Arenas[0].Rows)}
	var problems, methods []string
	for _, a := range r.Arenas {
		problems = append(problems, a.Name)
	}
	for i, row := range r.Arenas[0].Rows {
		methods = append(methods, row.Method)
		for j := range r.Arenas {
			word, ground := suiteCell(&r.Arenas[j], &r.Arenas[j].Rows[i])
			m.words, m.grounds = append(m.words, word), append(m.grounds, ground)
		}
	}
	slices.Reverse(methods)
	g := grid{columns: 1, width: 840, height: vg.Length(60 + 19*m.rows), panels: []panel{{layers: []layer{m}, x: cellAxis(problems, ""), y: cellAxis(methods, "")}}}
	return g.sketch("suite", "Who arrives where", "Coloured where a method ends at the point that it is proven to end at: orange the stable one, green the myopic one, blue the optimum, "+
		"grey where stable and optimal are the same and nobody can look bad. A number on white: not there, but so many tolerances away when the turns are over. "+
		"Pale and without a word: the problem does not meet the method's conditions.", false)
}

// suiteCell is a method on a problem: a word and the colour of the point where it ended.
func suiteCell(a *compare.Arena, m *compare.Row) (string, color.NRGBA) {
	const pastel = 0.45
	looks := stylesOf(nil)
	points := map[string]color.NRGBA{"stable": looks["vanilla"].ink, "myopic": looks["derivative-free"].ink, "optimal": looks["composite"].ink}
	switch {
	case m.Arrived && !a.Separates:
		return "both", tint(dim, pastel)
	case m.Arrived:
		return m.Limit, tint(points[m.Limit], pastel)
	case m.Outside != "":
		return "", tint(grey, 0.6)
	case m.Failed > 0:
		return "failed", paper
	case m.ToTarget == nil:
		return phrase.Absent, paper
	}
	return fmt.Sprintf("%.2g", m.ToTarget.Mean/a.Tolerance), paper
}
