package report

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bars are a histogram: counts of equal bins from a number on.
type bars struct {
	style   style
	from    float64
	step    float64
	counts  []float64
	outline []float64 // of another histogram over the same bins, drawn over it
	mean    float64   // marked by a dashed line, unless NaN
}

func (b bars) cover(x, y *extent) {
	x.add(b.from, b.from+float64(b.step*float64(len(b.counts))))
	y.add(0, 1.05*slices.Max(b.counts))
}

func (b bars) draw(p pen, f frame) {
	steps := b.steps(f, b.counts)
	p.FillPolygon(tint(b.style.ink, 0.6), steps)
	p.line(draw.LineStyle{Color: b.style.ink, Width: 0.6}, steps...)
	if b.outline != nil {
		p.line(draw.LineStyle{Color: ink, Width: 1}, b.steps(f, b.outline)...)
	}
	if finite(b.mean) {
		x := f.across(b.mean)
		dashes := draw.LineStyle{Color: ink, Width: 1, Dashes: []vg.Length{4, 2}}
		p.line(dashes, vg.Point{X: x, Y: f.box.Min.Y}, vg.Point{X: x, Y: f.box.Max.Y})
	}
}

// steps is the outline of a histogram.
func (b bars) steps(f frame, counts []float64) []vg.Point {
	points := []vg.Point{f.point(b.from, 0)}
	for i, c := range counts {
		from := b.from + float64(float64(i)*b.step)
		points = append(points, f.point(from, c), f.point(from+b.step, c))
	}
	return append(points, f.point(b.from+float64(float64(len(counts))*b.step), 0))
}

// bin counts the finite ones of some numbers in bins of a step.
func bin(numbers []float64, from, step float64, bins int) []float64 {
	counts := make([]float64, bins)
	for _, v := range numbers {
		if finite(v) {
			counts[min(max(int((v-from)/step), 0), bins-1)]++
		}
	}
	return counts
}

// binsOver covers an extent with whole bins of a step.
func binsOver(e extent, step float64) (from float64, bins int) {
	from = math.Floor(e.low/step) * step
	return from, int(math.Floor(e.high/step)-math.Floor(e.low/step)) + 1
}
