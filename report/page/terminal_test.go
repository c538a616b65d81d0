package page

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"unicode"
)

// A file or a pipe gets neither colours nor redrawn lines.
func TestStyleOfNoTerminal(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "out")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	want := Terminal{Width: 80, Height: 24}
	if got := TerminalOf(file); got != want {
		t.Errorf("a file has %+v, want %+v", got, want)
	}
	if got := TerminalOf(new(bytes.Buffer)); got != want {
		t.Errorf("a buffer has %+v, want %+v", got, want)
	}
	if got := want.Bad("x") + want.Series(3, "y"); got != "xy" {
		t.Errorf("plain text is written as %q", got)
	}
}

func TestFit(t *testing.T) {
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{{"abc", 3, "abc"}, {"abcd", 3, "ab…"}, {"λμν", 3, "λμν"}, {"λμνξ", 2, "λ…"}, {"ab", 0, ""}} {
		if got := Fit(c.text, c.width); got != c.want {
			t.Errorf("fit(%q, %d) is %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestBar(t *testing.T) {
	for share, want := range map[float64]string{-1: "░░░░", 0: "░░░░", 0.5: "██░░", 0.99: "███░", 1: "████", 2: "████"} {
		if got := Bar(share, 4); got != want {
			t.Errorf("a bar of %v is %s, want %s", share, got, want)
		}
	}
}

// A table shows on a terminal what it lists there, in short words, and on pages all but what is for terminals alone.
func TestTablesOnTerminalsAndPages(t *testing.T) {
	table := TextTable{
		ID: "t", Title: "T", Brief: []int{0, 2, 1},
		Columns: []Head{{Name: "method", Short: "lq2", Wide: -6}, {Name: "ends at"}, {Name: "seconds", Wide: 8, Off: true}},
		Rows: [][]TextCell{
			{Words("a"), Words("✓", "there").InShort("✓ there"), Words("T917")},
			{Words("b"), Words("").InShort(" "), Words("λ")},
		},
	}
	d := &Document{Title: "X", Tables: []TextTable{table}, Brief: []Piece{table, Plainly{""}, Finding{"Yes.", []string{"Unless."}, []string{"Because."}}, Note{"note:", "n"}}}
	want := "lq2     seconds  ends at\na          T917  ✓ there\nb             λ\n\nYes.\n! Unless.\n- Because.\nnote: n\n"
	if got := d.Terminal(Terminal{Width: 80}); got != want {
		t.Errorf("a terminal shows\n%swant\n%s", got, want)
	}
	html, err := d.HTML()
	if err != nil {
		t.Fatal(err)
	}
	var json bytes.Buffer
	if err := d.JSON(&json); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"the page": string(html), "Markdown": string(d.Markdown()), "JSON": json.String()} {
		if strings.Contains(text, "T917") || strings.Contains(text, "✓ there") || !strings.Contains(text, "ends at") {
			t.Errorf("%s does not show the columns of pages alone", name)
		}
	}
}

// Columns stand below each other whatever is in them: minus signs, exponents, marks above letters, letters of two places, and texts that are
// longer than their column was meant to be.
func TestColumnsAreAligned(t *testing.T) {
	table := TextTable{Brief: []int{0, 1, 2}, Columns: []Head{{Name: "method", Wide: -6}, {Name: "gap", Wide: 5}, {Name: "end"}}}
	for _, row := range [][2]string{{"a", "−1"}, {"名前", "3.45 × 10⁻⁴"}, {"Φ̃", "1"}, {"a very long name", "–"}, {"한글 x", "−∞"}} {
		table.Rows = append(table.Rows, []TextCell{Words(row[0]), Words(row[1]), Words("|")})
	}
	for i, line := range table.lines(Terminal{Width: 80}) {
		before, _, found := strings.Cut(line, "|")
		if want := 16 + 1 + 11 + 2; i > 0 && (!found || PrintedWidth(before) != want) {
			t.Errorf("the last column of %q begins at %d, want %d", line, PrintedWidth(before), want)
		}
	}
	if got := Fit("名前と", 4) + "|" + Pad("名", -3) + "|" + Pad("−1", 3); got != "名…|名 | −1" {
		t.Errorf("got %q", got)
	}
}

// What would turn a text around, ring or colour is not in Markdown, be it fenced or not: every such mark is replaced, and lines and tabs stay.
func TestMarkdownHoldsNoMarksOfControl(t *testing.T) {
	const bad = "a\x1b[31m\tb\u202e\nc\x07\x00"
	d := &Document{Title: bad, Spec: bad, Repeat: bad, Warnings: []string{bad}}
	text := string(d.Markdown())
	if found := strings.IndexFunc(text, func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
	}); found >= 0 {
		t.Errorf("%q at %d of %q", text[found], found, text)
	}
	if got := strings.Count(text, "\na\ufffd[31m\tb\ufffd\nc\ufffd\ufffd\n```"); got != 2 {
		t.Errorf("%d fenced texts of 2 in %q", got, text)
	}
}
