package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/kedge-opt/kedge/report/page"
)

// canvas is a few lines at the end of a terminal that are drawn again and again. What is printed after the last time goes
// below them.
type canvas struct {
	out   io.Writer
	drawn []int // widths of the lines that stand there
}

// draw replaces the lines. They must be no wider than the terminal; those that are too many for its height are left out.
func (c *canvas) draw(s page.Terminal, lines ...string) {
	lines = lines[:min(len(lines), s.Height-1)]
	var b strings.Builder
	if up := c.rows(s.Width); up > 0 {
		fmt.Fprintf(&b, "\033[%dA", up)
	}
	c.drawn = c.drawn[:0]
	for _, line := range lines {
		b.WriteString("\r" + line + "\033[K\n")
		c.drawn = append(c.drawn, page.PrintedWidth(line))
	}
	b.WriteString("\033[J")
	io.WriteString(c.out, b.String())
}

// print puts lines that stay above those that are drawn next.
func (c *canvas) print(s page.Terminal, lines ...string) {
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
