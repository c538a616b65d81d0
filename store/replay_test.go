package store

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
	"github.com/kedge-opt/kedge/session/fork"
	"github.com/kedge-opt/kedge/session/replay"
)

// remembered is a journal in memory with a loop that had some decisions, at hours of a clock.
func remembered(t testing.TB, spec string, decisions int) (*InMemory, *session.Fleet, *hours) {
	t.Helper()
	m, clock := NewMemory(), &hours{time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC)}
	h := session.NewFleet(m, clock, session.Standard, nil)
	do := func(c session.Command) any {
		t.Helper()
		reply, err := h.Do(t.Context(), "shop", "test", c)
		if err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		return reply
	}
	do(session.Create{Spec: spec, Mode: session.Live, Epoch: "first"})
	for n := range decisions {
		clock.now = clock.now.Add(time.Hour)
		a := do(session.Ask{}).(session.Offer)
		do(session.Deploy{K: a.K, U: a.U})
		do(session.Tell{K: a.K, ID: "all", Batch: session.Batch{P: []float64{5, float64(n % 7), 4, float64(n % 5)}, D: []float64{9, 9, 8, 9}, Who: []uint64{uint64(n), 1000}}})
		do(session.Close{K: a.K})
	}
	return m, h, clock
}

type hours struct{ now time.Time }

func (h *hours) Now() time.Time { return h.now }

var withIDs = strings.Replace(shop, "samples: {least: 1}", "samples: {least: 1, ids: optional}, retain: {samples: 3h}", 1)

// changed is a copy of a journal whose events and blobs somebody has changed.
func changed(t *testing.T, m *InMemory, change func(events []session.Event, blobs map[session.Hash][]byte) []session.Event) *InMemory {
	t.Helper()
	s := m.of("shop")
	blobs := map[session.Hash][]byte{}
	for sum, b := range s.blobs {
		blobs[sum] = bytes.Clone(b)
	}
	n := NewMemory()
	n.loops["shop"] = &shelf{events: change(slices.Clone(s.events), blobs), blobs: blobs}
	return n
}

// rechained gives events hashes as if nothing had been changed.
func rechained(events []session.Event) []session.Event {
	var last session.Hash
	for i := range events {
		events[i].Hash = events[i].Chained("shop", last)
		last = events[i].Hash
	}
	return events
}

// Everything is decided again with the same bytes; whatever is changed is found, with its event, even if all hashes were made to fit.
func TestReplaysFindWhatWasChanged(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-replay", Text: "a log of 10,000 closes decided again: events that differ; and a byte of a body, a bit of a person, the order of two events, a decision with all hashes made to fit that were changed and not found with their event", Short: "200 closes"})
	closes := 200
	if evidence.Whole() {
		closes = 10_000
	}
	m, _, _ := remembered(t, withIDs, closes)
	r, err := replay.Loop(t.Context(), m, "shop", session.Standard)
	row.Case(err == nil && r.Closes == closes && r.Decided == r.Events && len(r.Lacking) == 0, "%+v, %v", r.Lacking, err)
	at := 4*(closes/2) + 1 // the close of some decision; before it the batch, the deployment and the opening
	for name, c := range map[string]struct {
		seq    int
		change func(events []session.Event, blobs map[session.Hash][]byte) []session.Event
	}{
		"a byte": {at, func(e []session.Event, _ map[session.Hash][]byte) []session.Event {
			e[at-1].Body = bytes.Clone(e[at-1].Body)
			e[at-1].Body[len(e[at-1].Body)/2] ^= 1
			return e
		}},
		"a person": {at - 1, func(e []session.Event, blobs map[session.Hash][]byte) []session.Event {
			names, _, _ := e[at-2].Blobs()
			blobs[names[0]][len(blobs[names[0]])/2] ^= 1
			return e
		}},
		"another person": {at - 1, func(e []session.Event, blobs map[session.Hash][]byte) []session.Event {
			names, _, _ := e[at-2].Blobs()
			var b session.Batch
			if err := b.Decode(blobs[names[0]]); err != nil {
				t.Fatal(err)
			}
			b.P[0]++
			blobs[names[0]], _ = b.Encode()
			return e
		}},
		"a name": {at, func(e []session.Event, _ map[session.Hash][]byte) []session.Event {
			e[at-1].Actor = "somebody"
			return e
		}},
		"an order": {at + 1, func(e []session.Event, _ map[session.Hash][]byte) []session.Event {
			e[at-1], e[at] = e[at], e[at-1]
			return e
		}},
		"a decision": {at - 3, func(e []session.Event, _ map[session.Hash][]byte) []session.Event {
			e[at-4].Body = bytes.Replace(e[at-4].Body, []byte(`"u":[`), []byte(`"u":[1`), 1)
			return rechained(e)
		}},
		"a state": {at, func(e []session.Event, _ map[session.Hash][]byte) []session.Event {
			i := bytes.Index(e[at-1].Body, []byte(`"state":"`)) + 9
			e[at-1].Body = bytes.Clone(e[at-1].Body)
			e[at-1].Body[i] = map[bool]byte{true: '1', false: '0'}[e[at-1].Body[i] == '0']
			return rechained(e)
		}},
	} {
		var broken *session.ChainError
		_, err := replay.Loop(t.Context(), changed(t, m, c.change), "shop", session.Standard)
		row.Case(errors.As(err, &broken) && broken.Seq == c.seq, "%s: %v, want event %d", name, err, c.seq)
	}
}

