package server

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// incident is an event that stands beside a series.
type incident struct {
	K     int          `json:"k"` // the newest decision then
	Seq   int          `json:"seq"`
	Kind  session.Kind `json:"kind"`
	Words string       `json:"words,omitempty"`
}

// What series there are: by themselves, and by entry, as u.0.
var (
	numbers = []string{"value", "value.low", "value.high", "rows", "effective", "early", "without_trait", "quarantined", "ratio", "ratio.low", "ratio.high", "step", "direct", "answer", "cosine", "stepped", "off", "trust"}
	vectors = []string{"u", "deployed", "iterate", "multipliers"}
)

// marked are the kinds of events that stand beside a series.
func marked() []session.Kind {
	return []session.Kind{session.ModeChanged, session.Pinned, session.Unpinned, session.RolledBack, session.Revised, session.Raised, session.Restored, session.Archived}
}

const (
	mostMarks  = 1000 // the newest
	mostSeries = 64   // of a call
)

// isSeries tells whether decisions of so many entries may have a number of a name.
func isSeries(name string, entries int) bool {
	if slices.Contains(numbers, name) {
		return true
	}
	list, index, _ := strings.Cut(name, ".")
	i, err := strconv.Atoi(index)
	return slices.Contains(vectors, list) && err == nil && i >= 0 && (i < entries || list == "multipliers")
}

// series answers what was measured, thinned.
func series(c *call) (int, any, error) {
	dim, err := c.host.Dims(c.Context(), c.loop)
	if err != nil {
		return 0, nil, err
	}
	from, err := c.number("from_k", 1, 1<<53)
	if err != nil {
		return 0, nil, err
	}
	points, err := c.number("points", 2000, 100_000)
	if err != nil {
		return 0, nil, err
	}
	names := []string{"value"}
	if text := c.URL.Query().Get("name"); text != "" {
		names = strings.Split(text, ",")
	}
	if len(names) > mostSeries {
		return 0, nil, problem(session.TooLarge, fmt.Sprintf("more than %d series at once", mostSeries))
	}
	for _, name := range names {
		if !isSeries(name, dim.Decision) {
			return 0, nil, problem(session.Malformed, fmt.Sprintf("%q is no series; there are %s, and by entry, from 0 to %d, %s", name, strings.Join(numbers, ", "), dim.Decision-1, strings.Join(vectors, ", ")))
		}
	}
	page, err := c.journal.Series(c.Context(), c.loop, names, from, points)
	if err != nil {
		return 0, nil, err
	}
	reply := map[string]any{"k": page.K}
	for name, band := range page.Series {
		reply[name] = band
	}
	if reply["marks"], err = c.marks(from); err != nil {
		return 0, nil, err
	}
	switch times := c.URL.Query().Get("times"); times {
	case "true":
		reply["at"], err = c.times(page.K)
	case "", "false":
	default:
		err = problem(session.Malformed, "times is true or false, not "+strconv.Quote(times))
	}
	return 200, reply, err
}

// times are when decisions were opened.
func (c *call) times(decisions []int) ([]time.Time, error) {
	if len(decisions) > mostEvents {
		return nil, problem(session.TooLarge, fmt.Sprintf("times are there for up to %d points", mostEvents))
	}
	list := make([]time.Time, len(decisions))
	for i, k := range decisions {
		events, err := c.journal.Decision(c.loop, k)
		if err != nil {
			return nil, err
		}
		if len(events) > 0 {
			list[i] = events[0].At
		}
	}
	return list, nil
}

// marks are what happened from a decision on.
func (c *call) marks(from int) ([]incident, error) {
	list := []incident{}
	events, err := c.journal.Newest(c.Context(), c.loop, marked(), mostMarks)
	for _, e := range events {
		var b struct{ Reason, Words, Mode string }
		if err := json.Unmarshal(e.Body, &b); err != nil {
			return nil, err
		}
		k, err := c.journal.DecisionAt(c.loop, e.Seq)
		if err != nil {
			return nil, err
		}
		if words := slices.DeleteFunc([]string{b.Mode, b.Words, b.Reason}, func(w string) bool { return w == "" }); k >= from || k == 0 {
			list = append(list, incident{k, e.Seq, e.Kind, strings.Join(words, ": ")})
		}
	}
	return list, err
}
