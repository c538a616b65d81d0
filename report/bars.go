package report

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// bars are a histogram: counts between edges.
type bars struct {
	style   style
	edges   []float64
	counts  []float64
	outline []float64 // of another histogram over the same bins, drawn over it
	mean    float64   // marked by a dashed line, unless NaN
}

func (b bars) cover(x, y *extent) {
	x.add(b.edges...)
	y.add(0, 1.05*slices.Max(b.counts))
}

func (b bars) draw(p pen, f frame) {
	steps := b.steps(f, b.counts)
	p.FillPolygon(tint(b.style.ink, 0.6), steps)
	p.line(draw.LineStyle{Color: b.style.ink, Width: 0.6}, steps...)
	if b.outline != nil {
		p.line(draw.LineStyle{Color: ink, Width: 1}, b.steps(f, b.outline)...)
	}
	if phrase.Finite(b.mean) {
		x := f.across(b.mean)
		dashes := draw.LineStyle{Color: ink, Width: 1, Dashes: []vg.Length{4, 2}}
		p.line(dashes, vg.Point{X: x, Y: f.box.Min.Y}, vg.Point{X: x, Y: f.box.Max.Y})
	}
}

// steps is the outline of a histogram.
func (b bars) steps(f frame, counts []float64) []vg.Point {
	points := []vg.Point{f.point(b.edges[0], 0)}
	for i, c := range counts {
		points = append(points, f.point(b.edges[i], c), f.point(b.edges[i+1], c))
	}
	return append(points, f.point(b.edges[len(counts)], 0))
}

// bin counts the finite ones of some numbers between edges. The first and the last bin take what lies beyond.
func bin(numbers, edges []float64) []float64 {
	counts := make([]float64, len(edges)-1)
	for _, v := range numbers {
		if phrase.Finite(v) {
			i, found := slices.BinarySearch(edges, v)
			if !found {
				i--
			}
			counts[min(max(i, 0), len(counts)-1)]++
		}
	}
	return counts
}

// edgesOver covers an extent with whole bins of a step.
func edgesOver(e extent, step float64) []float64 {
	from, to := math.Floor(e.low/step), math.Floor(e.high/step)+1
	var edges []float64
	for i := from; i <= to; i++ {
		edges = append(edges, float64(i*step))
	}
	return edges
}
