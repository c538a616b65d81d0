// Package word says in words what a loop does: why a decision is what it is, and how the loop is.
package word

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/internal/rows"
)

// Move is a decision beside the one before it.
type Move struct {
	Names          kedge.Names
	Was, U         []float64
	Rests          int       // the decision that the newest step was taken on, where closes since took none; 0: the newest close took one
	Direct, Answer []float64 // of the gradient of the loss: by the decision itself, and by the answer of the settled population; nil: unknown
}

// mostNamed is how many entries are spoken of, those that change most.
const mostNamed = 3

// Sentences say which entries change, and what speaks for it.
func (c Move) Sentences() (list []string) {
	if rows.Distance(c.U, c.Was) == 0 {
		if c.Rests > 0 {
			return []string{fmt.Sprintf("Nothing changes: no close since that of decision %d took a step.", c.Rests)}
		}
		return []string{"Nothing changes: the step came to nothing."}
	}
	order := kedge.Some(len(c.U), len(c.U))
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(math.Abs(c.U[j]-c.Was[j]), math.Abs(c.U[i]-c.Was[i]))
	})
	for _, i := range order[:min(mostNamed, len(order))] {
		change := c.U[i] - c.Was[i]
		if change == 0 {
			continue
		}
		way := "rises"
		if change < 0 {
			way = "falls"
		}
		text := fmt.Sprintf("%s %s by %s, from %s to %s", c.called(i), way, c.amount(i, math.Abs(change)), phrase.Shortest(c.Was[i]), c.amount(i, c.U[i]))
		if len(c.Direct) > i && len(c.Answer) > i {
			text += ": " + c.because(c.Direct[i], c.Answer[i], change)
		}
		list = append(list, text+".")
	}
	if left := len(order) - mostNamed; left > 0 {
		list = append(list, fmt.Sprintf("The others, %d of them, change less.", left))
	}
	return list
}

// because weighs what a change does at once against what people's answer does.
func (c Move) because(direct, answer, change float64) string {
	value := cmp.Or(c.Names.Value.Name, "the value")
	atOnce, settled := -direct*change, -answer*change                                   // gains
	size := func(a, b float64) string { return phrase.Brief(math.Abs(a/b)) + " times" } // neither is 0 below
	switch {
	case atOnce >= 0 && settled >= 0:
		return fmt.Sprintf("%s gains by it at once, and by how people answer once they have settled", value)
	case settled > 0 && settled >= -atOnce:
		return fmt.Sprintf("at once %s loses by it, but how people answer once they have settled outweighs that (%s)", value, size(settled, atOnce))
	case atOnce >= -settled:
		return fmt.Sprintf("%s gains by it at once, which outweighs how people answer once they have settled (%s)", value, size(atOnce, settled))
	}
	return "the rule got here by earlier steps or by other entries"
}

// called is the name of an entry of the decision.
func (c Move) called(i int) string {
	if name := kedge.CalledAt(c.Names.Decision, i).Name; name != "" {
		return Upper(name)
	}
	return fmt.Sprintf("%s[%d]", cmp.Or(c.Names.Symbol, "u"), i)
}

// amount is a number with the unit of an entry.
func (c Move) amount(i int, v float64) string {
	text := phrase.Shortest(v)
	if unit := kedge.CalledAt(c.Names.Decision, i).Unit; unit != "" {
		text += " " + unit
	}
	return text
}

// Upper begins a text with a capital.
func Upper(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}
