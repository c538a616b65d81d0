package page

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/report/draw"
)

// pieces are all there is for a terminal, with words that are long, foreign or not safe.
func pieces() []Piece {
	long := "a sentence that is long enough to be broken into several lines on a terminal that is not wide, with  two blanks and a 名前 in it"
	table := TextTable{
		Columns: append([]Head{{Name: "method", Short: "by", Wide: -8}}, Head{Name: "gap", Wide: 6, Numeric: true}, Head{Name: "off", Off: true, Wide: 3}, Head{Name: "remark"}), Brief: []int{0, 1, 3},
		Rows: [][]TextCell{
			{Words("composite"), Number(0.25, func(v float64) string { return fmt.Sprint(v) }, "small"), Words("x"), Words("first")},
			{Words("b"), Number(math.NaN(), nil), Words("y"), Words("").InShort("short")}, {Words("c"), Count(12), Words("z"), Words("")},
		},
	}
	going := table
	going.Headless = true
	ledger := Ledger{LedgerRow{"number", "value", "known", "how", ""}, []LedgerRow{
		{"λ", "0.5", "given", long, "he2025, eq. 7"}, {"a_long_symbol_x", "3.45 × 10⁻⁴", "sampled", "short", "eq. 8"}, {"", "", "", "", ""},
	}}
	return []Piece{
		Plainly{"as it is", ""}, Heading("Heading"), Faintly("faint"), Note{"note:", "text"}, Paragraphs{Texts: []string{long, "  " + long, ""}}, Paragraphs{Texts: []string{long}, Width: 30},
		Bullets{Texts: []string{long, "b"}}, Bullets{Texts: []string{long}, Whole: true}, Finding{long, []string{long, "c"}, []string{"why"}}, Caution("only " + long), Caution("safe \033[31mred\a"),
		Marked{"✓", "good", Good}, Marked{"✗", "bad", Bad}, Marked{"?", "doubtful", Doubtful}, Marked{"·", "neutral", Neutral},
		Remark{"✓", "a title", long, "", Good}, Remark{"✗", "a title that is longer than its column", "text", long, Bad}, table, going, ledger,
	}
}

// What terminals of all sorts show is what it was when it was last looked at.
func TestTerminalsAreAsRecorded(t *testing.T) {
	var lines []string
	for _, s := range []Terminal{{Width: 80, Height: 24}, {Width: 40, Height: 10, Colour: true}, {Width: 109, Colour: true, Shades: true}, {Width: 110}, {Width: 200, Rewrites: true}} {
		for _, p := range pieces() {
			lines = append(lines, fmt.Sprintf("%+v %T", s, p))
			lines = append(lines, quoted(s.Render(p))...)
		}
		for i := range 8 {
			lines = append(lines, fmt.Sprintf("series %d %q %s", i, s.Series(i, "x"), LineMark(i)))
		}
	}
	for _, text := range []string{"", "abc", "  two words", "名前と", "\033[31mred\033[0m", "a\x00b", "Φ̃"} {
		for _, width := range []int{-5, -1, 0, 1, 2, 3, 5} {
			lines = append(lines, fmt.Sprintf("%q in %d: fit %q pad %q wrapped %q", text, width, Fit(text, width), Pad(text, width), Wrap(text, width)))
		}
		lines = append(lines, fmt.Sprintf("%q is %d wide", text, PrintedWidth(text)))
	}
	for _, share := range []float64{-0.1, 0, 0.1, 0.19, 0.2, 0.5, 0.99, 1, 3} {
		lines = append(lines, Bar(share, 5))
	}
	evidence.AsRecorded(t, "testdata/terminals.txt", lines)
}

// quoted is a text line by line, escapes and blanks at the end to be seen.
func quoted(text string) (lines []string) {
	for line := range strings.Lines(text) {
		lines = append(lines, fmt.Sprintf("  %q", strings.TrimSuffix(line, "\n")))
	}
	return lines
}

// curveOf is a line of n points that falls by a factor a turn.
func curveOf(series, n int, from, factor float64) CharLine {
	line := CharLine{Series: series}
	for k := range n {
		line.Turn, line.Value = append(line.Turn, float64(k)), append(line.Value, from)
		from *= factor
	}
	return line
}

