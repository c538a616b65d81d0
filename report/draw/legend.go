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
	e.Sample.drawSample(p, from, sampleWidth, !e.Dot)
	p.write(vg.Point{X: to.X + 5, Y: at.Y}, fromLeft, textSize, ink, e.text(p.typeface))
}

// drawSample draws a piece of a line of some length, with its mark.
func (c *Line) drawSample(p pen, from vg.Point, long vg.Length, lined bool) {
	if lined {
		p.line(c.line(), from, vg.Point{X: from.X + long, Y: from.Y})
	}
	if c.Style.Mark != nil {
		p.mark(c.Style, vg.Point{X: from.X + vg.Length(long/2), Y: from.Y})
	}
}

// Entries explain curves by their names, each name once.
func Entries(curves []Line) (list []Entry) {
	for _, c := range curves {
		if !slices.ContainsFunc(list, func(e Entry) bool { return e.Words == c.Name }) {
			list = append(list, Entry{Sample: &c, Words: c.Name})
		}
	}
	return list
}
