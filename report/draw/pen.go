package draw

import (
	"image/color"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/kedge-opt/kedge/internal/portable"
)

// Sizes in points at the figure's usual width; a phone shows nine tenths of it, a desk nearly half more.
const (
	titleSize = 13
	textSize  = 11
	smallSize = 10
	superSize = 8 // exponents
)

// pen writes and draws on a canvas.
type pen struct {
	draw.Canvas
	typeface
}

// typeface measures and sets Liberation Sans, whose widths are those of Arial and Helvetica.
type typeface struct{ cache *font.Cache }

func newTypeface() typeface { return typeface{font.NewCache(liberation.Collection())} }

func (t typeface) face(size vg.Length) font.Face {
	return t.cache.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, size)
}

func (t typeface) width(s string, size vg.Length) vg.Length {
	face := t.face(size)
	return face.Width(s)
}

// fit cuts s to a width, ending in an ellipsis when something was cut.
func (t typeface) fit(s string, size, room vg.Length) string {
	s = printable(s)
	wide := t.width("…", size)
	end := 0 // of what fits together with an ellipsis
	for i, r := range s {
		if wide += t.width(string(r), size); wide > room {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	if end == len(s) || t.width(s, size) <= room {
		return s
	}
	return s[:end] + "…"
}

// printable replaces what XML cannot hold, or what would break a line.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, s)
}

// Where a text lies with respect to its point, as a share of its width.
const (
	fromLeft  = 0
	centred   = -0.5
	fromRight = -1
)

// write sets s with its baseline at the point.
func (p pen) write(at vg.Point, align float64, size vg.Length, ink color.Color, s string) {
	p.SetColor(ink)
	at.X += vg.Length(align * float64(p.width(s, size)))
	p.FillString(p.face(size), at, s)
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
