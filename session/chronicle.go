package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// OfServer is the chain in which a service writes down what happens to itself: keys, backups, kills of all loops. It is no loop, and no user
// can give or read its name.
const OfServer = "_server"

// IsOwn tells whether a name is one that a service keeps to itself: lists of loops leave it out.
func IsOwn(name string) bool { return strings.HasPrefix(name, "_") }

// Chronicle is a chain of events in a journal that belong to no loop: nothing is decided there, it only says what happened. It is safe for
// concurrent use, also of several chronicles on one chain.
type Chronicle struct {
	journal Journal
	clock   Clock
	name    string
	fold    func(Event) error

	mu   sync.Mutex
	seq  int
	head Hash
	at   time.Time
}

// Notice is something that is about to be written down.
type Notice struct {
	Kind Kind
	Ref  string // of which there is one alone; "": none
	Body any
}

// OpenChronicle reads the events of a chain and goes on after them. Fold is told every event, once it is there to stay.
func OpenChronicle(ctx context.Context, j Journal, c Clock, name string, fold func(Event) error) (*Chronicle, error) {
	l := &Chronicle{journal: j, clock: c, name: name, fold: fold}
	return l, l.catchUp(ctx)
}

// Write writes down what decide says, which sees all that was written before. Where another chronicle of the chain was first, decide is asked again.
func (l *Chronicle) Write(ctx context.Context, actor string, decide func(now time.Time) (Notice, error)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		now := later(l.clock.Now(), l.at)
		n, err := decide(now)
		if err != nil {
			return err
		}
		body, err := json.Marshal(n.Body)
		if err != nil {
			return err
		}
		e := Event{Seq: l.seq + 1, At: now, Kind: n.Kind, Actor: actor, Ref: n.Ref, Body: body}
		e.Hash = e.Chained(l.name, l.head)
		err = l.journal.Append(l.name, l.seq, []Event{e}, nil)()
		if err == nil {
			return l.take(e)
		}
		if !errors.Is(err, ErrConflict) {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		if err := l.catchUp(ctx); err != nil {
			return err
		}
	}
}

// catchUp reads what others have written.
func (l *Chronicle) catchUp(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return l.journal.Read(ctx, l.name, l.seq, func(e Event) error {
		if err := e.Follow(l.name, l.seq, l.head); err != nil {
			return err
		}
		return l.take(e)
	})
}

func (l *Chronicle) take(e Event) error {
	l.seq, l.head, l.at = e.Seq, e.Hash, e.At
	return l.fold(e)
}
