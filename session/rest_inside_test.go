package session

import (
	"slices"
	"testing"
	"time"
)

// Of the loops that are awake so many stay, those that were used last; of loops that were used at once those with the later names.
func TestLoopsThatWereUsedLastStayAwake(t *testing.T) {
	at := time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		most  int
		since time.Duration // in minutes after the first was used
		stay  []string
	}{
		{5, 0, []string{"a", "b", "c", "d"}}, {4, 0, []string{"a", "b", "c", "d"}}, {3, 0, []string{"a", "b", "d"}}, {2, 0, []string{"a", "b"}}, {0, 0, nil},
		{4, 1, []string{"a", "b", "d"}}, {4, 2, []string{"a", "b"}}, {4, 3, nil}, {1, 1, []string{"b"}},
	} {
		h := NewFleet(nil, nil, Standard, nil)
		for name, used := range map[string]time.Duration{"c": 0, "d": 1, "a": 2, "b": 2} {
			e := h.enter(name)
			e.loop = New(name, Standard)
			e.used.Store(at.Add(used * time.Minute).UnixNano())
			e.mu.Unlock()
		}
		h.thin(c.most, at.Add(c.since*time.Minute))
		var stay []string
		for name := range h.loops {
			stay = append(stay, name)
		}
		slices.Sort(stay)
		if !slices.Equal(stay, c.stay) || len(h.resting) != 4-len(c.stay) {
			t.Errorf("at most %d, used since %d: %v stay awake and %d rest, want %v", c.most, c.since, stay, len(h.resting), c.stay)
		}
	}
}
