package page

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Bounds are 1, 2 or 5 times a power of ten, around all that is above 0, at most twelve decades of it.
func TestChartBounds(t *testing.T) {
	for _, c := range []struct {
		values    []float64
		low, high float64
	}{
		{[]float64{0.7, 0.0031}, 0.002, 1},
		{[]float64{3, 4}, 2, 5},
		{[]float64{1, 1e-3}, 1e-3, 1},
		{[]float64{0.5, 0, -1e-17, math.NaN(), math.Inf(1)}, 0.2, 1},
		{[]float64{0.9, 1e-300}, 5e-13, 1},
	} {
		low, high, ok := CharChart{Lines: []CharLine{{Value: c.values}}}.bounds()
		if !ok || math.Abs(low/c.low-1) > 1e-9 || math.Abs(high/c.high-1) > 1e-9 {
			t.Errorf("%v lies between %v and %v (%v), want %v and %v", c.values, low, high, ok, c.low, c.high)
		}
	}
	if _, _, ok := (CharChart{Lines: []CharLine{{Value: []float64{0, math.NaN()}}}}).bounds(); ok {
		t.Error("nothing above 0 has bounds")
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		rows      int
		want      string
	}{
		{0.002, 1, 40, "0.002 0.005 0.01 0.02 0.05 0.1 0.2 0.5 1"},
		{0.002, 1, 8, "0.01 0.1 1"},
		{1e-12, 1, 12, "1e-12 1e-9 1e-6 0.001 1"},
	} {
		var labels []string
		for _, v := range ticks(c.low, c.high, c.rows) {
			labels = append(labels, formatTick(v))
		}
		if got := strings.Join(labels, " "); got != c.want {
			t.Errorf("from %v to %v in %d rows: %s, want %s", c.low, c.high, c.rows, got, c.want)
		}
	}
}

// The label of the axis is as wide as the chart, however many turns there are: the middle one is left out where it has no room.
func TestAxesFit(t *testing.T) {
	for turns := 1; turns <= 1e9; turns *= 10 {
		for width := 40; width < 100; width++ {
			if label := (CharChart{Turns: turns}).axis(width)[1]; PrintedWidth(label) != width || !strings.HasSuffix(label, " turns") {
				t.Errorf("%d turns on %d columns: %q", turns, width, label)
			}
		}
	}
}

// A chart has the size that is asked for, whatever it shows, and an exponential is a straight line in it.
func TestChartSize(t *testing.T) {
	line := CharLine{}
	for k := range 100 {
		line.Turn, line.Value = append(line.Turn, float64(k)), append(line.Value, math.Pow(10, -float64(k)/33))
	}
	for _, lines := range [][]CharLine{nil, {line}, {{Turn: []float64{0}, Value: []float64{0}}}, {{Turn: []float64{5}, Value: []float64{math.Inf(1)}}}} {
		for _, size := range [][2]int{{40, 6}, {80, 20}, {200, 50}} {
			rows := CharChart{Terminal: Terminal{Colour: true}, Turns: 100, Lines: lines}.Draw(size[0], size[1])
			widths := map[int]bool{}
			for _, row := range rows[:len(rows)-1] {
				widths[PrintedWidth(row)] = true
			}
			if len(rows) != size[1] || len(widths) != 1 || !widths[size[0]] || PrintedWidth(rows[len(rows)-1]) > size[0] {
				t.Errorf("%d rows of widths %v, want %d of %d", len(rows), widths, size[1], size[0])
			}
		}
	}
	rows := CharChart{Turns: 99, Lines: []CharLine{line}}.Draw(40, 14)
	for y, row := range rows[:12] {
		marks := strings.Split(row, "")
		first, last := slices.Index(marks, "•"), len(marks)-1
		if want := 9 + 31*y/12; math.Abs(float64(first-want)) > 2 || last < first {
			t.Errorf("row %d begins at column %d, want about %d:\n%s", y, first, want, strings.Join(rows, "\n"))
		}
	}
}
