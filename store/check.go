package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/kedge-opt/kedge/internal/disk"
	"github.com/kedge-opt/kedge/session"
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
// names, and that the heads which the server wrote down are still there. The error names the loop and the event.
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
	for _, h := range heads {
		w := walk{c: &c, journal: j, loop: h.Loop, anchors: a[h.Loop]}
		if err := w.all(ctx, h); err != nil {
			return c, err
		}
		delete(a, h.Loop)
	}
	return c, a.left()
}

// walk is a check of one loop.
type walk struct {
	c       *Audit
	journal session.Journal
	loop    string
	seq     int
	hash    session.Hash
	anchors map[int]session.Hash
	missing map[session.Hash]absence
}

// absence is a blob that an event names and that is not there.
type absence struct {
	seq, k int
	why    error
}

func (w *walk) all(ctx context.Context, h session.Tip) error {
	w.c.Loops++
	w.missing = map[session.Hash]absence{}
	if err := w.journal.Read(ctx, w.loop, 0, w.next); err != nil {
		return err
	}
	if w.seq != h.Seq || w.hash != h.Hash {
		return w.wrong(w.seq, "the newest event should be %d", h.Seq)
	}
	for _, a := range w.missing {
		return w.wrong(a.seq, "%v", a.why)
	}
	for seq := range w.anchors {
		return w.wrong(seq, "the server once saw this event, but the newest is %d: the end of the log was cut off", w.seq)
	}
	return nil
}

func (w *walk) wrong(seq int, format string, args ...any) error {
	return &session.ChainError{Loop: w.loop, Seq: seq, Why: fmt.Sprintf(format, args...)}
}

func (w *walk) next(e session.Event) error {
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
	return w.people(&e)
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
		data, err := w.journal.Blob(w.loop, sum)
		switch {
		case errors.Is(err, session.ErrDropped):
			w.missing[sum] = absence{e.Seq, e.K, err}
		case err != nil:
			return w.wrong(e.Seq, "%v", err)
		case sha256.Sum256(data) != sum:
			return w.wrong(e.Seq, "its people are not those who were told")
		default:
			w.c.Blobs++
		}
	}
	return nil
}

// anchorage is the heads of loops that the server wrote down, by loop and event.
type anchorage map[string]map[int]session.Hash

func (a anchorage) read(ctx context.Context, j session.Journal) error {
	return j.Read(ctx, session.OfServer, 0, func(e session.Event) error {
		if e.Kind != session.Anchored {
			return nil
		}
		var b session.Anchors
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
	if s.dir, err = (disk.Disk{}).Open(s.path); err != nil {
		return nil, err
	}
	if err := s.packers(); err != nil {
		return nil, err
	}
	options := "?mode=ro&_pragma=busy_timeout(5000)&_pragma=trusted_schema(OFF)&_pragma=cell_size_check(ON)&_pragma=mmap_size(0)"
	if isCopy {
		options += "&immutable=1"
	}
	for _, db := range []**sql.DB{&s.read, &s.peek} {
		if *db, err = sql.Open("sqlite", "file:"+uri(file)+options); err != nil {
			return nil, err
		}
		(*db).SetMaxOpenConns(1)
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
	said, sound := readTip(f) // before the database, which may grow meanwhile
	var is int64
	if err := s.read.QueryRow(`SELECT coalesce(max(pos), 0) FROM events`).Scan(&is); err != nil {
		return err
	}
	if sound && said > is {
		return &LostError{said, is}
	}
	return nil
}
