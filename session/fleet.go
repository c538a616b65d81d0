package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/session/saved"
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

// Shared is a journal that other hosts write as well, so that what a host remembers may be behind.
type Shared interface {
	Journal
	// Tip asks for the newest event of a loop, as it is at some moment after the call.
	Tip(loop string) (wait func() (Tip, error))
	// Health says why nothing can be written or read at the moment, ErrLost among others.
	Health() error
	// Keeper tells whether this host is the one of all that looks after deadlines.
	Keeper(ctx context.Context) bool
	// Follow tells of loops that other hosts have written, until ctx ends, those that are watched soon. What is not taken is told again.
	Follow(ctx context.Context, watched func() []string, heard func(Tip) (taken bool))
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
	ErrLost     = errors.New("the database cannot be reached")                                   // until it can; what was under way may be there or not
	ErrDropped  = errors.New("it was dropped by retention or erased, or the journal is damaged") // of a blob
)

// Fleet carries out commands on the loops of a journal, those of one loop one after the other. Loops that nobody has asked for a while rest:
// they take no memory but for the time at which something must happen to them. It is safe for concurrent use.
type Fleet struct {
	journal Journal
	shared  Shared // the same; nil: nobody else writes it
	clock   Clock
	make    Planner
	watch   func(loop string, events []Event) // called once events are there to stay

	// Span, unless it is nil, is told when a part of a command begins (decide, step, append), and end when it is over. It is set before the first command.
	Span func(ctx context.Context, name string) (end func())

	mu      sync.Mutex
	loops   map[string]*entry  // awake
	resting map[string]napping // the others, once they were awake
	apart   map[string]int     // that somebody writes past the fleet: how many do
	offers  map[string]offered // where others write as well: what can be told when the journal is lost
}

// offered is what a loop last offered that is written, as it was after an event.
type offered struct {
	seq   int
	epoch string
	offer *Offer // nil: that decision has ended, or is no longer what was offered
}

// entry is a loop that is in use, or was a moment ago.
type entry struct {
	name    string
	mu      latch
	gone    bool         // out of the fleet: whoever waited for it must look again
	loop    *Loop        // nil: not read yet
	pending func() error // of the newest append
	behind  bool         // others have written
	since   int          // the newest event that was read, not written
	offered func() error // of the newest one with more than people who answered, of whom an offer says nothing
	grown   int          // bytes of events since the state was saved
	size    int          // of the state then
	used    atomic.Int64 // when somebody else than time did, in nanoseconds since 1970
}

// NewFleet is a host of the loops of a journal. Watch, unless it is nil, is told of events once they are there to stay.
func NewFleet(j Journal, c Clock, p Planner, watch func(loop string, events []Event)) *Fleet {
	h := &Fleet{journal: j, clock: c, make: p, watch: watch, loops: map[string]*entry{}, resting: map[string]napping{}, offers: map[string]offered{}, apart: map[string]int{}}
	h.shared, _ = j.(Shared)
	return h
}

// Parts are what a fleet was made of.
func (h *Fleet) Parts() (Journal, Clock, Planner) { return h.journal, h.clock, h.make }

// Do carries out a command on a loop for somebody. What it returns is written down for good. Where another host was first, it is decided again.
func (h *Fleet) Do(ctx context.Context, name, actor string, c Command) (reply any, err error) {
	for range mostTries {
		e := h.enter(name)
		e.used.Store(h.clock.Now().UnixNano())
		reply, err = h.carry(ctx, e, actor, c)
		if !errors.Is(err, ErrConflict) || ctx.Err() != nil {
			break
		}
	}
	return reply, err
}

// mostTries is how often a command is decided again because another host was first.
const mostTries = 100

