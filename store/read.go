package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/session"
)

const eventColumns = `e.seq, e.at, e.kind, e.actor, e.k, coalesce(e.ref, ''), e.body, e.hash FROM events e JOIN loops l ON l.id = e.loop WHERE l.name = ?`

const eventsAfter = `SELECT ` + eventColumns + ` AND e.seq > ? ORDER BY e.seq`

// Read visits the events of a loop.
func (s *SQLite) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	return s.query(ctx, s.read, visit, eventsAfter, loop, after)
}

// Decision returns the events of a decision.
func (s *SQLite) Decision(loop string, k int) (list []session.Event, err error) {
	err = s.query(context.Background(), s.peek, func(e session.Event) error { list = append(list, e); return nil }, `SELECT `+eventColumns+` AND e.k = ? AND e.k > 0 ORDER BY e.seq`, loop, k)
	return list, err
}

// Find returns the event that has a ref.
func (s *SQLite) Find(loop string, k int, ref string) (found *session.Event, err error) {
	err = s.query(context.Background(), s.peek, func(e session.Event) error { found = &e; return nil }, `SELECT `+eventColumns+` AND e.k = ? AND e.ref = ?`, loop, k, ref)
	return found, err
}

// Newest returns the newest events of some kinds.
func (s *SQLite) Newest(ctx context.Context, loop string, kinds []session.Kind, most int) (list []session.Event, err error) {
	args := []any{loop}
	for _, k := range kinds {
		args = append(args, string(k))
	}
	places := strings.TrimSuffix(strings.Repeat("?, ", len(kinds)), ", ")
	err = s.query(ctx, s.read, func(e session.Event) error { list = append(list, e); return nil }, `SELECT `+eventColumns+` AND e.kind IN (`+places+`) ORDER BY e.seq DESC LIMIT ?`, append(args, most)...)
	slices.Reverse(list)
	return list, err
}

// DecisionAt is the newest decision when an event happened.
func (s *SQLite) DecisionAt(loop string, seq int) (k int, err error) {
	err = s.peek.QueryRow(`SELECT e.k FROM events e JOIN loops l ON l.id = e.loop WHERE l.name = ? AND e.seq <= ? AND e.kind IN ('opened', 'proposed') ORDER BY e.seq DESC LIMIT 1`, loop, seq).Scan(&k)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return k, err
}

// decisions visits decisions in their order.
func (s *SQLite) decisions(loop string, from, to int, visit func(*session.Decision)) error {
	return Grouped(visit, func(add func(session.Event) error) error {
		return s.query(context.Background(), s.peek, add, `SELECT `+eventColumns+` AND e.k BETWEEN ? AND ? AND e.k > 0 ORDER BY e.k, e.seq`, loop, from, to)
	})
}

// Grouped makes decisions of events that read visits by decision and in their order.
func Grouped(visit func(*session.Decision), read func(add func(session.Event) error) error) error {
	var events []session.Event
	end := func() error {
		if len(events) == 0 {
			return nil
		}
		d, err := session.DecisionOf(events)
		if err == nil {
			visit(d)
		}
		return err
	}
	err := read(func(e session.Event) error {
		if len(events) > 0 && events[0].K != e.K {
			if err := end(); err != nil {
				return err
			}
			events = events[:0]
		}
		events = append(events, e)
		return nil
	})
	if err != nil {
		return err
	}
	return end()
}

// query visits events that whoever visits them may keep.
func (s *SQLite) query(ctx context.Context, db *sql.DB, visit func(session.Event) error, text string, args ...any) error {
	return s.lend(ctx, db, func(e *session.Event) error {
		own := *e
		own.Body = bytes.Clone(e.Body)
		return visit(own)
	}, text, args...)
}

// lend visits events one by one in the same memory.
func (s *SQLite) lend(ctx context.Context, db *sql.DB, visit func(*session.Event) error, text string, args ...any) error {
	var e session.Event
	var seq, at, k int64 // of the types that need no conversion
	var kind string
	var body, sum sql.RawBytes
	return each(ctx, db, func(row *sql.Rows) error {
		if err := row.Scan(&seq, &at, &kind, &e.Actor, &k, &e.Ref, &body, &sum); err != nil {
			return err
		}
		e.Seq, e.At, e.Kind, e.K, e.Body = int(seq), time.UnixMicro(at).UTC(), session.Kind(kind), int(k), json.RawMessage(body)
		if copy(e.Hash[:], sum) != len(sum) || len(sum) != len(e.Hash) {
			return fmt.Errorf("event %d has a hash of %d bytes", e.Seq, len(sum))
		}
		return visit(&e)
	}, text, args...)
}

// querier is a database, or a transaction of one.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// each visits the rows that a statement finds.
func each(ctx context.Context, db querier, visit func(row *sql.Rows) error, text string, args ...any) error {
	found, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		if err := visit(found); err != nil {
			return err
		}
	}
	return found.Err()
}

// State returns the newest state.
func (s *SQLite) State(loop string) (state []byte, err error) {
	err = s.peek.QueryRow(`SELECT state FROM states s JOIN loops l ON l.id = s.loop WHERE l.name = ?`, loop).Scan(&state)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return state, err
}

// Loops are the heads of all loops.
func (s *SQLite) Loops(ctx context.Context) (list []session.Tip, err error) {
	err = each(ctx, s.read, func(row *sql.Rows) error {
		var h session.Tip
		var sum []byte
		err := row.Scan(&h.Loop, &h.Seq, &sum)
		copy(h.Hash[:], sum)
		list = append(list, h)
		return err
	}, `SELECT l.name, e.seq, e.hash FROM loops l JOIN events e ON e.loop = l.id
		WHERE e.seq = (SELECT max(seq) FROM events WHERE loop = l.id) ORDER BY l.name`)
	return list, err
}
