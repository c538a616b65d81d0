package session_test

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/session"
)

// wall is a clock that goes when it is told to, and tells who wants to know that somebody looks.
type wall struct {
	now    time.Time
	looked func()
}

func (w *wall) Now() time.Time {
	if looked := w.looked; looked != nil {
		looked()
	}
	return w.now
}

// bookshelf is a journal in memory whose next append can fail, and that counts states that come without events.
type bookshelf struct {
	loops  map[string]*ledger
	saved  map[string][]byte
	fails  error
	lost   error
	states int

	unread  map[string]error // why a loop cannot be read
	reads   int
	unsaved error // why no state can be read
	woken   int
	wait    func() // called when the next append is waited for
}

func (s *bookshelf) of(loop string) *ledger {
	if l := s.loops[loop]; l != nil {
		return l
	}
	return &ledger{blobs: map[session.Hash][]byte{}}
}

func (s *bookshelf) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	err := s.fails
	l := s.of(loop)
	switch s.fails = nil; {
	case err != nil:
	case len(l.events) != after:
		err = session.ErrConflict
	default:
		l.keep(events)
		if s.loops[loop] = l; state != nil {
			s.saved[loop] = state
		}
		if len(events) == 0 {
			s.states++
		}
	}
	before := s.wait
	s.wait = nil
	return func() error {
		if before != nil {
			before()
		}
		return err
	}
}

func (s *bookshelf) Read(_ context.Context, loop string, after int, visit func(session.Event) error) error {
	s.reads++
	if err := s.unread[loop]; err != nil {
		return err
	}
	for _, e := range s.of(loop).events[min(after, len(s.of(loop).events)):] {
		if err := visit(e); err != nil {
			return err
		}
	}
	return nil
}

func (s *bookshelf) Decision(loop string, k int) ([]session.Event, error) {
	return s.of(loop).Decision(k)
}
func (s *bookshelf) Find(loop string, k int, ref string) (*session.Event, error) {
	return s.of(loop).Find(k, ref)
}
func (s *bookshelf) Blob(loop string, sum session.Hash) ([]byte, error) { return s.of(loop).Blob(sum) }
func (s *bookshelf) State(loop string) ([]byte, error)                  { s.woken++; return s.saved[loop], s.unsaved }
func (s *bookshelf) DecisionAt(string, int) (int, error)                { return 0, errors.ErrUnsupported }
func (s *bookshelf) Series(context.Context, string, []string, int, int) (*session.SeriesPage, error) {
	return nil, errors.ErrUnsupported
}
func (s *bookshelf) Newest(context.Context, string, []session.Kind, int) ([]session.Event, error) {
	return nil, errors.ErrUnsupported
}
func (s *bookshelf) Loops(context.Context) (tips []session.Tip, err error) {
	for _, name := range slices.Sorted(maps.Keys(s.loops)) {
		last := s.loops[name].events[len(s.loops[name].events)-1]
		tips = append(tips, session.Tip{Loop: name, Seq: last.Seq, Hash: last.Hash})
	}
	return tips, s.lost
}

// host is a fleet with its journal and its clock.
type host struct {
	*testing.T
	*session.Fleet
	journal *bookshelf
	clock   *wall
	told    map[string]int
	spans   []string
}

func newHost(t *testing.T) *host {
	h := &host{T: t, journal: &bookshelf{loops: map[string]*ledger{}, saved: map[string][]byte{}, unread: map[string]error{}}, clock: &wall{now: time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}, told: map[string]int{}}
	h.Fleet = session.NewFleet(h.journal, h.clock, session.Standard, h.watched)
	var mu sync.Mutex
	note := func(name string) {
		mu.Lock()
		defer mu.Unlock()
		h.spans = append(h.spans, name)
	}
	h.Span = func(_ context.Context, name string) (end func()) {
		note(name)
		return func() { note("/" + name) }
	}
	return h
}

// watched is told of what there is to stay, and of nothing else.
func (h *host) watched(loop string, events []session.Event) {
	if h.told[loop] += len(events); len(events) == 0 {
		h.Errorf("of loop %s nothing is told", loop)
	}
}

