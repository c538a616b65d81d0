package session_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// kept tells of which decisions a batch of the name am is still there.
func (s *scene) kept() (list []int) {
	s.Helper()
	for k := 1; k <= s.loop.Status().K; k++ {
		events, _ := s.past.Decision(k)
		d, err := session.DecisionOf(events)
		if err != nil {
			s.Fatal(err)
		}
		for _, r := range d.Batches {
			if _, err := s.past.Blob(r.Content); err == nil && r.ID == "am" {
				list = append(list, k)
			}
		}
	}
	return list
}

func (s *scene) compacts(kinds ...session.Kind) session.Compaction {
	s.Helper()
	return s.brings(session.Compact{}, kinds...).(session.Compaction)
}

// retained is a loop after five closes, an hour apart, that keeps people for a day.
func retained(t *testing.T) *scene {
	s := newScene(t, with("retain: {samples: 24h}"), session.Live)
	for range 5 {
		s.round(same)
	}
	return s
}

// People are dropped once their decision ended so long ago, to the moment, but those of the newest two decisions never; the rule goes on as if they were there.
func TestPeopleAreDroppedInTime(t *testing.T) {
	s := retained(t)
	ended := s.now.Add(-4 * time.Hour) // of the first
	s.now = ended.Add(24*time.Hour - time.Microsecond)
	if c := s.compacts(); c.Blobs != 0 || !slices.Equal(s.kept(), []int{1, 2, 3, 4, 5}) {
		t.Errorf("too soon: %+v", c)
	}
	s.now = s.now.Add(time.Microsecond)
	if c := s.compacts(session.Compacted); c.FromK != 1 || c.ToK != 1 || c.Blobs != 1 || c.Rows != 10 || !slices.Equal(s.kept(), []int{2, 3, 4, 5}) {
		t.Errorf("in time: %+v, kept are %v", c, s.kept())
	}
	s.compacts()
	s.now = ended.Add(48 * time.Hour)
	if c := s.compacts(session.Compacted); c.FromK != 2 || c.ToK != 3 || c.Blobs != 2 || c.Rows != 20 || !slices.Equal(s.kept(), []int{4, 5}) {
		t.Errorf("but for the newest two: %+v, kept are %v", c, s.kept())
	}
	if n := len(s.past.blobs); n != 3 { // two batches and the newest state of the rule
		t.Errorf("%d blobs are kept", n)
	}
	s.replaysWithout()
	for range 2 {
		s.round(same)
	}
	full := retained(t)
	full.now = s.now.Add(-2 * time.Hour)
	for range 2 {
		full.round(same)
	}
	if got, want := s.ask().U, full.ask().U; !slices.Equal(got, want) {
		t.Errorf("with people dropped the rule goes to %v, want %v", got, want)
	}
	if forever := newScene(t, with("retain: {samples: never}"), session.Live); forever.compacts().Blobs != 0 {
		t.Error("people that are kept for good are dropped")
	}
}

// replaysWithout folds everything again where people are gone: the loop is blind until the newest compaction, and then the same.
func (s *scene) replaysWithout() {
	s.Helper()
	again, blind := session.New("shop", session.Standard), 0
	for _, e := range s.past.events {
		if err := again.Replay(e, &s.past); err != nil {
			s.Fatal(err)
		}
		if again.Blind() {
			blind++
			if err := again.Whole(); err == nil || !strings.Contains(err.Error(), "the people of decision 1 are gone") {
				s.Errorf("a blind loop is called whole: %v", err)
			}
		}
	}
	if err := again.Whole(); blind == 0 || err != nil || text(again.Status()) != text(s.loop.Status()) {
		s.Errorf("blind for %d events, %v: %s, want %s", blind, err, text(again.Status()), text(s.loop.Status()))
	}
	got, wrong := again.AppendBinary(nil)
	want, err := s.loop.AppendBinary(nil)
	if err != nil || wrong != nil || string(got) != string(want) {
		s.Errorf("read again it is another one: %v, %v\n%q\n%q", wrong, err, got, want)
	}
}

// The same people told of two decisions are there as long as one of them keeps them; late ones go with theirs.
func TestPeopleOfTwoDecisions(t *testing.T) {
	s := newScene(t, with("retain: {samples: 24h}"), session.Live)
	all := people(1, 10, []float64{3, 3})
	for k := 1; k <= 4; k++ {
		a := s.ask()
		s.must(session.Deploy{K: k, U: a.U})
		b := all
		if k == 2 {
			b = people(2, 10, a.U)
			s.must(session.Tell{K: k, ID: "again", Batch: b})
		}
		s.must(session.Tell{K: k, ID: "am", Batch: b})
		s.must(session.Close{K: k})
	}
	s.now = s.now.Add(24 * time.Hour)
	if c := s.compacts(session.Compacted); c.FromK != 1 || c.ToK != 2 || c.Blobs != 1 || c.Rows != 10 || !slices.Equal(s.kept(), []int{1, 3, 4}) {
		t.Errorf("%+v, kept are %v", c, s.kept())
	}
	s.must(session.Tell{K: 1, ID: "late", Batch: people(3, 7, []float64{3, 3})})
	s.compacts() // it ended, as far as people go, when they were told
	s.now = s.now.Add(24 * time.Hour)
	if c := s.compacts(session.Compacted); c.FromK != 1 || c.Blobs != 1 || c.Rows != 7 {
		t.Errorf("late people: %+v", c)
	}
	s.must(session.Tell{K: 2, ID: "late", Batch: people(4, 6, []float64{3, 3})})
	s.now = s.now.Add(24 * time.Hour)
	if c := s.compacts(session.Compacted); c.FromK != 2 || c.ToK != 2 || c.Blobs != 1 || c.Rows != 6 {
		t.Errorf("late people of the newest that was compacted: %+v", c)
	}
}

