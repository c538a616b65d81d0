package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/batch"
	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/kills"
	"github.com/kedge-opt/kedge/session/plan"
	"github.com/kedge-opt/kedge/session/word"
)

// asking is the body of ask.
type asking struct {
	AfterK int    `json:"after_k,omitempty"` // wait for a decision after this one
	Wait   string `json:"wait,omitempty"`    // as long as that, as in 30s
}

// longest is how long an ask waits at most.
const longest = 5 * time.Minute

// ask answers the current decision, at once or when there is one after after_k.
func ask(c *call, b asking) (int, any, error) {
	if b.Wait != "" {
		wait, err := time.ParseDuration(b.Wait)
		if err != nil || wait < 0 || wait > longest {
			return 0, nil, problem(session.Malformed, fmt.Sprintf("wait is a time up to %s, as 30s, not %q", longest, b.Wait))
		}
		defer c.whileValid()()
		err = c.await(b.AfterK, wait)
		if why := context.Cause(c.Context()); errors.Is(why, keyring.ErrRevoked) || errors.Is(why, keyring.ErrExpired) {
			return 0, nil, problem(unauthenticated, why.Error())
		}
		if err != nil {
			return 0, nil, err
		}
	}
	if err := c.kills.Read(c.Context()); err != nil {
		return 0, nil, err
	}
	if c.kills.Settle(c.Context(), c.loop) {
		return c.killedOffer()
	}
	status, reply, err := c.do(200, session.Ask{})
	if offer, is := reply.(session.Offer); is && err == nil {
		c.kills.Know(c.loop, offer.Safe, offer.Iterate)
	}
	if kills.IsUnwritten(err) && c.isKilled() { // which needs nothing written down
		return c.killedOffer()
	}
	return status, reply, err
}

// await waits until an ask would answer a decision after k, or time is up. Meanwhile it takes no place among the requests at work.
func (c *call) await(k int, wait time.Duration) error {
	leave, ok := c.hub.Watch(c.loop, c.limits.Watchers)
	if !ok {
		return problem(overloaded, "too many are watching or waiting")
	}
	defer leave()
	defer c.turns.rest()()
	over := time.NewTimer(wait)
	defer over.Stop()
	for {
		_, changed, _ := c.hub.After(c.loop, 1<<53)
		s, err := c.status(c.Context(), c.loop)
		if err != nil || s.K > k || s.State == "" {
			return err
		}
		select {
		case <-changed:
		case <-over.C:
			return nil
		case <-c.hub.Stopped:
			return nil
		case <-c.Context().Done():
			return c.Context().Err()
		}
	}
}

// exchanging is the body of exchange.
type exchanging struct {
	Epoch      string          `json:"epoch,omitempty"`
	K          int             `json:"k"`
	Deployment *session.Deploy `json:"deployment,omitempty"`
	Batch      json.RawMessage `json:"batch,omitempty"` // as that of a batch, with its name as id of the whole
	Close      *session.Close  `json:"close,omitempty"`
	Ask        bool            `json:"ask,omitempty"`
	Name       string          `json:"batch_id,omitempty"`
}

// exchange carries a round out.
func exchange(c *call) (int, any, error) {
	if !c.who.May(MayAsk) {
		return 0, nil, problem(forbidden, "the key "+c.who.Prefix+" lacks the right: ask")
	}
	var b exchanging
	lim := c.limits.of(batch.JSON)
	text, err := c.text(lim.Bytes)
	if err != nil {
		return 0, nil, err
	}
	part, rest := setApart(text, "batch")
	if err := c.decode(rest, &b); err != nil {
		return 0, nil, err
	}
	if part != nil { // and no other came after it
		if string(b.Batch) != "null" {
			return 0, nil, problem(session.Malformed, "batch is there twice")
		}
		b.Batch = part
	}
	x := session.Exchange{K: b.K, Epoch: b.Epoch, Deploy: b.Deployment, Close: b.Close, Ask: b.Ask}
	if (b.Batch == nil) != (b.Name == "") {
		return 0, nil, problem(session.Malformed, "batch and batch_id, its name, belong together")
	}
	if b.Batch != nil {
		dim, err := c.host.Dims(c.Context(), c.loop)
		if err != nil {
			return 0, nil, err
		}
		t, err := batch.Parse(b.Batch, dim, lim)
		if err != nil {
			return 0, nil, c.misread(err, "/batch", dim)
		}
		x.Tell = &session.Tell{ID: b.Name, Batch: t.Batch}
	}
	return c.do(200, x)
}

