package draw

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// bare is an axis from 0 to 1 without marks, and marked one with a mark at either end.
func bare() Axis { return Axis{Ruler: Ruler{Max: 1}, Marks: []Tick{}} }

func marked(first, last string) Axis {
	return Axis{Ruler: Ruler{Max: 1}, Marks: []Tick{{0, first}, {1, last}}}
}

// same tells whether two layouts are one but for rounding.
func same(a, b layout) bool {
	x := []vg.Length{a.left, a.right, a.gutter, a.above, a.head, a.bottom, a.wide, a.high}
	y := []vg.Length{b.left, b.right, b.gutter, b.above, b.head, b.bottom, b.wide, b.high}
	return slices.EqualFunc(x, y, func(a, b vg.Length) bool { return math.Abs(float64(a-b)) < 1e-9 })
}

// Reckoned by hand, from what is drawn: 6 over all and 18 below it; 12 over a panel and 20 below, 10 where the labels of the next one serve; 14 more for a title or a note, 20 for a
// label or a heading, 16 for a line of the legend; 30 to the left and 14 to the right, or what labels need with 10 and 4 more.
func TestPanelsAreLaidOut(t *testing.T) {
	letters := newTypeface()
	blank := Panel{X: bare(), Y: bare()}
	const name = "a label that is long"
	long := letters.width(name, 10)
	with := func(change func(p *Panel)) Panel {
		p := blank
		change(&p)
		return p
	}
	labelled := with(func(p *Panel) { p.Y.Label = "gap" })
	across := with(func(p *Panel) { p.X = marked("0", name) })
	upwards := with(func(p *Panel) { p.Y = marked("0", name) })
	beside := with(func(p *Panel) { p.Beside = []Aside{{Words: []string{"x", name}}} })
	square := func(high float64) Panel {
		return with(func(p *Panel) { p.X.Ruler, p.Y.Ruler = Ruler{Min: -1, Max: 1}, Ruler{Min: 2, Max: 2 + high} })
	}
	shade := &ColourBar{Ruler: Ruler{Max: 1}, Label: "a label of the bar that is longer"}
	for what, c := range map[string]struct {
		g    Grid
		want layout
		high vg.Length // of the figure
	}{
		"one":                {Grid{Columns: 1, Panels: []Panel{blank}}, layout{30, 14, 30, 6, 12, 18, 376, 210}, 266},
		"a width":            {Grid{Columns: 1, Panels: []Panel{blank}, Width: 300}, layout{30, 14, 30, 6, 12, 18, 256, 210}, 266},
		"three in a column":  {Grid{Columns: 1, Panels: []Panel{blank, blank, blank}}, layout{30, 14, 30, 6, 12, 18, 376, 160}, 24 + 3*192},
		"four in two rows":   {Grid{Columns: 3, Panels: []Panel{blank, blank, blank, blank}}, layout{30, 14, 30, 6, 12, 18, 316.0 / 3, 110}, 24 + 2*142},
		"axes for two":       {Grid{Columns: 3, Panels: slices.Repeat([]Panel{blank}, 4), Shared: true}, layout{30, 14, 22, 6, 12, 18, 332.0 / 3, 110}, 24 + 2*142},
		"axes for all":       {Grid{Columns: 3, Panels: slices.Repeat([]Panel{blank}, 6), Shared: true}, layout{30, 14, 22, 6, 12, 18, 332.0 / 3, 110}, 24 + 132 + 142},
		"axes for five":      {Grid{Columns: 2, Panels: slices.Repeat([]Panel{blank}, 5), Shared: true}, layout{30, 14, 22, 6, 12, 18, 177, 110}, 24 + 132 + 142 + 142},
		"a heading":          {Grid{Columns: 1, Panels: []Panel{blank}, Heading: "h"}, layout{30, 14, 30, 26, 12, 18, 376, 210}, 286},
		"a legend":           {Grid{Columns: 1, Panels: []Panel{blank}, Legend: []Entry{{Words: "a"}, {Words: "b", Fresh: true}}}, layout{30, 14, 30, 38, 12, 18, 376, 210}, 298},
		"a title":            {Grid{Columns: 1, Panels: []Panel{blank, with(func(p *Panel) { p.Title = "t" })}}, layout{30, 14, 30, 6, 26, 18, 376, 160}, 24 + 2*206},
		"a note":             {Grid{Columns: 1, Panels: []Panel{with(func(p *Panel) { p.Note = "n" })}}, layout{30, 14, 30, 6, 26, 18, 376, 210}, 280},
		"a label":            {Grid{Columns: 1, Panels: []Panel{labelled}}, layout{30, 14, 30, 6, 32, 18, 376, 210}, 286},
		"a label for all":    {Grid{Columns: 2, Panels: []Panel{labelled, labelled}, Shared: true}, layout{30, 14, 22, 26, 12, 18, 177, 110}, 186},
		"narrow":             {Grid{Columns: 2, Panels: []Panel{blank, blank}, Width: 60}, layout{30, 14, 30, 6, 12, 18, 20, 110}, 166},
		"as high as is said": {Grid{Columns: 1, Panels: []Panel{blank, blank}, Height: 400}, layout{30, 14, 30, 6, 12, 18, 376, 156}, 400},
		"lower than it can":  {Grid{Columns: 1, Panels: []Panel{blank, blank}, Height: 50}, layout{30, 14, 30, 6, 12, 18, 376, 20}, 128},
		"square":             {Grid{Columns: 1, Panels: []Panel{square(1)}, Square: true}, layout{30, 14, 30, 6, 12, 18, 376, 188}, 244},
		"flat":               {Grid{Columns: 1, Panels: []Panel{square(0.01)}, Square: true}, layout{30, 14, 30, 6, 12, 18, 376, 20}, 76},
		"labels below":       {Grid{Columns: 1, Panels: []Panel{across}}, layout{30, long/2 + 4, 30, 6, 12, 18, 386 - long/2, 210}, 266},
		"labels shared":      {Grid{Columns: 2, Panels: []Panel{across, across}, Shared: true}, layout{30, long/2 + 4, long + 6, 6, 12, 18, (380 - 1.5*long) / 2, 110}, 166},
		"labels of the last": {Grid{Columns: 2, Panels: []Panel{blank, upwards}}, layout{long + 10, 14, long + 10, 6, 12, 18, (386 - 2*long) / 2, 110}, 166},
		"labels not shown":   {Grid{Columns: 2, Panels: []Panel{blank, upwards}, Shared: true}, layout{30, 14, 22, 6, 12, 18, 177, 110}, 166},
		"labels of the next": {Grid{Columns: 1, Panels: []Panel{blank, upwards}, Shared: true}, layout{long + 10, 14, 22, 6, 12, 18, 396 - long, 160}, 24 + 182 + 192},
		"words beside":       {Grid{Columns: 1, Panels: []Panel{beside}}, layout{30, long + 31, 30, 6, 12, 18, 359 - long, 210}, 266},
		"a bar":              {Grid{Columns: 1, Panels: []Panel{blank}, Bar: shade}, layout{30, letters.width(shade.Label, 10) + 20, 30, 6, 12, 18, 370 - letters.width(shade.Label, 10), 210}, 266},
		"a bar of numbers":   {Grid{Columns: 1, Panels: []Panel{blank}, Bar: &ColourBar{Ruler: Ruler{Max: 1}}}, layout{30, letters.width("0.8", 10) + 38, 30, 6, 12, 18, 352 - letters.width("0.8", 10), 210}, 266},
	} {
		if got := c.g.layout(letters); !same(got, c.want) {
			t.Errorf("%s: %+v, want %+v", what, got, c.want)
		}
		if _, high := c.g.size(letters); math.Abs(float64(high-c.high)) > 1e-9 {
			t.Errorf("%s: %v high, want %v", what, high, c.high)
		}
	}
}

