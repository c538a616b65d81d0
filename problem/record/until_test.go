package record

import (
	"slices"
	"testing"
)

// At a date everybody counts as last seen until then, also who was not seen at the date itself; where nobody is seen again, those of the date.
func TestLastOfAPast(t *testing.T) {
	l := &Recorded{People: []string{"stays", "goes", "comes"}, Person: []int{0, 0, 0, 1, 1, 2, 2}, Turn: []int{0, 1, 2, 0, 1, 2, 3}, Line: make([]int, 7), again: true}
	for turn, want := range map[int][]int{0: {0, 3}, 1: {1, 4}, 2: {2, 4, 5}, 3: {2, 4, 6}} {
		past := l.Until(turn)
		var got []int // rows of the whole log
		for _, row := range past.Last() {
			got = append(got, indexOf(l, past, row))
		}
		if !slices.Equal(got, want) {
			t.Errorf("at %d: rows %v, want %v", turn, got, want)
		}
	}
	l.again = false
	if got := l.Until(2).Last(); !slices.Equal(got, []int{2, 5}) {
		t.Errorf("people of whom each is seen once: rows %v of the last time", got)
	}
}

// indexOf finds a row of a past in the whole log, by person and turn.
func indexOf(l, past *Recorded, row int) int {
	for i := range l.Turn {
		if l.People[l.Person[i]] == past.People[past.Person[row]] && l.Turn[i] == past.Turn[row] {
			return i
		}
	}
	return -1
}
