package record

import "slices"

// Until is what was known at a turn: its rows and those before, and the people who had been seen by then.
func (l *Recorded) Until(turn int) *Recorded {
	var rows []int
	for i, t := range l.Turn {
		if t <= turn {
			rows = append(rows, i)
		}
	}
	out := &Recorded{Total: len(rows), Groups: l.Groups, when: l.when, dates: l.dates, again: l.again}
	number := make([]int, len(l.People))
	for _, i := range rows {
		if p := l.Person[i]; number[p] == 0 {
			out.People = append(out.People, l.People[p])
			number[p] = len(out.People)
		}
		out.Person, out.Turn, out.Line = append(out.Person, number[l.Person[i]]-1), append(out.Turn, l.Turn[i]), append(out.Line, l.Line[i])
		if l.Weight != nil {
			out.Weight = append(out.Weight, l.Weight[i])
		}
		if l.Group != nil {
			out.Group = append(out.Group, l.Group[i])
		}
	}
	for _, part := range []struct{ from, to *Columns }{{&l.States, &out.States}, {&l.Decision, &out.Decision}, {&l.Traits, &out.Traits}, {&l.Beside, &out.Beside}, {&l.Instruments, &out.Instruments}} {
		part.to.Names = part.from.Names
		for _, i := range rows {
			part.to.Data = append(part.to.Data, part.from.Row(i)...)
		}
	}
	return out
}

// Turns are those that rows are of, in order.
func (l *Recorded) Turns() []int {
	return slices.Compact(slices.Sorted(slices.Values(l.Turn)))
}
