package server

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// links is what is known of the newest links of the chains of all loops: when a server begins they are what a fall or a bad disk would have spoiled.
type links struct {
	mu    sync.Mutex
	ended chan struct{} // closed when all were looked at; nil: nobody has begun
	wrong error
}

// soonReady is how long a server that begins keeps who asks whether it is ready waiting for a look at its links. Of more loops than that is enough for
// the look goes on: what it finds counts from then on.
const soonReady = 200 * time.Millisecond

// sound says what is wrong with the newest links, as far as it is known.
func (s *Server) sound(ctx context.Context) error {
	l := &s.links
	l.mu.Lock()
	if l.ended == nil {
		l.ended = make(chan struct{})
		go s.inspect(l.ended)
	}
	ended := l.ended
	l.mu.Unlock()
	soon, cancel := context.WithTimeout(ctx, soonReady)
	defer cancel()
	select {
	case <-ended:
	case <-soon.Done():
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.wrong
}

// inspect looks at the newest link of every chain. What cannot be read is looked at again when somebody next asks.
func (s *Server) inspect(ended chan struct{}) {
	defer close(ended)
	all, err := s.journal.Loops(context.Background())
	for _, tip := range all {
		select {
		case <-s.hub.Stopped:
			return
		default:
		}
		if err = newestLink(context.Background(), s.journal, tip); err != nil {
			break
		}
	}
	s.links.mu.Lock()
	defer s.links.mu.Unlock()
	s.links.wrong = err
	if broken, is := errors.AsType[*session.ChainError](err); is {
		s.log.Error("the newest events of a loop do not follow", "loop", broken.Loop, "seq", broken.Seq, "why", broken.Why)
	} else if err != nil {
		s.links.ended = nil
	}
}

// newestLink checks that the newest event of a chain follows from the one before it. Two events are read, however long the log.
func newestLink(ctx context.Context, j session.Journal, tip session.Tip) error {
	err := linked(ctx, j, tip)
	if err == nil {
		return nil
	}
	all, again := j.Loops(ctx)
	if again != nil {
		return again
	}
	if !slices.Contains(all, tip) { // something happened meanwhile: what is written now was just checked, or the loop is gone
		return nil
	}
	return err
}

func linked(ctx context.Context, j session.Journal, tip session.Tip) error {
	events, err := eventsOf(ctx, j, tip.Loop, max(0, tip.Seq-2), 2)
	if err != nil {
		return err
	}
	var before session.Hash
	for _, e := range events {
		if e.Seq < tip.Seq {
			before = e.Hash
			continue
		}
		if err := e.Follow(tip.Loop, tip.Seq-1, before); err != nil || e.Hash == tip.Hash {
			return err
		}
		break
	}
	return &session.ChainError{Loop: tip.Loop, Seq: tip.Seq, Why: "it should be the newest, and is not there"}
}
