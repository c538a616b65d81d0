package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/session"
	_ "modernc.org/sqlite" // the driver
)

// SQLite is a journal in a database of a folder. All that is waiting is written in one commit, which is on the disk before anybody is told.
type SQLite struct {
	dir      *disk.Dir
	lock     *disk.Lock
	write    *sql.DB // one connection
	read     *sql.DB
	queue    chan *request
	stop     chan struct{}
	stopped  sync.WaitGroup
	mu       sync.Mutex // guards ended
	ended    bool
	fault    error // nothing is written any more
	insert   [4]*sql.Stmt
	numbers  map[string]int64 // of loops, known to the writer alone
	heads    map[int64]head   // the same
	Syncs    int              // commits so far; for measurements
	strength string
}

type head struct {
	seq  int
	hash session.Hash
}

// request is events that wait to be written.
type request struct {
	loop   string
	after  int
	events []session.Event
	state  []byte
	size   int
	done   chan error
}

// A commit takes what waits, up to so much.
const (
	mostRequests = 256
	mostBytes    = 8 << 20
)

//go:embed schema.sql
var schema string

const schemaNumber = 1

// Files of a data folder.
const (
	database = "kedge.db"
	lockFile = "lock"
)

// Open opens the database of a folder, or makes one. Only one program has it open at a time.
func Open(path string) (*SQLite, error) { return open(path, "FULL") }

// open lets tests ask for less than FULL, to see what that loses.
func open(path, strength string) (_ *SQLite, err error) {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, err
	}
	s := &SQLite{queue: make(chan *request, 4*mostRequests), stop: make(chan struct{}), numbers: map[string]int64{}, heads: map[int64]head{}, strength: strength}
	defer func() {
		if err != nil {
			s.release()
		}
	}()
	if s.dir, err = (disk.Disk{}).Open(path); err != nil {
		return nil, err
	}
	if s.lock, err = s.dir.Lock(lockFile); err != nil {
		return nil, err
	}
	file := filepath.Join(path, database)
	if s.write, err = s.connect(file, 1); err != nil {
		return nil, err
	}
	if err := s.migrate(); err != nil {
		return nil, err
	}
	if s.read, err = s.connect(file, 4); err != nil {
		return nil, err
	}
	if err := s.dir.Sync("."); err != nil { // the database is there to stay
		return nil, err
	}
	if err := s.prepare(); err != nil {
		return nil, err
	}
	s.stopped.Add(1)
	go s.run()
	return s, nil
}

