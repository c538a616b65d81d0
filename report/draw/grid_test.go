package draw

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Words stand on the line of the label of the vertical axis where both fit with a gap between them and a margin to either side, and nothing else is explained.
func TestWordsOfALegendStandBesideTheLabelThatHasRoom(t *testing.T) {
	letters := newTypeface()
	const label, words = "relative gap", "mean and range"
	room := float64(4 + letters.width(label, 11) + 14 + letters.width(words, 11) + 4)
	panel := Panel{Y: Axis{Label: label}}
	for name, c := range map[string]struct {
		g    Grid
		want bool
	}{
		"room":              {Grid{Width: 420, Panels: []Panel{panel}, Legend: []Entry{{Words: words}}}, true},
		"room to the point": {Grid{Width: room, Panels: []Panel{panel}, Legend: []Entry{{Words: words}}}, true},
		"less room":         {Grid{Width: room - 0.1, Panels: []Panel{panel}, Legend: []Entry{{Words: words}}}, false},
		"no label":          {Grid{Width: 420, Panels: []Panel{{}}, Legend: []Entry{{Words: words}}}, false},
		"no legend":         {Grid{Width: 420, Panels: []Panel{panel}}, false},
		"two entries":       {Grid{Width: 420, Panels: []Panel{panel}, Legend: []Entry{{Words: "a"}, {Words: "b"}}}, false},
		"a sample":          {Grid{Width: 420, Panels: []Panel{panel}, Legend: []Entry{{Words: words, Sample: &Line{}}}}, false},
		"labels apart":      {Grid{Width: 420, Panels: []Panel{panel, panel}, Legend: []Entry{{Words: words}}}, false},
		"a shared label":    {Grid{Width: 420, Panels: []Panel{panel, panel}, Shared: true, Legend: []Entry{{Words: words}}}, true},
	} {
		if got := c.g.inline(letters); got != c.want {
			t.Errorf("%s: on the label's line: %t", name, got)
		}
		high := 0.0
		if !c.want && len(c.g.Legend) > 0 {
			high = 16 // all entries here share a line
		}
		if got := float64(c.g.legendHeight(letters)); got != high {
			t.Errorf("%s: the legend is %g high", name, got)
		}
	}
}

// An entry starts a line where it would come nearer to the right edge than the margin, and where it is to.
func TestLegendsBreakWhereALineIsFull(t *testing.T) {
	letters := newTypeface()
	entry := func(words string) Entry { return Entry{Words: words} }
	full := float64(4 + letters.width("mean", 11) + 14 + letters.width("range", 11) + 4)
	for _, c := range []struct {
		wide  float64
		fresh bool
		want  int
	}{{full, false, 1}, {full - 0.1, false, 2}, {full, true, 2}} {
		second := entry("range")
		second.Fresh = c.fresh
		lines := Grid{Width: c.wide, Legend: []Entry{entry("mean"), second}}.lines(letters)
		if len(lines) != c.want || lines[0][0].Words != "mean" {
			t.Errorf("%g wide, fresh %t: %+v", c.wide, c.fresh, lines)
		}
	}
}

// By hand: a panel is 210 high, and labels of its vertical axis are written where they are more than 11 apart: 18 names are 11.67 apart and 19 are 11.05; of 20, which
// are 10.5 apart, every other one is written.
func TestLabelsOfAVerticalAxisThatHaveRoom(t *testing.T) {
	for n, want := range map[int]int{18: 18, 19: 19, 20: 10} {
		var names []string
		for i := range n {
			names = append(names, fmt.Sprint("name", 10+i))
		}
		p := Panel{Layers: []Layer{Lines{}}, X: Axis{Ruler: Ruler{Max: 1}}, Y: CellAxis(names, "")}
		svg, err := Grid{Columns: 1, Panels: []Panel{p}}.Sketch("", "", "", false).SVG()
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(svg), "name"); got != want {
			t.Errorf("of %d names %d are written, want %d", n, got, want)
		}
	}
}

// The label of a horizontal axis stands below the middle of the panels as long as it is no nearer than 4 to an edge of the figure, and is cut where it does not fit
// between. By hand: the panels of a figure that is 420 wide are from left to 420 − right.
func TestLabelsOfAHorizontalAxisKeepFromTheEdges(t *testing.T) {
	letters := newTypeface()
	wide := func(s string) float64 { return letters.width(s, 11).Points() }
	const short, long = "turn k", "how far the decision was moved in all turns"
	full := "i"
	for wide(full+"i") <= 412 { // 2.44 each: from 409.5 to 412
		full += "i"
	}
	for _, c := range []struct {
		label, want string
		left, right vg.Length
		from        float64
	}{
		{short, short, 40, 20, 220 - wide(short)/2}, {long, long, 40, 20, 220 - wide(long)/2}, {long, long, 20, 300, 4}, {long, long, 300, 20, 416 - wide(long)},
		{full, full, 40, 40, 210 - wide(full)/2}, {full + "i", full[:len(full)-4] + "…", 40, 40, 210 - wide(full[:len(full)-4]+"…")/2}, // of 11, as wide as 4.5 of them
	} {
		canvas := vgsvg.New(420, 60)
		Grid{Panels: []Panel{{X: Axis{Label: c.label}}}}.drawAcross(pen{draw.New(canvas), letters, false}, layout{left: c.left, right: c.right}, 10)
		var out bytes.Buffer
		if _, err := canvas.WriteTo(&out); err != nil {
			t.Fatal(err)
		}
		m := svgWords.FindStringSubmatch(out.String())
		if m == nil {
			t.Fatalf("nothing is written: %s", &out)
		}
		if from, err := strconv.ParseFloat(m[1], 64); err != nil || math.Abs(from-c.from) > 0.01 || m[2] != "-10" || m[3] != c.want {
			t.Errorf("panels from %v to the right edge less %v: %q begins at %s, %s, want %q at %.4g", c.left, c.right, m[3], m[1], m[2], c.want, c.from)
		}
	}
}
