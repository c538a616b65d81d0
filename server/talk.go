package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/kedge-opt/kedge/batch"
	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/kills"
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
func ask(c *call) (int, any, error) {
	var b asking
	if err := c.read(&b); err != nil {
		return 0, nil, err
	}
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
	if c.kills.Settle(c.Context(), c.loop) {
		return c.killedOffer()
	}
	status, reply, err := c.do(200, session.Ask{})
	if offer, is := reply.(session.Offer); is && err == nil {
		c.kills.Know(c.loop, offer.Safe)
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
			return 0, nil, flawed(err, "/batch")
		}
		x.Tell = &session.Tell{ID: b.Name, Batch: t.Batch}
	}
	return c.do(200, x)
}

// explainDecision says why a decision is what it is.
func explainDecision(c *call) (int, any, error) {
	d, err := c.decision(c.k)
	if err != nil {
		return 0, nil, err
	}
	before, was, err := c.origin(c.k)
	if err != nil {
		return 0, nil, err
	}
	var e session.Explanation
	err = c.host.Look(c.Context(), c.loop, func(l *session.Loop) error { e = l.Explain(d, before, was); return nil })
	return 200, e, err
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
	k, err := c.number("k", 0, 1<<53)
	if err != nil {
		return 0, nil, err
	}
	entry, err := c.number("entry", 0, 1<<20)
	if err != nil {
		return 0, nil, err
	}
	bins, err := c.number("bins", 40, 1000)
	if err != nil {
		return 0, nil, err
	}
	back := 0
	if k == 0 {
		back = farthestBack
		if err := c.host.Look(c.Context(), c.loop, func(l *session.Loop) error {
			if s := l.Status(); s.Live != nil {
				k = s.Live.K
			}
			return nil
		}); err != nil {
			return 0, nil, err
		}
		if k == 0 {
			return 0, nil, problem(session.NotDeployed, "nobody has said what is live")
		}
	}
	d, err := c.decision(k)
	for ; back > 0 && k > 1 && err == nil && d.Answered() == 0; back-- { // what is live is so new that nobody has answered it
		k--
		d, err = c.decision(k)
	}
	if err != nil {
		return 0, nil, err
	}
	whose := c.URL.Query().Get("of")
	if whose != "" && whose != "p" && whose != "d" {
		return 0, nil, problem(session.Malformed, "of is p, people's states, or d, their traits; not "+strconv.Quote(whose))
	}
	of := session.Aspect{Trait: whose == "d", Entry: entry, Bins: max(1, bins)}
	if of.U, err = c.vector("u", len(d.U)); err != nil {
		return 0, nil, err
	}
	var s *session.Distribution
	err = c.host.Look(c.Context(), c.loop, func(l *session.Loop) (err error) {
		s, err = l.Distribution(d, of, session.PastOf(c.journal, c.loop))
		return err
	})
	return 200, s, err
}

type cards struct {
	Cards []word.Card `json:"cards"`
}

// health says how a loop is.
func health(c *call) (int, any, error) {
	var list cards
	err := c.host.Look(c.Context(), c.loop, func(l *session.Loop) error { list.Cards = c.cards(l, c.loop); return nil })
	return 200, list, err
}