// A fork at any decision with nothing changed proposes the same; with half the step it differs from the next decision on.
func TestForksProposeTheSameUnlessSomethingChanges(t *testing.T) {
	row := evidence.For(t, evidence.Promise{Name: "service-fork", Text: "a loop forked at every decision: proposals that differ with nothing changed, or that do not differ after the next close with half the step"})
	const decisions = 8
	m, h, _ := remembered(t, withIDs, decisions)
	proposals := func(loop string) (all [][]float64) {
		for k := 1; k <= decisions; k++ {
			events, err := m.Decision(loop, k)
			if err != nil {
				t.Fatal(err)
			}
			d, err := session.DecisionOf(events)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, d.U)
		}
		return all
	}
	want := proposals("shop")
	for k := 1; k <= decisions; k++ {
		for _, set := range [][]string{nil, {"algorithms.composite.step=0.025"}} {
			name := map[bool]string{true: "same", false: "half"}[set == nil] + string(rune('0'+k))
			s, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: k, Set: set}, name, func(spec string) (string, error) { return session.EditSpec(kind.Standard(), spec, set) })
			if err != nil || s.Mode != session.Shadow || s.Epoch == "first" {
				t.Fatalf("%s: %+v, %v", name, s, err)
			}
			got := proposals(name)
			same := 0
			for same < decisions && slices.Equal(got[same], want[same]) {
				same++
			}
			if set == nil {
				row.Case(same == decisions, "%s differs from decision %d on", name, same+1)
			} else {
				row.Case(same == k, "%s differs from decision %d on, want %d", name, same+1, k+1)
			}
			if _, err := replay.Loop(t.Context(), m, name, session.Standard); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if _, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: decisions + 1}, "late", nil); !session.IsRefusal(err, session.NotFound) {
		t.Errorf("a fork at a decision that is not: %v", err)
	}
	if _, err := fork.Fork(t.Context(), h, session.Forking{Of: "shop", AtK: 1}, "same1", nil); !session.IsRefusal(err, session.NameTaken) {
		t.Errorf("a fork over another loop: %v", err)
	}
}

// What was kept long enough goes, never that of the newest two; the log stays sound and makes the same loop, and a replay says what it could not check.
func TestRetentionLeavesALoopThatGoesOn(t *testing.T) {
	ctx := t.Context()
	m, h, clock := remembered(t, withIDs, 8)
	_, twin, when := remembered(t, withIDs, 8)
	do := func(h *session.Fleet, c session.Command) any {
		t.Helper()
		reply, err := h.Do(ctx, "shop", "test", c)
		if err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		return reply
	}
	c := do(h, session.Compact{}).(session.Compaction)
	if c.FromK != 1 || c.ToK != 5 || c.Blobs != 5 || c.Rows != 10 { // those of 5, 6 … hours ago, of one an hour
		t.Errorf("compacted %+v", c)
	}
	clock.now, when.now = clock.now.Add(24*time.Hour), when.now.Add(24*time.Hour)
	if c := do(h, session.Compact{}).(session.Compaction); c.FromK != 6 || c.ToK != 6 || c.Blobs != 1 {
		t.Errorf("a day later %+v: the newest two must stay", c)
	}
	if c := do(h, session.Compact{}).(session.Compaction); c.Blobs != 0 {
		t.Errorf("again %+v", c)
	}
	do(h, session.Tell{K: 2, ID: "late", Batch: session.Batch{P: []float64{1, 1}, D: []float64{1, 1}}})
	clock.now, when.now = clock.now.Add(24*time.Hour), when.now.Add(24*time.Hour)
	if c := do(h, session.Compact{}).(session.Compaction); c.FromK != 2 || c.Blobs != 1 || c.Rows != 1 {
		t.Errorf("a batch that came late: %+v", c)
	}
	a, err := Check(ctx, m)
	if err != nil || a.Dropped != 5+1+1 || a.Blobs != 2+3 { // two batches, and the state of the rule, which all three compactions name
		t.Errorf("%+v, %v", a, err)
	}
	r, err := replay.Loop(ctx, m, "shop", session.Standard)
	if err != nil || !slices.Equal(r.Lacking, []int{1, 2, 3, 4, 5, 6, 7, 8}) {
		t.Errorf("%+v, %v", r, err)
	}
	m.loops["shop"].state = nil
	again := session.NewFleet(m, clock, session.Standard, nil)
	was, is := do(twin, session.Ask{}).(session.Offer), do(again, session.Ask{}).(session.Offer)
	if !slices.Equal(was.U, is.U) || was.K != is.K {
		t.Errorf("decision %d is %v, without retention %d is %v", is.K, is.U, was.K, was.U)
	}
	delete(m.loops["shop"].blobs, m.loops["shop"].newestBlob(t))
	if _, err := Check(ctx, m); err == nil {
		t.Error("a blob that nobody dropped is not missed")
	}
}

