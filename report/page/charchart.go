package page

import (
	"fmt"
	"math"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/portable"
)

// CharChart draws lines over turns on a logarithmic scale, with characters.
type CharChart struct {
	Terminal
	Turns int // the end of the horizontal axis
	Lines []CharLine
}

// CharLine is one line of it; values that are not above 0 lie below every scale.
type CharLine struct {
	Series      int // its colour
	Turn, Value []float64
}

const chartMargin = 8 // columns for the labels of the vertical axis

// Draw returns the chart as lines of exactly the given size, which must leave room for the axes.
func (c CharChart) Draw(width, height int) []string {
	low, high, ok := c.bounds()
	if !ok {
		low, high = 1e-3, 1
	}
	columns, rows := width-chartMargin-1, height-2
	f := &field{c.Terminal, columns, rows, make([]byte, columns*rows), make([]int, columns*rows)}
	for _, line := range c.Lines {
		f.trace(line, float64(c.Turns), low, high)
	}
	var lines []string
	ticks := ticks(low, high, rows)
	for y := range rows {
		label, mark := "", "│"
		if at, ok := tickAt(ticks, y, rows, low, high); ok {
			label, mark = formatTick(at), "┤"
		}
		lines = append(lines, c.Faint(fmt.Sprintf("%*s %s", chartMargin-1, label, mark))+f.row(y))
	}
	return append(lines, c.axis(width)...)
}

// bounds are the values 1, 2 or 5 times a power of ten around what there is to show, at most twelve decades of it.
func (c CharChart) bounds() (low, high float64, ok bool) {
	low, high = math.Inf(1), 0
	for _, line := range c.Lines {
		for _, v := range line.Value {
			if v > 0 && !math.IsInf(v, 0) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if high == 0 {
		return 0, 0, false
	}
	low = max(low, high*1e-12)
	if roundDown(low)*1.001 >= 1/roundDown(1/high) {
		low, high = low/1.5, high*1.5
	}
	return roundDown(low), 1 / roundDown(1/high), true
}

// roundDown is the largest 1, 2 or 5 times a power of ten up to x.
func roundDown(x float64) float64 {
	power := portable.Pow(10, math.Floor(portable.Log10(x)))
	for _, m := range []float64{10, 5, 2} {
		if m*power <= x*(1+1e-9) {
			return m * power
		}
	}
	return power
}

// ticks lists the numbers 1, 2 and 5 times powers of ten within the bounds or, where those are more than fit, powers of ten.
func ticks(low, high float64, rows int) []float64 {
	if list := ticksAt(low, high, 1, 2, 5); 2*len(list) <= rows+1 {
		return list
	}
	var list []float64
	decades := ticksAt(low, high, 1)
	every := max(1, (2*len(decades)+rows-1)/max(1, rows))
	for i := 0; i < len(decades); i += every {
		list = append(list, decades[i])
	}
	return list
}

// ticksAt lists multiples of powers of ten.
func ticksAt(low, high float64, multiples ...float64) (list []float64) {
	for e := math.Floor(portable.Log10(low) + 1e-9); portable.Pow(10, e) <= high*1.0001; e++ {
		for _, m := range multiples {
			if v := m * portable.Pow(10, e); v >= low*0.9999 && v <= high*1.0001 {
				list = append(list, v)
			}
		}
	}
	return list
}

// tickAt returns the tick that belongs to a row.
func tickAt(ticks []float64, y, rows int, low, high float64) (float64, bool) {
	for _, v := range ticks {
		if int(math.Round(height(v, low, high)*float64(rows-1))) == rows-1-y {
			return v, true
		}
	}
	return 0, false
}

// height is where a value lies between the bounds, from 0 to 1.
func height(v, low, high float64) float64 {
	return max(0, min(1, portable.Log(v/low)/portable.Log(high/low)))
}

func formatTick(v float64) string {
	if v >= 0.001 && v < 10_000 {
		return fmt.Sprintf("%.4g", v)
	}
	return strings.NewReplacer("e-0", "e-", "e+0", "e").Replace(fmt.Sprintf("%.0e", v))
}

// axis is the horizontal axis with its labels.
func (c CharChart) axis(width int) []string {
	line := strings.Repeat(" ", chartMargin) + "└" + strings.Repeat("─", width-chartMargin-1)
	left, middle, right := "0", phrase.Grouped(c.Turns/2), phrase.Grouped(c.Turns)+" turns"
	room := width - chartMargin - len(left) - len(right)
	label := left + strings.Repeat(" ", max(1, room)) + right
	if before := (width-chartMargin)/2 - len(left) - len(middle)/2; room > len(middle)+8 && before+len(middle) < room {
		label = left + strings.Repeat(" ", before) + middle + strings.Repeat(" ", room-before-len(middle)) + right
	}
	return []string{c.Faint(line), c.Faint(strings.Repeat(" ", chartMargin) + label)}
}

// field is the inside of a chart. With colours lines are drawn in dots, eight a character; without, every line has a
// letter of its own.
type field struct {
	Terminal
	columns, rows int
	dots          []byte
	owner         []int // the line seen in a cell, from 1
}

// LineMark marks the line of a series where there are no colours.
func LineMark(i int) string {
	marks := [...]string{"•", "o", "+", "x", "*", "#"}
	return marks[i%len(marks)]
}

// trace draws a line from point to point.
func (f *field) trace(line CharLine, end, low, high float64) {
	wide, tall := float64(2*f.columns-1), float64(4*f.rows-1)
	var x0, y0 float64
	for k, v := range line.Value {
		x, y, n := float64(line.Turn[k]/end*wide), tall, 1
		if v > 0 {
			y = float64((1 - height(v, low, high)) * tall)
		}
		if k == 0 {
			x0, y0 = x, y
		}
		n += int(max(math.Abs(x-x0), math.Abs(y-y0)))
		for s := 1; s <= n; s++ {
			t := float64(s) / float64(n)
			f.dot(line.Series, x0+float64(t*(x-x0)), y0+float64(t*(y-y0)))
		}
		x0, y0 = x, y
	}
}

// dot sets the dot at a position counted in dots from the top left.
func (f *field) dot(i int, x, y float64) {
	column, row := int(math.Round(x)), int(math.Round(y))
	cell := row/4*f.columns + column/2
	if column < 0 || column >= 2*f.columns || row < 0 || row >= 4*f.rows {
		return
	}
	bits := [4][2]byte{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}
	f.dots[cell] |= bits[row%4][column%2]
	f.owner[cell] = i + 1
}

// row writes a row of cells.
func (f *field) row(y int) string {
	var b strings.Builder
	for x := range f.columns {
		cell := y*f.columns + x
		switch i := f.owner[cell] - 1; {
		case i < 0:
			b.WriteByte(' ')
		case f.Colour:
			b.WriteString(f.Series(i, string(rune(0x2800)+rune(f.dots[cell]))))
		default:
			b.WriteString(LineMark(i))
		}
	}
	return b.String()
}
