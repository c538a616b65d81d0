package server

import (
	"context"
	"errors"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
)

// everyKeeping is how often the server sees to what it keeps.
const everyKeeping = 24 * time.Hour

// keep drops people who were kept long enough, and writes down the heads of all loops. Of a fault with one loop the others do not suffer.
func (s *Server) keep(ctx context.Context) error {
	now := s.clock.Now()
	if now.Sub(s.kept) < everyKeeping {
		return nil
	}
	s.kept = now
	loops, err := s.journal.Loops(ctx)
	if err != nil {
		return err
	}
	var faults []error
	for _, h := range loops {
		if session.IsOwn(h.Loop) {
			continue
		}
		if _, err := s.host.Do(ctx, h.Loop, "time", session.Compact{}); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(append(faults, chronicle.Anchor(ctx, s.journal, s.clock, everyKeeping))...)
}