func (h *host) must(loop string, c session.Command) any {
	h.Helper()
	reply, err := h.Do(h.Context(), loop, "test", c)
	if err != nil {
		h.Fatalf("%T: %v", c, err)
	}
	return reply
}

func (h *host) create(loop string) {
	h.Helper()
	h.must(loop, session.Create{Spec: shop, Mode: session.Live, Epoch: "4q7c"})
}

// turn is a decision from ask to close.
func (h *host) turn(loop string) session.Closing {
	h.Helper()
	a := h.must(loop, session.Ask{}).(session.Offer)
	h.must(loop, session.Deploy{K: a.K, U: a.U})
	h.must(loop, session.Tell{K: a.K, ID: "am", Batch: people(uint64(a.K), 10, a.U)})
	h.clock.now = h.clock.now.Add(time.Hour)
	return h.must(loop, session.Close{K: a.K}).(session.Closing)
}

func (h *host) seen(loop string) (s session.Status, seq int) {
	h.Helper()
	if err := h.Look(h.Context(), loop, func(l *session.Loop) error { s = l.Status(); seq, _ = l.Head(); return nil }); err != nil {
		h.Fatal(err)
	}
	return s, seq
}

func missing(err error) bool {
	var refused *session.Refusal
	return errors.As(err, &refused) && refused.Type == session.NotFound
}

// A fleet carries out what a loop does: who watches is told of every event, parts of commands are told as they begin and end, and what there is not is not found, nor made by asking.
func TestFleetsCarryOut(t *testing.T) {
	h := newHost(t)
	if _, err := h.Do(t.Context(), "none", "test", session.Ask{}); !missing(err) {
		t.Errorf("of no loop: %v", err)
	}
	if _, err := h.Dims(t.Context(), "none"); !missing(err) {
		t.Errorf("of no loop: %v", err)
	}
	if err := h.Look(t.Context(), "none", func(*session.Loop) error { return nil }); !missing(err) {
		t.Errorf("of no loop: %v", err)
	}
	if tips, err := h.journal.Loops(t.Context()); err != nil || len(tips) > 0 {
		t.Errorf("asking has made %v, %v", tips, err)
	}
	h.create("shop")
	h.spans = nil
	if c := h.turn("shop"); c.Outcome.Outcome != session.Stepped {
		t.Errorf("%+v", c)
	}
	if count := func(name string) (n int) {
		for _, s := range h.spans {
			if s == name {
				n++
			}
		}
		return n
	}; count("decide") != 4 || count("/decide") != 4 || count("append") != 4 || count("/append") != 4 {
		t.Errorf("parts are %v", h.spans)
	}
	status, seq := h.seen("shop")
	if status.Turns != 1 || seq == 0 || h.told["shop"] != seq || len(h.told) != 1 {
		t.Errorf("%+v after %d events, of which %v were told", status, seq, h.told)
	}
	if dim, err := h.Dims(t.Context(), "shop"); err != nil || dim != (kedge.Dims{Decision: 2, State: 2, Trait: 2}) {
		t.Errorf("%+v, %v", dim, err)
	}
	refused := errors.New("not mine")
	if err := h.Look(t.Context(), "shop", func(*session.Loop) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("who looks is told %v", err)
	}
	if err := h.Dismiss(t.Context(), "shop", func(*session.Loop) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("who dismisses is told %v", err)
	}
	if err := h.Dismiss(t.Context(), "none", func(*session.Loop) error { return nil }); !missing(err) {
		t.Errorf("of no loop: %v", err)
	}
	if j, c, p := h.Parts(); j != session.Journal(h.journal) || c != session.Clock(h.clock) || p == nil {
		t.Error("its parts are others")
	}
}

