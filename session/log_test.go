package session_test

import (
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/replay"
)

// everything is a loop to which everything has happened that can.
func everything(t *testing.T) *scene {
	t.Helper()
	s := newScene(t, with("approval: always", "retain: {samples: 24h}", "guardrails: [{name: complaints, kind: external, most: 3, action: warn}]"), session.Live)
	u := []float64{3, 3}
	do := func(list ...session.Command) {
		for _, c := range list {
			s.now = s.now.Add(time.Second)
			s.must(c)
		}
	}
	do(session.Ask{}, session.Approve{K: 1}, session.Deploy{K: 1, U: u}, session.Deploy{K: 1, U: []float64{3, 3.5}, Correct: true}, session.Tell{K: 1, ID: "am", Batch: people(1, 10, u)})
	do(session.TellMetric{K: 1, Name: "complaints", Metered: guard.Metered{Value: 1}}, session.Close{K: 1}, session.Tell{K: 1, ID: "pm", Batch: people(2, 10, u)})
	do(session.Ask{}, session.Reject{K: 2}, session.Ask{}, session.Approve{K: 3})
	s.now = s.now.Add(25 * time.Hour)
	do(session.Pass{}, session.Ask{}, session.Abandon{K: 4}, session.Ask{}, session.Deploy{K: 5, U: u})
	do(session.SetPin{U: u}, session.Ask{}, session.Unpin{}, session.RollBack{K: 1}, session.Switch{To: session.Paused}, session.Switch{To: session.Live})
	do(session.Revise{Spec: s.loop.Spec() + "\n", Revision: 1}, session.Renew{Epoch: "r"}, session.Renew{Epoch: "i", Imported: true}, session.Once{Word: "w", Of: session.Pass{}})
	do(session.Ask{}, session.Approve{K: 7}, session.Deploy{K: 7, U: u}, session.Close{K: 7}, session.Forking{Of: "other", Seq: 3, AtK: 2})
	s.now = s.now.Add(48 * time.Hour)
	do(session.Compact{}, session.Deploy{K: s.ask().K, U: []float64{-1, 3}}, session.SetPin{U: u}, session.Ask{}, session.Deploy{K: 9, U: u}, session.Archive{})
	return s
}

// Every kind of event has its command, and what says nothing that can be read is no event.
func TestEventsThatSayNothing(t *testing.T) {
	s := everything(t)
	mute := []session.Kind{session.Unpinned, session.Archived, session.Answered, session.Forked} // which say nothing that a loop needs
	none := []session.Kind{session.Compacted, session.BuildChanged, session.Forked, session.Raised, session.Cleared, session.Superseded, session.Answered}
	wordless := []session.Kind{session.Opened, session.Proposed, session.Closed} // whose commands say no more than the decision
	seen := map[session.Kind]bool{}
	for i, e := range s.past.events {
		seen[e.Kind] = true
		broken := e
		broken.Body = []byte(`["nothing"]`)
		prev := session.Hash{}
		if i > 0 {
			prev = s.past.events[i-1].Hash
		}
		broken.Hash = broken.Chained("shop", prev)
		again := session.New("shop", session.Standard)
		for _, before := range s.past.events[:i] {
			if err := again.Replay(before, &s.past); err != nil {
				t.Fatal(err)
			}
		}
		if err := again.Replay(broken, &s.past); (err == nil) != slices.Contains(mute, e.Kind) {
			t.Errorf("event %d, %s, that says nothing: %v", e.Seq, e.Kind, err)
		}
		byTime := e.Actor == session.ByTime
		c, err := session.CommandOf(&e, &s.past)
		isNone := !byTime && slices.Contains(none, e.Kind)
		gone := (e.Kind == session.Told || e.Kind == session.ToldLate) && e.K == 1 // whose people were dropped
		if err != nil || (c == nil) != (isNone || gone) {
			t.Errorf("event %d, %s of %s, comes from %T, %v", e.Seq, e.Kind, e.Actor, c, err)
		}
		if _, is := c.(session.Pass); is != byTime {
			t.Errorf("event %d, %s of %s, comes from %T", e.Seq, e.Kind, e.Actor, c)
		}
		if _, err := session.CommandOf(&broken, &s.past); (err == nil) != (byTime || isNone || slices.Contains(wordless, e.Kind)) {
			t.Errorf("the command of event %d, %s, that says nothing: %v", e.Seq, e.Kind, err)
		}
		if e.K > 0 && e.Kind != session.Raised {
			if _, err := session.DecisionOf([]session.Event{broken}); err == nil {
				t.Errorf("a decision of event %d, %s, that says nothing", e.Seq, e.Kind)
			}
		}
	}
	for _, kind := range []session.Kind{session.Created, session.Opened, session.Proposed, session.Approved, session.Rejected, session.Deployed, session.Corrected, session.DeployedLate, session.Told, session.ToldLate, session.Closed, session.Abandoned, session.Lapsed,
		session.Superseded, session.ModeChanged, session.Pinned, session.Unpinned, session.RolledBack, session.Revised, session.Raised, session.Cleared, session.Archived, session.Answered, session.Restored, session.Imported, session.Forked, session.Compacted, session.MetricTold} {
		if !seen[kind] {
			t.Errorf("%s has not happened", kind)
		}
	}
}

