package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
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
func TestJournals(t *testing.T) {
	journals(t, func(t *testing.T, j session.Journal) {
		a, b := &chain{loop: "a"}, &chain{loop: "b"}
		blob := []byte("people")
		first := []session.Event{a.next(0, "", nil), a.next(1, "b/am", blob)}
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		must(j.Append("a", 0, first, nil)())
		must(j.Append("b", 0, []session.Event{b.next(1, "b/am", blob)}, nil)())
		second := a.next(1, "", nil)
		if err := j.Append("a", 1, []session.Event{second}, []byte("wrong"))(); !errors.Is(err, session.ErrConflict) {
			t.Errorf("after an old event: %v, want a conflict", err)
		}
		must(j.Append("a", 2, []session.Event{second}, []byte("state"))())
		var seen []session.Event
		must(j.Read(context.Background(), "a", 0, func(e session.Event) error { seen = append(seen, e); return nil }))
		first[1].Blob = nil
		if want := append(first, second); !reflect.DeepEqual(seen, want) {
			t.Errorf("read\n%+v, want\n%+v", seen, want)
		}
		if list, err := j.Decision("a", 1); err != nil || !reflect.DeepEqual(list, []session.Event{first[1], second}) {
			t.Errorf("decision 1: %+v, %v", list, err)
		}
		if list, err := j.Decision("a", 9); err != nil || len(list) > 0 {
			t.Errorf("a decision that is not: %+v, %v", list, err)
		}
		if e, err := j.Find("a", 1, "b/am"); err != nil || e == nil || !reflect.DeepEqual(*e, first[1]) {
			t.Errorf("by its ref: %+v, %v", e, err)
		}
		for _, other := range []string{"b/pm", ""} {
			if e, err := j.Find("a", 0, other); err != nil || other != "" && e != nil {
				t.Errorf("ref %q of no decision: %+v, %v", other, e, err)
			}
		}
		if got, err := j.Blob("a", sha256.Sum256(blob)); err != nil || string(got) != string(blob) {
			t.Errorf("blob %q, %v", got, err)
		}
		if _, err := j.Blob("c", sha256.Sum256(blob)); err == nil {
			t.Error("a loop that is not there has a blob")
		}
		if got, err := j.State("a"); err != nil || string(got) != "state" {
			t.Errorf("state %q, %v", got, err)
		}
		if got, err := j.State("b"); err != nil || got != nil {
			t.Errorf("state of another loop %q, %v", got, err)
		}
		heads, err := j.Loops(context.Background())
		if want := []session.Tip{{Loop: "a", Seq: 3, Hash: a.hash}, {Loop: "b", Seq: 1, Hash: b.hash}}; err != nil || !reflect.DeepEqual(heads, want) {
			t.Errorf("heads %+v, %v, want %+v", heads, err, want)
		}
		sabotaged := errors.New("enough")
		if err := j.Read(context.Background(), "a", 1, func(session.Event) error { return sabotaged }); !errors.Is(err, sabotaged) {
			t.Errorf("a visitor that has enough: %v", err)
		}
	})
}

const shop = `
iterations: 100
model:
  decision: q[2]
  state: p[2]
  trait: d[2]
  next: 0.5*p + 0.5*(d - q)
  maximize: dot(p, q)
  subject to: 0 <= q <= 20
population: {size: 10, law: normal, mean: [10, 8], deviation: [1, 1]}
algorithms:
  - {name: composite, kind: composite, step: 0.05, batch: 10}
live: {trust: {window: 0}, outliers: {beyond: .inf}, samples: {least: 1}, cap: {norm: .inf}, safe: [4, 4]}
`

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
	if s.Syncs >= 3*40 {
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

type now struct{}

func (now) Now() time.Time { return time.Now() }

// Several chronicles write one chain: every event once, in one order, seen by all who look.
func TestChroniclesShareAChain(t *testing.T) {
	journals(t, func(t *testing.T, j session.Journal) {
		const writers, each = 3, 15
		var all sync.WaitGroup
		for w := range writers {
			all.Go(func() {
				taken := map[int]bool{}
				l, err := chronicle.Open(t.Context(), j, now{}, session.OfServer, func(e session.Event) error {
					var n int
					err := json.Unmarshal(e.Body, &n)
					taken[n] = true
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				for range each {
					err := l.Write(t.Context(), fmt.Sprint("writer ", w), func(time.Time) (chronicle.Notice, error) {
						n := len(taken) // which only one of them may take
						return chronicle.Notice{Kind: "counted", Ref: fmt.Sprint("n/", n), Body: n}, nil
					})
					if err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if c, err := Check(t.Context(), j); err != nil || c.Events != writers*each {
			t.Errorf("%d events, %v, want %d", c.Events, err, writers*each)
		}
		if e, err := j.Find(session.OfServer, 0, fmt.Sprint("n/", writers*each-1)); err != nil || e == nil || e.Seq != writers*each {
			t.Errorf("the last is %+v, %v", e, err)
		}
	})
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
