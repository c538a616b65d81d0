package page

import "strings"

// Ledger is a table of numbers with what explains them, which is as wide as fits. Where a number is from stands beside that where
// there is room, and behind it elsewhere.
type Ledger struct {
	Head LedgerRow
	Rows []LedgerRow
}

// LedgerRow is a number with how it is known.
type LedgerRow struct{ Symbol, Value, Known, How, Source string }

// LedgerWidth is how wide a ledger gets on a wide terminal.
const LedgerWidth = 130

const (
	symbolWidth, valueWidth, knownWidth = 12, 11, 10
	sourceWidth                         = 32
	wideEnough                          = 110
)

func (l Ledger) lines(t Terminal) (lines []string) {
	width := min(t.Width, LedgerWidth)
	beside, room := width >= wideEnough, width-symbolWidth-valueWidth-knownWidth
	if beside {
		room -= sourceWidth
	}
	room = max(20, room)
	head := l.Head.first() + l.Head.How + " [equation]"
	if beside {
		head = l.Head.first() + column(l.Head.How, room) + "equation"
	}
	lines = append(lines, t.Bold(head))
	for _, r := range l.Rows {
		how, source := r.How, strings.TrimPrefix(r.Source, "he2025, ")
		if !beside {
			how, source = how+" ["+source+"]", ""
		}
		wrapped := Wrap(how, room-1)
		lines = append(lines, strings.TrimRight(r.first()+column(wrapped[0], room)+t.Faint(source), " "))
		for _, line := range wrapped[1:] {
			lines = append(lines, strings.Repeat(" ", symbolWidth+valueWidth+knownWidth)+line)
		}
	}
	return lines
}

func (r LedgerRow) first() string {
	return column(r.Symbol, symbolWidth) + column(r.Value, valueWidth) + column(r.Known, knownWidth)
}

// column fills a text up to a width, with a space at least.
func column(text string, width int) string { return Pad(text, 1-width) + " " }
