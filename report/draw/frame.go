package draw

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Axis is a scale with words for it. Its marks are the scale's own unless it has others.
type Axis struct {
	Ruler
	Label string
	Marks []Tick
}

// ticks marks an axis of a length, with room for a label every so often and two labels in any case.
func (a Axis) ticks(length, often vg.Length) []Tick {
	if a.Marks != nil {
		return a.Marks
	}
	n := min(max(int(length/often), 2), MostLabels)
	ticks := a.Ruler.ticks(n)
	for ; len(labels(ticks)) < 2 && n < MostLabels; n++ {
		ticks = a.Ruler.ticks(n + 1)
	}
	return ticks
}

// widest is the width of the widest label.
func (a Axis) widest(t typeface) vg.Length { return t.widest(labels(a.ticks(1e9, 1)), smallSize) }

// frame is a box of the canvas with its two axes.
type frame struct {
	box  vg.Rectangle
	x, y Axis
}

func (f frame) point(x, y float64) vg.Point { return vg.Point{X: f.across(x), Y: f.up(y)} }

func (f frame) across(x float64) vg.Length {
	return f.box.Min.X + vg.Length(f.x.At(x)*float64(f.box.Max.X-f.box.Min.X))
}

func (f frame) up(y float64) vg.Length {
	return f.box.Min.Y + vg.Length(f.y.At(y)*float64(f.box.Max.Y-f.box.Min.Y))
}

func (f frame) wide() vg.Length { return f.box.Max.X - f.box.Min.X }
func (f frame) high() vg.Length { return f.box.Max.Y - f.box.Min.Y }

var (
	axisLine = draw.LineStyle{Color: pale, Width: 0.8}
	gridLine = draw.LineStyle{Color: grey, Width: 0.8}
)

const (
	oftenX = 52 // room a label needs on the horizontal axis
	oftenY = 26
)

// drawX draws the horizontal axis, with labels unless another panel below carries them. Of labels that would touch, the
// first stays.
func (f frame) drawX(p pen, labelled bool) {
	bottom, free := f.box.Min.Y, vg.Length(-1e9)
	for _, t := range ordered(f.x.ticks(f.wide(), oftenX)) {
		x, long := f.across(t.Value), vg.Length(4)
		if t.Label == "" {
			long = 2
		}
		p.line(axisLine, vg.Point{X: x, Y: bottom}, vg.Point{X: x, Y: bottom - long})
		half := p.width(t.Label, smallSize) / 2
		if labelled && t.Label != "" && x-half > free {
			p.write(vg.Point{X: x, Y: bottom - 15}, centred, smallSize, ink, t.Label)
			free = x + half + 5
		}
	}
	p.line(axisLine, f.box.Min, vg.Point{X: f.box.Max.X, Y: bottom})
}

func ordered(ticks []Tick) []Tick {
	return slices.SortedStableFunc(slices.Values(ticks), func(a, b Tick) int { return cmp.Compare(a.Value, b.Value) })
}

// drawY draws the vertical axis and the grid that goes with it.
func (f frame) drawY(p pen, labelled bool) {
	left, free := f.box.Min.X, vg.Length(-1e9)
	for _, t := range ordered(f.y.ticks(f.high(), oftenY)) {
		y := f.up(t.Value)
		if t.Label == "" {
			p.line(axisLine, vg.Point{X: left - 2, Y: y}, vg.Point{X: left, Y: y})
			continue
		}
		if f.y.Marks == nil {
			p.line(gridLine, vg.Point{X: left, Y: y}, vg.Point{X: f.box.Max.X, Y: y})
		}
		if labelled && y > free {
			p.line(axisLine, vg.Point{X: left - 4, Y: y}, vg.Point{X: left, Y: y})
			p.write(vg.Point{X: left - 6, Y: y - 0.36*smallSize}, fromRight, smallSize, ink, t.Label)
			free = y + smallSize + 1
		}
	}
	p.line(axisLine, f.box.Min, vg.Point{X: left, Y: f.box.Max.Y})
}
