package session

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Clock tells the time.
type Clock interface{ Now() time.Time }

// Journal keeps what happened to loops, for good.
type Journal interface {
	// Append queues events that come after event number after of a loop, with the blobs they carry and, unless it is nil, what the loop is
	// after them; a state may come without events. They count once wait returns nil: then they outlive a power cut. On an error, such as a
	// Conflict, none of them is there.
	Append(loop string, after int, events []Event, state []byte) (wait func() error)
	// Read visits the events of a loop after some event, in their order.
	Read(ctx context.Context, loop string, after int, visit func(Event) error) error
	// Decision returns the events of a decision.
	Decision(loop string, k int) ([]Event, error)
	// Find returns the event of a decision, or of none if k is 0, that has a ref; nil if there is none.
	Find(loop string, k int, ref string) (*Event, error)
	// Blob returns a blob of a loop.
	Blob(loop string, sum Hash) ([]byte, error)
	// State returns the newest state that was appended, nil for none.
	State(loop string) ([]byte, error)
	// Loops are the heads of all loops, by name, and of what a service keeps to itself; see IsOwn.
	Loops(ctx context.Context) ([]Tip, error)
	// Series are numbers of the decisions of a loop from one on, in at most so many points. [Decision.Numbers] has their names.
	Series(ctx context.Context, loop string, names []string, from, points int) (*SeriesPage, error)
	// Newest returns the newest events of some kinds, at most so many, in their order.
	Newest(ctx context.Context, loop string, kinds []Kind, most int) ([]Event, error)
	// DecisionAt is the newest decision when an event happened, 0 for none.
	DecisionAt(loop string, seq int) (k int, err error)
}

// Tip is the newest event of a loop.
type Tip struct {
	Loop string `json:"loop"`
	Seq  int    `json:"seq"`
	Hash Hash   `json:"hash"`
}

// What journals say.
var (
	ErrConflict = errors.New("the loop has newer events")                                        // than who appends believes
	ErrFull     = errors.New("the disk is full")                                                 // until somebody makes room
	ErrBusy     = errors.New("another program keeps the database from being written")            // which passes
	ErrReadOnly = errors.New("the journal is read-only since a write failed")                    // until it is opened again
	ErrDropped  = errors.New("it was dropped by retention or erased, or the journal is damaged") // of a blob
)

// Fleet carries out commands on the loops of a journal, those of one loop one after the other. Loops that nobody has asked for a while rest:
// they take no memory but for the time at which something must happen to them. It is safe for concurrent use.
type Fleet struct {
	journal Journal
	clock   Clock
	make    Planner
	watch   func(loop string, events []Event) // called once events are there to stay

	// Span, unless it is nil, is told when a part of a command begins (decide, step, append), and end when it is over. It is set before the first command.
	Span func(ctx context.Context, name string) (end func())

	mu      sync.Mutex
	loops   map[string]*entry    // awake
	resting map[string]time.Time // when time does something to them
}

// entry is a loop that is in use, or was a moment ago.
type entry struct {
	mu      sync.Mutex
	gone    bool         // out of the fleet: whoever waited for it must look again
	loop    *Loop        // nil: not read yet
	pending func() error // of the newest append
	grown   int          // bytes of events since the state was saved
	size    int          // of the state then
	used    atomic.Int64 // when somebody else than time did, in nanoseconds since 1970
}

// NewFleet is a host of the loops of a journal. Watch, unless it is nil, is told of events once they are there to stay.
func NewFleet(j Journal, c Clock, p Planner, watch func(loop string, events []Event)) *Fleet {
	return &Fleet{journal: j, clock: c, make: p, watch: watch, loops: map[string]*entry{}, resting: map[string]time.Time{}}
}

// Do carries out a command on a loop for somebody. What it returns is written down for good.
func (h *Fleet) Do(ctx context.Context, name, actor string, c Command) (any, error) {
	e := h.enter(name)
	e.used.Store(h.clock.Now().UnixNano())
	return h.carry(ctx, name, e, actor, c)
}

// carry carries out a command on a loop that was entered, and leaves it.
func (h *Fleet) carry(ctx context.Context, name string, e *entry, actor string, c Command) (any, error) {
	end := h.part(ctx, "decide")
	reply, events, wait, refused, err := h.decide(ctx, name, e, actor, c)
	end()
	if err != nil {
		return nil, err
	}
	end = h.part(ctx, "append")
	err = wait()
	end()
	if err != nil { // the loop ran ahead of its journal; it is read again when it is next wanted
		e.mu.Lock()
		h.drop(name, e)
		e.mu.Unlock()
		return nil, fmt.Errorf("loop %s: %w", name, err)
	}
	if h.watch != nil && len(events) > 0 {
		h.watch(name, events)
	}
	return reply, refused
}

// part begins a part of a command, where somebody wants to know how long each takes.
func (h *Fleet) part(ctx context.Context, name string) (end func()) {
	if h.Span == nil {
		return func() {}
	}
	return h.Span(ctx, name)
}