func (s *SQLite) connect(file string, most int) (*sql.DB, error) {
	var text strings.Builder
	fmt.Fprintf(&text, "file:%s?_txlock=immediate", uri(file))
	for _, p := range s.pragmas() {
		fmt.Fprintf(&text, "&_pragma=%s(%s)", p[0], p[1])
	}
	db, err := sql.Open("sqlite", text.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(most)
	db.SetMaxIdleConns(most)
	db.SetConnMaxLifetime(0)
	return db, nil
}

// pragmas are how the database is used; what matters is read back.
func (s *SQLite) pragmas() [][2]string {
	return [][2]string{{"busy_timeout", "5000"}, {"journal_mode", "WAL"}, {"synchronous", s.strength}, {"trusted_schema", "OFF"}, {"cell_size_check", "ON"}, {"mmap_size", "0"}, {"foreign_keys", "ON"}}
}

// uri escapes what a file name may hold that ends the path of a URI.
func uri(path string) string {
	return strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// migrate makes the tables, or refuses those of a newer version without changing a byte.
func (s *SQLite) migrate() error {
	var mode string
	var sync, number int
	for _, one := range []struct {
		pragma string
		to     any
	}{{"journal_mode", &mode}, {"synchronous", &sync}, {"user_version", &number}} {
		if err := s.write.QueryRow("PRAGMA " + one.pragma).Scan(one.to); err != nil {
			return err
		}
	}
	if mode != "wal" || s.strength == "FULL" && sync != 2 {
		return fmt.Errorf("the database is in journal mode %s with synchronous %d, want wal and 2 (FULL)", mode, sync)
	}
	switch {
	case number > schemaNumber:
		return fmt.Errorf("the database has schema %d, this version knows up to %d: use a newer kedge", number, schemaNumber)
	case number == schemaNumber:
		return nil
	}
	tx, err := s.write.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if _, err := tx.Exec(schema + fmt.Sprintf("PRAGMA user_version = %d;", schemaNumber)); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *SQLite) prepare() (err error) {
	for i, text := range []string{
		`INSERT INTO events (loop, seq, at, kind, actor, k, ref, body, hash, blob) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		`INSERT INTO blobs (loop, sum, data) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`,
		`INSERT INTO states (loop, state) VALUES (?, ?) ON CONFLICT (loop) DO UPDATE SET state = excluded.state`,
		`INSERT INTO loops (name) VALUES (?)`,
	} {
		if s.insert[i], err = s.write.Prepare(text); err != nil {
			return err
		}
	}
	return nil
}

// Append queues events.
func (s *SQLite) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	r := &request{loop: loop, after: after, events: events, state: state, done: make(chan error, 1)}
	for _, e := range events {
		r.size += len(e.Body) + len(e.Blob)
	}
	s.mu.Lock()
	if s.ended {
		err := s.fault
		s.mu.Unlock()
		if err == nil {
			err = errors.New("the journal is closed")
		}
		return func() error { return err }
	}
	s.queue <- r
	s.mu.Unlock()
	return func() error { return <-r.done }
}

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

// commit writes some requests and tells those who wait. Of a commit that fails nothing is there.
func (s *SQLite) commit(all []*request) {
	results := make([]error, len(all))
	err := s.fault
	if err == nil {
		err = s.transact(all, results)
	}
	if err != nil {
		clear(s.heads) // they may have run ahead
		clear(s.numbers)
		if !isFull(err) && s.fault == nil {
			// After a failed sync nobody knows what the disk holds: nothing more is acknowledged until the journal is opened and checked again.
			s.fault = fmt.Errorf("the journal is read-only since a write failed: %w", err)
		}
	}
	s.Syncs++
	for i, r := range all {
		if err != nil {
			r.done <- err
		} else {
			r.done <- results[i]
		}
	}
}

// isFull tells whether there was no room, which is mended by making some.
func isFull(err error) bool {
	return strings.Contains(err.Error(), "disk is full") || strings.Contains(err.Error(), "(13)")
}

func (s *SQLite) transact(all []*request, results []error) error {
	tx, err := s.write.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for i, r := range all {
		id, h, err := s.headOf(tx, r.loop)
		if err != nil {
			return err
		}
		if h.seq != r.after {
			results[i] = session.ErrConflict
			continue
		}
		if results[i] = follows(r, h); results[i] != nil {
			continue
		}
		if id == 0 {
			made, err := tx.Stmt(s.insert[3]).Exec(r.loop)
			if err != nil {
				return err
			}
			if id, err = made.LastInsertId(); err != nil {
				return err
			}
			s.numbers[r.loop] = id
		}
		if err := s.put(tx, id, r); err != nil {
			return err
		}
		if n := len(r.events); n > 0 {
			s.heads[id] = head{r.events[n-1].Seq, r.events[n-1].Hash}
		}
	}
	return tx.Commit()
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
	for _, e := range r.events {
		var blob any
		if e.Blob != nil {
			sum := sha256.Sum256(e.Blob)
			if _, err := tx.Stmt(s.insert[1]).Exec(loop, sum[:], e.Blob); err != nil {
				return err
			}
			blob = sum[:]
		}
		var ref any
		if e.Ref != "" {
			ref = e.Ref
		}
		if _, err := tx.Stmt(s.insert[0]).Exec(loop, e.Seq, e.At.UnixMicro(), string(e.Kind), e.Actor, e.K, ref, []byte(e.Body), e.Hash[:], blob); err != nil {
			return err
		}
	}
	if r.state == nil {
		return nil
	}
	_, err := tx.Stmt(s.insert[2]).Exec(loop, r.state)
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

const columns = `e.seq, e.at, e.kind, e.actor, e.k, coalesce(e.ref, ''), e.body, e.hash FROM events e JOIN loops l ON l.id = e.loop WHERE l.name = ?`

// Read visits the events of a loop.
func (s *SQLite) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	return s.query(ctx, visit, `SELECT `+columns+` AND e.seq > ? ORDER BY e.seq`, loop, after)
}

// Decision returns the events of a decision.
func (s *SQLite) Decision(loop string, k int) (list []session.Event, err error) {
	err = s.query(context.Background(), func(e session.Event) error { list = append(list, e); return nil }, `SELECT `+columns+` AND e.k = ? AND e.k > 0 ORDER BY e.seq`, loop, k)
	return list, err
}

// Find returns the event that has a ref.
func (s *SQLite) Find(loop string, k int, ref string) (found *session.Event, err error) {
	err = s.query(context.Background(), func(e session.Event) error { found = &e; return nil }, `SELECT `+columns+` AND e.k = ? AND e.ref = ?`, loop, k, ref)
	return found, err
}

func (s *SQLite) query(ctx context.Context, visit func(session.Event) error, text string, args ...any) error {
	found, err := s.read.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		var e session.Event
		var at int64
		var sum []byte
		if err := found.Scan(&e.Seq, &at, &e.Kind, &e.Actor, &e.K, &e.Ref, &e.Body, &sum); err != nil {
			return err
		}
		e.At = time.UnixMicro(at).UTC()
		if copy(e.Hash[:], sum) != len(e.Hash) {
			return fmt.Errorf("event %d has a hash of %d bytes", e.Seq, len(sum))
		}
		if err := visit(e); err != nil {
			return err
		}
	}
	return found.Err()
}

// Blob returns a blob of a loop.
func (s *SQLite) Blob(loop string, sum session.Hash) (data []byte, err error) {
	err = s.read.QueryRow(`SELECT data FROM blobs b JOIN loops l ON l.id = b.loop WHERE l.name = ? AND b.sum = ?`, loop, sum[:]).Scan(&data)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, noBlob(loop, sum)
	}
	return data, err
}

// State returns the newest state.
func (s *SQLite) State(loop string) (state []byte, err error) {
	err = s.read.QueryRow(`SELECT state FROM states s JOIN loops l ON l.id = s.loop WHERE l.name = ?`, loop).Scan(&state)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return state, err
}

// Loops are the heads of all loops.
func (s *SQLite) Loops(ctx context.Context) (list []session.Tip, err error) {
	found, err := s.read.QueryContext(ctx, `SELECT l.name, e.seq, e.hash FROM loops l JOIN events e ON e.loop = l.id
		WHERE e.seq = (SELECT max(seq) FROM events WHERE loop = l.id) ORDER BY l.name`)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		var h session.Tip
		var sum []byte
		if err := found.Scan(&h.Loop, &h.Seq, &sum); err != nil {
			return nil, err
		}
		copy(h.Hash[:], sum)
		list = append(list, h)
	}
	return list, found.Err()
}

// Close writes what waits and gives the folder back.
func (s *SQLite) Close() error {
	s.mu.Lock()
	was := s.ended
	s.ended = true
	s.mu.Unlock()
	if was {
		return nil
	}
	close(s.stop)
	s.stopped.Wait()
	_, err := s.write.Exec("PRAGMA wal_checkpoint(TRUNCATE)")
	return errors.Join(err, s.release())
}

func (s *SQLite) release() error {
	var all []error
	for _, db := range []*sql.DB{s.read, s.write} {
		if db != nil {
			all = append(all, db.Close())
		}
	}
	if s.lock != nil {
		s.lock.Release()
	}
	if s.dir != nil {
		all = append(all, s.dir.Close())
	}
	return errors.Join(all...)
}