// carry carries out a command on a loop that was entered, and leaves it.
func (h *Fleet) carry(ctx context.Context, e *entry, actor string, c Command) (any, error) {
	end := h.part(ctx, "decide")
	reply, events, seq, wait, refused, err := h.decide(ctx, e, actor, c)
	end()
	if err == nil {
		end = h.part(ctx, "append")
		err = wait()
		end()
		if err != nil { // the loop ran ahead of its journal, or is behind; it is read again when it is next wanted
			h.mistrust(e, len(events) > 0, err)
			err = fmt.Errorf("loop %s: %w", e.name, err)
		}
	}
	if h.shared != nil {
		reply, err = h.remember(e, c, reply, events, seq, err)
	}
	if err != nil {
		return nil, err
	}
	if h.watch != nil && len(events) > 0 {
		h.watch(e.name, events)
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

// decide carries out a command on a loop that was entered, queues what happened, and leaves it. Of a loop that fell over, or whose command failed midway, nobody
// knows what it is: it is read again when it is next wanted. The reply is of the loop as it was after event number seq.
func (h *Fleet) decide(ctx context.Context, e *entry, actor string, c Command) (reply any, events []Event, seq int, wait func() error, refused, err error) {
	defer e.mu.Unlock()
	whole := false
	defer func() {
		if !whole {
			h.drop(e)
		}
	}()
	if err := h.load(ctx, e); err != nil {
		return nil, nil, 0, nil, nil, err
	}
	if _, asks := c.(Ask); h.shared != nil && !asks && h.shared.Health() != nil { // before the loop runs ahead
		whole = true
		return nil, nil, 0, nil, nil, h.shared.Health()
	}
	after, hash := e.loop.Head()
	e.loop.part = func(name string) (end func()) { return h.part(ctx, name) }
	reply, events, refused = e.loop.Do(h.clock.Now(), actor, c, past{h.journal, e.name, e.pending})
	if e.loop.spoiled { // what it is was never to be written down, but what it was told the refusal
		return nil, nil, after, h.current(e, after, hash), refused, nil
	}
	switch _, asks := c.(Ask); {
	case len(events) == 0 && asks && h.shared == nil:
		wait = e.offered
	case len(events) == 0:
		wait = h.current(e, after, hash)
	default:
		wait = together(h.journal.Append(e.name, after, events, e.save(events)))
		e.pending = wait
		if slices.ContainsFunc(events, func(one Event) bool { return one.Kind != Told && one.Kind != ToldLate }) {
			e.offered = wait
		}
	}
	_, known := errors.AsType[*Refusal](refused)
	whole = (after > 0 || len(events) > 0) && (refused == nil || known) // else nobody made it, or it failed midway
	return reply, events, after + len(events), wait, refused, nil
}

// Dims are those of a loop, which never change, so that nobody waits for what happens to it. They may be of one that another host has removed.
func (h *Fleet) Dims(ctx context.Context, name string) (kedge.Dims, error) {
	return h.dims(ctx, h.enter(name))
}

// LatestDims are Dims after all that other hosts have written.
func (h *Fleet) LatestDims(ctx context.Context, name string) (dim kedge.Dims, err error) {
	e, err := h.refresh(ctx, name)
	if err != nil {
		return dim, err
	}
	return h.dims(ctx, e)
}

func (h *Fleet) dims(ctx context.Context, e *entry) (dim kedge.Dims, err error) {
	defer e.mu.Unlock()
	err = h.load(ctx, e)
	if err == nil && e.loop.plan == nil {
		err = refuse(NotFound, "there is no loop %s", e.name)
	}
	if err != nil {
		h.drop(e)
		return dim, err
	}
	return e.loop.plan.Dims, nil
}

// Look shows a loop to somebody who changes nothing. It may have run ahead of its journal: Look returns once all that was seen is there to stay, or
// says that it is not. Commands go on meanwhile.
func (h *Fleet) Look(ctx context.Context, name string, look func(*Loop) error) error {
	e, err := h.visit(ctx, name)
	if err != nil {
		return err
	}
	wait := e.pending
	err = func() error {
		defer e.mu.Unlock()
		return look(e.loop)
	}()
	if lost := wait(); lost != nil {
		h.mistrust(e, false, lost)
		return fmt.Errorf("loop %s: %w", name, lost)
	}
	return err
}

// visit enters a loop that there is.
func (h *Fleet) visit(ctx context.Context, name string) (*entry, error) {
	e, err := h.refresh(ctx, name)
	if err != nil {
		return nil, err
	}
	e.used.Store(h.clock.Now().UnixNano())
	if err = h.load(ctx, e); err == nil && e.loop.seq == 0 {
		err = refuse(NotFound, "there is no loop %s", name)
	}
	if err != nil {
		h.drop(e)
		e.mu.Unlock()
		return nil, err
	}
	return e, nil
}

// hold keeps a loop, all of which is there to stay, from everybody else.
func (h *Fleet) hold(ctx context.Context, name string, do func(*entry) error) error {
	e, err := h.visit(ctx, name)
	if err != nil {
		return err
	}
	defer e.mu.Unlock()
	if err := e.pending(); err != nil {
		h.drop(e)
		return fmt.Errorf("loop %s: %w", name, err)
	}
	return do(e)
}

// Dismiss has a loop go for good: do takes it out of the journal, or refuses to, while nobody else can do anything with it.
func (h *Fleet) Dismiss(ctx context.Context, name string, do func(*Loop) error) error {
	return h.hold(ctx, name, func(e *entry) error {
		err := do(e.loop)
		if err == nil {
			h.drop(e)
		}
		return err
	})
}

// Apart has time leave a loop alone that somebody writes past the fleet, until back is called. Then whatever was read of it meanwhile is read again.
func (h *Fleet) Apart(name string) (back func()) {
	h.mu.Lock()
	h.apart[name]++
	h.mu.Unlock()
	return func() {
		h.mu.Lock()
		if h.apart[name]--; h.apart[name] == 0 {
			delete(h.apart, name)
		}
		h.mu.Unlock()
		e := h.enter(name)
		defer e.mu.Unlock()
		h.drop(e)
	}
}

// enter locks the entry of a loop, and wakes it if it rests.
func (h *Fleet) enter(name string) *entry {
	for {
		h.mu.Lock()
		e := h.loops[name]
		if e == nil {
			e = &entry{name: name, mu: make(latch, 1), pending: nothing, offered: nothing}
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

// drop takes an entry that is locked out of the fleet, once nothing of it is being written any more: whoever reads the loop again must find that.
func (h *Fleet) drop(e *entry) {
	if e.gone {
		return
	}
	e.pending()
	e.gone = true
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.loops, e.name)
}

// load reads a loop: its newest sound state, and the events after it; of one that is behind, the events that others have written.
func (h *Fleet) load(ctx context.Context, e *entry) error {
	l, grown, err := e.loop, e.grown, errForeign
	if l != nil && !e.behind {
		return nil
	}
	e.loop, e.behind = nil, false // until all is read
	if l != nil && e.pending() == nil {
		grown, err = h.catchUp(ctx, e.name, l, grown)
	}
	if errors.Is(err, errForeign) {
		state, lost := h.journal.State(e.name)
		if lost != nil {
			return fmt.Errorf("loop %s: %w", e.name, lost)
		}
		e.pending, e.size = nothing, len(state)
		l, grown, err = h.awaken(ctx, e.name, state)
	}
	if err == nil {
		err = l.Whole()
	}
	if err != nil {
		return fmt.Errorf("loop %s: %w", e.name, err)
	}
	e.loop, e.grown, e.since = l, grown, l.seq
	return nil
}

// errForeign is of a loop whose newest event the log does not have: it is of another history.
var errForeign = fmt.Errorf("%w: the log does not have its newest event", saved.ErrUnsound)

// awaken makes a loop of its state and the events after it. If the state is damaged, or of another log, all of it is worked out again.
func (h *Fleet) awaken(ctx context.Context, name string, state []byte) (l *Loop, grown int, err error) {
	var unsound error
	if state != nil {
		l = New(name, h.make)
		if unsound = l.UnmarshalBinary(state); unsound == nil {
			if grown, err = h.catchUp(ctx, name, l, 0); !errors.Is(err, errForeign) {
				l.saved = soundState
				return l, grown, err
			}
			unsound = err
		}
	}
	l = New(name, h.make)
	if grown, err = h.catchUp(ctx, name, l, 0); errors.Is(unsound, saved.ErrUnsound) { // else another version saved it
		l.saved = unsoundState
	}
	return l, grown, err
}

// catchUp folds in the events of the log after the newest that a loop knows, which must be there; grown is of how many bytes they are.
func (h *Fleet) catchUp(ctx context.Context, name string, l *Loop, grown int) (int, error) {
	known, met := l.seq, l.seq == 0
	err := h.journal.Read(ctx, name, max(0, known-1), func(e Event) error {
		if !met {
			if met = e.Seq == known && e.Hash == l.head; !met {
				return errForeign
			}
			l.at = e.At // before which nothing happens, whatever the clock says
			return nil
		}
		grown += len(e.Body)
		return l.Replay(e, past{h.journal, name, nothing})
	})
	if err == nil && !met {
		err = errForeign
	}
	return grown, err
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
const leastSaved = 128 << 10

// current waits until all that a loop was made of at an event is there to stay, and was all there was at some moment since the call.
func (h *Fleet) current(e *entry, seq int, hash Hash) (wait func() error) {
	if h.shared == nil {
		return e.pending
	}
	pending, asked := e.pending, h.shared.Tip(e.name)
	return func() error {
		tip, err := asked()
		if failed := pending(); failed != nil {
			return failed
		}
		if err == nil && tip.Seq < seq { // it was asked before the newest append was there
			tip, err = h.shared.Tip(e.name)()
		}
		if err != nil || tip.Seq == seq && tip.Hash == hash {
			return err
		}
		e.mu.Lock()
		own, latest := !e.gone && e.since <= seq && seq < tip.Seq && tip.Seq <= e.loop.seq, e.pending
		e.mu.Unlock()
		if !own {
			return ErrConflict
		}
		return latest() // once that is there, so is all between, and nobody else's
	}
}

// mistrust has a loop read again whose append failed, or that is behind.
func (h *Fleet) mistrust(e *entry, ahead bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if ahead || e.pending() != nil {
		h.drop(e)
	}
	e.behind = e.behind || errors.Is(err, ErrConflict)
}

// refresh enters a loop to look at it, with all that others have written before the call. They may have removed it, and made another of its name.
func (h *Fleet) refresh(ctx context.Context, name string) (e *entry, err error) {
	if h.shared == nil {
		return h.enter(name), nil
	}
	tip, err := h.shared.Tip(name)()
	if err != nil {
		return nil, fmt.Errorf("loop %s: %w", name, err)
	}
	e = h.enter(name)
	if e.loop != nil && e.loop.seq > tip.Seq { // it was written here meanwhile, or it is gone
		seq, wait := e.loop.seq, e.pending
		e.mu.Unlock()
		wait()
		if tip, err = h.shared.Tip(name)(); err != nil {
			return nil, fmt.Errorf("loop %s: %w", name, err)
		}
		e = h.enter(name)
		e.behind = e.behind || tip.Seq < seq
	}
	if e.loop != nil {
		seq, hash := e.loop.Head()
		e.behind = e.behind || seq < tip.Seq || seq == tip.Seq && hash != tip.Hash
	}
	return e, nil
}

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

// remember keeps what was offered last. Who asks while the journal is lost gets what is known to have been written.
func (h *Fleet) remember(e *entry, c Command, reply any, events []Event, seq int, err error) (any, error) {
	e.mu.Lock()
	offer, known := reply.(Offer)
	known = known && len(events) == 0 && !e.gone
	e.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		h.note(e.name, reply, events, seq)
		return reply, nil
	}
	if last := h.offers[e.name].offer; !known && last != nil {
		offer, known = *last, last.DeployBy == nil || h.clock.Now().Before(*last.DeployBy)
	}
	if _, asks := c.(Ask); !asks || !known || !errors.Is(err, ErrLost) {
		return nil, err
	}
	offer.Durable = new(bool)
	return offer, nil
}

// note keeps the offer of the current decision of a loop, unless more of the loop is known than who was answered has seen. Another loop of its name has another epoch.
func (h *Fleet) note(name string, reply any, events []Event, seq int) {
	var next *Offer
	switch r := reply.(type) {
	case Offer:
		next = &r
	case Exchanged:
		next = r.Next
	}
	was := h.offers[name]
	switch {
	case seq < was.seq && (next == nil || next.Epoch == was.epoch):
	case next != nil:
		h.offers[name] = offered{seq, next.Epoch, next}
	case slices.ContainsFunc(events, func(one Event) bool { return one.Kind != Told }):
		h.offers[name] = offered{seq, was.epoch, nil}
	}
}
