package draw

import (
	"cmp"

	"gonum.org/v1/plot/vg"
)

// Layer is one thing drawn in a panel: curves, bars, dots, cells, paths, a level.
type Layer interface {
	// cover widens the extents of a panel's axes by what the layer shows.
	cover(x, y *Extent)
	draw(p pen, f frame)
}

// Panel is one picture of a figure: layers over two axes.
type Panel struct {
	Title, Note string // above it, to the left and to the right
	X, Y        Axis
	Layers      []Layer
	Beside      []Aside // labels to the right of it, at their heights
}

// Extents are what the layers of all panels cover together.
func Extents(panels ...Panel) (x, y Extent) {
	x, y = Nothing(), Nothing()
	for _, p := range panels {
		for _, l := range p.Layers {
			l.cover(&x, &y)
		}
	}
	return x, y
}

// SetAxes gives all panels the same axes.
func (g *Grid) SetAxes(x, y Axis) {
	for i := range g.Panels {
		g.Panels[i].X, g.Panels[i].Y = x, y
	}
}

// Grid is a figure: panels in rows and columns under a legend. Panels that share their axes carry labels only to the left
// and below.
type Grid struct {
	Heading string
	Legend  []Entry
	Panels  []Panel
	Columns int
	Shared  bool
	Square  bool // a unit is as long upwards as across
	Bar     *ColourBar
	Width   float64 // of the figure; 0 means the usual width
	Height  float64 // of the figure; 0 means what suits the panels
}

const (
	usualWidth = 420
	margin     = 4 // nothing is nearer to the left or right edge
	top        = 6
	headLine   = 20 // a line of words above a panel
	headRoom   = 12 // what stays free above a panel without words
	ticksRoom  = 20 // below a panel with labels
	noTicks    = 10
	labelRoom  = 14
)

func (g Grid) wide() vg.Length { return cmp.Or(vg.Length(max(g.Width, 0)), usualWidth) }

func (g Grid) rows() int { return (len(g.Panels) + g.Columns - 1) / g.Columns }

// layout is where the panels of a grid lie.
type layout struct {
	left, right, gutter vg.Length
	above, head, bottom vg.Length // over all panels, over each, below all
	wide, high          vg.Length // of a panel
}

func (g Grid) layout(t typeface) layout {
	l := layout{above: top + g.headingHeight() + g.legendHeight(t), bottom: labelRoom + margin, left: margin + 12, right: g.rightMargin(t)}
	if g.Shared && g.Panels[0].Y.Label != "" {
		l.above += headLine
	}
	l.head = g.head()
	for i, p := range g.Panels {
		if i%g.Columns == 0 || !g.Shared {
			l.left = max(l.left, p.yRoom(t))
		}
	}
	l.gutter = l.left
	if g.Shared {
		l.gutter = max(22, g.Panels[0].X.widest(t)+6)
	}
	n := vg.Length(g.Columns)
	l.wide = max((g.wide()-l.left-l.right-vg.Length((n-1)*l.gutter))/n, 20)
	l.high = g.panelHeight(l)
	return l
}

func (g Grid) headingHeight() vg.Length {
	if g.Heading == "" {
		return 0
	}
	return headLine
}

// labelDrop is how far the label of the first vertical axis lies below the legend.
func (g Grid) labelDrop() vg.Length {
	if g.Shared {
		return 14
	}
	return headLine
}

// head is the room above each panel.
func (g Grid) head() vg.Length {
	head := vg.Length(headRoom)
	for _, p := range g.Panels {
		words := vg.Length(headRoom)
		if p.Title != "" || p.Note != "" {
			words += headLine - 6
		}
		if !g.Shared && p.Y.Label != "" {
			words += headLine
		}
		head = max(head, words)
	}
	return head
}

// yRoom is what the labels of the vertical axis need.
func (p Panel) yRoom(t typeface) vg.Length {
	return max(p.Y.widest(t)+6+margin, 30)
}

// rightMargin has room for labels beside the panels, a colour bar, and half of the last label below.
func (g Grid) rightMargin(t typeface) vg.Length {
	need := vg.Length(14)
	for _, p := range g.Panels {
		if ticks := p.X.ticks(1e9, oftenX); len(ticks) > 0 {
			need = max(need, t.width(ticks[len(ticks)-1].Label, smallSize)/2+margin)
		}
		for _, a := range p.Beside {
			need = max(need, a.width(t)+asideGap+margin)
		}
	}
	if g.Bar != nil {
		need = max(need, g.Bar.width(t)+margin)
	}
	return need
}

// foot is the room below the panels of a row.
func (g Grid) foot(row int) vg.Length {
	if g.Shared && (row+2)*g.Columns <= len(g.Panels) {
		return noTicks
	}
	return ticksRoom
}

func (g Grid) panelHeight(l layout) vg.Length {
	switch {
	case g.Height > 0:
		rest := vg.Length(g.Height) - l.above - l.bottom
		for row := range g.rows() {
			rest -= l.head + g.foot(row)
		}
		return max(rest/vg.Length(g.rows()), 20)
	case g.Square:
		p := g.Panels[0]
		return max(l.wide*vg.Length((p.Y.Max-p.Y.Min)/(p.X.Max-p.X.Min)), 20)
	case g.Columns > 1:
		return 110
	case len(g.Panels) > 1:
		return 160
	}
	return 210
}

