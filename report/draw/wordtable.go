package draw

import (
	"image/color"

	"gonum.org/v1/plot/vg"
)

// WordTable is a table of words on coloured grounds, the first row at the top.
type WordTable struct {
	Columns, Rows int
	Words         []string
	Grounds       []color.NRGBA
}

func (m WordTable) cover(x, y *Extent) { coverCells(m.Columns, m.Rows, x, y) }

func (m WordTable) draw(p pen, f frame) {
	size := vg.Point{X: f.wide() / vg.Length(m.Columns), Y: f.high() / vg.Length(m.Rows)}
	for i, word := range m.Words {
		at := vg.Point{X: f.box.Min.X, Y: f.box.Max.Y}.Add(times(size, i%m.Columns, -(i/m.Columns + 1)))
		box := vg.Rectangle{Min: at.Add(vg.Point{X: 0.6, Y: 0.6}), Max: at.Add(size).Sub(vg.Point{X: 0.6, Y: 0.6})}
		p.SetColor(m.Grounds[i])
		p.Fill(box.Path())
		p.write(vg.Point{X: at.X + size.X/2, Y: at.Y + size.Y/2 - 0.36*smallSize}, centred, smallSize, ink, word)
	}
}
