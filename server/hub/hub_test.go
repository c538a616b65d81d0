package hub

import (
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