// drawn is what is called on a canvas, without the colours and widths of pens.
func drawn(show func(p pen)) (texts []string, strokes, fills int) {
	c := &recorder.Canvas{}
	show(pen{draw.NewCanvas(c, 200, 100), newTypeface(), false})
	for _, a := range c.Actions {
		switch a := a.(type) {
		case *recorder.FillString:
			texts = append(texts, fmt.Sprintf("%s at %.4g, %.4g", a.String, float64(a.Point.X), float64(a.Point.Y)))
		case *recorder.Stroke:
			strokes++
		case *recorder.Fill:
			fills++
		}
	}
	return texts, strokes, fills
}

// box is a frame from (0, 0).
func box(wide, high vg.Length, x, y Axis) frame {
	return frame{vg.Rectangle{Max: vg.Point{X: wide, Y: high}}, x, y}
}

// A note stands at the right edge where it is 8 or more behind the title, and a title 20 below the label of its axis less the 6 that both are above.
func TestNotesStandBesideTitlesThatLeaveRoom(t *testing.T) {
	letters := newTypeface()
	room := letters.width("title", 11) + 8 + letters.width("note", 10)
	for wide, noted := range map[vg.Length]bool{room: true, room - 0.01: false, room + 5: true} {
		texts, _, _ := drawn(func(p pen) { Grid{}.drawHead(p, box(wide, 50, bare(), bare()), Panel{Title: "title", Note: "note"}) })
		want := []string{"title at 0, 56"}
		if noted {
			want = []string{fmt.Sprintf("note at %.4g, 56", float64(wide-letters.width("note", 10))), want[0]}
		}
		if !slices.Equal(texts, want) {
			t.Errorf("%v wide: %q, want %q", wide, texts, want)
		}
	}
	g := Grid{Columns: 1, Panels: []Panel{{Title: "t", X: bare(), Y: bare()}}}
	g.Panels[0].Y.Label = "gap"
	for title, want := range map[string][]string{"t": {"t at 0, 56", "gap at -26, 76"}, "": {"gap at -26, 62"}} {
		g.Panels[0].Title = title
		if texts, _, _ := drawn(func(p pen) { g.drawHead(p, box(90, 50, bare(), bare()), g.Panels[0]) }); !slices.Equal(texts, want) {
			t.Errorf("with the title %q: %q, want %q", title, texts, want)
		}
	}
	g.Panels[0].Title, g.Shared = "", true
	if texts, _, _ := drawn(func(p pen) { g.drawHead(p, box(90, 50, bare(), bare()), g.Panels[0]) }); len(texts) != 0 {
		t.Errorf("a label for all panels is written over one: %q", texts)
	}
}

