package draw

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kedge-opt/kedge/internal/portable"
)

// Sizes in points at the figure's usual width; a phone shows nine tenths of it, a desk nearly half more.
const (
	titleSize = 13
	textSize  = 11
	smallSize = 10
)

// pen writes and draws on a canvas.
type pen struct {
	draw.Canvas
	typeface
	only bool // only letters of the typeface are drawn, a box for others
}

// Where a text lies with respect to its point, as a share of its width.
const (
	fromLeft  = 0
	centred   = -0.5
	fromRight = -1
)

// reader is a canvas whose file says what a text of several sizes means, so that what is copied from it is that.
type reader interface{ mean(text string, set func()) }

// write sets s with its baseline at the point.
func (p pen) write(at vg.Point, align float64, size vg.Length, ink color.Color, s string) {
	p.SetColor(ink)
	at.X += vg.Length(align * float64(p.width(s, size)))
	parts := p.runs(s, size)
	set := func() {
		for _, r := range parts {
			text := r.text
			if p.only {
				text = p.boxed(text)
			}
			p.FillString(p.face(r.size), vg.Point{X: at.X + r.from, Y: at.Y + r.rise}, text)
		}
	}
	if c, ok := p.Canvas.Canvas.(reader); ok && len(parts) > 1 {
		c.mean(s, set)
		return
	}
	set()
}

// line draws a polyline.
func (p pen) line(sty draw.LineStyle, points ...vg.Point) { p.StrokeLines(sty, points) }

// polygon is a filled regular polygon with a corner on top, turned by a share of the angle between two corners.
type polygon struct {
	Corners int
	Turn    float64
}

func (g polygon) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	var p vg.Path
	r := 1.15 * float64(sty.Radius)
	for i := range g.Corners {
		sin, cos := portable.Sincos(2 * math.Pi * (float64(i) + g.Turn) / float64(g.Corners))
		corner := vg.Point{X: at.X + vg.Length(r*sin), Y: at.Y + vg.Length(r*cos)}
		if i == 0 {
			p.Move(corner)
			continue
		}
		p.Line(corner)
	}
	p.Close()
	c.Fill(p)
}

// mark sets a marker with a thin halo.
func (p pen) mark(s Style, at vg.Point) {
	const radius = 3
	p.DrawGlyphNoClip(draw.GlyphStyle{Color: paper, Radius: radius + 1, Shape: s.Mark}, at)
	p.DrawGlyphNoClip(draw.GlyphStyle{Color: s.Ink, Radius: radius, Shape: s.Mark}, at)
}