// The same people told of a decision that ended long ago and of the present one are there for its close.
func TestPeopleOfThePresentDecision(t *testing.T) {
	s := newScene(t, with("retain: {samples: 24h}"), session.Live)
	all := people(1, 10, []float64{3, 3})
	for k := 1; k <= 3; k++ {
		s.must(session.Deploy{K: k, U: s.ask().U})
		b := all
		if k == 2 {
			b = people(2, 10, []float64{3, 3})
		}
		s.must(session.Tell{K: k, ID: "am", Batch: b})
		if k < 3 {
			s.must(session.Close{K: k})
		}
	}
	s.now = s.now.Add(24 * time.Hour)
	if c := s.compacts(); c.Blobs != 0 || !slices.Equal(s.kept(), []int{1, 2, 3}) {
		t.Errorf("%+v, kept are %v", c, s.kept())
	}
	if c := s.must(session.Close{K: 3}).(session.Closing); c.Outcome.Outcome != session.Stepped || c.Sample.Rows != 10 {
		t.Errorf("%+v of %d people", c.Outcome, c.Sample.Rows)
	}
}

// Somebody who is to be forgotten is forgotten with all who were told in one batch, before a close as well as after; others stay.
func TestPeopleAreErased(t *testing.T) {
	s := newScene(t, change("weights: optional", "weights: optional, ids: optional"), session.Live)
	named := func(n int, who ...uint64) session.Batch {
		b := people(uint64(n), n, []float64{3, 3})
		for i := range n {
			b.Who = append(b.Who, uint64(100*n+i))
		}
		copy(b.Who, who)
		return b
	}
	a := s.ask()
	s.must(session.Deploy{K: 1, U: a.U})
	s.must(session.Tell{K: 1, ID: "am", Batch: named(6, 7)})
	s.must(session.Tell{K: 1, ID: "pm", Batch: named(5, 8)})
	s.must(session.Close{K: 1})
	a = s.ask()
	s.must(session.Deploy{K: 2, U: a.U})
	s.must(session.Tell{K: 2, ID: "am", Batch: named(8, 9, 7)})
	s.must(session.Tell{K: 2, ID: "pm", Batch: named(9, 9)})
	s.brings(session.Erase{Who: 77})
	if c := s.brings(session.Erase{Who: 7}, session.Compacted).(session.Compaction); len(c.Erased) != 2 || c.Blobs != 2 || c.Rows != 14 || c.FromK != 0 || c.ToK != 0 {
		t.Errorf("%+v", c)
	}
	s.brings(session.Erase{Who: 7})
	s.brings(session.Erase{Who: 200}) // of nobody
	if seen, err := s.loop.People(s.decision(2), &s.past); err != nil || len(seen.P) != 0 {
		t.Errorf("they are still at hand: %+v, %v", seen, err)
	}
	if len(s.kept()) != 0 || len(s.past.blobs) != 3 {
		t.Errorf("kept are %v, with %d blobs", s.kept(), len(s.past.blobs))
	}
	c := s.must(session.Close{K: 2}).(session.Closing)
	if c.Outcome.Outcome != session.Stepped || c.Sample.Rows != 9 {
		t.Errorf("they count no longer: %+v", c.Outcome)
	}
	s.now = s.now.Add(100 * 24 * time.Hour)
	s.ask()
	s.replaysWithout()
}

// What the events of a loop name, and which of it is gone by a compaction.
func TestWhatCompactionsCover(t *testing.T) {
	s := retained(t)
	s.now = s.now.Add(48 * time.Hour)
	s.compacts(session.Compacted)
	e := s.last()
	names, covers, err := e.Blobs()
	if err != nil || len(names) != 1 || covers == nil || s.past.blobs[names[0]] == nil {
		t.Fatalf("%v, %v", names, err)
	}
	other := session.Hash{1}
	for _, c := range []struct {
		k    int
		sum  session.Hash
		want bool
	}{{0, other, true}, {0, names[0], false}, {1, other, true}, {3, other, true}, {4, other, false}} {
		if covers(c.k, c.sum) != c.want {
			t.Errorf("a blob of decision %d: %v", c.k, !c.want)
		}
	}
	for _, one := range s.past.events {
		names, covers, err := one.Blobs()
		switch one.Kind {
		case session.Told:
			if r, _ := one.Receipt(); err != nil || len(names) != 1 || names[0] != r.Content || covers != nil {
				t.Errorf("%s: %v, %v", one.Kind, names, err)
			}
		case session.Compacted:
		default:
			if err != nil || names != nil || covers != nil {
				t.Errorf("%s: %v, %v", one.Kind, names, err)
			}
		}
	}
	bad := session.Event{Kind: session.Told, Body: []byte("{")}
	if _, _, err := bad.Blobs(); err == nil {
		t.Error("what is no receipt has a name")
	}
	state, sum := s.past.blobs[names[0]], names[0]
	for damage, want := range map[string]string{"": "", "other": "the state of the rule is not what was kept"} {
		if s.past.blobs[sum] = []byte(damage); damage == "" {
			delete(s.past.blobs, sum)
		}
		again := session.New("shop", session.Standard)
		var err error
		for _, e := range s.past.events {
			if err = again.Replay(e, &s.past); err != nil {
				break
			}
		}
		if wrong, _ := errors.AsType[*session.ChainError](err); (want == "") != (err == nil) || want != "" && (wrong == nil || !strings.Contains(wrong.Why, want)) || !again.Blind() {
			t.Errorf("the state %q: %v, blind %v", damage, err, again.Blind())
		}
	}
	s.past.blobs[sum] = state
	s.replaysWithout()
}