// What cannot be written is told with the loop's name, and has not happened: the loop is as it was, and goes on.
func TestFleetsBearFailedWrites(t *testing.T) {
	h, down := newHost(t), errors.New("down")
	h.create("shop")
	h.turn("shop")
	before, at := h.seen("shop")
	told := h.told["shop"]
	h.journal.fails = down
	if _, err := h.Do(t.Context(), "shop", "test", session.Ask{}); !errors.Is(err, down) || !strings.HasPrefix(err.Error(), "loop shop: ") {
		t.Errorf("told is %v", err)
	}
	if after, seq := h.seen("shop"); seq != at || !reflect.DeepEqual(after, before) || h.told["shop"] != told {
		t.Errorf("what was not written has happened: %+v, was %+v", after, before)
	}
	if c := h.turn("shop"); c.Outcome.Outcome != session.Stepped {
		t.Errorf("it does not go on: %+v", c)
	}
	h.journal.lost = down
	if err := h.Pass(t.Context()); !errors.Is(err, down) {
		t.Errorf("time passes over a journal that is lost: %v", err)
	}
}

// Loops that nobody asks for ten minutes rest: what they are is saved once, and they go on as another fleet would that reads the journal.
func TestLoopsRest(t *testing.T) {
	for name, rest := range map[string]struct {
		do    func(h *host) error
		after time.Duration // the least that it takes
	}{
		"rest": {func(h *host) error { h.Rest(); return nil }, 0}, "doze": {func(h *host) error { h.Doze(); return nil }, 10*time.Minute + 1}, "pass": {func(h *host) error { return h.Pass(h.Context()) }, 10 * time.Minute},
	} {
		h := newHost(t)
		h.create("shop")
		h.turn("shop")
		before, at := h.seen("shop")
		for _, step := range []struct {
			wait   time.Duration
			states int
		}{{rest.after - 1, 0}, {1, 1}, {time.Hour, 1}} {
			if step.wait < 0 {
				continue
			}
			h.clock.now = h.clock.now.Add(step.wait)
			if err := rest.do(h); err != nil {
				t.Fatal(name, err)
			}
			if h.journal.states != step.states {
				t.Errorf("%s: after %v more %d states are saved, want %d", name, step.wait, h.journal.states, step.states)
			}
		}
		if state, err := h.journal.State("shop"); err != nil || state == nil {
			t.Errorf("%s: no state is saved, %v", name, err)
		}
		other := session.NewFleet(h.journal, h.clock, session.Standard, nil)
		want, err := other.Do(t.Context(), "shop", "test", session.Ask{})
		if err != nil {
			t.Fatal(name, err)
		}
		if got := h.must("shop", session.Ask{}); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: it offers %+v, another fleet %+v", name, got, want)
		}
		if after, seq := h.seen("shop"); after.Turns != before.Turns || seq <= at {
			t.Errorf("%s: %+v after %d events, was %+v after %d", name, after, seq, before, at)
		}
	}
}

// Time does its work though nobody asks, on loops that are awake and on those that rest, when they are due and not before; what a service keeps to itself is left alone.
func TestTimePassesOnFleets(t *testing.T) {
	for _, rests := range []bool{false, true} {
		h := newHost(t)
		for _, loop := range []string{"a", "b"} {
			h.create(loop)
		}
		h.must("a", session.Ask{})
		var due time.Time
		if err := h.Look(t.Context(), "a", func(l *session.Loop) error { due, _ = l.Due(); return nil }); err != nil || due.IsZero() {
			t.Fatalf("nothing is ever due: %v, %v", due, err)
		}
		if rests {
			h.Rest()
		}
		told := h.told["a"]
		for _, x := range []struct {
			at   time.Time
			more bool
		}{{due.Add(-time.Microsecond), false}, {due, true}} {
			h.clock.now = x.at
			if err := h.Pass(t.Context()); err != nil {
				t.Fatal(err)
			}
			if (h.told["a"] > told) != x.more || h.told["b"] != 1 {
				t.Errorf("resting %v, at %v: %d events of a, %d before; %d of b", rests, x.at.Sub(due), h.told["a"], told, h.told["b"])
			}
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	h := newHost(t)
	h.create("a")
	if err := h.Pass(ended); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}
