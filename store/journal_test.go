package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/conform/journal"
	"github.com/kedge-opt/kedge/session"
)

// journals are all kinds of them, each in a folder of its own.
func journals(t *testing.T, check func(t *testing.T, j session.Journal)) {
	t.Run("memory", func(t *testing.T) { check(t, NewMemory()) })
	t.Run("sqlite", func(t *testing.T) { check(t, opened(t, t.TempDir())) })
}

func opened(t *testing.T, dir string) *SQLite {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// chain makes events of a loop that follow each other.
type chain struct {
	loop string
	seq  int
	hash session.Hash
}

func (c *chain) next(k int, ref string, blob []byte) session.Event {
	c.seq++
	e := session.Event{Seq: c.seq, At: time.Date(2026, 1, 2, 3, 4, 5, 6000*c.seq, time.UTC), Kind: session.Raised, Actor: "test", K: k, Ref: ref, Body: json.RawMessage(fmt.Sprintf(`{"n":%d}`, c.seq)), Blob: blob}
	if blob != nil {
		e.Kind, e.Body = session.Told, json.RawMessage(fmt.Sprintf(`{"batch":"%d","content":"%x"}`, c.seq, sumOf(blob)))
	}
	e.Hash = e.Chained(c.loop, c.hash)
	c.hash = e.Hash
	return e
}

// told is an event of a batch.
func (c *chain) told(n int, blob []byte) session.Event { return c.next(1, fmt.Sprint("b/", n), blob) }

func sumOf(b []byte) [sha256.Size]byte { return sha256.Sum256(b) }

// What every journal must do.
func TestJournals(t *testing.T) { journals(t, journal.Script) }

const shop = journal.Shop

type wall struct{}

func (wall) Now() time.Time { return time.Now() }

// Many who tell one loop at once, and then its restart: every acknowledged batch is there once, and the loop goes on as it was.
func TestManyTellersAndARestart(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	h := session.NewFleet(s, wall{}, session.Standard, nil)
	do := func(h *session.Fleet, c session.Command) any {
		t.Helper()
		reply, err := h.Do(context.Background(), "shop", "test", c)
		if err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		return reply
	}
	do(h, session.Create{Spec: shop, Mode: session.Live, Epoch: "e"})
	for range 3 {
		a := do(h, session.Ask{}).(session.Offer)
		do(h, session.Deploy{K: a.K, U: a.U})
		var all sync.WaitGroup
		held, release := make(chan struct{}), make(chan struct{}) // the writer, until all of them wait
		all.Go(func() { s.alter(func(*sql.Tx) error { close(held); <-release; return nil }) })
		<-held
		all.Go(func() {
			for end := time.Now().Add(time.Minute); len(s.queue) < 40 && time.Now().Before(end); {
				time.Sleep(time.Millisecond)
			}
			close(release)
		})
		for n := range 40 {
			all.Add(1)
			go func() {
				defer all.Done()
				b := session.Batch{P: []float64{float64(n), 1}, D: []float64{9, 9}}
				if _, err := h.Do(context.Background(), "shop", "test", session.Tell{K: a.K, ID: fmt.Sprint("b", n), Batch: b}); err != nil {
					t.Error(err)
				}
			}()
		}
		all.Wait()
		if c := do(h, session.Close{K: a.K}).(session.Closing); c.Sample.Rows != 40 || c.Outcome.Outcome != session.Stepped {
			t.Errorf("decision %d closed on %+v", a.K, c.Outcome)
		}
		// The repeat of a close whose successor is open goes to the journal.
		do(h, session.Ask{})
		if c := do(h, session.Close{K: a.K}).(session.Closing); c.Sample.Rows != 40 {
			t.Errorf("closed again on %+v", c.Outcome)
		}
	}
	if s.Syncs >= 40 {
		t.Errorf("%d commits of %d tells: nothing was written together", s.Syncs, 3*40)
	}
	before := do(h, session.Ask{})
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Do(context.Background(), "shop", "test", session.Abandon{K: 4, Reason: "x"}); err == nil {
		t.Error("a closed journal took an event")
	}
	for _, withState := range []bool{true, false} {
		s := opened(t, dir)
		if !withState {
			if _, err := s.write.Exec(`DELETE FROM states`); err != nil {
				t.Fatal(err)
			}
		}
		if after := do(session.NewFleet(s, wall{}, session.Standard, nil), session.Ask{}); !reflect.DeepEqual(after, before) {
			t.Errorf("with a state %v: after a restart %+v, before %+v", withState, after, before)
		}
		s.Close()
	}
}

// A second program is refused, and so is a database of a newer version, which stays as it was.
func TestFoldersAreTakenOnce(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	if second, err := Open(dir); err == nil {
		second.Close()
		t.Error("two programs have one folder")
	}
	if _, err := s.write.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	s.Close()
	if newer, err := Open(dir); err == nil {
		newer.Close()
		t.Error("a newer schema was opened")
	}
}

// An event whose hash does not follow is not written, nor is anything with it.
func TestChainsAreChecked(t *testing.T) {
	s := opened(t, t.TempDir())
	c := &chain{loop: "a"}
	good, bad := c.next(0, "", nil), c.next(0, "", nil)
	bad.Body = json.RawMessage(`{"n":3}`)
	var broken *session.ChainError
	if err := s.Append("a", 0, []session.Event{good, bad}, nil)(); !errors.As(err, &broken) || broken.Seq != 2 {
		t.Errorf("a wrong hash: %v", err)
	}
	if heads, _ := s.Loops(context.Background()); len(heads) > 0 {
		t.Errorf("something was written: %+v", heads)
	}
}

// Many loops are read at once, each of which looks up people while its events are read.
func TestManyLoopsAreReadAtOnce(t *testing.T) {
	m, _, _ := remembered(t, withIDs, 3)
	s := opened(t, t.TempDir())
	copied(t, m, s, "shop")
	if _, err := s.write.Exec(`DELETE FROM states`); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	done := make(chan struct{})
	for range 24 { // of one loop, by hosts of their own
		all.Go(func() {
			if err := session.NewFleet(s, wall{}, session.Standard, nil).Look(t.Context(), "shop", func(*session.Loop) error { return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	go func() { all.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("they wait for each other")
	}
}
