package draw

import (
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars are a histogram: counts between edges.
type Bars struct {
	Style   Style
	Edges   []float64
	Counts  []float64
	Outline []float64 // of another histogram over the same bins, drawn over it
	Mean    float64   // marked by a dashed line, unless NaN
}

// MeanStyle and OutlineStyle are how bars mark their mean and show another histogram.
func MeanStyle() Style { return Style{Ink: ink, Dash: []int{4, 2}} }

// OutlineStyle is solid.
func OutlineStyle() Style { return Style{Ink: ink} }

func (b Bars) cover(x, y *Extent) {
	x.Add(b.Edges...)
	y.Add(0, 1.05*slices.Max(b.Counts))
}

func (b Bars) draw(p pen, f frame) {
	steps := b.steps(f, b.Counts)
	p.FillPolygon(Tint(b.Style.Ink, 0.6), steps)
	p.line(draw.LineStyle{Color: b.Style.Ink, Width: 0.6}, steps...)
	if b.Outline != nil {
		p.line(Line{Style: OutlineStyle()}.line(), b.steps(f, b.Outline)...)
	}
	if phrase.Finite(b.Mean) {
		x := f.across(b.Mean)
		p.line(Line{Style: MeanStyle()}.line(), vg.Point{X: x, Y: f.box.Min.Y}, vg.Point{X: x, Y: f.box.Max.Y})
	}
}

// steps is the outline of a histogram.
func (b Bars) steps(f frame, counts []float64) []vg.Point {
	points := []vg.Point{f.point(b.Edges[0], 0)}
	for i, c := range counts {
		points = append(points, f.point(b.Edges[i], c), f.point(b.Edges[i+1], c))
	}
	return append(points, f.point(b.Edges[len(counts)], 0))
}

// Bin counts the finite ones of some numbers between edges. The first and the last bin take what lies beyond.
func Bin(numbers, edges []float64) []float64 {
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

// EdgesOver covers an extent with whole bins of a step.
func EdgesOver(e Extent, step float64) []float64 {
	from, to := math.Floor(e.Low/step), math.Floor(e.High/step)+1
	var edges []float64
	for i := from; i <= to; i++ {
		edges = append(edges, float64(i*step))
	}
	return edges
}

// BinEdges covers an extent with some twenty bins.
func BinEdges(all Extent, log bool) []float64 {
	const bins = 24
	if !log {
		s := linearRuler(all.Low, all.High)
		if all.Low == all.High {
			all = Extent{s.Min, s.Max}
		}
		return EdgesOver(all, NiceStep((all.High-all.Low)/bins))
	}
	s := LogRuler(max(all.Low, Tiniest), max(all.High, Tiniest))
	edges := make([]float64, bins+1)
	for i := range edges {
		share := float64(i) / bins
		edges[i] = portable.Exp(float64((1-share)*portable.Log(s.Min)) + float64(share*portable.Log(s.Max)))
	}
	edges[0], edges[bins] = s.Min, s.Max
	return edges
}
