package server

import (
	"context"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/kills"
)

// What a kill is written down in.
const (
	byEvent  = "fsync"
	byMarker = "marker"
)

// kill kills a loop, also where nothing can be written any more but a mark.
func kill(c *call) (int, any, error) {
	var b reasoned
	if err := c.read(&b); err != nil {
		return 0, nil, err
	}
	command := session.Switch{To: session.Killed, Reason: b.Reason}
	safe, err := c.safe(c.loop)
	if err != nil || safe == nil {
		return c.do(200, command)
	}
	ctx := context.WithoutCancel(c.Context())
	marked := c.kills.Mark(ctx, c.actor(), b.Reason, c.loop)
	status, reply, err := c.do(200, command)
	switch {
	case err == nil:
		c.kills.Unmark(ctx, c.loop)
		if r, is := reply.(session.Switched); is {
			r.Durable = byEvent
			reply = r
		}
	case marked && kills.IsUnwritten(err):
		return 200, session.Switched{Mode: session.Killed, Answers: safe, Durable: byMarker}, nil
	default:
		c.kills.Unmark(ctx, c.loop)
	}
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
		a = session.Offer{Loop: s.Loop, Epoch: s.Epoch, K: s.K, U: l.Safe(), Iterate: l.Safe(), Basis: session.Safe, State: session.IsOpen, Live: s.Live, Revision: s.Revision, Safe: l.Safe(),
			Reasons: []string{"the loop was killed", "the disk is full: nothing is written down until there is room"}}
		return nil
	})
	return 200, a, err
}
