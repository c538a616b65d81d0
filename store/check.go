package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
)

// Audit is what a check of a journal looked at.
type Audit struct {
	Loops   int `json:"loops"`
	Events  int `json:"events"`
	Blobs   int `json:"blobs"`
	Dropped int `json:"dropped"` // blobs that retention or somebody dropped, as an event says
	Anchors int `json:"anchors"` // heads that were written down, and found
}

// Check reads every event and every blob of a journal: that each event follows from those before it, that each blob is what its event
// names, and that the heads which the server wrote down are still there. The error names the loop and the event; of several it is that of the
// first loop.
func Check(ctx context.Context, j session.Journal) (Audit, error) {
	var c Audit
	heads, err := j.Loops(ctx)
	if err != nil {
		return c, err
	}
	a := anchorage{}
	if err := a.read(ctx, j); err != nil {
		return c, err
	}
	walks := make([]walk, len(heads))
	err = crew.Share(min(readers, runtime.GOMAXPROCS(0)), len(heads), func(_, i int) error {
		walks[i] = walk{journal: j, loop: heads[i].Loop, anchors: a[heads[i].Loop], missing: map[session.Hash]absence{}}
		return walks[i].all(ctx, heads[i])
	})
	for i := range walks {
		c.add(&walks[i].c)
		delete(a, heads[i].Loop)
	}
	if err != nil {
		return c, err
	}
	return c, a.left()
}

func (c *Audit) add(d *Audit) {
	c.Loops, c.Events, c.Blobs, c.Dropped, c.Anchors = c.Loops+d.Loops, c.Events+d.Events, c.Blobs+d.Blobs, c.Dropped+d.Dropped, c.Anchors+d.Anchors
}

// walk is a check of one loop.
type walk struct {
	c       Audit
	journal session.Journal
	loop    string
	has     func(sum session.Hash) (bool, error) // whether a blob is there, and an error if it is not sound
	seq     int
	hash    session.Hash
	anchors map[int]session.Hash
	missing map[session.Hash]absence
}

// absence is a blob that an event names and that is not there.
type absence struct{ seq, k int }

func (w *walk) all(ctx context.Context, h session.Tip) (err error) {
	w.c.Loops++
	w.has = w.look
	if stock, err := stockOf(ctx, w.journal, w.loop); err != nil {
		return err
	} else if stock != nil {
		w.has = stock.has
	}
	met := false
	err = lent(ctx, w.journal, w.loop, func(e *session.Event) error {
		met = met || e.Seq == h.Seq && e.Hash == h.Hash // others may come while a service runs
		return w.next(e)
	})
	if err != nil {
		return err
	}
	if !met {
		return w.wrong(w.seq, "the newest event should be %d", h.Seq)
	}
	if err := w.absent(); err != nil {
		return err
	}
	for seq := range w.anchors {
		return w.wrong(seq, "the server once saw this event, but the newest is %d: the end of the log was cut off", w.seq)
	}
	return nil
}

// lent visits all events of a loop, in the same memory where the journal can do that.
func lent(ctx context.Context, j session.Journal, loop string, visit func(*session.Event) error) error {
	if s, is := j.(*SQLite); is {
		return s.lend(ctx, s.read, visit, eventsAfter, loop, 0)
	}
	return j.Read(ctx, loop, 0, func(e session.Event) error { return visit(&e) })
}

func (w *walk) wrong(seq int, format string, args ...any) error {
	return &session.ChainError{Loop: w.loop, Seq: seq, Why: fmt.Sprintf(format, args...)}
}

func (w *walk) next(e *session.Event) error {
	if err := e.Follow(w.loop, w.seq, w.hash); err != nil {
		return err
	}
	w.c.Events++
	w.seq, w.hash = e.Seq, e.Hash
	if sum, anchored := w.anchors[e.Seq]; anchored {
		if sum != e.Hash {
			return w.wrong(e.Seq, "the server once saw another event in its place")
		}
		w.c.Anchors++
		delete(w.anchors, e.Seq)
	}
	return w.people(e)
}

// people checks the blobs of an event, or accounts for those that are gone.
func (w *walk) people(e *session.Event) error {
	names, covers, err := e.Blobs()
	if err != nil {
		return w.wrong(e.Seq, "%v", err)
	}
	if covers != nil {
		for sum, a := range w.missing {
			if covers(a.k, sum) {
				delete(w.missing, sum)
				w.c.Dropped++
			}
		}
	}
	for _, sum := range names {
		is, err := w.has(sum)
		switch {
		case err != nil && !errors.Is(err, session.ErrDropped):
			return w.wrong(e.Seq, "%v", err)
		case is:
			w.c.Blobs++
		default:
			w.missing[sum] = absence{e.Seq, e.K}
		}
	}
	return nil
}

// look reads a blob and checks it.
func (w *walk) look(sum session.Hash) (is bool, err error) {
	data, err := w.journal.Blob(w.loop, sum)
	if err == nil && sha256.Sum256(data) != sum {
		err = errOthers
	}
	return err == nil, err
}

var errOthers = errors.New("its people are not those who were told")

// stock is which blobs of a loop are there.
type stock struct {
	sums    []session.Hash // ascending
	unsound map[session.Hash]error
}

