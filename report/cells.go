package report

import (
	"image/color"
	"math"

	"github.com/kedge-opt/kedge/internal/phrase"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// cells are a heat map: a colour for every pair of a column and a row. What is NaN stays empty.
type cells struct {
	columns, rows int
	values        []float64 // row by row, the lowest first
	shade         scale     // of colours
	text          func(float64) string
}

func (c cells) cover(x, y *extent) {
	x.add(-0.5, float64(c.columns)-0.5)
	y.add(-0.5, float64(c.rows)-0.5)
}

// cellAxis is an axis over n cells with their names.
func cellAxis(names []string, label string) axis {
	a := axis{scale: scale{min: -0.5, max: float64(len(names)) - 0.5}, label: label, marks: []tick{}}
	for i, name := range names {
		a.marks = append(a.marks, tick{value: float64(i), label: name})
	}
	return a
}

func (c cells) draw(p pen, f frame) {
	size := vg.Point{X: f.wide() / vg.Length(c.columns), Y: f.high() / vg.Length(c.rows)}
	written := c.fits(p, size)
	for i, v := range c.values {
		at := vg.Point{X: f.box.Min.X + vg.Length(i%c.columns)*size.X, Y: f.box.Min.Y + vg.Length(i/c.columns)*size.Y}
		box := vg.Rectangle{Min: at, Max: at.Add(size)}
		ground := c.colour(v)
		p.SetColor(ground)
		p.Fill(box.Path())
		p.line(draw.LineStyle{Color: paper, Width: 0.7}, box.Min, vg.Point{X: box.Max.X, Y: at.Y}, box.Max, vg.Point{X: at.X, Y: box.Max.Y}, at)
		if written {
			middle := vg.Point{X: at.X + size.X/2, Y: at.Y + size.Y/2 - 0.36*smallSize}
			p.write(middle, centred, smallSize, legible(ground), c.word(v))
		}
	}
}

func (c cells) word(v float64) string {
	if !phrase.Finite(v) {
		return phrase.Absent
	}
	return c.text(v)
}

// fits tells whether every value can be written in its cell.
func (c cells) fits(p pen, size vg.Point) bool {
	for _, v := range c.values {
		if p.width(c.word(v), smallSize) > size.X-4 {
			return false
		}
	}
	return size.Y >= smallSize+4
}

// colour is that of a value; what has none is grey.
func (c cells) colour(v float64) color.NRGBA {
	if !phrase.Finite(v) {
		return grey
	}
	return viridis(c.shade.at(v))
}

// legible is dark or white ink, whichever reads better on a ground.
func legible(ground color.NRGBA) color.NRGBA {
	if lightness(ground) > 0.62 {
		return ink
	}
	return paper
}

// colourBar explains the colours of cells and dots.
type colourBar struct {
	scale
	label string
}

const (
	barGap  = 16
	barWide = 12
)

func (b colourBar) width(t typeface) vg.Length {
	wide := vg.Length(0)
	for _, k := range b.ticks(most) {
		wide = max(wide, t.tickWidth(k))
	}
	return max(barGap+barWide+6+wide, barGap+t.width(b.label, smallSize))
}

func (b colourBar) draw(p pen, box vg.Rectangle) {
	const slices = 96
	f := frame{box: box, y: axis{scale: b.scale}}
	for i := range slices {
		from, to := float64(i)/slices, min(float64(i+1)/slices+0.004, 1)
		slice := vg.Rectangle{Min: vg.Point{X: box.Min.X, Y: box.Min.Y + vg.Length(from)*f.high()}, Max: vg.Point{X: box.Max.X, Y: box.Min.Y + vg.Length(to)*f.high()}}
		p.SetColor(viridis(math.Min((float64(i)+0.5)/slices, 1)))
		p.Fill(slice.Path())
	}
	for _, t := range f.y.ticks(f.high(), oftenY) {
		y := f.up(t.value)
		if t.label == "" {
			continue
		}
		p.line(axisLine, vg.Point{X: box.Max.X, Y: y}, vg.Point{X: box.Max.X + 3, Y: y})
		p.writeTick(vg.Point{X: box.Max.X + 6, Y: y - 0.36*smallSize}, t)
	}
	p.write(vg.Point{X: box.Min.X, Y: box.Max.Y + 6}, fromLeft, smallSize, ink, b.label)
}
