// Package hub keeps the newest events of loops for those who watch them.
package hub

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// Hub keeps the newest events of loops that are watched, encoded once for all who watch. Watchers keep a position, not a queue: who falls
// behind what the hub keeps reads the journal, so that a slow one costs nothing.
type Hub struct {
	mu       sync.Mutex
	rings    map[string]*ring // of loops that are watched
	fleet    trail
	watchers int
	Stopped  chan struct{} // closed when the server ends
	once     sync.Once
}

// ring is the newest events of a loop, without a gap.
type ring struct {
	watchers int
	first    int // its oldest event
	events   []Encoded
	bytes    int
	changed  chan struct{} // closed when there is more
	waking   bool          // that it will be closed soon
	gone     chan struct{} // closed when the loop was removed
	removed  bool
}

// Encoded is an event as it is sent.
type Encoded struct {
	Seq  int
	Kind session.Kind
	Text []byte
}

// What a ring and a trail keep at most.
const (
	RingEvents = 256
	RingBytes  = 1 << 20
	trailHeads = 4096
)

// trail is which loops changed, in the order in which they did.
type trail struct {
	heads    []session.Tip
	first    int // the number of the oldest one
	watchers int
	changed  chan struct{}
}

// New is one that nobody watches.
func New() *Hub {
	return &Hub{rings: map[string]*ring{}, Stopped: make(chan struct{}), fleet: trail{changed: make(chan struct{})}}
}

// Stop tells those who watch that the server ends.
func (h *Hub) Stop() { h.once.Do(func() { close(h.Stopped) }) }

// Encode writes an event as it is sent.
func Encode(e session.Event) (Encoded, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return Encoded{}, err
	}
	return Encoded{e.Seq, e.Kind, fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Kind, text)}, nil
}

// Tell adds events that are there to stay. Of two that were written at the same time the later may come first; then the ring begins with that
// one, and the earlier is in the journal for those who want it.
func (h *Hub) Tell(loop string, events []session.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	newest := events[len(events)-1]
	if h.fleet.watchers > 0 && !session.IsOwn(loop) {
		h.fleet.add(session.Tip{Loop: loop, Seq: newest.Seq, Hash: newest.Hash})
	}
	r := h.rings[loop]
	if r == nil || newest.Seq < r.next() {
		return
	}
	for _, e := range events {
		r.add(e)
	}
	if pause := min(time.Duration(r.watchers)*pauseEach, pauseMost); pause < pauseLeast {
		r.wake()
	} else if !r.waking {
		r.waking = true
		time.AfterFunc(pause, func() {
			h.mu.Lock()
			defer h.mu.Unlock()
			r.wake()
		})
	}
}

// How long events wait for those that follow them, so that a crowd of watchers is woken once for all of them: by how many watch, none for a few.
const (
	pauseEach  = 20 * time.Microsecond
	pauseLeast = time.Millisecond
	pauseMost  = 50 * time.Millisecond
)

// wake tells those who watch that there is more.
func (r *ring) wake() {
	close(r.changed)
	r.changed, r.waking = make(chan struct{}), false
}

// Heard says that another server wrote, and returns after which event that is wanted, if somebody watches the loop.
func (h *Hub) Heard(t session.Tip) (after int, wanted bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rings[t.Loop]
	if r == nil || t.Seq < r.next() {
		if h.fleet.watchers > 0 {
			h.fleet.add(t)
		}
		return after, false
	}
	if r.first == 0 {
		return t.Seq - 1, true
	}
	return r.next() - 1, true
}

// Watched are the loops that somebody watches.
func (h *Hub) Watched() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Keys(h.rings))
}

// next is the number of the event after those of the ring.
func (r *ring) next() int { return r.first + len(r.events) }

func (r *ring) add(e session.Event) {
	one, err := Encode(e)
	if e.Seq != r.next() || err != nil {
		r.events, r.bytes, r.first = nil, 0, e.Seq
	}
	if err != nil { // it is read from the journal
		r.first = e.Seq + 1
		return
	}
	r.events, r.bytes = append(r.events, one), r.bytes+len(one.Text)
	for len(r.events) > RingEvents || r.bytes > RingBytes { // one that is larger by itself is read from the journal, too
		r.bytes -= len(r.events[0].Text)
		r.events, r.first = r.events[1:], r.first+1
	}
}

// Watch enters a watcher of a loop, of all loops if it has no name; leave ends that. It is false if there are too many.
func (h *Hub) Watch(loop string, most int) (leave func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.watchers >= most {
		return nil, false
	}
	who := &h.fleet.watchers
	if loop != "" {
		r := h.rings[loop]
		if r == nil {
			r = &ring{changed: make(chan struct{}), gone: make(chan struct{})}
			h.rings[loop] = r
		}
		who = &r.watchers
	}
	h.watchers++
	*who++
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.watchers--
		if *who--; *who == 0 {
			delete(h.rings, loop)
		}
	}, true
}

// Gone is closed when a loop that is watched is removed.
func (h *Hub) Gone(loop string) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.rings[loop]; r != nil {
		return r.gone
	}
	return nil
}

// Forget tells those who watch a loop that it was removed.
func (h *Hub) Forget(loop string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r := h.rings[loop]; r != nil && !r.removed {
		r.removed = true
		close(r.gone)
	}
}

// Watching is how many do.
func (h *Hub) Watching() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.watchers
}

// After returns the events of the ring after some event, and what is closed when there are more. Behind is true for who has fallen out of the
// ring: the journal has what comes next.
func (h *Hub) After(loop string, seq int) (events []Encoded, changed <-chan struct{}, behind bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := h.rings[loop]
	if r.first > 0 && seq+1 >= r.first {
		return r.events[min(seq+1-r.first, len(r.events)):], r.changed, false
	}
	return nil, r.changed, true
}

func (t *trail) add(tip session.Tip) {
	if t.heads = append(t.heads, tip); len(t.heads) > trailHeads {
		t.heads, t.first = t.heads[1:], t.first+1
	}
	close(t.changed)
	t.changed = make(chan struct{})
}

// Moved returns the heads of loops that changed since a position, once each, the newest of each; behind is true for who has fallen out.
func (h *Hub) Moved(since int) (heads map[string]session.Tip, now int, changed <-chan struct{}, behind bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &h.fleet
	now = t.first + len(t.heads)
	if since < t.first {
		return nil, now, t.changed, true
	}
	heads = map[string]session.Tip{}
	for _, tip := range t.heads[since-t.first:] {
		if heads[tip.Loop].Seq < tip.Seq {
			heads[tip.Loop] = tip
		}
	}
	return heads, now, t.changed, false
}
