package backtest

import (
	"fmt"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/logs"
)

// say writes down what is assumed, what rules mean, and what a reader must know.
func (h *Retrospect) say(all *logs.Inference) {
	within := "within the set of the spec"
	if h.MostChange > 0 {
		within += fmt.Sprintf(" and no further than %s from what was deployed", phrase.Shortest(h.MostChange))
	}
	h.Meaning = []string{
		Done + ": what was really deployed next",
		Composite + ": the settled optimum of the model fitted on rows until the date, " + within,
		Vanilla + ": where retraining on that model comes to rest, " + within,
		Nothing + ": what was deployed stays",
	}
	h.Assumptions = []string{
		"the model is right, in its form and in the numbers that the whole log tells, which nobody had then",
		"people would have answered decisions that were never tried as the model says",
		"what moves by itself, and what all had in common, stays as it was at the date",
		"nobody else reacts: no competitor, no supplier, no law",
		"everybody who had been seen by the date counts, as they stood when they were last seen",
	}
	if unequal(all) {
		h.Assumptions = append(h.Assumptions, "all meet one decision: people met different ones at a date, and done and nothing are the mean of those for everybody")
	}
	early := 0
	for _, o := range h.Dates {
		if o.Why != "" {
			early++
		}
	}
	if early > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("At %d of %s the log did not tell the numbers yet.", early, phrase.Count(len(h.Dates), "date")))
	}
	switch {
	case h.Draws == 0:
		h.Notes = append(h.Notes, "There are no draws of the numbers, and so no intervals.")
	case h.Draws < fewest:
		h.Notes = append(h.Notes, fmt.Sprintf("There are no intervals: they need %d draws of the numbers, not %d.", fewest, h.Draws))
	case all.TraitsFollow():
		h.Notes = append(h.Notes, fmt.Sprintf("Intervals hold values under 95 of 100 of %d draws of the numbers that the whole log tells; they carry no other doubt.", h.Draws))
	default:
		h.Notes = append(h.Notes, fmt.Sprintf("Intervals hold values under 95 of 100 of %d draws of the numbers that the whole log tells. What people and times have of their own follows the draws in the mean at most, and as at the last date: intervals of settled values are rough.", h.Draws))
	}
}

// unequal tells whether people met different decisions at a time.
func unequal(all *logs.Inference) bool {
	l, first := all.Log, map[int]int{}
	for i, t := range l.Turn {
		j, seen := first[t]
		if !seen {
			first[t] = i
			continue
		}
		for k, v := range l.Decision.Row(i) {
			if v != l.Decision.Row(j)[k] {
				return true
			}
		}
	}
	return false
}

// Answer is what came of it, in a sentence, with what it rests on.
func (h *Retrospect) Answer() string {
	for _, m := range h.Margins {
		if m.Against != Done {
			continue
		}
		verb := "cost"
		if h.Maximize {
			verb = "earned"
		}
		return fmt.Sprintf("If all that is assumed below holds, the composite rule would have %s %s than what was done once all had settled, and %s a turn later, a person, in the mean of %s.",
			verb, h.words(m.Settled), h.words(m.Once), phrase.Count(m.Dates, "date"))
	}
	return "Nothing can be said of the composite rule: at no date is there both what was done and what the rule would have set."
}

// words says by how much something is better.
func (h *Retrospect) words(w Worth) string {
	v, low, high := float64(w.Value), float64(w.Low), float64(w.High)
	if !h.Maximize { // better is less
		v, low, high = -v, -high, -low
	}
	more := "more"
	if v < 0 {
		v, low, high, more = -v, -high, -low, "less"
	}
	text := phrase.Brief(v) + " " + more
	if w.Low.Known() && w.High.Known() {
		return text + fmt.Sprintf(" (%s … %s)", phrase.Brief(low), phrase.Brief(high))
	}
	return text + " (how sure that is cannot be told)"
}

// Decides tells whether a rule decides at any date.
func (h *Retrospect) Decides() bool {
	return slices.ContainsFunc(h.Dates, func(o PastDate) bool { return o.of(Composite) != nil || o.of(Vanilla) != nil })
}

// TooEarly is why rules decide nothing at dates at which the log did not tell the numbers yet.
func (o *PastDate) TooEarly() string { return tooEarly }