// A log in which something else stands than was decided is found out at that event.
func TestLogsThatWereChanged(t *testing.T) {
	s := newScene(t, shop, session.Live)
	s.round(same)
	s.round(same)
	find := func(kind session.Kind) int {
		return slices.IndexFunc(s.past.events, func(e session.Event) bool { return e.Kind == kind })
	}
	for name, c := range map[string]struct {
		at     int
		change func(e *session.Event)
		chains bool
		words  string
	}{
		"another order":    {3, func(e *session.Event) { e.Seq++ }, true, "comes after event 3"},
		"another hash":     {3, func(e *session.Event) { e.Hash[0] ^= 1 }, false, "its hash is not that of its content"},
		"another time":     {3, func(e *session.Event) { e.At = e.At.Add(time.Microsecond) }, false, "its hash is not that of its content"},
		"another actor":    {3, func(e *session.Event) { e.Actor = "else" }, false, "its hash is not that of its content"},
		"another decision": {find(session.Opened), func(e *session.Event) { e.K = 2 }, true, "opens decision 2 after 0"},
		"another spec":     {0, func(e *session.Event) { e.Body = []byte(`{"spec":"nonsense"}`) }, true, "bad-spec"},
		"no such kind":     {3, func(e *session.Event) { e.Kind = "merry" }, true, `of the kind "merry", which this version does not know`},
		"another state of the rule": {find(session.Closed), func(e *session.Event) {
			before, after, _ := strings.Cut(string(e.Body), `"state":"`)
			e.Body = []byte(before + `"state":"` + strings.Repeat("0", 64) + after[64:])
		}, true, "closing decision 1 again comes to step with the rule at"},
	} {
		again, err := session.New("shop", session.Standard), error(nil)
		for i, e := range s.past.events {
			if i == c.at {
				prev := session.Hash{}
				if i > 0 {
					prev = s.past.events[i-1].Hash
				}
				if c.change(&e); c.chains {
					e.Hash = e.Chained("shop", prev)
				}
			}
			if err = again.Replay(e, &s.past); err != nil {
				if i != c.at {
					t.Errorf("%s: event %d, want %d", name, i, c.at)
				}
				break
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s: %v, want %q", name, err, c.words)
		}
		if wrong, is := errors.AsType[*session.ChainError](err); is && (wrong.Loop != "shop" || !strings.HasPrefix(err.Error(), "event ")) {
			t.Errorf("%s: %+v", name, wrong)
		}
	}
}

// A close that was written as a step but would not be one when it is decided again is found out.
func TestStepsThatWereNone(t *testing.T) {
	s := newScene(t, shop, session.Live)
	s.ask()
	s.must(session.Deploy{K: 1, U: []float64{3, 3}})
	s.must(session.Tell{K: 1, ID: "am", Batch: people(1, 4, []float64{3, 3})})
	s.must(session.Close{K: 1})
	e := s.last()
	e.Body = []byte(strings.Replace(string(e.Body), `"outcome":"inconclusive"`, `"outcome":"step"`, 1))
	e.Hash = e.Chained("shop", s.past.events[len(s.past.events)-2].Hash)
	s.past.events = s.past.events[:len(s.past.events)-1]
	s.restart()
	if err := s.loop.Replay(e, &s.past); err == nil || !strings.Contains(err.Error(), "closing decision 1 again comes to inconclusive") {
		t.Errorf("%v", err)
	}
}

// The commands that the events of people come from have them as they were told; other bytes are noticed, and people who are gone have none.
func TestCommandsOfPeople(t *testing.T) {
	s := newScene(t, shop, session.Live)
	s.ask()
	s.must(session.Deploy{K: 1, U: []float64{3, 3}})
	want := people(1, 10, []float64{3, 3})
	want.ObservedAt = s.now
	s.must(session.Tell{K: 1, ID: "am", Batch: want})
	e := s.last()
	c, err := session.CommandOf(&e, &s.past)
	if tell, is := c.(session.Tell); err != nil || !is || tell.K != 1 || tell.ID != "am" || text(tell.Batch) != text(want) {
		t.Errorf("%+v, %v", c, err)
	}
	r, err := e.Receipt()
	if err != nil {
		t.Fatal(err)
	}
	frame := s.past.blobs[r.Content]
	s.past.blobs[r.Content] = []byte("nobody")
	if c, err := session.CommandOf(&e, &s.past); err == nil {
		t.Errorf("of other bytes: %+v", c)
	}
	if c, err := session.CommandOf(&e, frailPast{&s.past, &fate{at: 1}}); !errors.Is(err, errFate) || c != nil {
		t.Errorf("%+v, %v", c, err)
	}
	delete(s.past.blobs, r.Content)
	if c, err := session.CommandOf(&e, &s.past); err != nil || c != nil {
		t.Errorf("of people who are gone: %+v, %v", c, err)
	}
	s.past.blobs[r.Content] = frame
	s.replays()
}

// told is a loop of whose first decision some bytes were told instead of people.
func told(t *testing.T, data []byte) *scene {
	s := newScene(t, shop, session.Live)
	s.ask()
	s.must(session.Deploy{K: 1, U: []float64{3, 3}})
	s.must(session.Tell{K: 1, ID: "am", Batch: people(1, 10, []float64{3, 3})})
	last := &s.past.events[len(s.past.events)-1]
	r, err := last.Receipt()
	if err != nil {
		t.Fatal(err)
	}
	sum := session.Hash(sha256.Sum256(data))
	last.Body = []byte(strings.Replace(string(last.Body), r.Content.String(), sum.String(), 1))
	last.Hash = last.Chained("shop", s.past.events[len(s.past.events)-2].Hash)
	s.past.blobs[sum] = data
	s.restart()
	return s
}

// Bytes that are nobody, or people as nobody writes them, are found out though their hash is right.
func TestPeopleThatNobodyWrote(t *testing.T) {
	s := told(t, []byte("nobody"))
	if _, err := s.do(session.Close{K: 1}); err == nil || isRefusal(err) || !strings.HasPrefix(err.Error(), "batch am of decision 1: ") {
		t.Errorf("%v", err)
	}
	b := people(1, 10, []float64{3, 3})
	b.ObservedAt = s.now.Add(time.Nanosecond) // which is told to the microsecond
	data, err := b.Encode()
	if err != nil {
		t.Fatal(err)
	}
	s = told(t, data)
	if _, err := replay.Loop(t.Context(), kept{scene: s}, "shop", session.Standard); err == nil {
		t.Error("people of another time are taken for those who were told")
	}
}

// What says where a loop was forked from belongs to no decision, and changes nothing.
func TestForks(t *testing.T) {
	s := newScene(t, shop, session.Live)
	before := s.loop.Status()
	s.brings(session.Forking{Of: "other", Seq: 3, AtK: 2, Set: []string{"a=b"}}, session.Forked)
	e, after := s.last(), s.loop.Status()
	if after.Seq, after.Hash = before.Seq, before.Hash; e.K != 0 || e.Ref != "" || text(after) != text(before) || !strings.Contains(string(e.Body), `"at_k":2`) {
		t.Errorf("%+v: %+v, was %+v", e, after, before)
	}
}

// The hash of what goes with an event is that of its bytes, of people and of anything else.
func TestSumsOfWhatGoesWithEvents(t *testing.T) {
	other := session.Event{Kind: session.Compacted, Blob: []byte("rule")}
	if other.BlobSum() != sha256.Sum256([]byte("rule")) {
		t.Errorf("%s", other.BlobSum())
	}
	s := newScene(t, shop, session.Live)
	s.must(session.Deploy{K: s.ask().K, U: []float64{3, 3}})
	_, events, err := s.loop.Do(s.now, "test", session.Tell{K: 1, ID: "am", Batch: people(1, 3, []float64{3, 3})}, &s.past)
	if err != nil || len(events) != 1 || len(events[0].Blob) == 0 || events[0].BlobSum() != sha256.Sum256(events[0].Blob) {
		t.Errorf("%+v, %v", events, err)
	}
}
