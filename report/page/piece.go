package page

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
)

// Piece is a piece of what a terminal shows of a document.
type Piece interface {
	lines(t Terminal) []string
}

// Terminal writes what a terminal shows of the document.
func (d *Document) Terminal(t Terminal) string { return t.Render(d.Brief...) }

// Render writes pieces below each other. Names come from specs, files and other people's folders: what would act on the terminal instead of
// being seen is written out.
func (t Terminal) Render(pieces ...Piece) string {
	var out strings.Builder
	for _, p := range pieces {
		for _, line := range t.safely(p) {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}

// safely returns the lines of a piece. Without colours whatever acts on a terminal is foreign; a piece that has some gets none.
func (t Terminal) safely(p Piece) []string {
	plain := t
	plain.Colour = false
	if bare := p.lines(plain); slices.ContainsFunc(bare, func(line string) bool { return !phrase.IsSafe(line) }) {
		return lists.Of(bare, phrase.Safe)
	}
	return p.lines(t)
}

// widest is how wide running text gets on a wide terminal.
const widest = 100

// Plainly is lines as they are.
type Plainly []string

func (p Plainly) lines(Terminal) []string { return p }

// Heading is a line that leads the eye.
type Heading string

func (h Heading) lines(t Terminal) []string { return []string{t.Bold(string(h))} }

// Faintly is a line that may be passed over.
type Faintly string

func (a Faintly) lines(t Terminal) []string { return []string{t.Faint(string(a))} }

// Note is a line under a faint name.
type Note struct{ Name, Text string }

func (n Note) lines(t Terminal) []string { return []string{t.Faint(n.Name) + " " + n.Text} }

// Paragraphs are texts that are broken into lines of at most Width characters, 0 for the usual width.
type Paragraphs struct {
	Texts []string
	Width int
}

func (p Paragraphs) lines(t Terminal) (lines []string) {
	for _, text := range p.Texts {
		lines = append(lines, Wrap(text, min(t.Width, cmp.Or(p.Width, widest)))...)
	}
	return lines
}

// Bullets are the items of a list. Whole ones are as wide as a wide terminal on any other, too.
type Bullets struct {
	Texts []string
	Whole bool
}

func (b Bullets) lines(t Terminal) (lines []string) {
	width := min(t.Width, widest)
	if b.Whole {
		width = widest
	}
	for _, text := range b.Texts {
		lines = append(lines, hung("- ", 2, Wrap(text, width-2))...)
	}
	return lines
}

// hung sets lines beside a mark: the first behind it, the others as far to the right as the mark is wide.
func hung(mark string, wide int, lines []string) []string {
	return lists.Of(lines, func(line string) string {
		before := mark
		mark = strings.Repeat(" ", wide)
		return before + line
	})
}

func (f Finding) lines(t Terminal) []string {
	lines := lists.Of(Wrap(f.Headline, min(t.Width, widest)), t.Bold)
	for _, text := range f.Cautions {
		lines = append(lines, Caution(text).lines(t)...)
	}
	return append(lines, Bullets{Texts: f.Reasons}.lines(t)...)
}

// Caution is what spoils a result.
type Caution string

func (c Caution) lines(t Terminal) []string {
	return hung(t.Bad("!")+" ", 2, Wrap(string(c), min(t.Width, widest)-2))
}

// Marked is a line behind a mark.
type Marked struct {
	Mark, Text string
	Sign       Sign
}

func (m Marked) lines(t Terminal) []string { return []string{t.sign(m.Sign)(m.Mark) + " " + m.Text} }

// Remark is a marked finding with an explanation beside it and, below, what to do.
type Remark struct {
	Mark, Title, Text, Remedy string
	Sign                      Sign
}

// Sign is how something came out.
type Sign int

// The signs.
const (
	Neutral Sign = iota
	Good
	Bad
	Doubtful
)

// sign paints a mark as its sign asks for.
func (t Terminal) sign(s Sign) func(string) string {
	return map[Sign]func(string) string{Neutral: t.Faint, Good: t.Good, Bad: t.Bad, Doubtful: t.Bold}[s]
}

func (r Remark) lines(t Terminal) []string {
	const indent = 27
	lines := Wrap(r.Text, t.Width-indent)
	if r.Remedy != "" {
		lines = append(lines, lists.Of(Wrap("→ "+r.Remedy, t.Width-indent), t.Faint)...)
	}
	return hung(t.sign(r.Sign)(r.Mark)+" "+column(r.Title, indent-2), indent, lines)
}

// lines shows the columns of Brief, each as wide as its head says or, where that is too little for a row, as its widest text:
// right-aligned where the width is positive and left-aligned where it is negative. A last column without a width stands apart.
func (t TextTable) lines(on Terminal) (lines []string) {
	rows := t.Rows
	if !t.Headless {
		rows = append([][]TextCell{lists.Of(t.Columns, func(h Head) TextCell { return TextCell{Text: h.Name, Short: h.Short} })}, rows...)
	}
	widths := lists.Of(t.Columns, func(h Head) int { return h.Wide })
	for _, row := range rows {
		for _, column := range t.Brief {
			switch wide, need := widths[column], PrintedWidth(row[column].short()); {
			case wide > 0:
				widths[column] = max(wide, need)
			case wide < 0:
				widths[column] = min(wide, -need)
			}
		}
	}
	lines = lists.Of(rows, func(row []TextCell) string { return t.line(row, widths) })
	if !t.Headless {
		lines[0] = on.Bold(lines[0])
	}
	return lines
}

func (t TextTable) line(row []TextCell, widths []int) string {
	var out strings.Builder
	for i, column := range t.Brief {
		text, wide := row[column].short(), widths[column]
		if wide == 0 {
			return strings.TrimRight(out.String()+"  "+text, " ")
		}
		if i > 0 {
			out.WriteByte(' ')
		}
		out.WriteString(Pad(text, wide))
	}
	return out.String()
}
