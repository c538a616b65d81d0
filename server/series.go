package server

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kedge-opt/kedge/session"
)

// band is a series thinned to the least and the largest of neighbouring closes; where a close has none it has no part in them.
type band struct {
	Min []*float64 `json:"min"`
	Max []*float64 `json:"max"`
}

// event that a series is marked at.
type incident struct {
	K     int          `json:"k"`
	Seq   int          `json:"seq"`
	Kind  session.Kind `json:"kind"`
	Words string       `json:"words,omitempty"`
}

// marked are the kinds of events that stand beside a series.
var marked = []session.Kind{session.ModeChanged, session.Pinned, session.Unpinned, session.RolledBack, session.Revised, session.Raised, session.Restored, session.Archived}

// mostMarks is how many of them are told, the newest.
const mostMarks = 1000

// measured are series by the names that calls know them by, other than entries of decisions.
var measured = map[string]func(o *session.Outcome) float64{
	"value": func(o *session.Outcome) float64 {
		return valueOf(o, func(v *session.SampleValue) float64 { return v.Mean })
	},
	"value.low": func(o *session.Outcome) float64 {
		return valueOf(o, func(v *session.SampleValue) float64 { return v.Low })
	},
	"value.high": func(o *session.Outcome) float64 {
		return valueOf(o, func(v *session.SampleValue) float64 { return v.High })
	},
	"people":    func(o *session.Outcome) float64 { return float64(o.Sample.Rows) },
	"effective": func(o *session.Outcome) float64 { return o.Sample.Effective },
	"step": func(o *session.Outcome) float64 {
		return termOf(o, func(t *session.GradientTerms) float64 { return t.Step })
	},
	"direct": func(o *session.Outcome) float64 {
		return termOf(o, func(t *session.GradientTerms) float64 { return t.Direct })
	},
	"answer": func(o *session.Outcome) float64 {
		return termOf(o, func(t *session.GradientTerms) float64 { return t.Answer })
	},
	"cosine": func(o *session.Outcome) float64 {
		return termOf(o, func(t *session.GradientTerms) float64 { return t.Cosine })
	},
}

func valueOf(o *session.Outcome, of func(*session.SampleValue) float64) float64 {
	if o.Value == nil {
		return math.NaN()
	}
	return of(o.Value)
}

func termOf(o *session.Outcome, of func(*session.GradientTerms) float64) float64 {
	if o.Terms == nil {
		return math.NaN()
	}
	return of(o.Terms)
}

// gauge reads one series off the events of a loop.
type gauge struct {
	name  string
	list  string // u, iterate or proposed; empty: measured
	entry int
	of    func(o *session.Outcome) float64
}

// meterOf finds a series by its name.
func meterOf(name string, entries int) (gauge, error) {
	if of, ok := measured[name]; ok {
		return gauge{name: name, of: of}, nil
	}
	list, index, _ := strings.Cut(name, ".")
	i, err := strconv.Atoi(index)
	if !slices.Contains([]string{"u", "iterate", "proposed"}, list) || err != nil || i < 0 || i >= entries {
		return gauge{}, problem(session.Malformed, fmt.Sprintf("%q is no series; there are value, value.low, value.high, people, effective, step, direct, answer, cosine, and u.0 … u.%d, iterate.0 …, proposed.0 …", name, entries-1))
	}
	return gauge{name: name, list: list, entry: i}, nil
}

// series answers what was measured, thinned.
func series(c *call) (int, any, error) {
	dim, err := c.dims()
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
	names := c.URL.Query().Get("name")
	if names == "" {
		names = "value"
	}
	var meters []gauge
	for name := range strings.SplitSeq(names, ",") {
		m, err := meterOf(name, dim.Decision)
		if err != nil {
			return 0, nil, err
		}
		if meters = append(meters, m); len(meters) > mostSeries {
			return 0, nil, problem(session.TooLarge, fmt.Sprintf("more than %d series at once", mostSeries))
		}
	}
	t := tape{from: from, meters: meters, columns: make([][]float64, len(meters))}
	if err := c.journal.Read(c.Context(), c.loop, 0, t.see); err != nil {
		return 0, nil, err
	}
	return 200, t.thinned(max(1, points)), nil
}

// mostSeries is how many series a call has.
const mostSeries = 64

// tape is what the events of a loop say.
type tape struct {
	from    int
	meters  []gauge
	ks      []int
	columns [][]float64
	marks   []incident
	newest  int
	vectors struct{ u, proposed []float64 } // of the newest decision
}

func (t *tape) see(e session.Event) error {
	switch e.Kind {
	case session.Opened, session.Proposed:
		var b struct{ U []float64 }
		t.newest = e.K
		err := json.Unmarshal(e.Body, &b)
		t.vectors.proposed, t.vectors.u = b.U, nil
		return err
	case session.Deployed, session.Corrected:
		var b struct{ U []float64 }
		err := json.Unmarshal(e.Body, &b)
		t.vectors.u = b.U
		return err
	case session.Closed:
		return t.close(e)
	}
	if slices.Contains(marked, e.Kind) && max(e.K, t.newest) >= t.from {
		var b struct{ Reason, Words, Mode string }
		if err := json.Unmarshal(e.Body, &b); err != nil {
			return err
		}
		words := strings.TrimPrefix(b.Mode+": "+b.Reason, ": ")
		if words == b.Mode+": " {
			words = b.Mode
		}
		if b.Words != "" {
			words = b.Words
		}
		t.marks = append(t.marks, incident{max(e.K, t.newest), e.Seq, e.Kind, words})
		t.marks = t.marks[max(0, len(t.marks)-mostMarks):]
	}
	return nil
}

func (t *tape) close(e session.Event) error {
	if e.K < t.from {
		return nil
	}
	var o session.Outcome
	if err := json.Unmarshal(e.Body, &o); err != nil {
		return err
	}
	t.ks = append(t.ks, e.K)
	for i, m := range t.meters {
		t.columns[i] = append(t.columns[i], t.read(m, &o))
	}
	return nil
}

func (t *tape) read(m gauge, o *session.Outcome) float64 {
	if m.of != nil {
		return m.of(o)
	}
	list := map[string][]float64{"u": t.vectors.u, "proposed": t.vectors.proposed, "iterate": o.Iterate}[m.list]
	if m.entry >= len(list) {
		return math.NaN()
	}
	return list[m.entry]
}

// thinned puts neighbouring closes together until there are no more than so many points.
func (t *tape) thinned(points int) map[string]any {
	width := max(1, (len(t.ks)+points-1)/points)
	ks := []int{}
	for i := 0; i < len(t.ks); i += width {
		ks = append(ks, t.ks[i])
	}
	reply := map[string]any{"k": ks, "marks": t.marks}
	if t.marks == nil {
		reply["marks"] = []incident{}
	}
	for i, m := range t.meters {
		b := band{Min: []*float64{}, Max: []*float64{}}
		for group := range slices.Chunk(t.columns[i], width) {
			low, high := extremes(group)
			b.Min, b.Max = append(b.Min, low), append(b.Max, high)
		}
		reply[m.name] = b
	}
	return reply
}

// extremes are the least and the largest of the numbers that are there, nil if none is.
func extremes(group []float64) (low, high *float64) {
	for _, v := range group {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			continue
		}
		if low == nil || v < *low {
			low = &v
		}
		if high == nil || v > *high {
			high = &v
		}
	}
	return low, high
}
