package draw

import (
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// Data is the numbers behind one line, row of bars, cloud of points or heat map of a figure.
type Data struct {
	Panel string     `json:"panel,omitempty"`
	Name  string     `json:"name,omitempty"`
	X     []*float64 `json:"x,omitempty"`
	Y     []*float64 `json:"y"`
	Low   []*float64 `json:"low,omitempty"`
	High  []*float64 `json:"high,omitempty"`
}

// data lists the numbers that the panels show; those that are not finite are null.
func (g Grid) data() (list []Data) {
	for _, p := range g.Panels {
		for _, l := range p.Layers {
			if shown, ok := l.(interface{ data() []Data }); ok {
				for _, d := range shown.data() {
					d.Panel = p.Title
					list = append(list, d)
				}
			}
		}
	}
	return list
}

// nullable is numbers as JSON can hold them.
func nullable(numbers []float64) []*float64 {
	list := make([]*float64, len(numbers))
	for i, v := range numbers {
		if phrase.Finite(v) {
			list[i] = &v
		}
	}
	return list
}

func (list Lines) data() []Data {
	return lists.Of(list, func(line Line) Data {
		x, y := make([]float64, len(line.Points)), make([]float64, len(line.Points))
		low, high := slices.Clone(x), slices.Clone(x)
		for i, p := range line.Points {
			x[i], y[i], low[i], high[i] = p.X, p.Mean, p.Low, p.High
		}
		d := Data{Name: line.Name, X: nullable(x), Y: nullable(y)}
		if !slices.Equal(low, y) || !slices.Equal(high, y) {
			d.Low, d.High = nullable(low), nullable(high)
		}
		return d
	})
}

func (b Bars) data() []Data { return []Data{{X: nullable(b.Edges), Y: nullable(b.Counts)}} }

func (d Dots) data() []Data { return []Data{{X: nullable(d.X), Y: nullable(d.Y)}} }

func (c Cells) data() []Data { return []Data{{Y: nullable(c.Values)}} }
