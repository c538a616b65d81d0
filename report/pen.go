package report

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
)

// Sizes in points at the figure's own width; a phone shows nine tenths of it, a desk nearly half more.
const (
	width      = 420
	textSize   = 11
	smallSize  = 10
	superSize  = 8 // exponents
	lineHeight = 13
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

// style is how one algorithm looks: in grey, its marks still tell it apart.
type style struct {
	ink  color.NRGBA
	mark draw.GlyphDrawer
}

func hex(rgb uint32) color.NRGBA {
	return color.NRGBA{R: uint8(rgb >> 16), G: uint8(rgb >> 8), B: uint8(rgb), A: 255}
}

func faint(c color.NRGBA, alpha uint8) color.NRGBA {
	c.A = alpha
	return c
}

// tint mixes a colour with white.
func tint(c color.NRGBA, share float64) color.NRGBA {
	mix := func(v uint8) uint8 { return uint8(255 - float64(share*float64(255-v))) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 255}
}

// Greys of everything that is not data.
var (
	ink   = hex(0x1f2328)
	pale  = hex(0x59636e)
	grid  = hex(0xe4e7ea)
	paper = hex(0xffffff)
)

// stylesOf gives every name a colour of the palette of Okabe and Ito [okabe2008], which stays apart for colour-blind eyes.
// The known algorithms always look the same; others take what is left in the order of their names here.
func stylesOf(names []string) map[string]style {
	styles := map[string]style{
		"vanilla":         {hex(0xd55e00), polygon{4, 0.5}},
		"composite":       {hex(0x0072b2), draw.CircleGlyph{}},
		"derivative-free": {hex(0x009e73), polygon{3, 0}},
	}
	spare := []color.NRGBA{hex(0xcc79a7), hex(0xb07a00), hex(0x3f93c7), hex(0x4d4d4d)}
	marks := []draw.GlyphDrawer{polygon{4, 0}, polygon{3, 0.5}, polygon{5, 0}, polygon{6, 0}, draw.CircleGlyph{}}
	next := 0
	for _, name := range names {
		if _, known := styles[name]; known {
			continue
		}
		styles[name] = style{spare[next%len(spare)], marks[next%len(marks)]}
		next++
	}
	return styles
}

// polygon is a filled regular polygon with a corner on top, turned by a share of the angle between two corners.
type polygon struct {
	corners int
	turn    float64
}

func (g polygon) DrawGlyph(c *draw.Canvas, sty draw.GlyphStyle, at vg.Point) {
	var p vg.Path
	r := 1.15 * float64(sty.Radius)
	for i := range g.corners {
		sin, cos := math.Sincos(2 * math.Pi * (float64(i) + g.turn) / float64(g.corners))
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
func (p pen) mark(s style, at vg.Point) {
	const radius = 3
	p.DrawGlyphNoClip(draw.GlyphStyle{Color: paper, Radius: radius + 1, Shape: s.mark}, at)
	p.DrawGlyphNoClip(draw.GlyphStyle{Color: s.ink, Radius: radius, Shape: s.mark}, at)
}
