package draw

import (
	"image/color"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Cells are a heat map: a colour for every pair of a column and a row. What is NaN stays empty.
type Cells struct {
	Columns, Rows int
	Values        []float64 // row by row, the lowest first
	Shade         Ruler     // of colours
	Text          func(float64) string
}

func (c Cells) cover(x, y *Extent) { coverCells(c.Columns, c.Rows, x, y) }

// coverCells widens extents by columns and rows of cells, whose middles are whole numbers.
func coverCells(columns, rows int, x, y *Extent) {
	x.Add(-0.5, float64(columns)-0.5)
	y.Add(-0.5, float64(rows)-0.5)
}

// CellAxis is an axis over n cells with their names.
func CellAxis(names []string, label string) Axis {
	a := Axis{Ruler: Ruler{Min: -0.5, Max: float64(len(names)) - 0.5}, Label: label, Marks: []Tick{}}
	for i, name := range names {
		a.Marks = append(a.Marks, Tick{Value: float64(i), Label: name})
	}
	return a
}

func (c Cells) draw(p pen, f frame) {
	size := vg.Point{X: f.wide() / vg.Length(c.Columns), Y: f.high() / vg.Length(c.Rows)}
	written := c.fits(p, size)
	for i, v := range c.Values {
		at := f.box.Min.Add(times(size, i%c.Columns, i/c.Columns))
		box := vg.Rectangle{Min: at, Max: at.Add(size)}
		ground := c.Colour(v)
		p.SetColor(ground)
		p.Fill(box.Path())
		p.line(draw.LineStyle{Color: paper, Width: 0.7}, box.Min, vg.Point{X: box.Max.X, Y: at.Y}, box.Max, vg.Point{X: at.X, Y: box.Max.Y}, at)
		if written {
			middle := vg.Point{X: at.X + size.X/2, Y: at.Y + size.Y/2 - 0.36*smallSize}
			p.write(middle, centred, smallSize, legible(ground), c.Word(v))
		}
	}
}

// Word is what stands in a cell of a value.
func (c Cells) Word(v float64) string {
	if !phrase.Finite(v) {
		return phrase.Absent
	}
	return c.Text(v)
}

// fits tells whether every value can be written in its cell.
func (c Cells) fits(p pen, size vg.Point) bool {
	wide := func(v float64) bool { return p.width(c.Word(v), smallSize) > size.X-4 }
	return size.Y >= smallSize+4 && !slices.ContainsFunc(c.Values, wide)
}

// Colour is that of a value; what has none is grey.
func (c Cells) Colour(v float64) color.NRGBA {
	if !phrase.Finite(v) {
		return grey
	}
	return Viridis(c.Shade.At(v))
}

// legible is dark or white ink, whichever reads better on a ground.
func legible(ground color.NRGBA) color.NRGBA {
	if Lightness(ground) > 0.62 {
		return ink
	}
	return paper
}

// ColourBar explains the colours of cells and dots.
type ColourBar struct {
	Ruler
	Label string
}

const (
	barGap  = 16
	barWide = 12
)

func (b ColourBar) width(t typeface) vg.Length {
	wide := t.widest(labels(b.ticks(MostLabels)), smallSize)
	return max(barGap+barWide+6+wide, barGap+t.width(b.Label, smallSize))
}

func (b ColourBar) draw(p pen, box vg.Rectangle) {
	const steps = 96
	f := frame{box: box, y: Axis{Ruler: b.Ruler}}
	for i := range steps {
		from, to := float64(i)/steps, min(float64(i+1)/steps+0.004, 1)
		above := func(share float64) vg.Length { return box.Min.Y + vg.Length(vg.Length(share)*f.high()) }
		slice := vg.Rectangle{Min: vg.Point{X: box.Min.X, Y: above(from)}, Max: vg.Point{X: box.Max.X, Y: above(to)}}
		p.SetColor(Viridis(math.Min((float64(i)+0.5)/steps, 1)))
		p.Fill(slice.Path())
	}
	for _, t := range f.y.ticks(f.high(), oftenY) {
		y := f.up(t.Value)
		if t.Label == "" {
			continue
		}
		p.line(axisLine, vg.Point{X: box.Max.X, Y: y}, vg.Point{X: box.Max.X + 3, Y: y})
		p.write(vg.Point{X: box.Max.X + 6, Y: y - 0.36*smallSize}, fromLeft, smallSize, ink, t.Label)
	}
	p.write(vg.Point{X: box.Min.X, Y: box.Max.Y + 6}, fromLeft, smallSize, ink, b.Label)
}

// times is so many sizes across and up, each product rounded.
func times(size vg.Point, across, up int) vg.Point {
	return vg.Point{X: vg.Length(vg.Length(across) * size.X), Y: vg.Length(vg.Length(up) * size.Y)}
}
