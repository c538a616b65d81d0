package page

import (
	"encoding/json"
	"image/color"
	"slices"
	"strconv"

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
}

// GraphLine is one method: the mean over trials and, when there are several, the least and the greatest.
type GraphLine struct {
	Name  string    `json:"name"`
	Light string    `json:"light"` // its colour on white
	Dark  string    `json:"dark"`  // and on black
	Dash  []int     `json:"dash,omitempty"`
	X     []float64 `json:"x,omitempty"` // left out when it is that of the line before
	Mean  Rounded   `json:"mean"`
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

// Compact leaves out what a line has in common with the one before.
func (g *Graph) Compact() {
	var before []float64
	for i := range g.Lines {
		x := g.Lines[i].X
		if slices.Equal(x, before) {
			g.Lines[i].X = nil
		}
		before = x
	}
}

// NewGraphLine is a line without points; a banded one has room for the least and the greatest.
func NewGraphLine(name string, ink color.NRGBA, dash []int, digits int, banded bool) GraphLine {
	l := GraphLine{Name: name, Light: css(ink), Dark: css(draw.Tint(ink, 0.72)), Dash: dash, Mean: Rounded{digits: digits}}
	if banded {
		l.Low, l.High = &Rounded{digits: digits}, &Rounded{digits: digits}
	}
	return l
}

// Add appends points.
func (l *GraphLine) Add(rows ...draw.LinePoint) {
	for _, r := range rows {
		l.X = append(l.X, r.X)
		l.Mean.Values = append(l.Mean.Values, r.Mean)
		if l.Low != nil {
			l.Low.Values, l.High.Values = append(l.Low.Values, r.Low), append(l.High.Values, r.High)
		}
	}
}

func css(c color.NRGBA) string {
	return "#" + strconv.FormatUint(1<<24|uint64(c.R)<<16|uint64(c.G)<<8|uint64(c.B), 16)[1:]
}

// embedded is the graphs as a page carries them; angle brackets are escaped.
func embedded(graphs []Graph) ([]byte, error) {
	if graphs == nil {
		graphs = []Graph{}
	}
	return json.Marshal(graphs)
}
