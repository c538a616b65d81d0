package page

import (
	"math"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/report/draw"
)

// Texts that have just the room of a line, behind their mark, stay on it: "aaaa bbbbb" has 10 letters.
func TestTextsThatJustFitStayOnTheirLine(t *testing.T) {
	const text = "aaaa bbbbb"
	for name, c := range map[string]struct {
		piece Piece
		room  int
	}{
		"a bullet": {Bullets{Texts: []string{text}}, 12}, "a caution": {Caution(text), 12}, "a remark": {Remark{Mark: "✓", Title: "t", Text: text}, 37}, "a paragraph": {Paragraphs{Texts: []string{text}}, 10}, "a finding": {Finding{Headline: text}, 10},
	} {
		for less, want := range []int{1, 2} {
			if got := strings.Count(Terminal{Width: c.room - less}.Render(c.piece), "\n"); got != want {
				t.Errorf("%s in %d columns takes %d lines, want %d", name, c.room-less, got, want)
			}
		}
	}
}

// A column that is said to be 1 wide is as wide as its widest text all the same, to either side.
func TestNarrowColumnsGrow(t *testing.T) {
	table := TextTable{Brief: []int{0, 1, 2}, Headless: true, Columns: []Head{{Name: "a", Wide: -1}, {Name: "b", Wide: 1}, {Name: "c"}}}
	table.Rows = [][]TextCell{{Words("x"), Words("1"), Words("|")}, {Words("long"), Words("1234"), Words("|")}}
	if got, want := (Terminal{Width: 80}).Render(table), "x       1  |\nlong 1234  |\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// One figure has its heading too, and the number behind a cell is told to its last bit.
func TestOneFigureHasAHeading(t *testing.T) {
	d := &Document{Title: "T", Figures: []draw.Figure{{Name: "f", Title: "F", Caption: "See."}}}
	if got, want := string(d.Markdown()), "\n## Figures\n\n![F](f.svg)\n\n*F.* See.\n"; !strings.Contains(got, want) {
		t.Errorf("%q does not contain %q", got, want)
	}
	if got := Number(1.0/3, func(float64) string { return "a third" }).Exact; got != "0.3333333333333333" {
		t.Errorf("a third is %s", got)
	}
}

// What JSON cannot hold is an error of the page and of its files, not an empty chart.
func TestGraphsThatCannotBeWritten(t *testing.T) {
	d := &Document{Graphs: []Graph{{ID: "g", Rules: []GraphRule{{math.NaN(), "level"}}}}}
	if page, err := d.HTML(); page != nil || err == nil || !strings.HasPrefix(err.Error(), "embed the graphs: ") {
		t.Errorf("%d bytes, %v", len(page), err)
	}
	if files, err := d.Files(); files != nil || err == nil {
		t.Errorf("%d files, %v", len(files), err)
	}
}