// newestBlob is the blob of the newest batch of a decision that keeps its people.
func (s *shelf) newestBlob(t *testing.T) (sum session.Hash) {
	for _, e := range s.events {
		if e.Kind == session.Told && e.K == 8 {
			names, _, err := e.Blobs()
			if err != nil {
				t.Fatal(err)
			}
			sum = names[0]
		}
	}
	return sum
}

// Whoever is erased is in no batch any more, and the current decision is learned from the others.
func TestErasedPeopleAreGone(t *testing.T) {
	ctx := t.Context()
	m, h, _ := remembered(t, withIDs, 4)
	do := func(c session.Command) any {
		t.Helper()
		reply, err := h.Do(ctx, "shop", "test", c)
		if err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		return reply
	}
	a := do(session.Ask{}).(session.Offer)
	do(session.Deploy{K: a.K, U: a.U})
	do(session.Tell{K: a.K, ID: "am", Batch: session.Batch{P: []float64{5, 3}, D: []float64{9, 9}, Who: []uint64{2}}})
	do(session.Tell{K: a.K, ID: "pm", Batch: session.Batch{P: []float64{4, 3}, D: []float64{9, 9}, Who: []uint64{77}}})
	if c := do(session.Erase{Who: 2}).(session.Compaction); c.Blobs != 2 || c.Rows != 3 { // of decision 3, and of the current one
		t.Errorf("erased %+v", c)
	}
	if c := do(session.Erase{Who: 2}).(session.Compaction); c.Blobs != 0 {
		t.Errorf("erased again %+v", c)
	}
	if c := do(session.Close{K: a.K}).(session.Closing); c.Sample.Rows != 1 || c.Outcome.Outcome != session.Stepped {
		t.Errorf("closed on %+v", c.Sample)
	}
	for _, blob := range m.of("shop").blobs {
		var b session.Batch
		if b.Decode(blob) == nil && slices.Contains(b.Who, 2) {
			t.Error("somebody erased is still there")
		}
	}
	if c, err := Check(ctx, m); err != nil || c.Dropped != 2 {
		t.Errorf("%+v, %v", c, err)
	}
	if r, err := replay.Loop(ctx, m, "shop", session.Standard); err != nil || !slices.Equal(r.Lacking, []int{3, 4}) || r.Decided < 10 {
		t.Errorf("%+v, %v", r, err)
	}
}

// Heads that the server wrote down show a loop that is gone, and one whose end was cut off.
func TestAnchorsShowWhatIsGone(t *testing.T) {
	ctx := context.Background()
	for name, harm := range map[string]string{
		"the end":  `DELETE FROM events WHERE seq > 10 AND loop = (SELECT id FROM loops WHERE name = 'shop')`,
		"the loop": `DELETE FROM states; DELETE FROM series; DELETE FROM blobs; DELETE FROM events WHERE loop = (SELECT id FROM loops WHERE name = 'shop')`,
	} {
		s := opened(t, lived(t, 4))
		if err := chronicle.Anchor(ctx, s, wall{}, time.Hour); err != nil {
			t.Fatal(err)
		}
		if err := chronicle.Anchor(ctx, s, wall{}, time.Hour); err != nil {
			t.Fatal(err)
		}
		if c, err := Check(ctx, s); err != nil || c.Anchors != 1 || c.Loops != 2 {
			t.Errorf("%+v, %v", c, err)
		}
		if _, err := s.write.Exec(harm); err != nil {
			t.Fatal(err)
		}
		var broken *session.ChainError
		if _, err := Check(ctx, s); !errors.As(err, &broken) || broken.Loop != "shop" || broken.Seq != 17 {
			t.Errorf("%s: %v", name, err)
		}
		s.Close()
	}
}
