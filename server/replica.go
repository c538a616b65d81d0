package server

import (
	"context"

	"github.com/kedge-opt/kedge/server/hub"
	"github.com/kedge-opt/kedge/session"
)

// Follow keeps up with what other servers of the journal write, until ctx ends: streams show it, and a key that was revoked opens nothing any more.
func (s *Server) Follow(ctx context.Context) {
	if j, shared := s.journal.(session.Shared); shared {
		j.Follow(ctx, s.hub.Watched, func(t session.Tip) {
			if err := s.heard(ctx, t); err != nil && ctx.Err() == nil {
				s.log.Warn("what another server wrote could not be read", "loop", t.Loop, "why", err)
			}
		})
	}
}

// heard takes notice of an event of another server, and of those before it.
func (s *Server) heard(ctx context.Context, t session.Tip) error {
	if t.Loop == session.OfServer {
		keys, err := s.openKeys()
		if err != nil {
			return err
		}
		return keys.chronicle.CatchUp(ctx)
	}
	after, wanted := s.hub.Heard(t)
	if !wanted {
		return nil
	}
	var events []session.Event
	err := s.journal.Read(ctx, t.Loop, after, func(e session.Event) error {
		if events = append(events, e); len(events) == hub.RingEvents { // who is so far behind reads for himself
			return errEnough
		}
		return nil
	})
	if len(events) == 0 {
		return err
	}
	s.hub.Tell(t.Loop, events)
	return nil
}
