package store

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

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
	done   chan error
}

// A commit takes what waits, up to so much.
const (
	mostRequests = 256
	mostBytes    = 8 << 20
)

func (s *SQLite) prepare() (err error) {
	for i, text := range []string{
		`INSERT INTO events (loop, seq, at, kind, actor, k, ref, body, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
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

// run writes what waits, until it is told to stop.
func (s *SQLite) run() {
	defer s.stopped.Done()
	for {
		select {
		case r := <-s.queue:
			s.commit(s.gather(r))
		case <-s.stop:
			for {
				select {
				case r := <-s.queue:
					s.commit(s.gather(r))
				default:
					return
				}
			}
		}
	}
}

// gather takes all that waits.
func (s *SQLite) gather(first *request) []*request {
	all, size := []*request{first}, first.size
	for len(all) < mostRequests && size < mostBytes {
		select {
		case r := <-s.queue:
			all, size = append(all, r), size+r.size
		default:
			return all
		}
	}
	return all
}

// Observe has somebody told of every commit: how many events it wrote and how long it took.
func (s *SQLite) Observe(tell func(events int, took time.Duration)) { s.observe.Store(&tell) }

// Stuck is how long the commit that is under way has been, 0 if none is.
func (s *SQLite) Stuck() time.Duration {
	if began := s.under.Load(); began != 0 {
		return time.Since(time.Unix(0, began))
	}
	return 0
}

// commit writes some requests and tells those who wait. Of a commit that fails nothing is there.
func (s *SQLite) commit(all []*request) {
	results := make([]error, len(all))
	began := time.Now()
	s.under.Store(began.UnixNano())
	err := s.Health()
	if err == nil {
		err = s.attempt(all, results)
	}
	s.under.Store(0)
	s.Syncs++
	if observe := s.observe.Load(); observe != nil {
		events := 0
		for _, r := range all {
			events += len(r.events)
		}
		(*observe)(events, time.Since(began))
	}
	for i, r := range all {
		if err != nil {
			r.done <- err
		} else {
			r.done <- results[i]
		}
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
func (s *SQLite) attempt(all []*request, results []error) error {
	err := s.transact(all, results)
	if errors.Is(err, session.ErrFull) && s.giveUp() {
		var small []*request
		for i, r := range all {
			if results[i] = err; len(r.blobs) == 0 {
				small = append(small, r)
			}
		}
		again := make([]error, len(small))
		if len(small) > 0 && s.transact(small, again) == nil {
			at := 0
			for i, r := range all {
				if len(r.blobs) == 0 {
					results[i], at = again[at], at+1
				}
			}
		}
		return s.Health()
	}
	return err
}

func (s *SQLite) transact(all []*request, results []error) error {
	err := s.transaction(all, results)
	if err == nil {
		return nil
	}
	clear(s.heads) // they may have run ahead
	clear(s.numbers)
	switch {
	case isFull(err):
		return fmt.Errorf("%w: %w", session.ErrFull, err)
	case isBusy(err):
		return fmt.Errorf("%w: %w", session.ErrBusy, err)
	}
	return s.fail(err)
}

func (s *SQLite) transaction(all []*request, results []error) error {
	tx, err := s.write.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	s.newest, s.own = 0, [inserts]*sql.Stmt{}
	for i, r := range all {
		if r.other != nil {
			if err := r.other(tx); err != nil {
				return err
			}
			continue
		}
		if results[i], err = s.place(tx, r); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.tidy(all, results)
	s.noteTip()
	for i, r := range all {
		if results[i] == nil {
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
	if h.seq != r.after {
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
		} else if (head{gone.Seq, gone.Hash}) != h {
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
		s.heads[id] = head{r.events[n-1].Seq, r.events[n-1].Hash}
	}
	return nil, nil
}

// follows checks the chain of what is to be written.
func follows(r *request, h head) error {
	for i := range r.events {
		if err := r.events[i].Follow(r.loop, h.seq, h.hash); err != nil {
			return err
		}
		h = head{r.events[i].Seq, r.events[i].Hash}
	}
	return nil
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
		var ref any
		if e.Ref != "" {
			ref = e.Ref
		}
		made, err := s.insert(tx, newEvent).Exec(loop, e.Seq, e.At.UnixMicro(), string(e.Kind), e.Actor, e.K, ref, []byte(e.Body), e.Hash[:])
		if err != nil {
			return err
		}
		if s.newest, err = made.LastInsertId(); err != nil {
			return err
		}
		if e.Kind == session.DeployedLate {
			if err := outdate(tx, loop, e.K); err != nil {
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

// headOf finds a loop and its newest event.
func (s *SQLite) headOf(tx *sql.Tx, loop string) (id int64, h head, err error) {
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
	err = tx.QueryRow(`SELECT seq, hash FROM events WHERE loop = ? ORDER BY seq DESC LIMIT 1`, id).Scan(&h.seq, &sum)
	if errors.Is(err, sql.ErrNoRows) {
		return id, h, nil
	}
	copy(h.hash[:], sum)
	s.heads[id] = h
	return id, h, err
}
