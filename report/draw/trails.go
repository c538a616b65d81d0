package draw

import (
	"math"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Spot is a point of a picture.
type Spot struct{ X, Y float64 }

// Trail is where something went.
type Trail []Spot

// Trails are the paths of individuals, faint, and of the decision, strong. A path begins at a ring and ends at a dot.
type Trails struct {
	Style    Style
	People   []Trail
	Decision Trail
	Optimum  []Spot // where the decision should go; none when it has no place in the picture
	Circle   bool   // the unit circle is drawn, too
}

func (l Trails) cover(x, y *Extent) {
	for _, t := range append(append([]Trail{l.Optimum}, l.People...), l.Decision) {
		for _, p := range t {
			x.Add(p.X)
			y.Add(p.Y)
		}
	}
	if l.Circle {
		x.Add(-1, 1)
		y.Add(-1, 1)
	}
}

var (
	faintLine  = draw.LineStyle{Color: faint(pale, 100), Width: 0.6}
	ringLine   = draw.LineStyle{Color: pale, Width: 0.7}
	circleLine = draw.LineStyle{Color: faint(dim, 160), Width: 0.6, Dashes: []vg.Length{2, 2}}
)

func (l Trails) draw(p pen, f frame) {
	if l.Circle {
		p.line(circleLine, circle(f)...)
	}
	paths := l.paths(f)
	for _, points := range paths {
		p.line(faintLine, points...)
	}
	for _, points := range paths {
		p.DrawGlyphNoClip(draw.GlyphStyle{Color: paper, Radius: 1.7, Shape: draw.CircleGlyph{}}, points[0])
		p.ring(ringLine, points[0], 1.7)
	}
	for _, points := range paths {
		p.DrawGlyphNoClip(draw.GlyphStyle{Color: Tint(l.Style.Ink, 0.75), Radius: 1.7, Shape: draw.CircleGlyph{}}, points[len(points)-1])
	}
	for _, at := range l.Optimum {
		p.cross(f.point(at.X, at.Y))
	}
	l.drawDecision(p, l.Decision.points(f, 1))
}

// paths are those of individuals on the canvas, the coarser the more there are.
func (l Trails) paths(f frame) (all [][]vg.Point) {
	step := vg.Length(1)
	if len(l.People) > 50 {
		step = 4
	}
	for _, t := range l.People {
		if points := t.points(f, step); len(points) > 0 {
			all = append(all, points)
		}
	}
	return all
}

func (l Trails) drawDecision(p pen, points []vg.Point) {
	if len(points) == 0 {
		return
	}
	p.line(draw.LineStyle{Color: paper, Width: 3.4}, points...)
	p.line(draw.LineStyle{Color: l.Style.Ink, Width: 1.8}, points...)
	p.mark(Style{Ink: paper, Mark: l.Style.Mark}, points[0])
	p.ring(draw.LineStyle{Color: l.Style.Ink, Width: 1.2}, points[0], 2.8)
	p.mark(l.Style, points[len(points)-1])
}

// Some keeps at most n of the individuals, at equal distances.
func (l Trails) Some(n int) Trails {
	if len(l.People) <= n {
		return l
	}
	kept := make([]Trail, n)
	for i := range kept {
		kept[i] = l.People[i*len(l.People)/n]
	}
	l.People = kept
	return l
}

// points are the path on the canvas, without steps shorter than one that is worth drawing.
func (t Trail) points(f frame, step vg.Length) []vg.Point {
	var out []vg.Point
	for i, at := range t {
		if !phrase.Finite(at.X) || !phrase.Finite(at.Y) {
			continue
		}
		p := f.point(at.X, at.Y)
		if n := len(out); n > 0 && i < len(t)-1 && portable.Hypot(float64(p.X-out[n-1].X), float64(p.Y-out[n-1].Y)) < float64(step) {
			continue
		}
		out = append(out, p)
	}
	return out
}

// circle is the unit circle.
func circle(f frame) []vg.Point {
	const corners = 120
	out := make([]vg.Point, corners+1)
	for i := range out {
		sin, cos := portable.Sincos(2 * math.Pi * float64(i) / corners)
		out[i] = f.point(cos, sin)
	}
	return out
}

// ring draws a circle around a point.
func (p pen) ring(line draw.LineStyle, at vg.Point, radius vg.Length) {
	var path vg.Path
	path.Move(vg.Point{X: at.X + radius, Y: at.Y})
	path.Arc(at, radius, 0, 2*math.Pi)
	path.Close()
	p.SetLineStyle(line)
	p.Stroke(path)
}

// cross marks the optimum.
func (p pen) cross(at vg.Point) {
	const arm = 5.5
	for _, ground := range []draw.LineStyle{{Color: paper, Width: 3.2}, {Color: ink, Width: 1.4}} {
		p.line(ground, vg.Point{X: at.X - arm, Y: at.Y - arm}, vg.Point{X: at.X + arm, Y: at.Y + arm})
		p.line(ground, vg.Point{X: at.X - arm, Y: at.Y + arm}, vg.Point{X: at.X + arm, Y: at.Y - arm})
	}
}
