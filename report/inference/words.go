package inference

import (
	"fmt"
	"math"
	"strings"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/logs"
)

// Figures of a page are called by what begins and ends like this.
const (
	prefix = "fit-"
	ending = ".svg"
)

// figured shows a number with four digits, or a dash.
func figured(n logs.Amount) string {
	if !n.Known() {
		return phrase.Absent
	}
	return phrase.FourDigits(float64(n))
}

// HalfLife says how long people who settle take for half of the way.
func HalfLife(a *logs.Response) string {
	f := a.HalfLife
	text := "Half of the way is gone after " + Digits(f.Value) + " turns"
	switch {
	case f.Low.Known() && f.High.Known():
		return text + " (" + Digits(f.Low) + " … " + Digits(f.High) + ")"
	case f.Low.Known() && math.IsInf(float64(f.High), 1):
		return text + " (" + Digits(f.Low) + " … ∞: it may never be)"
	}
	return text
}

// inWords is a number with its interval.
func inWords(f logs.Inferred) string {
	if !f.Low.Known() && !f.High.Known() {
		return figured(f.Value)
	}
	return figured(f.Value) + " (" + figured(f.Low) + " … " + figured(f.High) + ")"
}

func capital(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}

func turnsAhead(n int) string {
	if n == 1 {
		return "one turn ahead"
	}
	return fmt.Sprintf("%d turns ahead", n)
}

func ahead(first, last logs.Missed) string {
	if first.Ahead == last.Ahead {
		return turnsAhead(last.Ahead)
	}
	return "up to " + turnsAhead(last.Ahead)
}

// beats says whether the model is better than no change by more than chance.
func beats(m logs.Missed) string {
	switch gain, e := float64(m.Gain), float64(m.GainError); {
	case gain > 2*e:
		return "are better than"
	case gain < -2*e:
		return "are worse than"
	}
	return "cannot be told from"
}

// gained says by how much, on average over the entries of the state.
func gained(m logs.Missed) string {
	entries := max(1, float64(len(m.Model)))
	gain := float64(m.Gain) / entries
	word := "smaller"
	if gain < 0 {
		word, gain = "larger", -gain
	}
	return fmt.Sprintf("are %s %s than those of no change (standard error %s)", phrase.Percent(gain), word, phrase.Percent(float64(m.GainError)/entries))
}
