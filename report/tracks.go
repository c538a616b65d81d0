package report

import (
	"math"

	"github.com/kedge-opt/kedge/internal/phrase"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// place is a point of a picture.
type place struct{ x, y float64 }

// track is where something went.
type track []place

// tracks are the paths of individuals, faint, and of the decision, strong. A path begins at a ring and ends at a dot.
type tracks struct {
	style    style
	people   []track
	decision track
	optimum  []place // where the decision should go; none when it has no place in the picture
	circle   bool    // the unit circle is drawn, too
}

func (l tracks) cover(x, y *extent) {
	for _, t := range append(append([]track{l.optimum}, l.people...), l.decision) {
		for _, p := range t {
			x.add(p.x)
			y.add(p.y)
		}
	}
	if l.circle {
		x.add(-1, 1)
		y.add(-1, 1)
	}
}

var (
	faintLine  = draw.LineStyle{Color: faint(pale, 100), Width: 0.6}
	ringLine   = draw.LineStyle{Color: pale, Width: 0.7}
	circleLine = draw.LineStyle{Color: faint(dim, 160), Width: 0.6, Dashes: []vg.Length{2, 2}}
)

func (l tracks) draw(p pen, f frame) {
	if l.circle {
		p.line(circleLine, circle(f)...)
	}
	paths := l.paths(f)
	for _, points := range paths {
		p.line(faintLine, points...)
	}
	for _, points := range paths {
		p.ring(points[0])
	}
	for _, points := range paths {
		p.DrawGlyphNoClip(draw.GlyphStyle{Color: tint(l.style.ink, 0.75), Radius: 1.7, Shape: draw.CircleGlyph{}}, points[len(points)-1])
	}
	for _, at := range l.optimum {
		p.cross(f.point(at.x, at.y))
	}
	l.drawDecision(p, l.decision.points(f, 1))
}

// paths are those of individuals on the canvas, the coarser the more there are.
func (l tracks) paths(f frame) (all [][]vg.Point) {
	step := vg.Length(1)
	if len(l.people) > 50 {
		step = 4
	}
	for _, t := range l.people {
		if points := t.points(f, step); len(points) > 0 {
			all = append(all, points)
		}
	}
	return all
}

func (l tracks) drawDecision(p pen, points []vg.Point) {
	if len(points) == 0 {
		return
	}
	p.line(draw.LineStyle{Color: paper, Width: 3.4}, points...)
	p.line(draw.LineStyle{Color: l.style.ink, Width: 1.8}, points...)
	p.mark(style{paper, l.style.mark}, points[0])
	p.outline(l.style, points[0])
	p.mark(l.style, points[len(points)-1])
}

// some keeps at most n of the individuals, at equal distances.
func (l tracks) some(n int) tracks {
	if len(l.people) <= n {
		return l
	}
	kept := make([]track, n)
	for i := range kept {
		kept[i] = l.people[i*len(l.people)/n]
	}
	l.people = kept
	return l
}

// points are the path on the canvas, without steps shorter than one that is worth drawing.
func (t track) points(f frame, step vg.Length) []vg.Point {
	var out []vg.Point
	for i, at := range t {
		if !phrase.Finite(at.x) || !phrase.Finite(at.y) {
			continue
		}
		p := f.point(at.x, at.y)
		if n := len(out); n > 0 && i < len(t)-1 && math.Hypot(float64(p.X-out[n-1].X), float64(p.Y-out[n-1].Y)) < float64(step) {
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
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / corners)
		out[i] = f.point(cos, sin)
	}
	return out
}

// ring marks where an individual begins.
func (p pen) ring(at vg.Point) {
	p.DrawGlyphNoClip(draw.GlyphStyle{Color: paper, Radius: 1.7, Shape: draw.CircleGlyph{}}, at)
	p.SetLineStyle(ringLine)
	p.Stroke(arc(at, 1.7))
}

// outline marks where a decision begins.
func (p pen) outline(s style, at vg.Point) {
	p.SetLineStyle(draw.LineStyle{Color: s.ink, Width: 1.2})
	p.Stroke(arc(at, 2.8))
}

func arc(at vg.Point, radius vg.Length) vg.Path {
	var path vg.Path
	path.Move(vg.Point{X: at.X + radius, Y: at.Y})
	path.Arc(at, radius, 0, 2*math.Pi)
	path.Close()
	return path
}

// cross marks the optimum.
func (p pen) cross(at vg.Point) {
	const arm = 5.5
	for _, ground := range []draw.LineStyle{{Color: paper, Width: 3.2}, {Color: ink, Width: 1.4}} {
		p.line(ground, vg.Point{X: at.X - arm, Y: at.Y - arm}, vg.Point{X: at.X + arm, Y: at.Y + arm})
		p.line(ground, vg.Point{X: at.X - arm, Y: at.Y + arm}, vg.Point{X: at.X + arm, Y: at.Y - arm})
	}
}
