package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/term"
)

// style says how a stream wants to be written to.
type style struct {
	terminal      bool // what was written can be written over
	colour        bool // emphasis by colours and bold letters
	shades        bool // there are 256 colours
	width, height int  // in characters; 80×24 where nobody knows
}

// styleOf looks at a stream and at the variables that terminals and people set: TERM=dumb can do nothing but go on, and
// NO_COLOR, with any value, asks for plain letters.
func styleOf(w io.Writer) style {
	s := style{width: 80, height: 24}
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return s
	}
	if width, height, err := term.GetSize(int(file.Fd())); err == nil && width > 0 && height > 0 {
		s.width, s.height = width, height
	}
	s.terminal = os.Getenv("TERM") != "dumb"
	s.colour = s.terminal && os.Getenv("NO_COLOR") == ""
	s.shades = strings.Contains(os.Getenv("TERM"), "256color") || os.Getenv("COLORTERM") != ""
	return s
}

func (s style) bold(text string) string  { return s.paint("1", text) }
func (s style) faint(text string) string { return s.paint("2", text) }
func (s style) good(text string) string  { return s.paint("32", text) }
func (s style) bad(text string) string   { return s.paint("31", text) }

// series paints what belongs to one of several lines of a chart or rows of a table, where there are 256 colours in those of
// the figures.
func (s style) series(i int, text string) string {
	colours := [...]string{"34", "33", "32", "35", "36", "31"}
	if s.shades {
		colours = [...]string{"38;5;32", "38;5;166", "38;5;36", "38;5;175", "38;5;136", "38;5;74"}
	}
	return s.paint(colours[i%len(colours)], text)
}

// seriesOf gives methods the colours that they have in figures; others get those that are left.
func seriesOf(names []string) []int {
	usual, next := map[string]int{"composite": 0, "vanilla": 1, "derivative-free": 2}, 3
	list := make([]int, len(names))
	for i, name := range names {
		known, ok := usual[name]
		if !ok {
			known = next
			next++
		}
		list[i] = known
	}
	return list
}

func (s style) paint(code, text string) string {
	if !s.colour || text == "" {
		return text
	}
	return "\033[" + code + "m" + text + "\033[0m"
}

// fit cuts a text without colours to a width.
func fit(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	if width < 1 {
		return ""
	}
	return string([]rune(text)[:width-1]) + "…"
}

// bar draws a share as a bar of so many cells.
func bar(share float64, cells int) string {
	full := min(max(0, int(share*float64(cells))), cells)
	return strings.Repeat("█", full) + strings.Repeat("░", cells-full)
}

// canvas is a few lines at the end of a terminal that are drawn again and again. What is printed after the last time goes
// below them.
type canvas struct {
	out   io.Writer
	drawn []int // widths of the lines that stand there
}

// draw replaces the lines. They must be no wider than the terminal; those that are too many for its height are left out.
func (c *canvas) draw(s style, lines ...string) {
	lines = lines[:min(len(lines), s.height-1)]
	var b strings.Builder
	if up := c.rows(s.width); up > 0 {
		fmt.Fprintf(&b, "\033[%dA", up)
	}
	c.drawn = c.drawn[:0]
	for _, line := range lines {
		b.WriteString("\r" + line + "\033[K\n")
		c.drawn = append(c.drawn, printedWidth(line))
	}
	b.WriteString("\033[J")
	io.WriteString(c.out, b.String())
}

// print puts lines that stay above those that are drawn next.
func (c *canvas) print(s style, lines ...string) {
	if len(lines) == 0 {
		return
	}
	c.draw(s)
	for _, line := range lines {
		fmt.Fprintln(c.out, line)
	}
}

// rows counts the rows that the drawn lines take now: a terminal made narrower has broken them.
func (c *canvas) rows(width int) (n int) {
	for _, w := range c.drawn {
		n += max(1, (w+width-1)/width)
	}
	return n
}

// printedWidth counts the characters of a line that show.
func printedWidth(line string) (n int) {
	escaped := false
	for _, r := range line {
		switch {
		case r == '\033':
			escaped = true
		case escaped:
			escaped = r != 'm'
		case !unicode.Is(unicode.Mn, r): // the tilde of Φ̃ stands above its letter
			n++
		}
	}
	return n
}
