package tally

import (
	"context"
	"encoding/json"
	"maps"
	"math"
	"time"

	"github.com/kedge-opt/kedge/internal/rows"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/saved"
	"github.com/prometheus/client_golang/prometheus"
)

// learn brings what is known of loops up to the newest events: of those there were before the service began, and of those that other services write.
// It reads what was saved of a loop and the events since; loops that rest are not woken. One that cannot be read keeps the numbers it has.
func (m *Tally) learn(ctx context.Context) {
	m.learning.Lock()
	defer m.learning.Unlock()
	m.mu.Lock()
	gone := maps.Clone(m.loops)
	m.mu.Unlock()
	all, err := m.service.Journal.Loops(ctx)
	if err != nil {
		return
	}
	for _, tip := range all {
		if delete(gone, tip.Loop); !session.IsOwn(tip.Loop) {
			m.meet(ctx, tip)
		}
	}
	for loop := range gone {
		m.Forget(loop)
	}
	m.size()
}

// meet makes it known how a loop stands at its newest event, or later.
func (m *Tally) meet(ctx context.Context, tip session.Tip) {
	known, before := account{isNamed: true}, 0
	m.mu.Lock()
	if a := m.loops[tip.Loop]; a != nil {
		if before = a.seq; before <= tip.Seq { // else it may be another loop of that name
			known = *a
			known.alarms = maps.Clone(a.alarms)
		}
	}
	m.mu.Unlock()
	if before == tip.Seq {
		return
	}
	labels, last, err := m.recall(ctx, tip.Loop, &known)
	if err != nil {
		return
	}
	m.mu.Lock()
	a := m.of(tip.Loop, labels)
	if a.seq < known.seq || a.seq == before && before > tip.Seq {
		known.isNamed = a.isNamed
		known.slim()
		*a = known
	}
	isNamed := a.isNamed
	m.mu.Unlock()
	if isNamed && last != nil {
		m.show(tip.Loop, last)
	}
}

// recall reads how a loop stands, from what is known of it or was saved, and its newest close.
func (m *Tally) recall(ctx context.Context, loop string, a *account) (labels map[string]string, last *gist, err error) {
	j, first := m.service.Journal, a.seq == 0
	if first {
		state, err := j.State(loop)
		if err != nil {
			return nil, nil, err
		}
		labels = a.from(state, loop)
	}
	err = j.Read(ctx, loop, a.seq, func(e session.Event) error {
		if err := e.Follow(loop, a.seq, a.hash); err != nil {
			return err
		}
		g, err := gistOf(&e)
		if err != nil { // of a kind that says nothing of this
			g = gist{}
		}
		if a.note(&e, &g); e.Kind == session.Created {
			labels = g.Labels
		}
		if e.Kind == session.Closed {
			last = &g
		}
		return nil
	})
	if err == nil && last == nil && first {
		last, err = newestClose(ctx, j, loop)
	}
	return labels, last, err
}

// size finds out how far decisions may be from what is live, by specs that are new. Parsing takes a while: nobody waits for it.
func (m *Tally) size() {
	specs := map[string]string{}
	m.mu.Lock()
	for loop, a := range m.loops {
		if a.spec != "" {
			specs[loop] = a.spec
		}
	}
	m.mu.Unlock()
	for loop, text := range specs {
		most := math.Inf(1)
		if s, err := problem.Parse(m.service.Kinds, "spec", []byte(text)); err == nil && s.Live != nil {
			most = s.Live.Cap()
		}
		m.mu.Lock()
		if a := m.loops[loop]; a != nil && a.spec == text {
			a.cap, a.spec = most, ""
		}
		m.mu.Unlock()
	}
}

// Forget lets go of a loop that is gone.
func (m *Tally) Forget(loop string) {
	m.mu.Lock()
	delete(m.loops, loop)
	m.mu.Unlock()
	of := prometheus.Labels{"loop": loop}
	for _, vec := range []interface{ DeletePartialMatch(prometheus.Labels) int }{m.decisions, m.turns, m.holds, m.rows, m.value, m.step, m.ratio, m.rails} {
		vec.DeletePartialMatch(of)
	}
}

// newestClose is the newest close of a loop; nil: there is none.
func newestClose(ctx context.Context, j session.Journal, loop string) (*gist, error) {
	events, err := j.Newest(ctx, loop, []session.Kind{session.Closed}, 1)
	if err != nil || len(events) == 0 {
		return nil, err
	}
	g, err := gistOf(&events[0])
	return &g, err
}

// from takes what was saved of a loop. What is unsound is left alone: the events say the same.
func (a *account) from(state []byte, loop string) (labels map[string]string) {
	if state == nil {
		return nil
	}
	frame, err := saved.Read(state, loop)
	if err != nil {
		return nil
	}
	var s struct {
		Mode    session.Mode      `json:"mode"`
		Labels  map[string]string `json:"labels"`
		Spec    string            `json:"spec"`
		Alarms  map[string]string `json:"alarms"`
		Current *session.Decision `json:"current"`
		Live    *struct {
			U     []float64 `json:"u"`
			Since time.Time `json:"since"`
		} `json:"live"`
	}
	if json.Unmarshal(frame.Body, &s) != nil {
		return nil
	}
	a.mode, a.spec, a.seq, a.hash = s.Mode, s.Spec, frame.Seq, frame.Head
	for name := range s.Alarms {
		a.raise(name)
	}
	if s.Live != nil {
		a.since, a.live = s.Live.Since, s.Live.U
	}
	switch d := s.Current; {
	case d == nil:
	case d.Deployed == nil && len(d.U) == len(a.live):
		a.move = rows.Distance(d.U, a.live)
	case d.State == session.IsDeployed && d.Deployed.DataBy != nil:
		a.dataBy = *d.Deployed.DataBy
	}
	return s.Labels
}
