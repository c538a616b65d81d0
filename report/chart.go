package report

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// curve is one line of a panel: the mean over trials and, if it is banded, the range from least to greatest.
type curve struct {
	name   string
	style  style
	dashed bool
	banded bool
	rows   []row
}

// rule is a level drawn across a panel, with its meaning beside it; none when the value is not positive.
type rule struct {
	value   float64
	meaning []string
}

func (r rule) shown() bool { return r.value >= tiniest && finite(r.value) }

// panel is one quantity over the turns, on a logarithmic axis.
type panel struct {
	label  string
	curves []curve
	rule   rule
}

// chart is one or more panels over the same turns, under one legend.
type chart struct {
	legend []entry
	panels []panel
}

// entry is one item of a legend: a sample and words, or words alone.
type entry struct {
	sample *curve
	words  string
	fresh  bool // starts a line
}

const (
	left       = 44 // room for the labels of the vertical axis
	top        = 6
	panelHead  = 32
	panelFoot  = 20
	turnsLabel = 14
)

// panelHeight is lower when panels are stacked.
func (c chart) panelHeight() vg.Length {
	if len(c.panels) > 1 {
		return 160
	}
	return 210
}

func (c chart) height(t typeface) vg.Length {
	one := panelHead + c.panelHeight() + panelFoot
	return top + c.legendHeight(t) + vg.Length(len(c.panels))*one + turnsLabel
}

func (c chart) draw(p pen) {
	y := p.Max.Y - top
	c.drawLegend(p, y)
	y -= c.legendHeight(p.typeface)
	turns := c.turns()
	ticks := turns.ticks()
	right := p.Max.X - c.margin(p.typeface, ticks)
	for _, panel := range c.panels {
		p.write(vg.Point{X: 4, Y: y - panelHead + 12}, fromLeft, textSize, ink, panel.label)
		y -= panelHead + c.panelHeight()
		box := vg.Rectangle{Min: vg.Point{X: left, Y: y}, Max: vg.Point{X: right, Y: y + c.panelHeight()}}
		f := frame{box, turns, panel.values()}
		f.drawY(p, f.y.ticks(), true)
		f.drawX(p, ticks, true)
		panel.draw(p, f)
		y -= panelFoot
	}
	p.write(vg.Point{X: (left + right) / 2, Y: y - 8}, centred, textSize, ink, "turn k")
}

// turns is the horizontal axis of all panels.
func (c chart) turns() scale {
	from, to := math.MaxInt, 0
	for _, panel := range c.panels {
		for _, curve := range panel.curves {
			from, to = min(from, curve.rows[0].k), max(to, curve.rows[len(curve.rows)-1].k)
		}
	}
	if from == to {
		return scale{min: float64(from) - 0.5, max: float64(to) + 0.5}
	}
	return scale{min: float64(from), max: float64(to)}
}

// margin is what the right side needs for the meanings of rules, or for half of the last turn's label.
func (c chart) margin(t typeface, turns []tick) vg.Length {
	need := t.width(turns[len(turns)-1].label, smallSize)/2 + 4
	for _, panel := range c.panels {
		if !panel.rule.shown() {
			continue
		}
		for _, line := range panel.rule.meaning {
			need = max(need, t.width(line, smallSize)+12)
		}
	}
	return max(need, 14)
}

// values is the vertical axis of a panel.
func (p panel) values() scale {
	low, high := math.Inf(1), math.Inf(-1)
	for _, c := range p.curves {
		for _, r := range c.rows {
			low, high = min(low, r.low), max(high, r.high)
		}
	}
	if p.rule.shown() {
		low, high = min(low, p.rule.value), max(high, p.rule.value)
	}
	return logScale(low, high)
}

func (p panel) draw(pen pen, f frame) {
	for _, c := range p.curves {
		if c.banded {
			c.drawBand(pen, f)
		}
	}
	for _, c := range p.curves {
		c.drawLine(pen, f)
	}
	if p.rule.shown() {
		p.rule.draw(pen, f)
	}
	for i, c := range p.curves {
		c.drawMarks(pen, f, (float64(i)+0.5)/float64(len(p.curves)))
	}
}

const bandAlpha = 56

func (c curve) drawBand(p pen, f frame) {
	band := make([]vg.Point, 0, 2*len(c.rows))
	for _, r := range c.rows {
		band = append(band, f.point(float64(r.k), r.high))
	}
	for i := len(c.rows) - 1; i >= 0; i-- {
		band = append(band, f.point(float64(c.rows[i].k), c.rows[i].low))
	}
	p.FillPolygon(faint(c.style.ink, bandAlpha), band)
	if len(c.rows) == 1 {
		p.line(draw.LineStyle{Color: faint(c.style.ink, 2*bandAlpha), Width: 3}, band...)
	}
}

func (c curve) line() draw.LineStyle {
	if c.dashed {
		return draw.LineStyle{Color: c.style.ink, Width: 1.2, Dashes: []vg.Length{5, 2.5}}
	}
	return draw.LineStyle{Color: c.style.ink, Width: 1.3}
}

func (c curve) drawLine(p pen, f frame) {
	points := make([]vg.Point, len(c.rows))
	for i, r := range c.rows {
		points[i] = f.point(float64(r.k), r.mean)
	}
	p.line(c.line(), points...)
}

// drawMarks sets a few markers along the line, at least one; the phase keeps those of several curves from covering each
// other.
func (c curve) drawMarks(p pen, f frame, phase float64) {
	const marks = 5
	next := 0
	for i, r := range c.rows {
		share := f.x.at(float64(r.k)) * marks
		if share < float64(next)+phase && (i < len(c.rows)-1 || next > 0) {
			continue
		}
		p.mark(c.style, f.point(float64(r.k), r.mean))
		next = int(share-phase) + 1
	}
}

func (r rule) draw(p pen, f frame) {
	y := f.up(r.value)
	dashes := draw.LineStyle{Color: ink, Width: 0.8, Dashes: []vg.Length{3, 3}}
	p.line(dashes, vg.Point{X: f.box.Min.X, Y: y}, vg.Point{X: f.box.Max.X, Y: y})
	tall := vg.Length(len(r.meaning)) * (smallSize + 2)
	y = min(max(y+tall/2, f.box.Min.Y+tall), f.box.Max.Y)
	for i, line := range r.meaning {
		p.write(vg.Point{X: f.box.Max.X + 5, Y: y - vg.Length(i+1)*(smallSize+2) + 3}, fromLeft, smallSize, ink, line)
	}
}
