package command

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/lab"
	"github.com/kedge-opt/kedge/report/page"
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
		low, high, ok := chart{lines: []chartLine{{value: c.values}}}.bounds()
		if !ok || math.Abs(low/c.low-1) > 1e-9 || math.Abs(high/c.high-1) > 1e-9 {
			t.Errorf("%v lies between %v and %v (%v), want %v and %v", c.values, low, high, ok, c.low, c.high)
		}
	}
	if _, _, ok := (chart{lines: []chartLine{{value: []float64{0, math.NaN()}}}}).bounds(); ok {
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

// A chart has the size that is asked for, whatever it shows, and an exponential is a straight line in it.
func TestChartSize(t *testing.T) {
	line := chartLine{}
	for k := range 100 {
		line.turn, line.value = append(line.turn, float64(k)), append(line.value, math.Pow(10, -float64(k)/33))
	}
	for _, lines := range [][]chartLine{nil, {line}, {{turn: []float64{0}, value: []float64{0}}}, {{turn: []float64{5}, value: []float64{math.Inf(1)}}}} {
		for _, size := range [][2]int{{40, 6}, {80, 20}, {200, 50}} {
			rows := chart{Terminal: page.Terminal{Colour: true}, turns: 100, lines: lines}.draw(size[0], size[1])
			widths := map[int]bool{}
			for _, row := range rows[:len(rows)-1] {
				widths[page.PrintedWidth(row)] = true
			}
			if len(rows) != size[1] || len(widths) != 1 || !widths[size[0]] || page.PrintedWidth(rows[len(rows)-1]) > size[0] {
				t.Errorf("%d rows of widths %v, want %d of %d", len(rows), widths, size[1], size[0])
			}
		}
	}
	rows := chart{turns: 99, lines: []chartLine{line}}.draw(40, 14)
	for y, row := range rows[:12] {
		marks := strings.Split(row, "")
		first, last := slices.Index(marks, "•"), len(marks)-1
		if want := 9 + 31*y/12; math.Abs(float64(first-want)) > 2 || last < first {
			t.Errorf("row %d begins at column %d, want about %d:\n%s", y, first, want, strings.Join(rows, "\n"))
		}
	}
}

// The rate counts from the first turn that was seen, and the words are as many as fit.
func TestPace(t *testing.T) {
	var l lab.Progress
	p, now := new(pace), time.Unix(1000, 0)
	if at := p.look(&l, now); at.words(80) != "finding the optimum" {
		t.Errorf("before the first turn: %s", at.words(80))
	}
	l.Total.Store(30_000)
	l.Done.Store(10_000)
	p.look(&l, now)
	l.Done.Store(15_000)
	at := p.look(&l, now.Add(10*time.Second))
	for width, want := range map[int]string{
		80: "15 000 of 30 000 turns, 500 a second, 30 s left",
		40: "15 000 of 30 000 turns, 30 s left",
		20: "30 s left",
		5:  "15 0…",
	} {
		if got := at.words(width); got != want {
			t.Errorf("in %d characters: %s, want %s", width, got, want)
		}
	}
}

func TestDurations(t *testing.T) {
	for seconds, want := range map[float64]string{
		-1: "0 s", 0.4: "0 s", 59.4: "59 s", 59.6: "1 min 0 s", 200: "3 min 20 s", 7500: "2 h 5 min", 273_600: "3 d 4 h", math.Inf(1): "11574074 d 1 h",
	} {
		if got := duration(seconds); got != want {
			t.Errorf("%v seconds are %s, want %s", seconds, got, want)
		}
	}
	if got := fmt.Sprint(phrase.CountGrouped(1, "trial"), ", ", phrase.CountGrouped(20_000, "trial")); got != "1 trial, 20 000 trials" {
		t.Error(got)
	}
}
