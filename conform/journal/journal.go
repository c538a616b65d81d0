// Package journal is what every journal of loops must do, as a script for its tests.
package journal

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
)

// Chain makes events of a loop that follow each other.
type Chain struct {
	Loop string
	Seq  int
	Hash session.Hash
}

// Next is the next event, of a batch if it has people.
func (c *Chain) Next(k int, ref string, blob []byte) session.Event {
	c.Seq++
	e := session.Event{Seq: c.Seq, At: time.Date(2026, 1, 2, 3, 4, 5, 6000*c.Seq, time.UTC), Kind: session.Raised, Actor: "test", K: k, Ref: ref, Body: json.RawMessage(fmt.Sprintf(`{"n":%d}`, c.Seq)), Blob: blob}
	if blob != nil {
		e.Kind, e.Body = session.Told, json.RawMessage(fmt.Sprintf(`{"batch":"%d","content":"%x"}`, c.Seq, sha256.Sum256(blob)))
	}
	e.Hash = e.Chained(c.Loop, c.Hash)
	c.Hash = e.Hash
	return e
}

// Shop is a spec of a loop for made-up people, whom no guard compares with the model.
const Shop = `
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

// Script is what a journal without events must do.
func Script(t *testing.T, j session.Journal) {
	t.Run("append and read", func(t *testing.T) { appendAndRead(t, j) })
	t.Run("blobs come and go", func(t *testing.T) { blobsGo(t, j) })
	t.Run("loops go", func(t *testing.T) { loopsGo(t, j) })
	t.Run("chronicles", func(t *testing.T) { chronicles(t, j) })
}

func appendAndRead(t *testing.T, j session.Journal) {
	a, b := &Chain{Loop: "a"}, &Chain{Loop: "b"}
	blob := []byte("people")
	first := []session.Event{a.Next(0, "", nil), a.Next(1, "b/am", blob)}
	must(t, j.Append("a", 0, first, nil)())
	must(t, j.Append("b", 0, []session.Event{b.Next(1, "b/am", blob)}, nil)())
	second := a.Next(1, "", nil)
	if err := j.Append("a", 1, []session.Event{second}, []byte("wrong"))(); !errors.Is(err, session.ErrConflict) {
		t.Errorf("after an old event: %v, want a conflict", err)
	}
	must(t, j.Append("a", 2, []session.Event{second}, []byte("state"))())
	var seen []session.Event
	must(t, j.Read(context.Background(), "a", 0, func(e session.Event) error { seen = append(seen, e); return nil }))
	first[1].Blob = nil
	if want := append(first, second); !reflect.DeepEqual(seen, want) {
		t.Errorf("read\n%+v, want\n%+v", seen, want)
	}
	gives(t, "decision 1: %+v, %v", []session.Event{first[1], second})(j.Decision("a", 1))
	if list, err := j.Decision("a", 9); err != nil || len(list) > 0 {
		t.Errorf("a decision that is not: %+v, %v", list, err)
	}
	gives(t, "by its ref: %+v, %v", &first[1])(j.Find("a", 1, "b/am"))
	for _, other := range []string{"b/pm", ""} {
		if e, err := j.Find("a", 0, other); err != nil || other != "" && e != nil {
			t.Errorf("ref %q of no decision: %+v, %v", other, e, err)
		}
	}
	gives(t, "blob %q, %v", blob)(j.Blob("a", sha256.Sum256(blob)))
	if _, err := j.Blob("c", sha256.Sum256(blob)); err == nil {
		t.Error("a loop that is not there has a blob")
	}
	gives(t, "state %q, %v", []byte("state"))(j.State("a"))
	gives(t, "state of another loop %q, %v", []byte(nil))(j.State("b"))
	heads, err := j.Loops(context.Background())
	if want := []session.Tip{{Loop: "a", Seq: 3, Hash: a.Hash}, {Loop: "b", Seq: 1, Hash: b.Hash}}; err != nil || !reflect.DeepEqual(heads, want) {
		t.Errorf("heads %+v, %v, want %+v", heads, err, want)
	}
	sabotaged := errors.New("enough")
	if err := j.Read(context.Background(), "a", 1, func(session.Event) error { return sabotaged }); !errors.Is(err, sabotaged) {
		t.Errorf("a visitor that has enough: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// gives says what a journal gives back instead of what is wanted of it.
func gives[T any](t *testing.T, instead string, want T) func(got T, err error) {
	return func(got T, err error) {
		t.Helper()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf(instead, got, err)
		}
	}
}

// blobsGo drops a blob that others loops have as well, and brings it back.
func blobsGo(t *testing.T, j session.Journal) {
	a, b := &Chain{Loop: "goes"}, &Chain{Loop: "stays"}
	blob := []byte("somebody")
	sum := session.Hash(sha256.Sum256(blob))
	has := func(loop string, want bool) {
		t.Helper()
		data, err := j.Blob(loop, sum)
		if want && (err != nil || string(data) != string(blob)) || !want && !errors.Is(err, session.ErrDropped) {
			t.Errorf("loop %s has %q, %v; there: %t", loop, data, err, want)
		}
	}
	gone := func(e session.Event) session.Event { e.Drops = []session.Hash{sum}; return e }
	var waits []func() error // all of it queued at once, and in this order
	for i, e := range []session.Event{a.Next(1, "b/1", blob), gone(a.Next(0, "", nil)), a.Next(2, "b/1", blob), gone(a.Next(0, "", nil))} {
		waits = append(waits, j.Append("goes", i, []session.Event{e}, nil))
	}
	waits = append(waits, j.Append("stays", 0, []session.Event{b.Next(1, "b/1", blob)}, nil))
	for i, wait := range waits {
		if err := wait(); err != nil {
			t.Fatalf("append %d: %v", i, err)
		}
	}
	has("goes", false)
	has("stays", true)
	must(t, j.Append("goes", 4, []session.Event{a.Next(3, "b/1", blob)}, nil)())
	has("goes", true)
	if err := j.Append("goes", 4, nil, []byte("of an old event"))(); !errors.Is(err, session.ErrConflict) {
		t.Errorf("a state of an old event: %v", err)
	}
	if err := j.Append("goes", 5, nil, []byte("new"))(); err != nil {
		t.Error(err)
	}
	gives(t, "state %q, %v", []byte("new"))(j.State("goes"))
}

// loopsGo has loops go with an event of another, wholly or not at all; their names are free again.
func loopsGo(t *testing.T, j session.Journal) {
	a, b, blob := &Chain{Loop: "leaves"}, &Chain{Loop: "tells"}, []byte("people who leave")
	there := func(want bool) {
		t.Helper()
		heads, err := j.Loops(t.Context())
		is := slices.ContainsFunc(heads, func(tip session.Tip) bool {
			return tip.Loop == a.Loop && (!want || tip == session.Tip{Loop: a.Loop, Seq: a.Seq, Hash: a.Hash})
		})
		if err != nil || is != want {
			t.Errorf("the loop is there: %t, want %t; heads %+v, %v", is, want, heads, err)
		}
	}
	removes := func(after int, tip session.Tip) error {
		from := *b
		e := from.Next(0, "", nil)
		e.Removes = tip
		err := j.Append(b.Loop, after, []session.Event{e}, nil)()
		if err == nil {
			*b = from
		}
		return err
	}
	must(t, j.Append(a.Loop, 0, []session.Event{a.Next(0, "", nil)}, nil)())
	old := session.Tip{Loop: a.Loop, Seq: a.Seq, Hash: a.Hash}
	must(t, j.Append(a.Loop, 1, []session.Event{a.Next(1, "b/am", blob)}, []byte("state"))())
	must(t, j.Append(b.Loop, 0, []session.Event{b.Next(1, "b/am", blob)}, nil)())
	newest := session.Tip{Loop: a.Loop, Seq: a.Seq, Hash: a.Hash}
	if err := removes(9, newest); !errors.Is(err, session.ErrConflict) {
		t.Errorf("after an old event: %v, want a conflict", err)
	}
	if err := removes(1, old); !errors.Is(err, session.ErrConflict) {
		t.Errorf("of a loop that has gone on: %v, want a conflict", err)
	}
	there(true)
	must(t, removes(1, newest))
	there(false)
	must(t, j.Read(t.Context(), a.Loop, 0, func(e session.Event) error { return fmt.Errorf("event %d of a loop that is gone", e.Seq) }))
	if _, err := j.Blob(a.Loop, sha256.Sum256(blob)); !errors.Is(err, session.ErrDropped) {
		t.Errorf("a blob of a loop that is gone: %v", err)
	}
	gives(t, "the same blob of another loop: %q, %v", blob)(j.Blob(b.Loop, sha256.Sum256(blob)))
	gives(t, "the state of a loop that is gone: %q, %v", []byte(nil))(j.State(a.Loop))
	for range 2 {
		*a = Chain{Loop: a.Loop}
		must(t, j.Append(a.Loop, 0, []session.Event{a.Next(1, "b/am", blob)}, nil)())
		there(true)
		must(t, removes(b.Seq, session.Tip{Loop: a.Loop, Seq: a.Seq, Hash: a.Hash}))
	}
	there(false)
}

type now struct{}

func (now) Now() time.Time { return time.Now() }

// chronicles write one chain, several at once: every event once, in one order, seen by all who look.
func chronicles(t *testing.T, j session.Journal) {
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
	var last Chain
	last.Loop = session.OfServer
	err := j.Read(t.Context(), session.OfServer, 0, func(e session.Event) error {
		err := e.Follow(last.Loop, last.Seq, last.Hash)
		last.Seq, last.Hash = e.Seq, e.Hash
		return err
	})
	if err != nil || last.Seq != writers*each {
		t.Errorf("%d events, %v, want %d", last.Seq, err, writers*each)
	}
	if e, err := j.Find(session.OfServer, 0, fmt.Sprint("n/", writers*each-1)); err != nil || e == nil || e.Seq != writers*each {
		t.Errorf("the last is %+v, %v", e, err)
	}
}
