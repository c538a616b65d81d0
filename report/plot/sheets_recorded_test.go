package plot

import (
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/report/draw"
)

// some is one of a list.
func some[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// rowsOfOne fills a column of n rows.
func rowsOfOne[T any](n int, one func() T) (out []T) {
	for range n {
		out = append(out, one())
	}
	return out
}

// anySheet is one of a few rows with columns of all kinds, some of which are missing.
func anySheet(r *rand.Rand, name string) *Sheet {
	s := &Sheet{Name: name, rows: 1 + r.IntN(some(r, 7, 7, 7, 18))}
	add := func(one *series) {
		if r.IntN(7) > 0 {
			s.columns = append(s.columns, one)
		}
	}
	s.columns = append(s.columns, &series{name: "algorithm", words: rowsOfOne(s.rows, func() string { return some(r, "vanilla", "composite", "own") })})
	add(&series{name: "k", numbers: rowsOfOne(s.rows, func() float64 { return some[float64](r, 1, 2, 30) })})
	steps := rowsOfOne(s.rows, func() int { return r.IntN(4) })
	step := &series{name: "algorithms.own.step", swept: r.IntN(4) > 0, numbers: choose([]float64{0.001, 0.01, 0.1, 1}, steps)}
	if r.IntN(3) > 0 {
		step.words = choose(strings.Fields("1e-3 0.01 0.1 1"), steps)
	}
	add(step)
	add(&series{name: "population.size", swept: true, numbers: rowsOfOne(s.rows, func() float64 { return float64(10 * (1 + r.IntN(3))) })})
	add(&series{name: "set.kind", swept: true, words: rowsOfOne(s.rows, func() string { return some(r, "box", "ball") })})
	number := func() float64 {
		return some(r, 0, math.NaN(), math.Ldexp(1, r.IntN(12)-6), float64(r.IntN(5)), -0.5)
	}
	for i, name := range []string{"gap", "value", "u_0", "u_1"} {
		c := &series{name: name, numbers: rowsOfOne(s.rows, number)}
		if i == 0 || r.IntN(2) == 0 {
			c.label = "the " + name
		}
		if i > 1 {
			c.decided = &kedge.Called{Name: name, Unit: some(r, "EUR", "kg")}
		}
		if r.IntN(3) == 0 {
			for _, v := range c.numbers {
				c.low, c.high = append(c.low, v-0.25), append(c.high, v+1)
			}
		}
		add(c)
	}
	return s
}

// anyPlot is one that may go with such sheets.
func anyPlot(r *rand.Rand, sheets int) Plot {
	column := func() string {
		return some(r, "", "", "", "k", "algorithms.own.step", "population.size", "set.kind", "gap", "value", "u_0", "algorithm", []string{"k", "folder"}[min(1, sheets-1)])
	}
	number := func() string {
		return some(r, "", "", "k", "k", "algorithms.own.step", "population.size", "gap", "value", "u_0", column())
	}
	p := Plot{X: number(), Y: some(r, "", "", "value", "u_1", "decision", number()), By: column(), Kind: some(r, "", Line, Scatter, Hist, Heat), Log: some(r, "", "", "x", "y", "xy", "none"), Band: some(r, "", MinMax, Quantiles, NoBand)}
	if r.IntN(3) == 0 {
		p.Facet = column()
	}
	if r.IntN(4) == 0 {
		p.Where = append(p.Where, some(r, "k=first", "k=last", "k=30", "algorithm=own", "algorithms.own.step=0.001", "algorithms.own.step=1e-3", "set.kind=box", "value=0"))
	}
	if p.Y == "decision" && r.IntN(4) == 0 {
		p.Where = append(p.Where, "entry=u_0")
	}
	if r.IntN(5) == 0 {
		p.Rename = append(p.Rename, some(r, "vanilla=theirs", "gap=loss", "u_0=price", "0.001=small", "a=first"))
	}
	if r.IntN(5) == 0 {
		p.Width, p.Height = some[float64](r, 200, 260, 300), some[float64](r, 100, 180, 400)
	}
	return p
}

// laidOut is everything that a sketch says before it is drawn.
func laidOut(s draw.Sketch) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s|%s|%s|%s|%v|%v|%.9g %.9g %.9g\n", s.Name, s.Title, s.Heading, s.Caption, s.Columns, s.Shared, s.Zoom, s.Width, s.Height)
	look := func(s draw.Style) string { return fmt.Sprintf("%v %T %v", s.Ink, s.Mark, s.Dash) }
	for _, e := range s.Legend {
		fmt.Fprintf(&b, "legend %s %v %v", e.Words, e.Fresh, e.Dot)
		if e.Sample != nil {
			fmt.Fprint(&b, " ", e.Sample.Name, look(e.Sample.Style))
		}
	}
	if s.Bar != nil {
		fmt.Fprintf(&b, "bar %+v\n", *s.Bar)
	}
	for _, p := range s.Panels {
		fmt.Fprintf(&b, "\npanel %s|%s|%+v|%+v|%d beside\n", p.Title, p.Note, p.X, p.Y, len(p.Beside))
		for _, l := range p.Layers {
			switch l := l.(type) {
			case draw.Lines:
				for _, c := range l {
					fmt.Fprintf(&b, "line %s %s %v %.9g\n", c.Name, look(c.Style), c.Banded, c.Points)
				}
			case draw.Dots:
				fmt.Fprintf(&b, "dots %s %.9g %.9g %v\n", look(l.Style), l.X, l.Y, l.Inks)
			case draw.Bars:
				fmt.Fprintf(&b, "bars %s %.9g %.9g %.9g\n", look(l.Style), l.Edges, l.Counts, l.Mean)
			case draw.Cells:
				fmt.Fprintf(&b, "cells %d×%d %.9g %+v\n", l.Columns, l.Rows, l.Values, l.Shade)
			}
		}
	}
	return strings.Join(evidence.Rounded(b.String()), "\n")
}

