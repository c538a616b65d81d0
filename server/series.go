package server

import (
	"cmp"
	"encoding/json"
	"errors"
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
	q := c.query()
	from, points := q.number("from_k", 1, 1<<53), q.number("points", 2000, 100_000)
	if q.err != nil {
		return 0, nil, q.err
	}
	names := strings.Split(cmp.Or(q.Get("name"), "value"), ",")
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
	switch times := q.Get("times"); times {
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
	kinds := []session.Kind{session.ModeChanged, session.Pinned, session.Unpinned, session.RolledBack, session.Revised, session.Raised, session.Restored, session.Archived}
	events, err := c.journal.Newest(c.Context(), c.loop, kinds, mostMarks)
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

// fan is how an entry of people's states moved: 5, 25, 50, 75 and 95 in 100 of those who answered each decision are below.
type fan struct {
	K         []int       `json:"k"`
	Quantiles [][]float64 `json:"quantiles"`
}

// quantiles shows how people moved over the newest decisions that somebody answered and whose answers are still kept.
func quantiles(c *call) (int, any, error) {
	q := c.query()
	entry, last := q.number("entry", 0, 1<<20), q.number("last", 40, 100)
	if q.err != nil {
		return 0, nil, q.err
	}
	status, err := c.status(c.Context(), c.loop)
	if err != nil {
		return 0, nil, err
	}
	var gone error
	f := fan{K: []int{}, Quantiles: [][]float64{}}
	for k := status.K; k > max(0, status.K-last); k-- {
		d, err := c.decision(k)
		if err != nil {
			return 0, nil, err
		}
		if d.Deployed == nil || len(d.Batches) == 0 {
			continue
		}
		err = c.host.Look(c.Context(), c.loop, func(l *session.Loop) error {
			s, err := l.Distribution(d, session.Aspect{Entry: entry, Bins: 1}, session.PastOf(c.journal, c.loop))
			if err == nil {
				f.K, f.Quantiles = append([]int{k}, f.K...), append([][]float64{s.Ranks}, f.Quantiles...)
			}
			return err
		})
		if errors.Is(err, session.ErrDropped) {
			gone = err // by retention, or because somebody is erased: older ones may still be kept
		} else if err != nil && !session.IsRefusal(err, session.Incomplete) {
			return 0, nil, err
		}
	}
	if len(f.K) == 0 && gone != nil {
		return 0, nil, gone
	}
	return 200, f, nil
}
