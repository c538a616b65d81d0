package draw

import (
	"cmp"
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
	"gonum.org/v1/plot/vg"
)

// Aside is a label beside a panel, at the height of what it names: the end of a curve or a level.
type Aside struct {
	At    float64
	Words []string
	Style *Style // a mark before the words, or none
}

const (
	asideGap   = 7
	asideLine  = smallSize + 2
	asideMark  = 9
	widestName = 190
)

func (a Aside) width(t typeface) vg.Length {
	wide := vg.Length(0)
	for _, line := range a.Words {
		wide = max(wide, t.width(line, smallSize))
	}
	if a.Style != nil {
		wide += asideMark
	}
	return wide
}

func (a Aside) height() vg.Length { return vg.Length(len(a.Words)) * asideLine }

// drawBeside writes labels to the right of a frame, as near to their heights as they get without touching.
func drawBeside(p pen, f frame, list []Aside) {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Aside) int { return cmp.Compare(b.At, a.At) })
	wanted, heights := make([]vg.Length, len(list)), make([]vg.Length, len(list))
	for i, a := range list {
		heights[i] = a.height()
		wanted[i] = f.up(a.At) + heights[i]/2
	}
	for i, y := range stack(wanted, heights, f.box.Max.Y+asideLine/2, f.box.Min.Y-asideLine/2) {
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
	if a.Style != nil {
		p.mark(*a.Style, vg.Point{X: at.X + 2, Y: at.Y - asideLine/2})
		at.X += asideMark
	}
	for i, line := range a.Words {
		p.write(vg.Point{X: at.X, Y: at.Y - vg.Length(vg.Length(i+1)*asideLine) + 3}, fromLeft, smallSize, ink, line)
	}
}

// Ends labels curves where they end.
func Ends(list Lines) []Aside {
	return lists.Of(list, func(c Line) Aside {
		return Aside{At: c.Points[len(c.Points)-1].Mean, Words: []string{printable(c.Name)}, Style: &c.Style}
	})
}
