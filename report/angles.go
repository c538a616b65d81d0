package report

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/lab"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// histograms are small multiples over the same axes.
type histograms struct {
	panels  []histogram
	outline []float64 // counts drawn over every panel that asks for it
	angle   scale
	count   scale
}

// histogram is the angles of one moment.
type histogram struct {
	title   string
	style   style
	outline bool
	mean    float64
	counts  []float64
}

const (
	columns    = 2
	barsHeight = 110
	titleRoom  = 28
	gutter     = 30
)

// histogramsOf counts the angles of a result. It returns nil when there are none.
func histogramsOf(a *lab.Angles, names []string) *histograms {
	styles := stylesOf(names)
	sets := []histogram{{title: "initial", style: style{ink: hex(0x8c959f)}}}
	angles := [][]float64{a.Initial}
	for _, name := range names {
		sets = append(sets, histogram{title: "final, " + name, style: styles[name], outline: true})
		angles = append(angles, a.Final[name])
	}
	sets = append(sets, histogram{title: "optimal", style: style{ink: hex(0x4d4d4d)}})
	angles = append(angles, a.Optimal)

	all := over(slices.Concat(angles...))
	if all.count == 0 {
		return nil
	}
	h := &histograms{}
	step := binWidth(all)
	h.angle = scale{min: math.Floor(all.low/step) * step, max: float64(math.Floor(all.high/step)*step) + step}
	highest := 1.0
	for i, s := range sets {
		some := over(angles[i])
		if some.count == 0 {
			continue
		}
		s.mean, s.counts = some.mean, h.bins(angles[i], step)
		highest = max(highest, slices.Max(s.counts))
		h.panels = append(h.panels, s)
		if i == len(sets)-1 {
			h.outline = s.counts
		}
	}
	h.count = scale{max: 1.05 * highest}
	return h
}

// binWidth is the least of 1, 2 and 5 degrees that needs no more than 36 bins for angles up to 180.
func binWidth(all spread) float64 {
	return min(niceStep((all.high-all.low)/36), 5)
}

func (h *histograms) bins(angles []float64, step float64) []float64 {
	counts := make([]float64, int(math.Round((h.angle.max-h.angle.min)/step)))
	for _, a := range angles {
		if finite(a) {
			counts[min(int((a-h.angle.min)/step), len(counts)-1)]++
		}
	}
	return counts
}

func (h *histograms) height() vg.Length {
	lines := (len(h.panels) + columns - 1) / columns
	return vg.Length(top + 8 + lines*(titleRoom+barsHeight) + panelFoot + turnsLabel + 4)
}

func (h *histograms) draw(p pen) {
	p.write(vg.Point{X: 4, Y: p.Max.Y - top - 10}, fromLeft, textSize, ink, "number of individuals")
	wide := (vg.Length(width) - left - 18 - (columns-1)*gutter) / columns
	angles := h.angle.multiples(degreeStep(h.angle.max - h.angle.min))
	for i := range angles {
		angles[i].label += "°"
	}
	counts := h.count.multiples(niceStep(h.count.max / 4))
	for i, panel := range h.panels {
		x := left + vg.Length(i%columns)*(wide+gutter)
		y := p.Max.Y - top - 8 - vg.Length(i/columns+1)*(titleRoom+barsHeight)
		f := frame{vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + wide, Y: y + barsHeight}}, h.angle, h.count}
		f.drawY(p, counts, i%columns == 0)
		panel.draw(p, f, h.outline)
		f.drawX(p, angles, i+columns >= len(h.panels))
	}
	p.write(vg.Point{X: (left + p.Max.X) / 2, Y: 6}, centred, textSize, ink, "angle between state and decision")
}

// degreeStep is a distance of labels that suits angles.
func degreeStep(span float64) float64 {
	for _, step := range []float64{1, 2, 5, 10, 20, 30} {
		if span/step <= most {
			return step
		}
	}
	return 45
}

func (g histogram) draw(p pen, f frame, outline []float64) {
	head := f.box.Max.Y + 6
	mean := "mean " + fixed(g.mean, 1) + "°"
	p.write(vg.Point{X: f.box.Max.X, Y: head}, fromRight, smallSize, pale, mean)
	room := f.box.Max.X - f.box.Min.X - p.width(mean, smallSize) - 8
	p.write(vg.Point{X: f.box.Min.X, Y: head}, fromLeft, textSize, ink, p.fit(g.title, textSize, room))

	steps := f.steps(g.counts)
	p.FillPolygon(tint(g.style.ink, 0.6), steps)
	p.line(draw.LineStyle{Color: g.style.ink, Width: 0.6}, steps...)
	if g.outline && outline != nil {
		p.line(draw.LineStyle{Color: ink, Width: 1}, f.steps(outline)...)
	}
	x := f.across(g.mean)
	p.line(draw.LineStyle{Color: ink, Width: 1, Dashes: []vg.Length{4, 2}}, vg.Point{X: x, Y: f.box.Min.Y}, vg.Point{X: x, Y: f.box.Max.Y})
}

// steps is the outline of a histogram.
func (f frame) steps(counts []float64) []vg.Point {
	step := (f.x.max - f.x.min) / float64(len(counts))
	points := []vg.Point{f.point(f.x.min, 0)}
	for i, c := range counts {
		from := f.x.min + float64(float64(i)*step)
		points = append(points, f.point(from, c), f.point(from+step, c))
	}
	return append(points, f.point(f.x.max, 0))
}