// Charts of characters over few and many decades are those that were last looked at.
func TestCharChartsAreAsRecorded(t *testing.T) {
	wild := CharLine{Series: 2, Turn: []float64{0, 3, 5, 9, 12}, Value: []float64{0.5, 0, math.NaN(), 0.01, -1}}
	one := CharLine{Turn: []float64{4}, Value: []float64{2}}
	far := CharLine{Series: 1, Turn: []float64{0, 40}, Value: []float64{1, 2}}
	charts := [][]CharLine{
		nil, {one}, {curveOf(0, 11, 1, 0.5)}, {curveOf(0, 11, 300, 0.9), curveOf(1, 8, 2, 1.7), wild}, {curveOf(3, 11, 0.7, 1e-3), curveOf(7, 5, 1e-5, 1)}, {curveOf(0, 11, 2e4, 0.99)},
		{curveOf(0, 3, 1e-7, 10), far}, {curveOf(0, 5, 1, 1)}, {curveOf(0, 5, 5, 1), curveOf(1, 5, 0, 1)}, {curveOf(0, 9, 1e250, 1e-40)},
	}
	var lines []string
	for i, list := range charts {
		for j, size := range [][2]int{{30, 7}, {44, 12}, {60, 22}, {25, 3}} {
			c := CharChart{Terminal: Terminal{Colour: (i+j)%3 == 0}, Turns: []int{10, 25, 120000}[(i+j)%3], Lines: list}
			low, high, ok := c.bounds()
			lines = append(lines, fmt.Sprintf("chart %d, %d×%d: %.9g … %.9g %v", i, size[0], size[1], low, high, ok))
			lines = append(lines, quoted(strings.Join(c.Draw(size[0], size[1]), "\n"))...)
		}
	}
	for _, x := range []float64{1, 1.9999999999, 2, 3, 4.99999, 5, 9.99, 9.9999999999, 10, 0.02, 0.0199, 7e-9, 12345} {
		lines = append(lines, fmt.Sprintf("%.11g is rounded down to %.9g, marked %s", x, roundDown(x), formatTick(x)))
	}
	for _, v := range []float64{0.001, 0.00099, 9999, 9999.9, 10000, 1e-12, 1e12, 123} {
		lines = append(lines, fmt.Sprintf("%g is marked %s", v, formatTick(v)))
	}
	for width := 22; width < 46; width++ {
		for _, turns := range []int{9, 12345} {
			lines = append(lines, quoted(CharChart{Turns: turns}.axis(width)[1])...)
		}
	}
	for _, rows := range []int{1, 2, 3, 5, 6, 7, 9, 20} {
		for _, e := range [][2]float64{{0.1, 1}, {0.001, 1}, {0.02, 5}, {1e-12, 1}, {2, 5}} {
			lines = append(lines, fmt.Sprintf("%d rows, %g … %g: %.9g", rows, e[0], e[1], ticks(e[0], e[1], rows)))
		}
	}
	evidence.AsRecorded(t, "testdata/charts.txt", lines)
}