// Of labels of a horizontal axis that come nearer than 5 to each other the first stays; a mark without one is half as long. By hand: marks at 0, at x and at 100 of 100.
func TestLabelsThatTouchAreLeftOut(t *testing.T) {
	letters := newTypeface()
	touch := float64(letters.width("one", 10)/2+5+letters.width("two", 10)/2) / 100
	for at, want := range map[float64]int{touch + 1e-6: 3, touch - 1e-3: 2} {
		axis := Axis{Ruler: Ruler{Max: 1}, Marks: []Tick{{1, "three"}, {0, "one"}, {at, "two"}, {0.5, ""}}}
		texts, strokes, _ := drawn(func(p pen) { box(100, 50, axis, bare()).drawX(p, true) })
		if len(texts) != want || strokes != 5 {
			t.Errorf("at %v: %q with %d strokes", at, texts, strokes)
		}
		if first := fmt.Sprintf("one at %.4g, -15", -float64(letters.width("one", 10))/2); texts[0] != first {
			t.Errorf("the first is %q, want %q", texts[0], first)
		}
		if texts, strokes, _ = drawn(func(p pen) { box(100, 50, axis, bare()).drawX(p, false) }); len(texts) != 0 || strokes != 5 {
			t.Errorf("without labels: %q with %d strokes", texts, strokes)
		}
	}
}

// By hand: of a line along an axis, up to 12 points are marked each, of more those at a tenth of the axis and every fifth from there on; of several lines the marks are shifted
// by their share of a fifth. A line that has no point so far right is marked at its end.
func TestMarksAlongLines(t *testing.T) {
	line := func(n int, end float64) Line {
		l := Line{Style: Style{Mark: Disc{}}}
		for i := range n {
			l.Points = append(l.Points, LinePoint{X: end * float64(i) / float64(n-1)})
		}
		return l
	}
	for _, c := range []struct {
		lines []Line
		want  int
	}{
		{[]Line{line(12, 1)}, 12}, {[]Line{line(13, 1)}, 5}, {[]Line{line(41, 1)}, 5}, {[]Line{line(41, 0.09)}, 1}, {[]Line{line(41, 0.29)}, 1}, {[]Line{line(41, 0.31)}, 2}, {[]Line{line(2, 1)}, 2}, {[]Line{line(41, 1), line(41, 1)}, 10}, {[]Line{line(41, 0.06), line(41, 0.14)}, 2},
	} {
		if _, _, fills := drawn(func(p pen) { Marks(c.lines).draw(p, box(100, 50, bare(), bare())) }); fills != 2*c.want { // a mark has a halo
			t.Errorf("%d lines of %d points: %d marks, want %d", len(c.lines), len(c.lines[0].Points), fills/2, c.want)
		}
	}
}

