package page

import (
	"io"
	"os"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
	"golang.org/x/term"
)

// Wrap breaks a text at spaces into lines of at most so many characters that show.
func Wrap(text string, width int) (lines []string) {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && PrintedWidth(indent+line)+1+PrintedWidth(word) > width {
			lines = append(lines, indent+line)
			line = ""
		}
		line = strings.TrimSpace(line + " " + word)
	}
	return append(lines, indent+line)
}

// Terminal says how a stream wants to be written to.
type Terminal struct {
	Rewrites      bool // what was written can be written over
	Colour        bool // emphasis by colours and bold letters
	Shades        bool // there are 256 colours
	Width, Height int  // in characters; 80×24 where nobody knows
}

// TerminalOf looks at a stream and at the variables that terminals and people set: TERM=dumb can do nothing but go on, and
// NO_COLOR, with any value, asks for plain letters.
func TerminalOf(w io.Writer) Terminal {
	s := Terminal{Width: 80, Height: 24}
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return s
	}
	if width, height, err := term.GetSize(int(file.Fd())); err == nil && width > 0 && height > 0 {
		s.Width, s.Height = width, height
	}
	s.Rewrites = os.Getenv("TERM") != "dumb"
	s.Colour = s.Rewrites && os.Getenv("NO_COLOR") == ""
	s.Shades = strings.Contains(os.Getenv("TERM"), "256color") || os.Getenv("COLORTERM") != ""
	return s
}

// Bold is what leads the eye.
func (s Terminal) Bold(text string) string { return s.paint("1", text) }

// Faint is what may be passed over.
func (s Terminal) Faint(text string) string { return s.paint("2", text) }

// Good is what came out well.
func (s Terminal) Good(text string) string { return s.paint("32", text) }

// Bad is what did not.
func (s Terminal) Bad(text string) string { return s.paint("31", text) }

// Series paints what belongs to one of several lines of a chart or rows of a table, where there are 256 colours in those of
// the figures.
func (s Terminal) Series(i int, text string) string {
	colours := [...]string{"34", "33", "32", "35", "36", "31"}
	if s.Shades {
		colours = [...]string{"38;5;32", "38;5;166", "38;5;36", "38;5;175", "38;5;136", "38;5;74"}
	}
	return s.paint(colours[i%len(colours)], text)
}

func (s Terminal) paint(code, text string) string {
	if !s.Colour || text == "" {
		return text
	}
	return "\033[" + code + "m" + text + "\033[0m"
}

// Fit cuts a text without colours to a width, with what is not safe on a terminal written out.
func Fit(text string, width int) string {
	text = phrase.Safe(text)
	if phrase.Cells(text) <= width {
		return text
	}
	if width < 1 {
		return ""
	}
	return phrase.Cut(text, width-1) + "…"
}

// Pad fills a text up to a width, to its left where the width is positive and to its right where it is negative, as printf does.
func Pad(text string, wide int) string {
	room := strings.Repeat(" ", max(0, max(wide, -wide)-PrintedWidth(text)))
	if wide < 0 {
		return text + room
	}
	return room + text
}

// Bar draws a share as a bar of so many cells.
func Bar(share float64, cells int) string {
	full := min(max(0, int(share*float64(cells))), cells)
	return strings.Repeat("█", full) + strings.Repeat("░", cells-full)
}

// PrintedWidth counts the places that a line takes, without what only colours it.
func PrintedWidth(line string) int {
	shown, escaped := make([]rune, 0, len(line)), false
	for _, r := range line {
		switch {
		case r == '\033':
			escaped = true
		case escaped:
			escaped = r != 'm'
		default:
			shown = append(shown, r)
		}
	}
	return phrase.Cells(string(shown))
}
