package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/kedge-opt/kedge/session"
)

// request is events that wait to be written, or other work on the tables.
type request struct {
	loop   string
	after  int
	events []session.Event
	blobs  map[session.Hash]*parcel
	state  []byte
	files  []string // of a loop that it removed
	size   int
	other  func(tx *sql.Tx) error
	taken  bool  // one of its events has a ref that another has
	err    error // why it was not written, where others of its commit were
	done   chan error
}

// A commit takes what waits, up to so much.
const (
	mostRequests = 256
	mostBytes    = 8 << 20
)

func (s *SQLite) prepare() (err error) {
	for i, text := range []string{
		`INSERT INTO events (loop, seq, at, kind, actor, k, ref, body, hash) VALUES (?, ?, ?, ?, ?, ?, nullif(?, ''), ?, ?)`,
		`INSERT INTO blobs (loop, sum, bytes, pack, file, data) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
		`INSERT INTO states (loop, state) VALUES (?, ?) ON CONFLICT (loop) DO UPDATE SET state = excluded.state`,
		`INSERT INTO loops (name) VALUES (?)`,
	} {
		if s.prepared[i], err = s.write.Prepare(text); err != nil {
			return err
		}
	}
	return nil
}

// What prepare prepares.
const (
	newEvent = iota
	newBlob
	newState
	newLoop
	inserts
)

// insert is a prepared statement in the transaction under way, which takes each of them once.
func (s *SQLite) insert(tx *sql.Tx, what int) *sql.Stmt {
	if s.own[what] == nil {
		s.own[what] = tx.Stmt(s.prepared[what])
	}
	return s.own[what]
}

// Append queues events. Large blobs are files by the time it returns.
func (s *SQLite) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	r := &request{loop: loop, after: after, events: events, state: state}
	if err := s.wrap(r); err != nil {
		return func() error { return err }
	}
	return s.enqueue(r)
}

func (s *SQLite) enqueue(r *request) (wait func() error) {
	r.done = make(chan error, 1)
	if err := s.Health(); err != nil {
		return func() error { return err }
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return func() error { return errors.New("the journal is closed") }
	}
	s.queue <- r
	return func() error { return <-r.done }
}

// alter has the writer do something to the tables, in a transaction.
func (s *SQLite) alter(do func(tx *sql.Tx) error) error { return s.enqueue(&request{other: do})() }

// run writes what waits, until the journal is closed.
func (s *SQLite) run() {
	for r := range s.queue {
		s.commit(s.gather(r))
	}
}

// gather takes all that waits.
func (s *SQLite) gather(first *request) []*request {
	all, size := []*request{first}, first.size
	for len(all) < mostRequests && size < mostBytes {
		select {
		case r, open := <-s.queue:
			if !open {
				return all
			}
			all, size = append(all, r), size+r.size
		default:
			return all
		}
	}
	return all
}

// commit writes some requests and tells those who wait. Of a commit that fails nothing is there.
func (s *SQLite) commit(all []*request) {
	events := 0
	for _, r := range all {
		events += len(r.events)
	}
	var err error
	s.Timed(events, func() {
		if err = s.Health(); err == nil {
			err = s.attempt(all)
		}
	})
	s.Syncs++
	for _, r := range all {
		r.done <- cmp.Or(err, r.err)
	}
	s.foldIn()
}

// The WAL begins anew when nobody reads from it. Where somebody always does, it would grow for ever: from mostWAL bytes on the writer folds it into the
// database and waits a little for those who read. If they stay it tries again once the WAL has grown by as much as is folded in otherwise.
const (
	mostWAL  = 4 << 25
	moreWAL  = 1 << 25
	foldWait = 500 // ms
)

func (s *SQLite) foldIn() {
	info, err := os.Stat(s.dir.Path(database + "-wal"))
	if err != nil || info.Size() < max(s.fold, mostWAL) || s.Health() != nil {
		return
	}
	s.fold = info.Size() + moreWAL
	var busy, pages, folded int
	_, err = s.write.Exec(fmt.Sprintf("PRAGMA busy_timeout = %d", foldWait))
	if err == nil {
		err = s.write.QueryRow("PRAGMA wal_checkpoint(RESTART)").Scan(&busy, &pages, &folded)
		_, after := s.write.Exec("PRAGMA busy_timeout = 5000")
		err = errors.Join(err, after)
	}
	switch {
	case err == nil && busy == 0:
		s.fold = 0
	case err != nil && !isFull(err) && !isBusy(err):
		s.fail(err)
	}
}

// attempt writes some requests. Without room for all of them it writes, from the reserve, those that carry no people.
func (s *SQLite) attempt(all []*request) error {
	err := s.transact(all)
	if !errors.Is(err, session.ErrFull) || !s.giveUp() {
		return err
	}
	small := slices.DeleteFunc(slices.Clone(all), func(r *request) bool { return len(r.blobs) > 0 })
	written := len(small) > 0 && s.transact(small) == nil
	for _, r := range all {
		if !written || len(r.blobs) > 0 {
			r.err = err
		}
	}
	return s.Health()
}

func (s *SQLite) transact(all []*request) error {
	for {
		err := s.transaction(all)
		if err != nil { // they may have run ahead
			clear(s.heads)
			clear(s.numbers)
		}
		if err != errTaken { // else the others are written, without the one that is now known
			return s.named(err)
		}
	}
}

// errTaken is of a commit in which an event has a ref that another has.
var errTaken = errors.New("another event has the ref")

func (s *SQLite) transaction(all []*request) error {
	tx, err := s.write.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	s.newest, s.own = 0, [inserts]*sql.Stmt{}
	for _, r := range all {
		if r.other != nil {
			if err := r.other(tx); err != nil {
				return err
			}
			continue
		}
		if r.taken {
			r.err = session.ErrConflict
			continue
		}
		if r.err, err = s.place(tx, r); isTaken(err) {
			r.taken = true
			return errTaken
		}
		if err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.tidy(all)
	s.noteTip()
	for _, r := range all {
		if r.err == nil {
			s.drawing.Takes(r.loop, r.events)
		}
	}
	return nil
}

// place writes the events of one request, unless they do not follow.
func (s *SQLite) place(tx *sql.Tx, r *request) (refused, err error) {
	id, h, err := s.headOf(tx, r.loop)
	if err != nil {
		return nil, err
	}
	if h.Seq != r.after {
		return session.ErrConflict, nil
	}
	if err := follows(r, h); err != nil {
		return err, nil
	}
	for _, e := range r.events {
		if gone := e.Removes; gone.Loop == "" {
			continue
		} else if _, h, err := s.headOf(tx, gone.Loop); err != nil {
			return nil, err
		} else if h != gone {
			return session.ErrConflict, nil
		}
	}
	if id == 0 {
		made, err := s.insert(tx, newLoop).Exec(r.loop)
		if err != nil {
			return nil, err
		}
		if id, err = made.LastInsertId(); err != nil {
			return nil, err
		}
		s.numbers[r.loop] = id
	}
	if err := s.put(tx, id, r); err != nil {
		return nil, err
	}
	if n := len(r.events); n > 0 {
		s.heads[id] = tipAt(r.loop, &r.events[n-1])
	}
	return nil, nil
}

// follows checks the chain of what is to be written.
func follows(r *request, h session.Tip) error {
	for i := range r.events {
		if err := r.events[i].Follow(r.loop, h.Seq, h.Hash); err != nil {
			return err
		}
		h = tipAt(r.loop, &r.events[i])
	}
	return nil
}

func tipAt(loop string, e *session.Event) session.Tip {
	return session.Tip{Loop: loop, Seq: e.Seq, Hash: e.Hash}
}

func (s *SQLite) put(tx *sql.Tx, loop int64, r *request) error {
	for sum, p := range r.blobs {
		if err := s.keep(p); err != nil {
			return err
		}
		if _, err := s.insert(tx, newBlob).Exec(loop, sum[:], p.bytes, p.pack, p.file, p.data); err != nil {
			return err
		}
	}
	for _, e := range r.events {
		made, err := s.insert(tx, newEvent).Exec(loop, e.Seq, e.At.UnixMicro(), string(e.Kind), e.Actor, e.K, e.Ref, []byte(e.Body), e.Hash[:])
		if err != nil {
			return err
		}
		if s.newest, err = made.LastInsertId(); err != nil {
			return err
		}
		if e.Kind == session.DeployedLate { // its block may have been made
			if _, err := tx.Exec(`DELETE FROM series WHERE loop = ? AND block = ?`, loop, BlockOf(e.K)); err != nil {
				return err
			}
		}
		if e.Removes.Loop != "" {
			if err := s.remove(tx, e.Removes.Loop, r); err != nil {
				return err
			}
		}
		for _, sum := range e.Drops {
			if _, err := tx.Exec(`DELETE FROM blobs WHERE loop = ? AND sum = ?`, loop, sum[:]); err != nil {
				return err
			}
		}
	}
	if r.state == nil {
		return nil
	}
	_, err := s.insert(tx, newState).Exec(loop, r.state)
	return err
}

// remove takes all of a loop out of the tables, and notes which files may go with it.
func (s *SQLite) remove(tx *sql.Tx, loop string, r *request) error {
	id, _, err := s.headOf(tx, loop)
	if err != nil {
		return err
	}
	err = each(context.Background(), tx, func(row *sql.Rows) error {
		var name string
		err := row.Scan(&name)
		r.files = append(r.files, name)
		return err
	}, `SELECT file FROM blobs WHERE loop = ? AND file IS NOT NULL`, id)
	if err != nil {
		return err
	}
	for _, text := range []string{`DELETE FROM events WHERE loop = ?`, `DELETE FROM blobs WHERE loop = ?`, `DELETE FROM states WHERE loop = ?`, `DELETE FROM series WHERE loop = ?`, `DELETE FROM loops WHERE id = ?`} {
		if _, err := tx.Exec(text, id); err != nil {
			return err
		}
	}
	delete(s.numbers, loop)
	delete(s.heads, id)
	return nil
}

// headOf finds a loop and its newest event.
func (s *SQLite) headOf(tx *sql.Tx, loop string) (id int64, h session.Tip, err error) {
	h.Loop = loop
	id, known := s.numbers[loop]
	if !known {
		err := tx.QueryRow(`SELECT id FROM loops WHERE name = ?`, loop).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return 0, h, nil
		}
		if err != nil {
			return 0, h, err
		}
		s.numbers[loop] = id
	}
	if h, known := s.heads[id]; known {
		return id, h, nil
	}
	var sum []byte
	err = tx.QueryRow(`SELECT seq, hash FROM events WHERE loop = ? ORDER BY seq DESC LIMIT 1`, id).Scan(&h.Seq, &sum)
	if errors.Is(err, sql.ErrNoRows) {
		return id, h, nil
	}
	copy(h.Hash[:], sum)
	s.heads[id] = h
	return id, h, err
}