// What is laid out of any columns in any way, or why it is not, is what it was when it was last looked at.
func TestLayoutsAreAsRecorded(t *testing.T) {
	var lines []string
	for seed := range uint64(800) {
		r := rand.New(rand.NewPCG(seed, 3))
		sheets := []*Sheet{anySheet(r, "a"), anySheet(r, "b"), anySheet(r, "c")}[:some(r, 1, 1, 1, 2, 3)]
		p := anyPlot(r, len(sheets))
		s, err := p.Sketch(sheets...)
		if err != nil {
			lines = append(lines, fmt.Sprintf("%d: refused: %v", seed, err))
			continue
		}
		text := laidOut(s)
		sum := sha256.Sum256([]byte(text))
		lines = append(lines, fmt.Sprintf("%d: %d panels, %x %s", seed, len(s.Panels), sum[:8], s.Caption))
	}
	evidence.AsRecorded(t, "testdata/layouts.txt", lines)
}

// Sheets below each other have the words and numbers that are recorded, whichever of these each of them has.
func TestJoinedSheetsAreAsRecorded(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 4))
	var lines []string
	for range 40 {
		var sheets []*Sheet
		for range 2 + r.IntN(2) {
			s := &Sheet{Name: some(r, "a", "b", "c"), rows: 1 + r.IntN(2)}
			for _, name := range []string{"x", "y"} {
				c := &series{name: name, label: some(r, "", "label")}
				kind := r.IntN(5)
				if kind < 3 {
					c.numbers = rowsOfOne(s.rows, func() float64 { return float64(r.IntN(3)) / 2 })
				}
				if kind == 0 {
					c.low, c.high = c.numbers, c.numbers
				}
				if kind > 1 {
					c.words = rowsOfOne(s.rows, func() string { return some(r, "0.5", "5e-1", "one") })
				}
				if r.IntN(5) > 0 {
					s.columns = append(s.columns, c)
				}
			}
			sheets = append(sheets, s)
		}
		all := join(sheets)
		for _, c := range all.columns {
			lines = append(lines, fmt.Sprintf("%s %q: words %q, numbers %v from %v to %v, values %q", c.name, c.label, c.words, c.numbers, c.low, c.high, c.values()))
		}
	}
	evidence.AsRecorded(t, "testdata/joined.txt", lines)
}

// Only keys that are swept are spread like powers: three values at least, above 0, ten times apart, the middle of their logarithms not far above half of the way.
func TestGeometricKeys(t *testing.T) {
	for _, c := range []struct {
		numbers []float64
		want    bool
	}{
		{[]float64{1, 10, 100}, true}, {[]float64{1, 3.2, 10}, true}, {[]float64{1, 3.2, 9.9}, false}, {[]float64{1, 10}, false}, {[]float64{1, 10, 10}, false}, {[]float64{0, 1, 10, 100}, false}, {[]float64{-1, 1, 10, 100}, false},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, true},                   // the mean of logarithms is that of 10! = 3628800 to the tenth: 4.53 below 1.5·√10 = 4.74
		{[]float64{1, 11, 21, 31, 41, 51, 61, 71, 81, 91, 101}, false},     // the mean of the logarithms is far above 1.5·√101 = 15.1
		{[]float64{1, 10, 100, 100}, true}, {[]float64{1, 99, 100}, false}, // (1·99·100)^(1/3) = 21.5 above 15
	} {
		for _, swept := range []bool{true, false} {
			if got := (&series{swept: swept, numbers: c.numbers}).geometric(); got != (c.want && swept) {
				t.Errorf("%v, swept %v: %v", c.numbers, swept, got)
			}
		}
	}
	if (&series{swept: true, words: []string{"a", "b", "c"}}).geometric() {
		t.Error("words are no powers")
	}
}

