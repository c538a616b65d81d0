package draw

import (
	"cmp"
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
	"gonum.org/v1/plot/vg"
)

// Aside is a label beside a panel, at the height of what it names: the end of a curve or a level.
type Aside struct {
	At     float64
	Words  []string
	Sample *Line // of the line that is named, before the words
}

const (
	asideGap   = 7
	asideLine  = smallSize + 2
	asideWide  = 20 // of a sample with the gap behind it
	asideApart = 4  // between two labels
	widestName = 190
)

func (a Aside) width(t typeface) vg.Length { return t.widest(a.Words, smallSize) + asideWide }

func (a Aside) height() vg.Length { return vg.Length(vg.Length(len(a.Words))*asideLine) + asideApart }

// drawBeside writes labels to the right of a frame, as near to their heights as they get without touching.
func drawBeside(p pen, f frame, list []Aside) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Aside) int { return cmp.Compare(b.At, a.At) })
	wanted, heights := make([]vg.Length, len(list)), make([]vg.Length, len(list))
	for i, a := range list {
		heights[i] = a.height()
		wanted[i] = f.up(a.At) + (asideLine+asideApart)/2 // the sample is beside the first line of words
	}
	for i, y := range stack(wanted, heights, f.box.Max.Y+(asideLine+asideApart)/2, f.box.Min.Y-(asideLine+asideApart)/2) {
		list[i].draw(p, vg.Point{X: f.box.Max.X + asideGap, Y: y})
	}
}

// stack moves the upper edges of boxes, given from above, as far apart as their heights are, between highest and lowest.
func stack(upper, heights []vg.Length, highest, lowest vg.Length) []vg.Length {
	out := slices.Clone(upper)
	for i := range out {
		out[i] = min(out[i], highest)
		highest = out[i] - heights[i]
	}
	for i := len(out) - 1; i >= 0; i-- {
		out[i] = max(out[i], lowest+heights[i])
		lowest = out[i]
	}
	return out
}

func (a Aside) draw(p pen, at vg.Point) {
	at.Y -= asideApart / 2
	a.Sample.drawSample(p, vg.Point{X: at.X, Y: at.Y - asideLine/2}, asideWide-4, true)
	at.X += asideWide
	for i, line := range a.Words {
		p.write(vg.Point{X: at.X, Y: at.Y - vg.Length(vg.Length(i+1)*asideLine) + 3}, fromLeft, smallSize, ink, line)
	}
}

// Ends labels curves where they end.
func Ends(list Lines) []Aside {
	return lists.Of(list, func(c Line) Aside {
		return Aside{At: c.Points[len(c.Points)-1].Mean, Words: []string{printable(c.Name)}, Sample: &c}
	})
}
