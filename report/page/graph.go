package page

import (
	"image/color"
	"slices"
	"strconv"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/report/draw"
)

// Graph is an interactive chart of one quantity, over the turns or over a key.
type Graph struct {
	ID      string      `json:"id"`
	Title   string      `json:"title"`
	About   string      `json:"-"`
	Label   string      `json:"label"`
	Along   string      `json:"along"` // what the horizontal axis shows
	LogX    bool        `json:"logx"`
	Log     bool        `json:"log"`     // begin with a logarithmic axis
	Percent bool        `json:"percent"` // the quantity is relative
	Digits  int         `json:"digits"`  // that say something
	Lines   []GraphLine `json:"lines"`
	Rules   []GraphRule `json:"rules"`
	Twin    bool        `json:"-"` // a figure of this name shows the same; it is left to those who run no scripts

	places []float64 // of the last line
}

// GraphLine is one method: the mean over trials and, when there are several, the least and the greatest.
type GraphLine struct {
	Name  string    `json:"name"`
	Light string    `json:"light"` // its colour on white
	Dark  string    `json:"dark"`  // and on black
	Dash  []int     `json:"dash,omitempty"`
	X     []float64 `json:"x,omitempty"` // left out when it is that of the line before
	Mean  *Rounded  `json:"mean"`
	Low   *Rounded  `json:"low,omitempty"`
	High  *Rounded  `json:"high,omitempty"`
}

// GraphRule is a level to compare with.
type GraphRule struct {
	Value float64 `json:"value"`
	Label string  `json:"label"`
}

// Rounded is numbers that are written with so many digits.
type Rounded struct {
	Values []float64
	digits int
}

// largest keeps rounding from making an infinity of a number.
const largest = 1e300

// MarshalJSON writes a list of short numbers.
func (r Rounded) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, v := range r.Values {
		if i > 0 {
			out = append(out, ',')
		}
		out = strconv.AppendFloat(out, min(max(v, -largest), largest), 'g', r.digits, 64)
	}
	return append(out, ']'), nil
}

// Add draws a line through the points of another, none without points.
func (g *Graph) Add(line draw.Line) {
	if len(line.Points) == 0 {
		return
	}
	rounded := func(of func(draw.LinePoint) float64) *Rounded { return &Rounded{lists.Of(line.Points, of), g.Digits} }
	l := GraphLine{Name: line.Name, Light: css(line.Style.Ink), Dark: css(draw.OnDark(line.Style.Ink)), Dash: line.Style.Dash}
	l.Mean = rounded(func(p draw.LinePoint) float64 { return p.Mean })
	if line.Banded {
		l.Low, l.High = rounded(func(p draw.LinePoint) float64 { return p.Low }), rounded(func(p draw.LinePoint) float64 { return p.High })
	}
	if x := lists.Of(line.Points, func(p draw.LinePoint) float64 { return p.X }); !slices.Equal(x, g.places) {
		l.X, g.places = x, x
	}
	g.Lines = append(g.Lines, l)
}

func css(c color.NRGBA) string {
	return "#" + strconv.FormatUint(1<<24|uint64(c.R)<<16|uint64(c.G)<<8|uint64(c.B), 16)[1:]
}
