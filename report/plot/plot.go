// Package plot draws columns of results: those of a run's series and of a sweep's table, as lines, points, bars and colours. What
// is not said is chosen from the data.
package plot

import (
	"cmp"
	"fmt"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/report/draw"
)

// Kind is a way to draw.
type Kind string

// The ways to draw. Without one the data choose: two numeric keys of a sweep make a heat map, everything else lines.
const (
	Line    Kind = "line"    // Y over X, one line for every value of By
	Scatter Kind = "scatter" // Y over X as points, coloured by By
	Hist    Kind = "hist"    // how often numbers of X occur
	Heat    Kind = "heat"    // Y as colour over X and By
)

// Band is what surrounds a mean.
type Band string

// The bands of lines: from the least to the greatest, the middle eight tenths, or none.
const (
	MinMax    Band = "minmax"
	Quantiles Band = "quantiles"
	NoBand    Band = "none"
)

// Plot says what to draw from sheets. Whatever is left empty is chosen from the data.
type Plot struct {
	X, Y, By      string   // columns
	Facet         string   // the column whose values get panels of their own
	Kind          Kind     //
	Log           string   // the logarithmic axes: x, y, xy or none; of a heat map y is the colour
	Band          Band     //
	Where         []string // COLUMN=VALUE: rows to draw; VALUE may be last or first
	Title         string
	XLabel        string   // words for the axes instead of their own
	YLabel        string   //
	Rename        []string // OLD=NEW: other names for methods, folders, values and columns
	Width, Height float64  // in points
}

// Draw draws the plot from one or more sheets. Its caption says what was drawn.
func (p Plot) Draw(sheets ...*Sheet) (draw.Figure, error) {
	s, err := p.Sketch(sheets...)
	if err != nil {
		return draw.Figure{}, err
	}
	return s.Render()
}

// Sketch is the plot, yet to be rendered.
func (p Plot) Sketch(sheets ...*Sheet) (draw.Sketch, error) {
	d, err := p.data(sheets)
	if err != nil {
		return draw.Sketch{}, err
	}
	s, err := d.sketch()
	if err == nil {
		err = d.unused()
	}
	if err != nil {
		return draw.Sketch{}, err
	}
	for i := range s.Panels {
		s.Panels[i].X.Label, s.Panels[i].Y.Label = cmp.Or(p.XLabel, s.Panels[i].X.Label), cmp.Or(p.YLabel, s.Panels[i].Y.Label)
	}
	s.Title, s.Name = cmp.Or(p.Title, s.Title), "plot"
	s.Heading = p.Title
	s.Zoom, s.Width, s.Height = draw.Printed(p.Width, p.Height)
	if need := s.Lacks(); need > 0 {
		return draw.Sketch{}, fmt.Errorf("--size: %s need a height of %.1f cm", phrase.Count(len(s.Panels), "panel"), need*2.54/72)
	}
	return s, nil
}

// sketch draws by kind.
func (d *plotted) sketch() (draw.Sketch, error) {
	switch d.Kind {
	case Hist:
		return d.histogram()
	case Heat:
		return d.heat()
	case Scatter:
		return d.scatter()
	}
	return d.lines()
}