// explainDecision says why a decision is what it is.
func explainDecision(c *call, d *session.Decision) (int, any, error) {
	before, was, err := c.origin(c.k)
	if err != nil {
		return 0, nil, err
	}
	return look(c, func(l *session.Loop) (session.Explanation, error) { return l.Explain(d, before, was), nil })
}

// origin is the newest decision before one that the rule took a step on, nil: there is none, and what was live when it was opened, which closes without a
// step may have left elsewhere.
func (c *call) origin(k int) (stepped *session.Decision, live []float64, err error) {
	stepped, err = c.before(k, func(d *session.Decision) bool {
		if live == nil && d.Deployed != nil {
			live = d.Deployed.U
		}
		return d.Outcome != nil && d.Outcome.Outcome == session.Stepped
	})
	return stepped, live, err
}

// before is the newest decision before one that is like that; nil: there is none.
func (c *call) before(k int, like func(*session.Decision) bool) (*session.Decision, error) {
	for back := k - 1; back >= 1 && back >= k-mostEvents; back-- {
		d, err := c.decision(back)
		if err != nil || like(d) {
			return d, err
		}
	}
	return nil, nil
}

// farthestBack is how many decisions before the live one are looked at for people.
const farthestBack = 10

// distribution shows people now and settled: those who answered a decision, or the newest that somebody has answered.
func distribution(c *call) (int, any, error) {
	q := c.query()
	k, of := q.number("k", 0, 1<<53), session.Aspect{Entry: q.number("entry", 0, 1<<20), Bins: max(1, q.number("bins", 40, 1000))}
	if q.err != nil {
		return 0, nil, q.err
	}
	back := 0
	if k == 0 {
		back = farthestBack
		s, err := c.status(c.Context(), c.loop)
		if err != nil {
			return 0, nil, err
		}
		if s.Live == nil || s.Live.K == 0 {
			return 0, nil, problem(session.NotDeployed, "nobody has said what is live")
		}
		k = s.Live.K
	}
	d, err := c.decision(k)
	for ; back > 0 && k > 1 && err == nil && d.Answered() == 0; back-- { // what is live is so new that nobody has answered it
		k--
		d, err = c.decision(k)
	}
	if err != nil {
		return 0, nil, err
	}
	whose := q.Get("of")
	if whose != "" && whose != "p" && whose != "d" {
		return 0, nil, problem(session.Malformed, "of is p, people's states, or d, their traits; not "+strconv.Quote(whose))
	}
	if of.Trait, of.U = whose == "d", q.vector("u", len(d.U)); q.err != nil {
		return 0, nil, q.err
	}
	return look(c, func(l *session.Loop) (*session.Distribution, error) {
		return l.Distribution(d, of, session.PastOf(c.journal, c.loop))
	})
}

type cards struct {
	Cards []word.Card `json:"cards"`
}

// health says how a loop is.
func health(c *call) (int, any, error) {
	return look(c, func(l *session.Loop) (cards, error) { return cards{c.cards(l, c.loop)}, nil })
}

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

func guessed(c *call, d *session.Decision) (int, any, error) {
	q := c.query()
	u := q.vector("u", len(d.U))
	if q.err != nil {
		return 0, nil, q.err
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