// documents are one of everything and one of as little as can be.
func documents() map[string]*Document {
	hostile := "a *b* _c_ `d` [e](f) <g> #h |i| ~j~ &k \\ 1\n2\t3 \u202e4 \x01"
	table := TextTable{
		ID: "t", Title: "A <table>", About: "About *it*.", Columns: append(Heads("name", "number", "other"), Head{Name: "off", Off: true}, Head{Name: "choice", Choices: true}),
		Rows: [][]TextCell{
			{Words("a|b", "small <print>"), Number(0.1, func(v float64) string { return fmt.Sprint(v) }), Count(-3), Words("gone"), Words("x")},
			{Words(hostile), Number(math.NaN(), nil, "why"), Number(math.Inf(1), func(float64) string { return "∞" }), Words("gone"), Words("y")},
		},
	}
	plain := TextTable{ID: "p", Title: "Plain", Columns: Heads("only"), Rows: [][]TextCell{{Words("-1 begins")}, {Words("+2")}, {Words("  blank")}}}
	g := Graph{ID: "gap", Title: "Gap", About: "Of the gap.", Label: "gap", Along: "turn", Digits: 4, Log: true, Rules: []GraphRule{{0.5, "level"}}}
	points := []draw.LinePoint{{X: 0, Mean: 1.0 / 3, Low: 0.1, High: 0.9}, {X: 1, Mean: math.Inf(1), Low: -math.MaxFloat64, High: math.MaxFloat64}}
	look := draw.Style{Ink: draw.Ink(1), Dash: []int{2, 3}}
	g.Add(draw.Line{Name: "none"})
	g.Add(draw.Line{Name: "</script>", Style: look, Banded: true, Points: points})
	g.Add(draw.Line{Name: "same places", Style: draw.Style{Ink: draw.Hex(0x00000a)}, Points: points})
	g.Add(draw.Line{Name: "other places", Points: points[1:]})
	other := Graph{ID: "twin", Along: "step", Twin: true, LogX: true, Percent: true}
	third := Graph{ID: "alone", Along: "step"}
	figures := []draw.Figure{
		{Name: "gap", Title: "The *gap*", Caption: "See.", SVG: []byte("<svg/>"), PNG: []byte("png"), PDF: []byte("pdf")}, {Name: "twin", Title: "Twin", SVG: []byte("<svg/>"), PNG: []byte("png")},
		{Name: "alone", Title: "Alone", SVG: []byte("<svg/>"), PDF: []byte("pdf")}, {Name: "none", Title: "None", SVG: []byte("<svg/>")},
	}
	spec := "# a comment\nkey: 1.5e-3 # behind\n- word: \"text \\\" <b>\"\n  other.key: [a, -2, .inf, 'q', 7x]\nplain words & more\n```\n````\n"
	full := &Document{
		Title: "A # title", Facts: hostile, Warnings: []string{"warn <1>", "2"}, Answer: &Finding{"Do *it*.", []string{"caution"}, []string{"- reason", "other"}}, First: []TextTable{table},
		Question: []Term{{"What", "is *decided*"}}, Verdict: Finding{Headline: "A verdict", Reasons: []string{"why"}}, Graphs: []Graph{g, other, third}, Tables: []TextTable{table, plain}, Figures: figures,
		Spec: spec, Sections: []Chapter{{"one", "One", "It holds.", "good", []string{"a", "b"}, &table}, {ID: "two", Title: "Two", Sign: "bad"}}, Repeat: "kedge run x\n\n", Origin: []Term{{"version", "1"}},
		Headings: Headings{"Is it good?", "Charts.", "Pictures", "The same."}, Single: true,
	}
	several := *full
	several.Single, several.Headings, several.Graphs, several.Answer = false, Headings{}, full.Graphs[1:], nil
	return map[string]*Document{"full": full, "several": &several, "empty": {Verdict: Finding{Headline: "Nothing."}}}
}

// sum is what lets a page run its own script, and no other.
var sum = regexp.MustCompile(`sha256-[A-Za-z0-9+/=&#;]+`)

// Pages, Markdown and JSON of documents are what they were when they were last looked at, but for the script and the style, which are files of their own.
func TestDocumentsAreAsRecorded(t *testing.T) {
	all := documents()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		d := all[name]
		files, err := d.Files()
		if err != nil {
			t.Fatal(err)
		}
		script, style, err := assets()
		if err != nil {
			t.Fatal(err)
		}
		html := strings.Replace(strings.Replace(string(files["report.html"]), string(bytes.Map(harmless, script)), "SCRIPT", 1), string(bytes.Map(harmless, style)), "STYLE", 1)
		if len(html) > 50_000 {
			t.Errorf("%s: the page has %d bytes besides its script and style", name, len(html))
		}
		for _, begins := range []string{"/*\nuPlot", "MIT License"} {
			if !strings.Contains(string(script), begins) {
				t.Errorf("the script does not say %q", begins)
			}
		}
		var json bytes.Buffer
		if err := d.JSON(&json); err != nil {
			t.Fatal(err)
		}
		var lines []string
		for _, file := range slices.Sorted(maps.Keys(files)) {
			lines = append(lines, fmt.Sprintf("%s: %d bytes", file, min(len(files[file]), 4)))
		}
		for _, text := range []string{string(files["report.md"]), sum.ReplaceAllString(html, "sha256-SUM"), json.String()} {
			lines = append(append(lines, ""), quoted(text)...)
		}
		evidence.AsRecorded(t, "testdata/"+name+".txt", lines)
	}
}
