package logs

import (
	"fmt"
	"math"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/record"
)

// fewest is how many rows a log has if one of them with more than half of all spread is worth a word.
const fewest = 20

// lone warns of rows that have more than half of the spread of a state or a decision by themselves: what is found rests on them, whatever all others say.
func (w *work) lone() {
	l := w.log
	if l.Rows() < fewest {
		return
	}
	for _, part := range []*record.Columns{&l.States, &l.Decision} {
		for j, name := range part.Names {
			mean, total, most, at := 0.0, 0.0, 0.0, 0
			for i := range l.Rows() {
				mean += part.Row(i)[j] / float64(l.Rows())
			}
			for i := range l.Rows() {
				off := part.Row(i)[j] - mean
				square := float64(off * off)
				if total += square; square > most {
					most, at = square, i
				}
			}
			if most > total/2 {
				w.out.Warn = append(w.out.Warn, fmt.Sprintf("%s is %s in row %d of %s, which has more than half of all its spread: the numbers rest on that row, and errors do not show it; leave it out by data.where if it is a mistake.",
					name, phrase.Brief(part.Row(at)[j]), l.Line[at], w.spec.Data.File))
			}
		}
	}
}

// byRows says what errors are where people are too few.
func (w *work) byRows(people int) {
	w.out.Apart = true
	w.out.Warn = append(w.out.Warn, fmt.Sprintf("There are no more people (%d) than unknowns (%d): errors take rows of one person for independent of each other, and are too small if they are not.", people, len(w.unknowns)))
}

// before warns where nobody has two rows a turn apart at the end, so that what all had in common there is not known.
func (w *work) before() {
	if last, end := slices.Max(w.turn), w.log.Span(); w.ofTimes() && last < end {
		w.out.Warn = append(w.out.Warn, fmt.Sprintf("Of %s nobody has a row a turn before: what all had in common at last is that of %s.", w.log.When(end), w.log.When(last)))
	}
}

// alikeForAll warns where effects of times leave little of what decisions do.
func (w *work) alikeForAll() {
	if _, common, _ := w.stuck(); common != nil && w.out.Told() {
		names := phrase.Enumerate(common)
		w.out.Warn = append(w.out.Warn, fmt.Sprintf("%s moved for all alike, which effects of times take out but for what differs between people: of what it does to all, only the first time tells, whose effect is taken for 0.", names))
	}
}

// exact takes errors and intervals away where next states are met exactly, so that they would only say how rounding went.
func (w *work) exact() {
	if f := w.out.Fitted; w.spec.Data.Drawn() || f != nil && f.Exact < w.f.States || f == nil && !w.meets() {
		return
	}
	for j := range w.out.Found {
		if f := &w.out.Found[j]; f.Value.Known() {
			f.Error, f.Low, f.High, f.Note = unknown(), unknown(), unknown(), "met exactly: how sure it is cannot be told"
		}
	}
}

// meets tells whether an estimate of the linear table leaves nothing but rounding.
func (w *work) meets() bool {
	square := 0.0
	for _, v := range w.rows.After {
		square += float64(v*v) / float64(len(w.rows.After))
	}
	return float64(w.out.Spread[w.log.States.Names[0]]) <= 1e-13*math.Sqrt(square)
}
