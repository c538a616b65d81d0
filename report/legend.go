package report

import (
	"gonum.org/v1/plot/vg"
)

// entry is one item of a legend: a sample and words, or words alone.
type entry struct {
	sample *curve
	words  string
	fresh  bool // starts a line
	dot    bool // the sample is a mark without a line
}

const (
	sampleWidth = 24
	entryGap    = 14
	legendLine  = 16
)

func (e entry) width(t typeface) vg.Length {
	w := t.width(e.text(t), textSize)
	if e.sample != nil {
		w += sampleWidth + 5
	}
	return w
}

// text is the words, cut when a name is too long for a line.
func (e entry) text(t typeface) string {
	if e.sample != nil {
		return t.fit(e.words, textSize, widestName)
	}
	return e.words
}

// lines breaks the legend into lines that fit.
func (g grid) lines(t typeface) [][]entry {
	var lines [][]entry
	x := g.wide()
	for _, e := range g.legend {
		w := e.width(t)
		if x+w > g.wide()-margin || e.fresh {
			lines = append(lines, nil)
			x = 4
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], e)
		x += w + entryGap
	}
	return lines
}

// inline tells whether the legend is a few words that fit beside the label of the vertical axis, on its line.
func (g grid) inline(t typeface) bool {
	if len(g.legend) != 1 || g.legend[0].sample != nil || len(g.panels) > 1 && !g.shared {
		return false
	}
	label := g.panels[0].y.label
	return label != "" && t.width(label, textSize)+entryGap+t.width(g.legend[0].words, textSize) <= g.wide()-2*margin
}

func (g grid) legendHeight(t typeface) vg.Length {
	if g.inline(t) {
		return 0
	}
	return vg.Length(len(g.lines(t))) * legendLine
}

func (g grid) drawLegend(p pen, y vg.Length) {
	if g.inline(p.typeface) {
		p.write(vg.Point{X: g.wide() - margin, Y: y - g.labelDrop()}, fromRight, textSize, pale, g.legend[0].words)
		return
	}
	for _, line := range g.lines(p.typeface) {
		x := vg.Length(4)
		for _, e := range line {
			e.draw(p, vg.Point{X: x, Y: y - 12})
			x += e.width(p.typeface) + entryGap
		}
		y -= legendLine
	}
}

func (e entry) draw(p pen, at vg.Point) {
	if e.sample == nil {
		p.write(at, fromLeft, textSize, pale, e.text(p.typeface))
		return
	}
	from, to := vg.Point{X: at.X, Y: at.Y + 4}, vg.Point{X: at.X + sampleWidth, Y: at.Y + 4}
	if e.sample.banded {
		band := vg.Rectangle{Min: vg.Point{X: from.X, Y: from.Y - 5}, Max: vg.Point{X: to.X, Y: to.Y + 5}}
		p.SetColor(faint(e.sample.style.ink, bandAlpha))
		p.Fill(band.Path())
	}
	if !e.dot {
		p.line(e.sample.line(), from, to)
	}
	if e.sample.style.mark != nil {
		p.mark(e.sample.style, vg.Point{X: (from.X + to.X) / 2, Y: from.Y})
	}
	p.write(vg.Point{X: to.X + 5, Y: at.Y}, fromLeft, textSize, ink, e.text(p.typeface))
}