// Some of many are those at equal distances, and all are kept of no more than are asked for.
func TestTrailsAreSome(t *testing.T) {
	var all Trails
	for i := range 7 {
		all.People = append(all.People, Trail{{X: float64(i)}})
	}
	for n, want := range map[int][]float64{1: {0}, 3: {0, 2, 4}, 6: {0, 1, 2, 3, 4, 5}, 7: {0, 1, 2, 3, 4, 5, 6}, 8: {0, 1, 2, 3, 4, 5, 6}} {
		var got []float64
		for _, trail := range all.Some(n).People {
			got = append(got, trail[0].X)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d of 7: %v, want %v", n, got, want)
		}
	}
}

// A path has no step shorter than the one that is worth drawing, but for the last one. By hand, over 100 by 50 of a canvas: a step of 3 and one of 4 lead 5 away.
func TestPathsLeaveShortStepsOut(t *testing.T) {
	f := box(100, 50, bare(), bare())
	trail := Trail{{0, 0}, {0.03, 0}, {0.03, 0.08}, {math.NaN(), 0}, {0.035, 0.08}, {0.5, math.Inf(1)}, {0.06, 0.16}, {0.0601, 0.16}}
	for step, want := range map[vg.Length][]vg.Point{
		1: {{X: 0, Y: 0}, {X: 3, Y: 0}, {X: 3, Y: 4}, {X: 6, Y: 8}, {X: 6.01, Y: 8}}, 4.999: {{X: 0, Y: 0}, {X: 3, Y: 4}, {X: 6, Y: 8}, {X: 6.01, Y: 8}}, 5.001: {{X: 0, Y: 0}, {X: 3.5, Y: 4}, {X: 6.01, Y: 8}}, 20: {{X: 0, Y: 0}, {X: 6.01, Y: 8}},
	} {
		got := trail.points(f, step)
		if !slices.EqualFunc(got, want, func(a, b vg.Point) bool { return math.Hypot(float64(a.X-b.X), float64(a.Y-b.Y)) < 1e-9 }) {
			t.Errorf("steps of %v: %v, want %v", step, got, want)
		}
	}
	for n, step := range map[int]int{50: 5, 51: 3} { // of six points along a line, two apart: all, or every other one
		var people []Trail
		for range n {
			people = append(people, Trail{{0, 0}, {0.02, 0}, {0.04, 0}, {0.06, 0}, {0.08, 0}})
		}
		if got := len((Trails{People: people}).paths(f)[n-1]); got != step {
			t.Errorf("of %d people paths have %d points, want %d", n, got, step)
		}
	}
}

// What panels of cells cover, their middles being whole numbers, and what a figure on paper lacks in height.
func TestCellsAndPaper(t *testing.T) {
	for _, l := range []Layer{Cells{Columns: 3, Rows: 2}, WordTable{Columns: 3, Rows: 2}} {
		if x, y := Extents(Panel{Layers: []Layer{l}}); x != (Extent{-0.5, 2.5}) || y != (Extent{-0.5, 1.5}) {
			t.Errorf("%T covers %v and %v", l, x, y)
		}
	}
	g := Grid{Columns: 1, Panels: []Panel{{X: bare(), Y: bare()}}} // it needs 24 and 12 + 20 + 20, which is 76
	for high, want := range map[float64]float64{0: 0, 74.5: 60.8, 74.9: 60.8, 75.1: 0, 76: 0, 80: 0, 10: 60.8} {
		g.Height = high
		if got := (Sketch{Grid: g, Zoom: 0.8}).Lacks(); math.Abs(got-want) > 1e-9 {
			t.Errorf("%g high lacks %g, want %g", high, got, want)
		}
	}
}

// Figures are drawn one after the other, each with its name.
func TestFiguresAreRendered(t *testing.T) {
	var list []Sketch
	for _, name := range []string{"a", "b"} {
		list = append(list, Grid{Columns: 1, Panels: []Panel{{Layers: []Layer{Lines{}}, X: bare(), Y: bare()}}, Width: 60, Height: 60}.Sketch(name, "title", "caption", false))
	}
	got, err := Render(list...)
	if err != nil || len(got) != 2 || got[0].Name != "a" || got[1].Name != "b" || got[1].PNG == nil || got[1].PDF == nil || got[1].SVG == nil {
		t.Errorf("%d figures, %v", len(got), err)
	}
}
