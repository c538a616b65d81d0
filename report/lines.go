package report

import (
	"image/color"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// curve is one line of a panel: the mean and, if it is banded, the range around it.
type curve struct {
	name   string
	style  style
	dashed bool
	banded bool
	rows   []row
}

// curves are drawn bands first, so that no line is covered.
type curves []curve

func (list curves) cover(x, y *extent) {
	for _, c := range list {
		for _, r := range c.rows {
			x.add(r.x)
			y.add(r.low, r.mean, r.high)
		}
	}
}

func (list curves) draw(p pen, f frame) {
	for _, c := range list {
		if c.banded {
			c.drawBand(p, f)
		}
	}
	for _, c := range list {
		c.drawLine(p, f)
	}
}

const bandAlpha = 56

func (c curve) drawBand(p pen, f frame) {
	band := make([]vg.Point, 0, 2*len(c.rows))
	for _, r := range c.rows {
		band = append(band, f.point(r.x, r.high))
	}
	for _, r := range slices.Backward(c.rows) {
		band = append(band, f.point(r.x, r.low))
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
		points[i] = f.point(r.x, r.mean)
	}
	p.line(c.line(), points...)
}

// marks sets markers along curves, above everything else: on every point of a short one, a few on a long one.
type marks []curve

func (list marks) cover(_, _ *extent) {}

func (list marks) draw(p pen, f frame) {
	for i, c := range list {
		c.drawMarks(p, f, (float64(i)+0.5)/float64(len(list)))
	}
}

// drawMarks sets at least one marker; the phase keeps those of several curves from covering each other.
func (c curve) drawMarks(p pen, f frame, phase float64) {
	const few, short = 5, 12
	next := 0
	for i, r := range c.rows {
		share := f.x.at(r.x) * few
		if len(c.rows) > short && share < float64(next)+phase && (i < len(c.rows)-1 || next > 0) {
			continue
		}
		p.mark(c.style, f.point(r.x, r.mean))
		next = int(share-phase) + 1
	}
}

// rule is a level drawn across a panel, with its meaning beside it; none when the value is not positive.
type rule struct {
	value   float64
	meaning []string
}

func (r rule) shown() bool { return r.value >= tiniest && phrase.Finite(r.value) }

func (r rule) cover(_, y *extent) { y.add(r.value) }

func (r rule) draw(p pen, f frame) {
	y := f.up(r.value)
	dashes := draw.LineStyle{Color: ink, Width: 0.8, Dashes: []vg.Length{3, 3}}
	p.line(dashes, vg.Point{X: f.box.Min.X, Y: y}, vg.Point{X: f.box.Max.X, Y: y})
}

// ends labels curves where they end.
func ends(list curves) []aside {
	letters := newTypeface()
	var out []aside
	for _, c := range list {
		words := []string{letters.fit(c.name, smallSize, widestAside)}
		out = append(out, aside{at: c.rows[len(c.rows)-1].mean, words: words, style: &c.style})
	}
	return out
}

// widestAside is how long a name may be to stand at the end of its curve.
const widestAside = 84

// fitBeside tells whether the names of curves are few and short enough to stand beside them.
func fitBeside(list curves) bool {
	letters := newTypeface()
	for _, c := range list {
		if letters.width(c.name, smallSize) > widestAside || c.dashed {
			return false
		}
	}
	return len(list) <= 5
}

// dots are points without order.
type dots struct {
	style style
	x, y  []float64
	inks  []color.NRGBA // of every point, when they differ
}

func (d dots) cover(x, y *extent) {
	x.add(d.x...)
	y.add(d.y...)
}

// draw leaves out points that would lie on one already drawn; many are small.
func (d dots) draw(p pen, f frame) {
	seen, near := map[[2]int]bool{}, vg.Length(1)
	if len(d.x) > 2000 {
		near = 2.5
	}
	for i := range d.x {
		if !phrase.Finite(d.x[i]) || !phrase.Finite(d.y[i]) || f.x.log && d.x[i] <= 0 || f.y.log && d.y[i] <= 0 {
			continue
		}
		at, look := f.point(d.x[i], d.y[i]), d.style
		if d.inks != nil {
			look.ink = d.inks[i]
		}
		spot := [2]int{int(at.X / near), int(at.Y / near)}
		switch {
		case len(d.x) <= 200:
			p.mark(look, at)
		case !seen[spot]:
			p.DrawGlyphNoClip(draw.GlyphStyle{Color: faint(look.ink, 170), Radius: 1.6, Shape: look.mark}, at)
		}
		seen[spot] = true
	}
}