// Colours of a logarithmic scale begin at the least number that such a scale can show, and without one they are those of all numbers.
func TestShadesBeginAtTheTiniest(t *testing.T) {
	for _, c := range []struct {
		numbers []float64
		want    draw.Ruler
	}{
		{[]float64{draw.Tiniest, 1}, draw.LogRuler(draw.Tiniest, 1)}, {[]float64{draw.Tiniest / 2, 0.1, 1}, draw.LogRuler(0.1, 1)}, {[]float64{0, -1}, draw.NewRuler(draw.Nothing(), false)},
	} {
		if got := (&series{numbers: c.numbers}).shade(true); got != c.want {
			t.Errorf("%v: %+v, want %+v", c.numbers, got, c.want)
		}
	}
}

// Where only some entries of decisions have a range, as in a sweep beside a run with fewer entries, all are drawn without.
func TestSomeEntriesHaveARange(t *testing.T) {
	u := func(name string, numbers, low, high []float64) *series {
		return &series{name: name, decided: &kedge.Called{Name: name}, numbers: numbers, low: low, high: high}
	}
	k := &series{name: "k", numbers: []float64{1, 2}}
	run := &Sheet{Name: "run", rows: 2, columns: []*series{{name: "algorithm", words: []string{"x", "x"}}, k, u("u_0", []float64{1, 2}, nil, nil)}}
	sweep := &Sheet{Name: "sweep", rows: 1, columns: []*series{{name: "algorithm", words: []string{"x"}}, {name: "k", numbers: []float64{1}}, u("u_0", []float64{5}, []float64{4}, []float64{6}), u("u_1", []float64{7}, []float64{6}, []float64{8})}}
	s, err := Plot{X: "k", Y: "decision", Facet: "folder"}.Sketch(run, sweep)
	if err != nil {
		t.Fatal(err)
	}
	lines := s.Panels[1].Layers[0].(draw.Lines)
	if len(lines) != 2 || lines[1].Banded || lines[1].Points[0].Low != 7 || lines[0].Points[0].Mean != 5 {
		t.Errorf("%+v", lines)
	}
}

// Keys in another order, cells that are few or all but one failed, and what was found over draws: all is recorded.
func TestOddSweepsAreAsRecorded(t *testing.T) {
	lambda, step := key{"dynamics.lambda2", strings.Fields("1e-05 0.2")}, key{"algorithms.composite.step", strings.Fields("0.001 0.01 0.1")}
	size, flag := key{"population.size", strings.Fields("10 20 30")}, key{"set.kind", []string{"box", "ball", "plane"}}
	only := func(r *folder.SweepResult, keep ...int) *folder.SweepResult {
		var cells []folder.CellResult
		for _, i := range keep {
			cells = append(cells, r.Cells[i])
		}
		r.Cells = cells
		return r
	}
	two := []string{"vanilla", "composite"}
	drawn := sweepOf(-1, two[:1], lambda)
	drawn.Cells[1].Summary.OverDraws = &folder.OverDraws{Robust: folder.Point{Value: 9, Decision: []float64{11, 12}}}
	silent := sweepOf(-1, two, lambda, step, size)
	for i := range silent.Cells {
		a := silent.Cells[i].Summary.Algorithms["vanilla"]
		a.Gap = folder.SpreadOf([]float64{math.NaN()})
		silent.Cells[i].Summary.Algorithms["vanilla"] = a
	}
	var lines []string
	for i, r := range []*folder.SweepResult{
		drawn, silent,
		sweepOf(-1, two, lambda, step, size), sweepOf(-1, two, step, lambda, size), sweepOf(1, two[:1], lambda), sweepOf(-1, two[:1], step, size), only(sweepOf(-1, two[:1], step, size), 0, 4, 8), only(sweepOf(-1, two[:1], flag, size), 0, 4, 8),
		only(sweepOf(-1, two[:1], step, key{"population.size", strings.Fields("10 20 30 40")}), 0, 4, 8, 9), only(sweepOf(-1, two[:1], step, key{"population.size", strings.Fields("10 20 30 40")}), 0, 4, 11),
	} {
		list := SweepSketches(r)
		lines = append(lines, fmt.Sprintf("sweep %d over %v: %d figures", i, r.Keys, len(list)))
		for _, s := range list {
			lines = append(lines, strings.Split(laidOut(s), "\n")...)
		}
		sheet := SweepSheet("one", r)
		for _, c := range sheet.columns {
			lines = append(lines, fmt.Sprintf("%s %q %q %.6g %.6g %.6g", c.name, c.labelOf(), c.words, c.numbers, c.low, c.high))
		}
		for _, p := range []Plot{{Kind: Heat, X: r.Keys[0], By: r.Keys[len(r.Keys)-1], Y: "value"}, {Kind: Heat, X: r.Keys[len(r.Keys)-1], By: r.Keys[0]}} {
			s, err := p.Sketch(sheet)
			lines = append(lines, fmt.Sprint(laidOut(s), err))
		}
	}
	evidence.AsRecorded(t, "testdata/odd.txt", strings.Split(strings.Join(lines, "\n"), "\n"))
}
