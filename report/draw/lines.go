package draw

import (
	"image/color"
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Line is one line of a panel: the mean and, if it is banded, the range around it.
type Line struct {
	Name   string
	Style  Style
	Banded bool
	Points []LinePoint
}

// Lines are drawn bands first, so that no line is covered.
type Lines []Line

func (list Lines) cover(x, y *Extent) {
	for _, c := range list {
		for _, r := range c.Points {
			x.Add(r.X)
			y.Add(r.Low, r.Mean, r.High)
		}
	}
}

func (list Lines) draw(p pen, f frame) {
	for _, c := range list {
		if c.Banded {
			c.drawBand(p, f)
		}
	}
	for _, c := range list {
		c.drawLine(p, f)
	}
}

const bandAlpha = 56

func (c Line) drawBand(p pen, f frame) {
	band := lists.Of(c.Points, func(r LinePoint) vg.Point { return f.point(r.X, r.High) })
	for _, r := range slices.Backward(c.Points) {
		band = append(band, f.point(r.X, r.Low))
	}
	p.FillPolygon(faint(c.Style.Ink, bandAlpha), band)
	if len(c.Points) == 1 {
		p.line(draw.LineStyle{Color: faint(c.Style.Ink, 2*bandAlpha), Width: 3}, band...)
	}
}

func (c Line) line() draw.LineStyle {
	return draw.LineStyle{Color: c.Style.Ink, Width: 1.3, Dashes: lists.Of(c.Style.Dash, func(n int) vg.Length { return vg.Length(n) })}
}

func (c Line) drawLine(p pen, f frame) {
	p.line(c.line(), lists.Of(c.Points, func(r LinePoint) vg.Point { return f.point(r.X, r.Mean) })...)
}

// Marks sets markers along curves, above everything else: on every point of a short one, a few on a long one.
type Marks []Line

func (list Marks) cover(_, _ *Extent) {}

func (list Marks) draw(p pen, f frame) {
	for i, c := range list {
		c.drawMarks(p, f, (float64(i)+0.5)/float64(len(list)))
	}
}

// drawMarks sets at least one marker; the phase keeps those of several curves from covering each other.
func (c Line) drawMarks(p pen, f frame, phase float64) {
	const few, short = 5, 12
	next := 0
	for i, r := range c.Points {
		share := float64(f.x.At(r.X) * few)
		if len(c.Points) > short && share < float64(next)+phase && (i < len(c.Points)-1 || next > 0) {
			continue
		}
		p.mark(c.Style, f.point(r.X, r.Mean))
		next = int(share-phase) + 1
	}
}

// Rule is a level drawn across a panel, with its meaning beside it.
type Rule struct {
	Value   float64
	Meaning []string
}

// RuleStyle is how levels are drawn.
func RuleStyle() Style { return Style{Ink: ink, Dash: []int{3, 3}} }

// Aside is the meaning of the level, with a sample of its line.
func (r Rule) Aside() Aside {
	return Aside{At: r.Value, Words: r.Meaning, Sample: &Line{Style: RuleStyle()}}
}

// Shown tells whether the level has a place on an axis.
func (r Rule) Shown(log bool) bool { return phrase.Finite(r.Value) && (!log || r.Value >= Tiniest) }

func (r Rule) cover(_, y *Extent) { y.Add(r.Value) }

func (r Rule) draw(p pen, f frame) {
	y := f.up(r.Value)
	p.line(Line{Style: RuleStyle()}.line(), vg.Point{X: f.box.Min.X, Y: y}, vg.Point{X: f.box.Max.X, Y: y})
}

// widestAside is how long a name may be to stand at the end of its curve.
const widestAside = 84

// FitBeside tells whether the names of curves are few and short enough to stand beside them.
func FitBeside(list Lines) bool {
	letters := newTypeface()
	return len(list) <= 5 && !slices.ContainsFunc(list, func(c Line) bool { return letters.width(c.Name, smallSize) > widestAside })
}

// Dots are points without order.
type Dots struct {
	Style Style
	X, Y  []float64
	Inks  []color.NRGBA // of every point, when they differ
}

func (d Dots) cover(x, y *Extent) {
	x.Add(d.X...)
	y.Add(d.Y...)
}

// draw leaves out points that would lie on one already drawn; many are small.
func (d Dots) draw(p pen, f frame) {
	seen, near := map[[2]int]bool{}, vg.Length(1)
	if len(d.X) > 2000 {
		near = 2.5
	}
	for i := range d.X {
		if !phrase.Finite(d.X[i]) || !phrase.Finite(d.Y[i]) || f.x.Log && d.X[i] <= 0 || f.y.Log && d.Y[i] <= 0 {
			continue
		}
		at, look := f.point(d.X[i], d.Y[i]), d.Style
		if d.Inks != nil {
			look.Ink = d.Inks[i]
		}
		spot := [2]int{int(at.X / near), int(at.Y / near)}
		switch {
		case len(d.X) <= 200:
			p.mark(look, at)
		case !seen[spot]:
			p.DrawGlyphNoClip(draw.GlyphStyle{Color: faint(look.Ink, 170), Radius: 1.6, Shape: look.Mark}, at)
		}
		seen[spot] = true
	}
}

// Whiskers are intervals of points, drawn where they reach beyond the marks.
type Whiskers []Line

func (list Whiskers) cover(x, y *Extent) { Lines(list).cover(x, y) }

func (list Whiskers) draw(p pen, f frame) {
	for _, c := range list {
		for _, r := range c.Points {
			if !c.Banded && r.Low < r.High {
				p.line(draw.LineStyle{Color: c.Style.Ink, Width: 1}, f.point(r.X, r.Low), f.point(r.X, r.High))
			}
		}
	}
}
