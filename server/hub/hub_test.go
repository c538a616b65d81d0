package hub

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// Of events that are told out of order no watcher misses one or sees one twice: what the ring does not have without a gap is in the journal.
func TestRingsHaveNoGaps(t *testing.T) {
	h := New()
	leave, _ := h.Watch("shop", 1)
	defer leave()
	if _, ok := h.Watch("shop", 1); ok {
		t.Error("more watch than may")
	}
	for _, seq := range []int{1, 2, 5, 3, 4, 6, 7, 20, 8} {
		h.Tell("shop", []session.Event{{Seq: seq}})
		for after := range 22 {
			events, _, behind := h.After("shop", after)
			for i, e := range events {
				if e.Seq != after+1+i {
					t.Errorf("after telling %d: event %d follows event %d", seq, e.Seq, after+i)
				}
			}
			if behind && len(events) > 0 {
				t.Error("events for one who is behind")
			}
		}
	}
	for seq := 21; seq < 1000; seq++ {
		h.Tell("shop", []session.Event{{Seq: seq, Body: []byte(`"x"`)}})
	}
	if events, _, behind := h.After("shop", 999-RingEvents); behind || len(events) != RingEvents {
		t.Errorf("%d events in the ring, behind: %v", len(events), behind)
	}
	if _, _, behind := h.After("shop", 999-RingEvents-1); !behind {
		t.Error("the ring keeps more than it may")
	}
}

// A crowd of watchers is woken once for events that follow each other closely, and woken; a few are woken at once.
func TestCrowdsAreWokenOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New()
		for n := range 1000 {
			if _, ok := h.Watch("shop", 1000); !ok {
				t.Fatal("too many")
			}
			if n != 0 && n != 999 {
				continue
			}
			first := h.rings["shop"].next()
			_, changed, _ := h.After("shop", first)
			begun := time.Now()
			for seq := range 4 {
				h.Tell("shop", []session.Event{{Seq: max(first, 1) + seq}})
				time.Sleep(time.Millisecond)
			}
			<-changed
			late, want := time.Since(begun), 4*time.Millisecond // what the loop above takes
			if n == 999 {
				want = 20 * time.Millisecond
			}
			if late != want {
				t.Errorf("%d watchers are woken after %v, want %v", n+1, late, want)
			}
			events, changed, _ := h.After("shop", max(first, 1)-1)
			if len(events) != 4 {
				t.Errorf("%d watchers see %d events, want 4", n+1, len(events))
			}
			select {
			case <-changed:
				t.Errorf("%d watchers are woken again", n+1)
			case <-time.After(time.Second):
			}
		}
	})
}

// A ring keeps so many bytes and no more; an event that is larger by itself is in the journal alone.
func TestRingsKeepSoManyBytes(t *testing.T) {
	h := New()
	leave, _ := h.Watch("shop", 1)
	defer leave()
	body := []byte(`"` + strings.Repeat("x", RingBytes/10) + `"`)
	one, err := Encode(session.Event{Seq: 11, Body: body})
	if err != nil {
		t.Fatal(err)
	}
	fits := RingBytes / len(one.Text)
	for seq := 11; seq <= 30; seq++ { // of two digits all, so that they are alike
		h.Tell("shop", []session.Event{{Seq: seq, Body: body}})
	}
	if events, _, behind := h.After("shop", 30-fits); behind || len(events) != fits {
		t.Errorf("%d events, want %d; behind: %v", len(events), fits, behind)
	}
	if _, _, behind := h.After("shop", 30-fits-1); !behind {
		t.Error("the ring keeps more bytes than it may")
	}
	h.Tell("shop", []session.Event{{Seq: 31, Body: []byte(`"` + strings.Repeat("x", RingBytes) + `"`)}})
	if _, _, behind := h.After("shop", 30); !behind {
		t.Error("an event larger than the ring is in it")
	}
	if events, _, behind := h.After("shop", 31); behind || len(events) != 0 {
		t.Errorf("after it: %v, behind: %v", events, behind)
	}
	h.Tell("shop", []session.Event{{Seq: 32}})
	if events, _, behind := h.After("shop", 31); behind || len(events) != 1 || events[0].Seq != 32 {
		t.Errorf("the next: %v, behind: %v", events, behind)
	}
}

