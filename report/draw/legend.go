package draw

import (
	"slices"

	"gonum.org/v1/plot/vg"
)

// Entry is one item of a legend: a sample and words, or words alone.
type Entry struct {
	Sample *Line
	Words  string
	Fresh  bool // starts a line
	Dot    bool // the sample is a mark without a line
}

const (
	sampleWidth = 24
	entryGap    = 14
	legendLine  = 16
)

func (e Entry) width(t typeface) vg.Length {
	w := t.width(e.text(t), textSize)
	if e.Sample != nil {
		w += sampleWidth + 5
	}
	return w
}

// text is the words, cut when a name is too long for a line.
func (e Entry) text(t typeface) string {
	if e.Sample != nil {
		return t.fit(e.Words, textSize, widestName)
	}
	return e.Words
}

// lines breaks the legend into lines that fit.
func (g Grid) lines(t typeface) [][]Entry {
	var lines [][]Entry
	x := g.wide()
	for _, e := range g.Legend {
		w := e.width(t)
		if x+w > g.wide()-margin || e.Fresh {
			lines = append(lines, nil)
			x = 4
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], e)
		x += w + entryGap
	}
	return lines
}

// inline tells whether the legend is a few words that fit beside the label of the vertical axis, on its line.
func (g Grid) inline(t typeface) bool {
	if len(g.Legend) != 1 || g.Legend[0].Sample != nil || len(g.Panels) > 1 && !g.Shared {
		return false
	}
	label := g.Panels[0].Y.Label
	return label != "" && t.width(label, textSize)+entryGap+t.width(g.Legend[0].Words, textSize) <= g.wide()-2*margin
}

func (g Grid) legendHeight(t typeface) vg.Length {
	if g.inline(t) {
		return 0
	}
	return vg.Length(len(g.lines(t))) * legendLine
}

func (g Grid) drawLegend(p pen, y vg.Length) {
	if g.inline(p.typeface) {
		p.write(vg.Point{X: g.wide() - margin, Y: y - g.labelDrop()}, fromRight, textSize, pale, g.Legend[0].Words)
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

func (e Entry) draw(p pen, at vg.Point) {
	if e.Sample == nil {
		p.write(at, fromLeft, textSize, pale, e.text(p.typeface))
		return
	}
	from, to := vg.Point{X: at.X, Y: at.Y + 4}, vg.Point{X: at.X + sampleWidth, Y: at.Y + 4}
	if e.Sample.Banded {
		band := vg.Rectangle{Min: vg.Point{X: from.X, Y: from.Y - 5}, Max: vg.Point{X: to.X, Y: to.Y + 5}}
		p.SetColor(faint(e.Sample.Style.Ink, bandAlpha))
		p.Fill(band.Path())
	}
	if !e.Dot {
		p.line(e.Sample.line(), from, to)
	}
	if e.Sample.Style.Mark != nil {
		p.mark(e.Sample.Style, vg.Point{X: (from.X + to.X) / 2, Y: from.Y})
	}
	p.write(vg.Point{X: to.X + 5, Y: at.Y}, fromLeft, textSize, ink, e.text(p.typeface))
}

// Entries explain curves by their names.
func Entries(curves []Line) []Entry {
	var list []Entry
	for _, c := range curves {
		list = append(list, Entry{Sample: &c, Words: c.Name})
	}
	return list
}

// OnceEach keeps the first entry of every name.
func OnceEach(list []Entry) []Entry {
	var out []Entry
	for _, e := range list {
		if !slices.ContainsFunc(out, func(o Entry) bool { return o.Words == e.Words }) {
			out = append(out, e)
		}
	}
	return out
}