// Size is the width and height of the figure.
func (g Grid) size(t typeface) (width, height vg.Length) {
	l := g.layout(t)
	height = l.above + l.bottom
	for row := range g.rows() {
		height += l.head + l.high + g.foot(row)
	}
	return g.wide(), max(height, vg.Length(g.Height))
}

func (g Grid) draw(p pen) {
	l := g.layout(p.typeface)
	p.write(vg.Point{X: margin, Y: p.Max.Y - top - 12}, fromLeft, titleSize, ink, p.fit(g.Heading, titleSize, g.wide()-2*margin))
	g.drawLegend(p, p.Max.Y-top-g.headingHeight())
	if g.Shared {
		p.write(vg.Point{X: margin, Y: p.Max.Y - l.above + headLine - g.labelDrop()}, fromLeft, textSize, ink, p.fit(g.Panels[0].Y.Label, textSize, g.wide()-2*margin))
	}
	y := p.Max.Y - l.above
	first := y
	for row := range g.rows() {
		y -= l.head + l.high
		for column := range g.Columns {
			if i := row*g.Columns + column; i < len(g.Panels) {
				x := l.left + vg.Length(vg.Length(column)*(l.wide+l.gutter))
				box := vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + l.wide, Y: y + l.high}}
				g.drawPanel(p, i, box)
			}
		}
		y -= g.foot(row)
	}
	g.drawAcross(p, l, y-8)
	if g.Bar != nil {
		at := vg.Point{X: g.wide() - l.right + barGap, Y: y + g.foot(g.rows()-1)}
		g.Bar.draw(p, vg.Rectangle{Min: at, Max: vg.Point{X: at.X + barWide, Y: first - l.head}})
	}
}

// drawAcross writes what the horizontal axis is, below the middle of the panels if there is room.
func (g Grid) drawAcross(p pen, l layout, y vg.Length) {
	label := p.fit(g.Panels[0].X.Label, textSize, g.wide()-2*margin)
	half := p.width(label, textSize) / 2
	middle := min(max((l.left+g.wide()-l.right)/2, margin+half), g.wide()-margin-half)
	p.write(vg.Point{X: middle, Y: y}, centred, textSize, ink, label)
}

// drawPanel draws panel i in its box. Its axes are labelled unless a neighbour's labels serve.
func (g Grid) drawPanel(p pen, i int, box vg.Rectangle) {
	panel := g.Panels[i]
	f := frame{box, panel.X, panel.Y}
	g.drawHead(p, f, panel)
	f.drawY(p, !g.Shared || i%g.Columns == 0)
	for _, l := range panel.Layers {
		l.draw(p, f)
	}
	f.drawX(p, !g.Shared || i+g.Columns >= len(g.Panels))
	drawBeside(p, f, panel.Beside)
}

func (g Grid) drawHead(p pen, f frame, panel Panel) {
	y := f.box.Max.Y + 6
	title := p.fit(panel.Title, textSize, f.wide())
	if p.width(title, textSize)+8+p.width(panel.Note, smallSize) <= f.wide() {
		p.write(vg.Point{X: f.box.Max.X, Y: y}, fromRight, smallSize, pale, panel.Note)
	}
	if title != "" {
		p.write(vg.Point{X: f.box.Min.X, Y: y}, fromLeft, textSize, ink, title)
		y += headLine - 6
	}
	if !g.Shared && panel.Y.Label != "" {
		label := p.fit(panel.Y.Label, textSize, g.wide()-2*margin)
		p.write(vg.Point{X: f.box.Min.X - g.layout(p.typeface).left + margin, Y: y + 6}, fromLeft, textSize, ink, label)
	}
}

// lines breaks the legend into lines that fit.
func (g Grid) lines(t typeface) [][]Entry {
	var lines [][]Entry
	x := g.wide()
	for _, e := range g.Legend {
		w := e.width(t)
		if x+w > g.wide()-margin || e.Fresh {
			lines = append(lines, nil)
			x = 4
		}
		lines[len(lines)-1] = append(lines[len(lines)-1], e)
		x += w + entryGap
	}
	return lines
}

// inline tells whether the legend is a few words that fit beside the label of the vertical axis, on its line.
func (g Grid) inline(t typeface) bool {
	if len(g.Legend) != 1 || g.Legend[0].Sample != nil || len(g.Panels) > 1 && !g.Shared {
		return false
	}
	label := g.Panels[0].Y.Label
	return label != "" && t.width(label, textSize)+entryGap+t.width(g.Legend[0].Words, textSize) <= g.wide()-2*margin
}

func (g Grid) legendHeight(t typeface) vg.Length {
	if g.inline(t) {
		return 0
	}
	return vg.Length(len(g.lines(t))) * legendLine
}

func (g Grid) drawLegend(p pen, y vg.Length) {
	if g.inline(p.typeface) {
		p.write(vg.Point{X: g.wide() - margin, Y: y - g.labelDrop()}, fromRight, textSize, pale, g.Legend[0].Words)
		return
	}
	for _, line := range g.lines(p.typeface) {
		x := vg.Length(4)
		for _, e := range line {
			e.draw(p, vg.Point{X: x, Y: y - 12})
			x += e.width(p.typeface) + entryGap
		}
		y -= legendLine
	}
}

// ColumnsFor arranges panels: up to three beside each other.
func ColumnsFor(panels int) int {
	switch {
	case panels == 1:
		return 1
	case panels == 2 || panels == 4:
		return 2
	}
	return 3
}
