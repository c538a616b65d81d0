package logs

import (
	"maps"
	"slices"

	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/problem/record"
)

// Past is what the whole log says of people as they stood at a turn: numbers and traits are those of all rows, states and what is beside them those of
// the last row until then, and what all had in common is that of the turn.
func (e *Inference) Past(turn int) *Inference {
	out := *e
	out.Log = e.Log.Until(turn)
	out.crowd = crowd{own: e.known(out.Log, e.crowd.own), season: e.crowd.at(turn)}
	if e.crowd.drawn == nil {
		out.crowd.ownBy, out.crowd.seasonBy = e.crowd.ownBy, e.crowd.seasonBy
	}
	for _, d := range e.crowd.drawn {
		out.crowd.drawn = append(out.crowd.drawn, crowd{own: e.known(out.Log, d.own), season: d.at(turn)})
	}
	return &out
}

// Redraw keeps the first draws, and finds what people and times have of their own anew under each of them, where that is known how.
func (e *Inference) Redraw(draws int) {
	e.Draws = e.Draws[:min(draws, len(e.Draws))]
	if e.crowd.anew == nil {
		return
	}
	e.crowd.drawn = lists.Of(e.Draws, e.crowd.anew)
}

// known picks the traits of the people of a shorter log.
func (e *Inference) known(l *record.Recorded, own []float64) (list []float64) {
	if own == nil {
		return nil
	}
	width := len(own) / len(e.Log.People)
	number := make(map[string]int, len(e.Log.People))
	for i, name := range e.Log.People {
		number[name] = i
	}
	for _, name := range l.People {
		at := number[name] * width
		list = append(list, own[at:at+width]...)
	}
	return list
}

// at is what all had in common at a turn, or at the last one before it that is known; at first, at the first one.
func (c *crowd) at(turn int) []float64 {
	turns := slices.Sorted(maps.Keys(c.seasons))
	if len(turns) == 0 {
		return nil
	}
	after, _ := slices.BinarySearch(turns, turn+1)
	return c.seasons[turns[max(1, after)-1]]
}

// TraitOf is the trait of somebody at a row of the log as the spec that was fitted has it, with what moved by itself.
func (e *Inference) TraitOf(row int) []float64 { return e.traitOf(row, e.crowd.own) }

func (e *Inference) traitOf(row int, own []float64) (list []float64) {
	l, width := e.Log, e.width
	switch {
	case l.Traits.Names != nil:
		list = append(list, l.Traits.Row(row)...)
	case own != nil:
		list = append(list, own[l.Person[row]*width:(l.Person[row]+1)*width]...)
	default:
		list = append(list, make([]float64, width)...)
	}
	return append(list, l.Beside.Row(row)...)
}

// TraitsUnder are the traits of everybody at their last row as a draw of the numbers has them, nil where they do not depend on draws.
func (e *Inference) TraitsUnder(draw int) (list []float64) {
	if draw >= len(e.crowd.drawn) || e.crowd.drawn[draw].own == nil {
		return nil
	}
	for _, row := range e.Log.Last() {
		list = append(list, e.traitOf(row, e.crowd.drawn[draw].own)...)
	}
	return list
}

// TraitsFollow tells whether traits and what times have in common are found anew under every draw of the numbers, as they should where they were found.
func (e *Inference) TraitsFollow() bool {
	return e.crowd.own == nil && e.crowd.season == nil || e.crowd.anew != nil
}
