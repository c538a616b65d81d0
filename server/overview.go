package server

import (
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/word"
)

// Glance is a loop in a line: what a person wants to know who has many.
type Glance struct {
	Loop     string            `json:"loop"`
	Mode     session.Mode      `json:"mode"`
	Labels   map[string]string `json:"labels,omitempty"`
	K        int               `json:"k"`
	State    session.Stage     `json:"state,omitempty"` // of the current decision
	Level    string            `json:"level"`           // of its worst card: fine, wait, hold or alarm
	Words    string            `json:"words"`           // of that card
	Do       string            `json:"do,omitempty"`
	Value    kedge.Called      `json:"value"`
	Maximize bool              `json:"maximize"`
	Values   session.Sparse    `json:"values"` // of the newest decisions, null where there is none
	Since    *time.Time        `json:"live_since,omitempty"`
	LiveK    int               `json:"live_k,omitempty"`
	Due      *time.Time        `json:"due,omitempty"`
	Pinned   bool              `json:"pinned,omitempty"`
	Seq      int               `json:"seq"`
}

// overview is a page of loops.
type overview struct {
	Now   time.Time `json:"now"`
	Loops []Glance  `json:"loops"`
	Next  string    `json:"next_page_token,omitempty"`
}

// recent is how many values a glance has.
const recent = 60

// glances shows loops in a line each: all, or those that the query names.
func glances(c *call) (int, any, error) {
	q := c.query()
	size, after, only := q.number("page_size", 100, 1000), q.Get("page_token"), q.Get("loops")
	if q.err != nil {
		return 0, nil, q.err
	}
	all, err := c.journal.Loops(c.Context())
	if err != nil {
		return 0, nil, err
	}
	page := overview{Now: c.clock.Now().UTC(), Loops: []Glance{}}
	for _, tip := range all {
		if !c.sees(tip.Loop) || tip.Loop <= after || only != "" && !slices.Contains(strings.Split(only, ","), tip.Loop) {
			continue
		}
		if len(page.Loops) == size {
			page.Next = after
			break
		}
		g, err := c.glance(tip.Loop)
		if broken, is := errors.AsType[*session.ChainError](err); is { // of which the others tell nothing
			g, err = Glance{Loop: tip.Loop, Level: word.Alarm, Words: "The loop cannot be read: " + broken.Error() + ".", Do: "Look at the disk, and restore a backup.", Seq: tip.Seq, Values: session.Sparse{}}, nil
		}
		if err != nil {
			return 0, nil, err
		}
		page.Loops, after = append(page.Loops, g), tip.Loop
	}
	return 200, page, nil
}

// glance looks at one loop.
func (c *call) glance(loop string) (g Glance, err error) {
	if err := c.kills.Read(c.Context()); err != nil {
		return g, err
	}
	err = c.host.Look(c.Context(), loop, func(l *session.Loop) error {
		s := l.Status()
		_, plan := l.Arranged()
		if c.kills.Is(loop) {
			s.Mode = session.Killed
		}
		worst := worstOf(c.cards(l, loop))
		g = Glance{Loop: loop, Mode: s.Mode, Labels: s.Labels, K: s.K, State: s.State, Level: worst.State, Words: worst.Words, Do: worst.Do, Value: plan.Names.Value, Maximize: plan.Maximize, Pinned: s.Pin != nil, Seq: s.Seq}
		if s.Live != nil {
			g.Since, g.LiveK = &s.Live.Since, s.Live.K
		}
		if at, ever := l.Due(); ever {
			g.Due = &at
		}
		return nil
	})
	if err != nil {
		return g, err
	}
	page, err := c.journal.Series(c.Context(), loop, []string{"value"}, max(1, g.K-recent+1), recent)
	if err != nil {
		return g, err
	}
	g.Values = page.Series["value"].Max
	return g, nil
}

// worstOf is the card to look at first. While nothing is wrong that is the decision on its way, or else the mode.
func worstOf(cards []word.Card) word.Card {
	weight := func(c word.Card) int {
		return 2*slices.Index([]string{word.Fine, word.Wait, word.Hold, word.Alarm}, c.State) + map[string]int{"decision": 1}[c.Name]
	}
	return slices.MaxFunc(cards, func(a, b word.Card) int { return weight(a) - weight(b) })
}

// terms is what the spec of a loop arranges, for who looks at its numbers.
type terms struct {
	Revision  int             `json:"revision"`
	Spec      string          `json:"spec"`
	Algorithm string          `json:"algorithm,omitempty"`
	Maximize  bool            `json:"maximize"`
	Names     kedge.Names     `json:"names"`
	Lower     *session.Sparse `json:"lower,omitempty"` // of the entries of a decision, by the set alone; null: none
	Upper     *session.Sparse `json:"upper,omitempty"`
	Start     []float64       `json:"start"`
	Safe      []float64       `json:"safe,omitempty"`
	Least     int             `json:"least"`
	Cap       ceiling         `json:"cap"`
	Approval  string          `json:"approval"`
	Deadlines deadlines       `json:"deadlines"`
}

// ceiling is how far a decision may be from what is live; what is missing is without limit.
type ceiling struct {
	Norm *float64 `json:"norm,omitempty"`
	Each *float64 `json:"each,omitempty"`
	Day  *float64 `json:"day,omitempty"`
	Lead *float64 `json:"lead,omitempty"`
}

// deadlines are spans in seconds; what is missing never comes.
type deadlines struct {
	Settle  *float64 `json:"settle,omitempty"`
	Deploy  *float64 `json:"deploy,omitempty"`
	Data    *float64 `json:"data,omitempty"`
	Approve *float64 `json:"approve,omitempty"`
	GiveUp  *float64 `json:"give_up,omitempty"`
	Retain  *float64 `json:"retain,omitempty"`
}

// arranged shows what the spec of a loop arranges.
func arranged(c *call) (int, any, error) {
	return look(c, func(l *session.Loop) (terms, error) {
		spec, b := l.Arranged()
		live := b.Live
		t := terms{Revision: l.Status().Revision, Spec: spec, Algorithm: live.Algorithm, Maximize: b.Maximize, Names: b.Names, Start: b.Start, Safe: live.Safe, Least: live.Least, Approval: live.Approval,
			Cap:       ceiling{finite(live.Cap()), finite(live.Each), finite(live.Day), finite(live.Ahead())},
			Deadlines: deadlines{span(live.Settle), span(live.Deploy), span(live.Data), span(live.Approve), span(live.GiveUp), span(live.Retain)},
		}
		t.Lower, t.Upper = b.Bounds()
		return t, nil
	})
}

func finite(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return &v
}

func span(d time.Duration) *float64 {
	if d == form.Never {
		return nil
	}
	return new(d.Seconds())
}