// stockOf looks at all blobs of a loop at once, which takes a fraction of looking them up one by one; nil: the journal is none that can.
func stockOf(ctx context.Context, j session.Journal, loop string) (*stock, error) {
	s, is := j.(*SQLite)
	if !is {
		return nil, nil
	}
	all := &stock{unsound: map[session.Hash]error{}}
	var room []byte
	err := each(ctx, s.peek, func(row *sql.Rows) error {
		var sum session.Hash
		var b stored
		var name, data sql.RawBytes
		if err := row.Scan(&name, &b.pack, &b.file, &data); err != nil {
			return err
		}
		copy(sum[:], name)
		b.data = data
		whole, err := s.open(&b, room)
		switch {
		case err != nil:
			all.unsound[sum] = damaged(loop, sum, err)
		case sha256.Sum256(whole) != sum:
			all.unsound[sum] = errOthers
		}
		if b.pack == zipped {
			room = whole
		}
		all.sums = append(all.sums, sum)
		return nil
	}, `SELECT b.sum, b.pack, b.file, b.data FROM blobs b INDEXED BY blobs_sum
		WHERE b.loop = (SELECT id FROM loops WHERE name = ?) ORDER BY b.sum`, loop) // by the index that single ones are found by
	return all, err
}

// has tells whether a blob is there; the error is why it is not sound.
func (s *stock) has(sum session.Hash) (bool, error) {
	_, is := slices.BinarySearchFunc(s.sums, sum, func(a, b session.Hash) int { return bytes.Compare(a[:], b[:]) })
	return is, s.unsound[sum]
}

// absent looks again for blobs that no event accounts for: some may have come after the stock was taken.
func (w *walk) absent() error {
	for sum, a := range w.missing {
		if _, err := w.look(sum); err != nil {
			return w.wrong(a.seq, "%v", err)
		}
		w.c.Blobs++
	}
	return nil
}

// anchorage is the heads of loops that the server wrote down, by loop and event.
type anchorage map[string]map[int]session.Hash

func (a anchorage) read(ctx context.Context, j session.Journal) error {
	return j.Read(ctx, session.OfServer, 0, func(e session.Event) error {
		if e.Kind == chronicle.LoopRemoved {
			return a.removed(e)
		}
		if e.Kind != chronicle.Anchored {
			return nil
		}
		var b chronicle.Anchors
		if err := json.Unmarshal(e.Body, &b); err != nil {
			return &session.ChainError{Loop: session.OfServer, Seq: e.Seq, Why: err.Error()}
		}
		for _, h := range b.Heads {
			if a[h.Loop] == nil {
				a[h.Loop] = map[int]session.Hash{}
			}
			a[h.Loop][h.Seq] = h.Hash
		}
		return nil
	})
}

// removed takes note of a loop that somebody removed: it need not be there, and one that is called so now is another. What it was must reach as far
// as what the server had seen of it.
func (a anchorage) removed(e session.Event) error {
	var r chronicle.Removal
	if err := json.Unmarshal(e.Body, &r); err != nil {
		return &session.ChainError{Loop: session.OfServer, Seq: e.Seq, Why: err.Error()}
	}
	for seq, hash := range a[r.Loop] {
		if seq > r.Seq || seq == r.Seq && hash != r.Hash {
			return &session.ChainError{Loop: r.Loop, Seq: seq, Why: fmt.Sprintf("the server once saw this event, but the loop was removed at event %d", r.Seq)}
		}
	}
	delete(a, r.Loop)
	return nil
}

// left names a loop that is gone.
func (a anchorage) left() error {
	for loop, heads := range a {
		for seq := range heads {
			return &session.ChainError{Loop: loop, Seq: seq, Why: "the server once saw this event, but the loop is gone"}
		}
	}
	return nil
}

// Look opens a database to read it, without the lock of its folder and without a change to it. A copy is one that nobody writes.
func Look(file string, isCopy bool) (_ *SQLite, err error) {
	if err := refuseNewer(file); err != nil {
		return nil, err
	}
	s := &SQLite{path: filepath.Dir(file), ended: true}
	defer func() {
		if err != nil {
			s.release()
		}
	}()
	if s.dir, err = ground().Open(s.path); err != nil {
		return nil, err
	}
	if s.packer, err = NewPacker(); err != nil {
		return nil, err
	}
	options := "?mode=ro&_pragma=busy_timeout(5000)&_pragma=trusted_schema(OFF)&_pragma=cell_size_check(ON)&_pragma=mmap_size(0)"
	if isCopy {
		options += "&immutable=1"
	}
	for _, db := range []**sql.DB{&s.read, &s.peek} {
		*db = connections(file, options)
		(*db).SetMaxOpenConns(readers)
	}
	var number int
	if err := s.read.QueryRow("PRAGMA user_version").Scan(&number); err != nil {
		return nil, err
	}
	if number != schemaNumber {
		return nil, fmt.Errorf("%s has schema %d, want %d: open it with kedge serve once, which brings it there", file, number, schemaNumber)
	}
	return s, nil
}

// CheckFile checks all of a database. A copy is one that nobody writes; the database of a data folder may be in use.
func CheckFile(ctx context.Context, file string, isCopy bool) (c Audit, err error) {
	s, err := Look(file, isCopy)
	if err != nil {
		return c, err
	}
	defer s.Close()
	var found string
	if err := s.read.QueryRowContext(ctx, `PRAGMA integrity_check(1)`).Scan(&found); err != nil || found != "ok" {
		return c, errors.Join(err, fmt.Errorf("%s: %s", file, found))
	}
	if !isCopy {
		if err := s.compareTip(); err != nil {
			return c, err
		}
	}
	return Check(ctx, s)
}

// compareTip tells whether acknowledged events are gone.
func (s *SQLite) compareTip() error {
	f, err := os.Open(s.dir.Path(tipFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	return compare(s.read, f)
}
