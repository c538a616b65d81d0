package server

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/plan"
)

// newestPeople looks at the people who answered a decision, or else the newest before it that somebody answered; at nobody if there is none.
func (c *call) newestPeople(k int, look func(k int, b *session.Brief, seen kedge.Observation) error) error {
	d, err := c.before(k+1, func(d *session.Decision) bool { return d.Deployed != nil && d.Answered() > 0 })
	if err != nil {
		return err
	}
	return c.host.Look(c.Context(), c.loop, func(l *session.Loop) error {
		_, brief := l.Arranged()
		if d == nil {
			return look(0, brief, kedge.Observation{})
		}
		seen, err := l.People(d, session.PastOf(c.journal, c.loop))
		if err != nil {
			return err
		}
		return look(d.K, brief, seen)
	})
}

func guessed(c *call) (int, any, error) {
	d, err := c.decision(c.k)
	if err != nil {
		return 0, nil, err
	}
	u, err := c.vector("u", len(d.U))
	if err != nil {
		return 0, nil, err
	}
	if u == nil {
		u = d.U
		if d.Basis == session.Baseline { // in the shadow: what it would have decided
			u = d.Iterate
		}
	}
	before, live, err := c.origin(c.k)
	if err != nil {
		return 0, nil, err
	}
	var why *session.Reasoning
	if before != nil && (d.Basis == session.Step || d.Basis == session.Again || d.Basis == session.Baseline) {
		why = before.Outcome.Why
	}
	var f *plan.Forecast
	err = c.newestPeople(c.k, func(k int, b *session.Brief, seen kedge.Observation) (err error) {
		if f, err = b.Forecast(seen, live, u, b.Vanilla(why, live)); err == nil {
			f.K = k
		}
		return err
	})
	return 200, f, err
}

func answering(c *call) (int, any, error) {
	var newest int
	if err := c.host.Look(c.Context(), c.loop, func(l *session.Loop) error { newest = l.Status().K; return nil }); err != nil {
		return 0, nil, err
	}
	var a *plan.Answering
	err := c.newestPeople(newest, func(k int, b *session.Brief, seen kedge.Observation) (err error) {
		if a, err = b.Answering(seen); err == nil {
			a.K = k
		}
		return err
	})
	return 200, a, err
}