// decide carries out a command on a loop that was entered, queues what happened, and leaves it. Of a loop that fell over nobody knows what it is:
// it is read again when it is next wanted.
func (h *Fleet) decide(ctx context.Context, name string, e *entry, actor string, c Command) (reply any, events []Event, wait func() error, refused, err error) {
	defer e.mu.Unlock()
	whole := false
	defer func() {
		if !whole {
			h.drop(name, e)
		}
	}()
	if err := h.load(ctx, name, e); err != nil {
		return nil, nil, nil, nil, err
	}
	after, _ := e.loop.Head()
	e.loop.part = func(name string) (end func()) { return h.part(ctx, name) }
	reply, events, refused = e.loop.Do(h.clock.Now(), actor, c, past{h.journal, name, e.pending})
	if e.loop.spoiled { // what it is was never to be written down
		return nil, nil, nil, nil, refused
	}
	if len(events) > 0 {
		e.pending = sync.OnceValue(h.journal.Append(name, after, events, e.save(events)))
	}
	whole = after > 0 || len(events) > 0 // else nobody made it
	return reply, events, e.pending, refused, nil
}

// Look shows a loop to somebody who changes nothing, once all that it is made of is there to stay.
func (h *Fleet) Look(ctx context.Context, name string, look func(*Loop) error) error {
	e := h.enter(name)
	defer e.mu.Unlock()
	e.used.Store(h.clock.Now().UnixNano())
	err := h.load(ctx, name, e)
	if err == nil {
		err = e.pending()
	}
	if err != nil {
		h.drop(name, e)
		return fmt.Errorf("loop %s: %w", name, err)
	}
	if seq, _ := e.loop.Head(); seq == 0 {
		h.drop(name, e)
		return refuse(NotFound, "there is no loop %s", name)
	}
	return look(e.loop)
}

// enter locks the entry of a loop, and wakes it if it rests.
func (h *Fleet) enter(name string) *entry {
	for {
		h.mu.Lock()
		e := h.loops[name]
		if e == nil {
			e = &entry{pending: nothing}
			h.loops[name] = e
			delete(h.resting, name)
		}
		h.mu.Unlock()
		e.mu.Lock()
		if !e.gone {
			return e
		}
		e.mu.Unlock()
	}
}

// drop takes an entry that is locked out of the fleet.
func (h *Fleet) drop(name string, e *entry) {
	if e.gone {
		return
	}
	e.gone = true
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.loops, name)
}

// load reads a loop: its newest sound state, and the events after it.
func (h *Fleet) load(ctx context.Context, name string, e *entry) error {
	if e.loop != nil {
		return nil
	}
	l := New(name, h.make)
	state, err := h.journal.State(name)
	if err != nil {
		return err
	}
	if state != nil && l.UnmarshalBinary(state) != nil { // then all of it is worked out again
		l = New(name, h.make)
	}
	seq, _ := l.Head()
	grown := 0
	err = h.journal.Read(ctx, name, seq, func(e Event) error {
		grown += len(e.Body)
		return l.Replay(e, past{h.journal, name, nothing})
	})
	if err == nil {
		err = l.whole()
	}
	if err != nil {
		return fmt.Errorf("loop %s: %w", name, err)
	}
	e.loop, e.size, e.grown = l, len(state), grown
	return nil
}

// save returns what the loop is, when so much has happened since it was last saved that writing at most doubles.
func (e *entry) save(events []Event) []byte {
	for _, one := range events {
		e.grown += len(one.Body) + len(one.Blob)
	}
	if e.grown < max(e.size, leastSaved) {
		return nil
	}
	return e.saved()
}

// saved is what the loop is, nil if that cannot be said.
func (e *entry) saved() []byte {
	state, err := e.loop.AppendBinary(nil)
	if err != nil { // the events are enough
		return nil
	}
	e.grown, e.size = 0, len(state)
	return state
}

// leastSaved is how many bytes of events are read again rather than a state saved.
const leastSaved = 16 << 10

func nothing() error { return nil }

// past is the memory of one loop of a journal, which has all that was queued before once ready returns.
type past struct {
	journal Journal
	loop    string
	ready   func() error
}

// PastOf is the memory of a loop of a journal, for whoever looks.
func PastOf(j Journal, loop string) Past { return past{j, loop, nothing} }

func (p past) Decision(k int) ([]Event, error) {
	if err := p.ready(); err != nil {
		return nil, err
	}
	return p.journal.Decision(p.loop, k)
}

func (p past) Find(k int, ref string) (*Event, error) {
	if err := p.ready(); err != nil {
		return nil, err
	}
	return p.journal.Find(p.loop, k, ref)
}

func (p past) Blob(sum Hash) ([]byte, error) {
	if err := p.ready(); err != nil {
		return nil, err
	}
	return p.journal.Blob(p.loop, sum)
}
