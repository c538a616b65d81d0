package report

import (
	"gonum.org/v1/plot/vg"
)

// layer is one thing drawn in a panel: curves, bars, dots, cells, paths, a level.
type layer interface {
	// cover widens the extents of a panel's axes by what the layer shows.
	cover(x, y *extent)
	draw(p pen, f frame)
}

// panel is one picture of a figure: layers over two axes.
type panel struct {
	title, note string // above it, to the left and to the right
	x, y        axis
	layers      []layer
	beside      []aside // labels to the right of it, at their heights
}

// extents are what the layers of all panels cover together.
func extents(panels ...panel) (x, y extent) {
	x, y = nothing(), nothing()
	for _, p := range panels {
		for _, l := range p.layers {
			l.cover(&x, &y)
		}
	}
	return x, y
}

// grid is a figure: panels in rows and columns under a legend. Panels that share their axes carry labels only to the left
// and below.
type grid struct {
	heading string
	legend  []entry
	panels  []panel
	columns int
	shared  bool
	square  bool // a unit is as long upwards as across
	bar     *colourBar
	width   vg.Length // of the figure; 0 means the usual width
	height  vg.Length // of the figure; 0 means what suits the panels
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

func (g grid) wide() vg.Length {
	if g.width > 0 {
		return g.width
	}
	return usualWidth
}

func (g grid) rows() int { return (len(g.panels) + g.columns - 1) / g.columns }

// layout is where the panels of a grid lie.
type layout struct {
	left, right, gutter vg.Length
	above, head, bottom vg.Length // over all panels, over each, below all
	wide, high          vg.Length // of a panel
}

func (g grid) layout(t typeface) layout {
	l := layout{above: top + g.headingHeight() + g.legendHeight(t), bottom: labelRoom + margin, left: margin + 12, right: g.rightMargin(t)}
	if g.shared && g.panels[0].y.label != "" {
		l.above += headLine
	}
	l.head = g.head()
	for i, p := range g.panels {
		if i%g.columns == 0 || !g.shared {
			l.left = max(l.left, p.yRoom(t))
		}
	}
	l.gutter = l.left
	if g.shared {
		l.gutter = max(22, g.panels[0].x.widest(t)+6)
	}
	n := vg.Length(g.columns)
	l.wide = max((g.wide()-l.left-l.right-(n-1)*l.gutter)/n, 20)
	l.high = g.panelHeight(l)
	return l
}

func (g grid) headingHeight() vg.Length {
	if g.heading == "" {
		return 0
	}
	return headLine
}

// labelDrop is how far the label of the first vertical axis lies below the legend.
func (g grid) labelDrop() vg.Length {
	if g.shared {
		return 14
	}
	return headLine
}

// head is the room above each panel.
func (g grid) head() vg.Length {
	head := vg.Length(headRoom)
	for _, p := range g.panels {
		words := vg.Length(headRoom)
		if p.title != "" || p.note != "" {
			words += headLine - 6
		}
		if !g.shared && p.y.label != "" {
			words += headLine
		}
		head = max(head, words)
	}
	return head
}

// yRoom is what the labels of the vertical axis need.
func (p panel) yRoom(t typeface) vg.Length {
	return max(p.y.widest(t)+6+margin, 30)
}

// rightMargin has room for labels beside the panels, a colour bar, and half of the last label below.
func (g grid) rightMargin(t typeface) vg.Length {
	need := vg.Length(14)
	for _, p := range g.panels {
		if ticks := p.x.ticks(1e9, oftenX); len(ticks) > 0 {
			need = max(need, t.tickWidth(ticks[len(ticks)-1])/2+margin)
		}
		for _, a := range p.beside {
			need = max(need, a.width(t)+asideGap+margin)
		}
	}
	if g.bar != nil {
		need = max(need, g.bar.width(t)+margin)
	}
	return need
}

// foot is the room below the panels of a row.
func (g grid) foot(row int) vg.Length {
	if g.shared && (row+2)*g.columns <= len(g.panels) {
		return noTicks
	}
	return ticksRoom
}

func (g grid) panelHeight(l layout) vg.Length {
	switch {
	case g.height > 0:
		rest := g.height - l.above - l.bottom
		for row := range g.rows() {
			rest -= l.head + g.foot(row)
		}
		return max(rest/vg.Length(g.rows()), 20)
	case g.square:
		p := g.panels[0]
		return max(l.wide*vg.Length((p.y.max-p.y.min)/(p.x.max-p.x.min)), 20)
	case g.columns > 1:
		return 110
	case len(g.panels) > 1:
		return 160
	}
	return 210
}

// size is the width and height of the figure.
func (g grid) size(t typeface) (width, height vg.Length) {
	l := g.layout(t)
	height = l.above + l.bottom
	for row := range g.rows() {
		height += l.head + l.high + g.foot(row)
	}
	return g.wide(), max(height, g.height)
}

func (g grid) draw(p pen) {
	l := g.layout(p.typeface)
	p.write(vg.Point{X: margin, Y: p.Max.Y - top - 12}, fromLeft, titleSize, ink, p.fit(g.heading, titleSize, g.wide()-2*margin))
	g.drawLegend(p, p.Max.Y-top-g.headingHeight())
	if g.shared {
		p.write(vg.Point{X: margin, Y: p.Max.Y - l.above + headLine - g.labelDrop()}, fromLeft, textSize, ink, p.fit(g.panels[0].y.label, textSize, g.wide()-2*margin))
	}
	y := p.Max.Y - l.above
	first := y
	for row := range g.rows() {
		y -= l.head + l.high
		for column := range g.columns {
			if i := row*g.columns + column; i < len(g.panels) {
				x := l.left + vg.Length(column)*(l.wide+l.gutter)
				box := vg.Rectangle{Min: vg.Point{X: x, Y: y}, Max: vg.Point{X: x + l.wide, Y: y + l.high}}
				g.drawPanel(p, i, box)
			}
		}
		y -= g.foot(row)
	}
	g.drawAcross(p, l, y-8)
	if g.bar != nil {
		at := vg.Point{X: g.wide() - l.right + barGap, Y: y + g.foot(g.rows()-1)}
		g.bar.draw(p, vg.Rectangle{Min: at, Max: vg.Point{X: at.X + barWide, Y: first - l.head}})
	}
}

// drawAcross writes what the horizontal axis is, below the middle of the panels if there is room.
func (g grid) drawAcross(p pen, l layout, y vg.Length) {
	label := p.fit(g.panels[0].x.label, textSize, g.wide()-2*margin)
	half := p.width(label, textSize) / 2
	middle := min(max((l.left+g.wide()-l.right)/2, margin+half), g.wide()-margin-half)
	p.write(vg.Point{X: middle, Y: y}, centred, textSize, ink, label)
}

// drawPanel draws panel i in its box. Its axes are labelled unless a neighbour's labels serve.
func (g grid) drawPanel(p pen, i int, box vg.Rectangle) {
	panel := g.panels[i]
	f := frame{box, panel.x, panel.y}
	g.drawHead(p, f, panel)
	f.drawY(p, !g.shared || i%g.columns == 0)
	for _, l := range panel.layers {
		l.draw(p, f)
	}
	f.drawX(p, !g.shared || i+g.columns >= len(g.panels))
	drawBeside(p, f, panel.beside)
}

func (g grid) drawHead(p pen, f frame, panel panel) {
	y := f.box.Max.Y + 6
	title := p.fit(panel.title, textSize, f.wide())
	if p.width(title, textSize)+8+p.width(panel.note, smallSize) <= f.wide() {
		p.write(vg.Point{X: f.box.Max.X, Y: y}, fromRight, smallSize, pale, panel.note)
	}
	if title != "" {
		p.write(vg.Point{X: f.box.Min.X, Y: y}, fromLeft, textSize, ink, title)
		y += headLine - 6
	}
	if !g.shared && panel.y.label != "" {
		label := p.fit(panel.y.label, textSize, g.wide()-2*margin)
		p.write(vg.Point{X: f.box.Min.X - g.layout(p.typeface).left + margin, Y: y + 6}, fromLeft, textSize, ink, label)
	}
}
