package hub

import (
	"testing"

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
