// Package chronicle is what a service writes down of itself: keys, backups, kills of all loops, and the heads of all of them.
package chronicle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// Chronicle is a chain of events in a journal that belong to no loop: nothing is decided there, it only says what happened. It is safe for
// concurrent use, also of several chronicles on one chain.
type Chronicle struct {
	journal session.Journal
	clock   session.Clock
	name    string
	fold    func(session.Event) error

	mu   sync.Mutex
	seq  int
	head session.Hash
	at   time.Time
}

// Notice is something that is about to be written down.
type Notice struct {
	Kind session.Kind
	Ref  string // of which there is one alone; "": none
	Body any

	Removes session.Tip // a loop that goes with it, if that is its newest event; without a name: none
}

// Open reads the events of a chain and goes on after them. Fold is told every event, once it is there to stay.
func Open(ctx context.Context, j session.Journal, c session.Clock, name string, fold func(session.Event) error) (*Chronicle, error) {
	l := &Chronicle{journal: j, clock: c, name: name, fold: fold}
	return l, l.catchUp(ctx)
}

// Write writes down what decide says, which sees all that was written before. Where another chronicle of the chain was first, decide is asked again.
func (l *Chronicle) Write(ctx context.Context, actor string, decide func(now time.Time) (Notice, error)) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		now := session.Later(l.clock.Now(), l.at)
		n, err := decide(now)
		if err != nil {
			return err
		}
		body, err := json.Marshal(n.Body)
		if err != nil {
			return err
		}
		e := session.Event{Seq: l.seq + 1, At: now, Kind: n.Kind, Actor: actor, Ref: n.Ref, Body: body, Removes: n.Removes}
		e.Hash = e.Chained(l.name, l.head)
		err = l.journal.Append(l.name, l.seq, []session.Event{e}, nil)()
		if err == nil {
			return l.take(e)
		}
		if !errors.Is(err, session.ErrConflict) {
			return fmt.Errorf("%s: %w", l.name, err)
		}
		if err := l.catchUp(ctx); err != nil {
			return err
		}
	}
}

// CatchUp takes in what other chronicles of the chain have written.
func (l *Chronicle) CatchUp(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.catchUp(ctx)
}

// catchUp reads what others have written.
func (l *Chronicle) catchUp(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return l.journal.Read(ctx, l.name, l.seq, func(e session.Event) error {
		if err := e.Follow(l.name, l.seq, l.head); err != nil {
			return err
		}
		return l.take(e)
	})
}

func (l *Chronicle) take(e session.Event) error {
	l.seq, l.head, l.at = e.Seq, e.Hash, e.At
	return l.fold(e)
}