// Who watches all loops is told which changed since he looked, once each by the newest event; nobody is told of the service's own loops, and who has fallen out is told so.
func TestTrailsTellWhichLoopsChanged(t *testing.T) {
	h := New()
	h.Tell("before", []session.Event{{Seq: 1}})
	leave, _ := h.Watch("", 2)
	_, at, changed, behind := h.Moved(0)
	if at != 0 || behind {
		t.Fatalf("at %d, behind: %v", at, behind)
	}
	h.Tell("a", []session.Event{{Seq: 1}, {Seq: 2}})
	<-changed
	h.Tell("b", []session.Event{{Seq: 1}})
	h.Tell("a", []session.Event{{Seq: 3}})
	h.Tell("_server", []session.Event{{Seq: 9}})
	if _, wanted := h.Heard(session.Tip{Loop: "c", Seq: 4}); wanted {
		t.Error("events of a loop are wanted that nobody watches")
	}
	heads, now, _, behind := h.Moved(at)
	if behind || now != 4 || len(heads) != 3 || heads["a"].Seq != 3 || heads["b"].Seq != 1 || heads["c"].Seq != 4 {
		t.Errorf("%v at %d, behind: %v", heads, now, behind)
	}
	if heads, _, _, _ := h.Moved(2); len(heads) != 2 || heads["a"].Seq != 3 {
		t.Errorf("since the second: %v", heads)
	}
	for n := range trailHeads - 3 {
		h.Tell("d", []session.Event{{Seq: n + 1}})
	}
	if _, now, _, behind := h.Moved(0); !behind || now != trailHeads+1 {
		t.Errorf("one who has fallen out is at %d, behind: %v", now, behind)
	}
	if heads, _, _, behind := h.Moved(1); behind || len(heads) != 4 {
		t.Errorf("one who has not: %v, behind: %v", heads, behind)
	}
	leave()
	if h.Tell("a", []session.Event{{Seq: 4}}); h.Watching() != 0 {
		t.Errorf("%d watch", h.Watching())
	}
	if _, now, _, _ := h.Moved(1); now != trailHeads+1 {
		t.Errorf("nobody watches, and the trail goes on to %d", now)
	}
}

// What another server wrote is wanted from where the ring ends; of a ring that is empty, the newest alone.
func TestWhatOthersWroteIsWanted(t *testing.T) {
	h := New()
	leave, _ := h.Watch("shop", 1)
	if after, wanted := h.Heard(session.Tip{Loop: "shop", Seq: 7}); !wanted || after != 6 {
		t.Errorf("of an empty ring what comes after %d, %v", after, wanted)
	}
	h.Tell("shop", []session.Event{{Seq: 7}})
	if after, wanted := h.Heard(session.Tip{Loop: "shop", Seq: 9}); !wanted || after != 7 {
		t.Errorf("what comes after %d, %v", after, wanted)
	}
	if _, wanted := h.Heard(session.Tip{Loop: "shop", Seq: 7}); wanted {
		t.Error("what is there is wanted again")
	}
	gone := h.Gone("shop")
	h.Forget("shop")
	h.Forget("shop")
	select {
	case <-gone:
	default:
		t.Error("nobody is told that the loop is gone")
	}
	leave()
	if h.Gone("shop") != nil || len(h.rings) > 0 {
		t.Error("a ring stays that nobody watches")
	}
}

