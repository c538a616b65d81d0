package server

import (
	"context"
	"errors"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/kills"
	"github.com/kedge-opt/kedge/session/word"
)

// kill kills a loop, also where nothing can be written any more but a mark.
func kill(c *call, b reasoned) (int, any, error) {
	command := session.Switch{To: session.Killed, Reason: b.Reason}
	was, _, err := c.sent(c.loop)
	if err != nil && !errors.Is(err, session.ErrLost) {
		return 0, nil, err
	}
	safe, err := c.safe(c.loop)
	if errors.Is(err, session.ErrLost) {
		safe, err = c.kills.Safe(c.loop), nil
	}
	if err != nil || safe == nil || was != nil { // nothing is marked that does not happen
		return c.do(200, command)
	}
	ctx := context.WithoutCancel(c.Context())
	marked := c.kills.Mark(ctx, c.who.Prefix, b.Reason, c.loop)
	status, reply, err := c.carry(200, command)
	if marked && kills.IsUnwritten(err) {
		return 200, session.Switched{Mode: session.Killed, Answers: safe, Durable: "marker"}, nil
	}
	c.kills.Unmark(ctx, c.loop)
	return status, reply, err
}

// safe is the decision that a loop answers once it is killed; nil: none.
func (c *call) safe(loop string) (u []float64, err error) {
	err = c.host.Look(c.Context(), loop, func(l *session.Loop) error {
		if u = l.Safe(); l.Status().Mode == session.Ended {
			u = nil
		}
		return nil
	})
	return u, err
}

// isKilled tells whether a loop answers its safe decision.
func (c *call) isKilled() (is bool) {
	return c.host.Look(c.Context(), c.loop, func(l *session.Loop) error { is = l.Status().Mode == session.Killed; return nil }) == nil && is
}

// killedOffer is what a killed loop answers while nothing can be written down.
func (c *call) killedOffer() (int, any, error) {
	var a session.Offer
	err := c.host.Look(c.Context(), c.loop, func(l *session.Loop) error {
		s := l.Status()
		a = session.Offer{Loop: s.Loop, Epoch: s.Epoch, K: s.K, U: l.Safe(), Iterate: make([]float64, len(l.Safe())), Basis: session.Safe, State: session.IsOpen, Live: s.Live, Revision: s.Revision, Safe: l.Safe(),
			Reasons: []string{"the loop was killed", "the disk is full: nothing is written down until there is room"}}
		_, plan := l.Arranged()
		plan.Rule.Center(a.Iterate)
		return nil
	})
	if safe := c.kills.Safe(c.loop); errors.Is(err, session.ErrLost) && safe != nil {
		return 200, session.Offer{Loop: c.loop, U: safe, Iterate: c.kills.Iterate(c.loop), Basis: session.Safe, State: session.IsOpen, Safe: safe, Durable: new(bool),
			Reasons: []string{"the loop was killed", "the database cannot be reached: that is written down when it can"}}, nil
	}
	return 200, a, err
}

// cards say how a loop is; that it was killed also while no event can say so.
func (c *call) cards(l *session.Loop, loop string) []word.Card {
	list := l.Health(c.clock.Now())
	if c.kills.Is(loop) {
		list[0] = word.Killed(l.Safe())
	}
	return list
}