// An event that cannot be written is in the journal alone, and what follows it is in the ring.
func TestEventsThatCannotBeSent(t *testing.T) {
	h := New()
	leave, _ := h.Watch("shop", 1)
	defer leave()
	if _, err := Encode(session.Event{Seq: 2, Body: []byte("{")}); err == nil {
		t.Fatal("half a body is encoded")
	}
	h.Tell("shop", []session.Event{{Seq: 1}, {Seq: 2, Body: []byte("{")}, {Seq: 3, Kind: session.Raised, Body: []byte("{}")}})
	if _, _, behind := h.After("shop", 1); !behind {
		t.Error("who wants the event is not sent to the journal")
	}
	if events, _, behind := h.After("shop", 2); behind || len(events) != 1 || events[0].Seq != 3 || events[0].Kind != session.Raised || !strings.HasPrefix(string(events[0].Text), "id: 3\nevent: alarm\ndata: {") || !strings.HasSuffix(string(events[0].Text), "}\n\n") {
		t.Errorf("after it: %v, behind: %v", events, behind)
	}
}

// Watchers are counted, those of all loops too, up to as many as may watch; loops are watched as long as somebody is left, and one that nobody watches can go.
func TestWhoWatches(t *testing.T) {
	h := New()
	h.Forget("shop")
	if h.Gone("shop") != nil || len(h.Watched()) != 0 || h.Watching() != 0 {
		t.Errorf("nobody watches, and %v are", h.Watched())
	}
	first, _ := h.Watch("shop", 3)
	second, _ := h.Watch("shop", 3)
	all, _ := h.Watch("", 3)
	if _, ok := h.Watch("", 3); ok || h.Watching() != 3 {
		t.Errorf("%d watch, one more may: %t", h.Watching(), ok)
	}
	first()
	if list := h.Watched(); len(list) != 1 || list[0] != "shop" || h.Watching() != 2 || h.fleet.watchers != 1 {
		t.Errorf("%d watch %v", h.Watching(), list)
	}
	second()
	all()
	if list := h.Watched(); len(list) != 0 || h.Watching() != 0 || h.fleet.watchers != 0 {
		t.Errorf("%d watch %v", h.Watching(), list)
	}
	h.Stop()
	h.Stop()
	select {
	case <-h.Stopped:
	default:
		t.Error("nobody is told that the server ends")
	}
}

// What another server wrote to a loop that is watched and known already is a change to who watches all loops.
func TestWhatIsKnownIsAChangeToTheFleet(t *testing.T) {
	h := New()
	if h.Heard(session.Tip{Loop: "a", Seq: 1}); len(h.fleet.heads) != 0 {
		t.Error("a trail that nobody follows")
	}
	leave, _ := h.Watch("shop", 2)
	defer leave()
	all, _ := h.Watch("", 2)
	defer all()
	h.Tell("shop", []session.Event{{Seq: 1}})
	h.Heard(session.Tip{Loop: "shop", Seq: 1})
	if _, now, _, _ := h.Moved(0); now != 2 {
		t.Errorf("%d changes, want 2", now)
	}
	h.Heard(session.Tip{Loop: "shop", Seq: 2})
	if _, now, _, _ := h.Moved(0); now != 2 {
		t.Errorf("what is read yet is a change already: %d", now)
	}
}

// Of a ring that has no event yet nobody knows what comes next: the journal does. Events that are there already change nothing and wake nobody.
func TestRingsThatBegin(t *testing.T) {
	h := New()
	leave, _ := h.Watch("shop", 1)
	defer leave()
	for _, after := range []int{0, 5} {
		if events, _, behind := h.After("shop", after); !behind || events != nil {
			t.Errorf("after %d: %v, behind: %v", after, events, behind)
		}
	}
	h.Tell("shop", []session.Event{{Seq: 4}, {Seq: 5}})
	events, changed, _ := h.After("shop", 3)
	h.Tell("shop", []session.Event{{Seq: 4}})
	h.Tell("shop", []session.Event{{Seq: 5}})
	select {
	case <-changed:
		t.Error("watchers are woken for what they know")
	default:
	}
	if again, _, behind := h.After("shop", 3); behind || len(again) != 2 || len(events) != 2 {
		t.Errorf("%v became %v, behind: %v", events, again, behind)
	}
}
