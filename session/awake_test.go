package session_test

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/plan"
)

// Another fleet of the same journal, as if the program had been started again.
func (h *host) again() *host {
	other := &host{T: h.T, journal: h.journal, clock: h.clock, told: map[string]int{}}
	other.Fleet = session.NewFleet(h.journal, h.clock, session.Standard, other.watched)
	return other
}

// A loop that was read is not read again, whatever is done with it; one that was refused is not there.
func TestLoopsAreReadOnce(t *testing.T) {
	h := newHost(t)
	h.create("shop")
	h.Do(t.Context(), "shop", "test", session.Close{K: 9})
	h.turn("shop")
	h.seen("shop")
	if _, err := h.Dims(t.Context(), "shop"); err != nil || h.journal.reads != 1 { // when it was made
		t.Errorf("the journal was read %d times, %v", h.journal.reads, err)
	}
	if _, err := h.Do(t.Context(), "shop", "test", session.Close{K: 9}); !missing(err) || h.journal.reads != 1 {
		t.Errorf("after a refusal the journal was read %d times, %v", h.journal.reads, err)
	}
	reads := h.journal.reads
	if err := h.Pass(t.Context()); err != nil || h.journal.reads != reads {
		t.Errorf("time has it read again: %v", err)
	}
	h.Do(t.Context(), "none", "test", session.Ask{})
	h.Rest()
	if h.journal.states != 1 || len(h.journal.saved) != 1 {
		t.Errorf("%d states are saved: %d loops", h.journal.states, len(h.journal.saved))
	}
	h.seen("shop")
	if h.Rest(); h.journal.states != 1 {
		t.Error("a loop is saved anew though nothing has happened since it woke")
	}
	if err := h.Dismiss(t.Context(), "shop", func(l *session.Loop) error {
		delete(h.journal.loops, "shop")
		delete(h.journal.saved, "shop")
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Do(t.Context(), "shop", "test", session.Ask{}); !missing(err) {
		t.Errorf("what was dismissed is there: %v", err)
	}
}

// A command that another host was ahead of is decided again, a hundred times and then no more; once if nobody waits.
func TestConflictsAreDecidedAgain(t *testing.T) {
	h := newHost(t)
	h.create("shop")
	first := h.must("shop", session.Ask{}).(session.Offer)
	h.again().must("shop", session.Deploy{K: 1, U: first.U})
	if _, err := h.Do(t.Context(), "shop", "test", session.Deploy{K: 1, U: []float64{5, 5}}); !session.IsRefusal(err, session.DeploymentConflict) {
		t.Errorf("what another host wrote is not seen: %v", err)
	}
	tries := 0
	busy := &contested{h.journal, &tries}
	f := session.NewFleet(busy, h.clock, session.Standard, nil)
	if _, err := f.Do(t.Context(), "shop", "test", session.Abandon{K: 1}); !errors.Is(err, session.ErrConflict) || tries != 100 {
		t.Errorf("%d tries: %v", tries, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	tries = 0
	if _, err := f.Do(ended, "shop", "test", session.Abandon{K: 1}); !errors.Is(err, session.ErrConflict) || tries != 1 {
		t.Errorf("nobody waits, %d tries: %v", tries, err)
	}
}

// contested is a journal in which another host is always first.
type contested struct {
	*bookshelf
	tries *int
}

func (c *contested) Append(string, int, []session.Event, []byte) (wait func() error) {
	*c.tries++
	return func() error { return session.ErrConflict }
}

// Who looks while what is seen is still being written is told when it could not be, and so is who would take the loop away.
func TestLooksWaitForWhatTheySee(t *testing.T) {
	for name, act := range map[string]func(h *host) error{
		"look": func(h *host) error {
			return h.Look(h.Context(), "shop", func(l *session.Loop) error { h.clock.Now(); return nil })
		},
		"dismiss": func(h *host) error { return h.Dismiss(h.Context(), "shop", func(*session.Loop) error { return nil }) },
		"try": func(h *host) error {
			_, err := h.Try(h.Context(), "shop", "test", session.Ask{})
			return err
		},
		"find": func(h *host) error { // what was written down under a word
			_, err := h.Do(h.Context(), "shop", "test", session.Once{Word: "w", Of: session.Switch{To: session.Paused}})
			return err
		},
	} {
		h, down := newHost(t), errors.New("down")
		h.create("shop")
		seen, ended := make(chan struct{}, 8), make(chan error, 1)
		h.journal.fails, h.journal.wait = down, func() {
			h.clock.looked = func() { seen <- struct{}{} }
			go func() { ended <- act(h); seen <- struct{}{} }()
			<-seen // it has entered the loop
		}
		_, err := h.Do(t.Context(), "shop", "test", session.Ask{})
		if got := <-ended; !errors.Is(err, down) || !errors.Is(got, down) || name != "find" && got.Error() != "loop shop: down" {
			t.Errorf("%s: %v, where who writes is told %v", name, got, err)
		}
		if h.clock.looked = nil; h.must("shop", session.Ask{}).(session.Offer).K != 1 {
			t.Errorf("%s: the loop is another one", name)
		}
	}
}

// Who stands in line behind somebody who is told of a loss finds the loop as it is written, and is told of none.
func TestWhoComesAfterALoss(t *testing.T) {
	h, down, seen := newHost(t), errors.New("down"), make(chan struct{}, 8)
	h.create("shop")
	dismissed, looked := make(chan error, 1), make(chan error, 1)
	h.journal.fails, h.journal.wait = down, func() {
		h.clock.looked = func() { seen <- struct{}{} }
		go func() {
			dismissed <- h.Dismiss(h.Context(), "shop", func(*session.Loop) error { return nil })
		}()
		<-seen // it has entered the loop
		go func() { looked <- h.Look(h.Context(), "shop", func(*session.Loop) error { return nil }) }()
		time.Sleep(20 * time.Millisecond) // until it stands in line; where it does not yet, it finds the same
	}
	if _, err := h.Do(t.Context(), "shop", "test", session.Ask{}); !errors.Is(err, down) {
		t.Error(err)
	}
	if err := <-dismissed; !errors.Is(err, down) {
		t.Errorf("dismissed: %v", err)
	}
	if err := <-looked; err != nil {
		t.Errorf("looked at after that: %v", err)
	}
}

// An ask does not wait for people that are still being written, since it says nothing of them; it does for what it says.
func TestAsksWaitForWhatTheySay(t *testing.T) {
	h := newHost(t)
	h.create("shop")
	a := h.must("shop", session.Ask{}).(session.Offer)
	h.must("shop", session.Deploy{K: 1, U: a.U})
	meanwhile := func(state session.Stage) func() {
		return func() {
			answered := make(chan session.Offer, 1)
			go func() {
				b, _ := h.Do(h.Context(), "shop", "test", session.Ask{})
				offer, _ := b.(session.Offer)
				answered <- offer
			}()
			select {
			case b := <-answered:
				if b.State != state {
					t.Errorf("%+v, want %s", b, state)
				}
			case <-time.After(10 * time.Second):
				t.Error("an ask waits for people")
			}
		}
	}
	h.journal.wait = meanwhile(session.IsDeployed)
	h.must("shop", session.Tell{K: 1, ID: "am", Batch: people(1, 10, a.U)})
	h.must("shop", session.Close{K: 1})
	h.must("shop", session.Ask{})
	h.journal.wait = meanwhile(session.IsOpen)
	h.must("shop", session.Tell{K: 1, ID: "late", Batch: people(2, 10, a.U)})
	h.must("shop", session.Abandon{K: 2})
	down := errors.New("down")
	ended := make(chan error, 1)
	h.journal.fails, h.journal.wait = down, func() {
		h.decides(func() { _, err := h.Do(h.Context(), "shop", "test", session.Ask{}); ended <- err })
	}
	if _, err := h.Do(t.Context(), "shop", "test", session.Ask{}); !errors.Is(err, down) {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, down) {
		t.Errorf("an ask that was not written is answered: %v", err)
	}
}

// decides begins something else that ends with a command, and waits until that has looked at the clock twice: when it came, and to decide.
func (h *host) decides(do func()) {
	seen, looks := make(chan struct{}, 8), 0
	h.clock.looked = func() {
		if looks++; looks == 2 {
			seen <- struct{}{}
		}
	}
	go func() { do(); seen <- struct{}{} }()
	<-seen
}

// What a loop is is saved with its events once 128 KiB of them have come, and again when so much has come as it is large.
func TestStatesAreSavedOnTheWay(t *testing.T) {
	h := newHost(t)
	h.create("shop")
	a := h.must("shop", session.Ask{}).(session.Offer)
	h.must("shop", session.Deploy{K: 1, U: a.U})
	h.must("shop", session.Tell{K: 1, ID: "a", Batch: people(1, 4000, a.U)}) // of 32 bytes each: 125 KiB
	if h.journal.saved["shop"] != nil {
		t.Error("it is saved too soon")
	}
	h.must("shop", session.Tell{K: 1, ID: "b", Batch: people(2, 100, a.U)})
	first := h.journal.saved["shop"]
	if first == nil {
		t.Error("it is not saved")
	}
	h.must("shop", session.Tell{K: 1, ID: "c", Batch: people(3, 4000, a.U)})
	if !bytes.Equal(h.journal.saved["shop"], first) {
		t.Error("it is saved again too soon")
	}
	h.must("shop", session.Tell{K: 1, ID: "d", Batch: people(4, 100, a.U)})
	if bytes.Equal(h.journal.saved["shop"], first) || h.journal.states != 0 {
		t.Error("it is not saved again, or without events")
	}
	want, _ := h.seen("shop")
	if got, _ := h.again().seen("shop"); !reflect.DeepEqual(got, want) {
		t.Errorf("read again: %+v, want %+v", got, want)
	}
	h.journal.of("shop").events[1].Hash = session.Hash{} // which its state does not need
	if got, _ := h.again().seen("shop"); got.K != want.K {
		t.Errorf("the state is not taken: %+v", got)
	}
}

// A saved state that is damaged, or of another history, is not taken: all is worked out of the events, with an alarm until a sound one is found.
func TestUnsoundStates(t *testing.T) {
	other := newHost(t)
	other.must("shop", session.Create{Spec: shop, Mode: session.Live, Epoch: "other"})
	other.turn("shop")
	other.Rest()
	for name, damage := range map[string]func(h *host){
		"damaged": func(h *host) {
			h.journal.saved["shop"] = slices.Clone(h.journal.saved["shop"])
			h.journal.saved["shop"][40] ^= 1
		},
		"foreign": func(h *host) { h.journal.saved["shop"] = other.journal.saved["shop"] },
		"ahead": func(h *host) {
			h.turn("shop")
			h.Rest()
			l := h.journal.of("shop")
			l.events = l.events[:5]
		},
		"damaged before its first decision": func(h *host) { h.journal.saved["shop"] = []byte("nothing") },
	} {
		h := newHost(t)
		h.create("shop")
		if !strings.Contains(name, "first") {
			h.turn("shop")
		}
		want, seq := h.seen("shop")
		h.Rest()
		damage(h)
		if name != "damaged" { // else the fleet that let it rest wakes it
			h = h.again()
		}
		told := h.told["shop"]
		got, at := h.seen("shop")
		if got.Alarms["state-unsound"] == "" || at != seq || got.Hash != want.Hash || got.Turns != want.Turns {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
		if err := h.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
		if h.told["shop"] != told+1 { // the alarm is written down by time
			t.Errorf("%s: %d events after %d", name, h.told["shop"], told)
		}
		h.Rest()
		h = h.again()
		if got, _ := h.seen("shop"); got.Alarms["state-unsound"] == "" {
			t.Errorf("%s: the alarm is gone before somebody knows of a sound state: %+v", name, got)
		}
		if err := h.Pass(t.Context()); err != nil || h.told["shop"] != 1 {
			t.Errorf("%s: %d events, %v", name, h.told["shop"], err)
		}
		if got, _ := h.seen("shop"); len(got.Alarms) != 0 {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// Of a loop that has ended nothing is due, though its saved state is damaged.
func TestUnsoundStatesOfArchives(t *testing.T) {
	h := newHost(t)
	h.create("shop")
	h.must("shop", session.Archive{})
	h.Rest()
	h.journal.saved["shop"] = []byte("nothing")
	h = h.again()
	if err := h.Look(t.Context(), "shop", func(l *session.Loop) error {
		if at, ever := l.Due(); ever {
			t.Errorf("something is due at %v", at)
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	if h.must("shop", session.Archive{}); h.told["shop"] != 0 {
		t.Errorf("%d events", h.told["shop"])
	}
}

// A loop whose rule cannot be saved is not tried on, and goes on: its events are enough.
func TestRulesThatCannotBeSaved(t *testing.T) {
	h, rule := newHost(t), &fate{}
	h.Fleet = session.NewFleet(h.journal, h.clock, func(spec string) (*session.Brief, error) {
		b, err := session.Standard(spec)
		if err == nil {
			b.Rule = frail{b.Rule, rule}
		}
		return b, err
	}, h.watched)
	h.create("shop")
	h.turn("shop")
	rule.at = rule.calls + 1
	if _, err := h.Try(t.Context(), "shop", "test", session.Ask{}); !errors.Is(err, errFate) {
		t.Errorf("tried: %v", err)
	}
	rule.at = rule.calls + 2
	if _, err := h.Try(t.Context(), "shop", "test", session.Ask{}); !errors.Is(err, errFate) || !strings.HasPrefix(err.Error(), "loop shop: ") {
		t.Errorf("tried on what cannot be read: %v", err)
	}
	rule.at = rule.calls + 1
	if h.Rest(); h.journal.states != 0 || len(h.journal.saved) != 0 {
		t.Errorf("%d states of what cannot be saved", h.journal.states)
	}
	if now, _ := h.seen("shop"); now.Turns != 1 {
		t.Errorf("%+v", now)
	}
	a := h.must("shop", session.Ask{}).(session.Offer)
	h.must("shop", session.Deploy{K: 2, U: a.U})
	tell := func(id string, n int) { h.must("shop", session.Tell{K: 2, ID: id, Batch: people(uint64(n), n, a.U)}) }
	tell("a", 3500) // of 32 bytes each, where 128 KiB are to be saved
	rule.at = rule.calls + 1
	if tell("b", 1000); !rule.struck() || h.journal.saved["shop"] != nil {
		t.Error("saved is what cannot be")
	}
	if tell("c", 10); h.journal.saved["shop"] == nil {
		t.Error("it is not saved with the next events")
	}
}

// Who has a loop look up what it remembers is not answered out of what is never written in the end.
func TestWhatIsLookedUpWaits(t *testing.T) {
	for what, command := range map[string]session.Command{"people who are not at hand": session.Close{K: 4}, "old decisions": session.Compact{}} {
		h, down, ended := newHost(t), errors.New("down"), make(chan error, 1)
		h.must("shop", session.Create{Spec: with("retain: {samples: 24h}"), Mode: session.Live, Epoch: "e"})
		for range 3 {
			h.turn("shop")
		}
		h.clock.now = h.clock.now.Add(24 * time.Hour)
		u := h.must("shop", session.Ask{}).(session.Offer).U
		h.must("shop", session.Deploy{K: 4, U: u})
		for i, id := range []string{"a", "b", "c"} { // 48,000 numbers, of which 32,768 are kept at hand
			h.must("shop", session.Tell{K: 4, ID: id, Batch: people(uint64(i), 4000, u)})
		}
		h.journal.fails, h.journal.wait = down, func() {
			h.decides(func() { _, err := h.Do(h.Context(), "shop", "test", command); ended <- err })
		}
		if _, err := h.Do(t.Context(), "shop", "test", session.Tell{K: 4, ID: "d", Batch: people(4, 10, u)}); !errors.Is(err, down) {
			t.Errorf("%s: %v", what, err)
		}
		if err := <-ended; !errors.Is(err, down) {
			t.Errorf("%s are looked up in what was not written: %v", what, err)
		}
		told := h.told["shop"]
		if h.must("shop", command); h.told["shop"] == told {
			t.Errorf("%s: nothing happens after that", what)
		}
	}
}

// A loop whose saved state is of another version of its rule, or whose spec of then cannot be planned, is worked out again without an alarm.
func TestStatesOfAnotherVersion(t *testing.T) {
	h := newHost(t)
	h.create("shop")
	h.turn("shop")
	want, _ := h.seen("shop")
	h.Rest()
	for _, isPlanned := range []bool{true, false} {
		fails := true
		f := session.NewFleet(h.journal, h.clock, func(spec string) (*session.Brief, error) {
			b, err := session.Standard(spec)
			if fails && err == nil {
				if fails = false; !isPlanned {
					return nil, errors.New("of another version")
				}
				b.Rule = strange{b.Rule}
			}
			return b, err
		}, nil)
		if err := f.Look(t.Context(), "shop", func(l *session.Loop) error {
			if got := l.Status(); !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, want %+v", got, want)
			}
			return nil
		}); err != nil || fails {
			t.Error(err)
		}
	}
}

// strange is a rule that does not know what was saved.
type strange struct{ plan.Rule }

func (strange) UnmarshalBinary([]byte) error { return errors.New("of another version") }

// A loop that cannot be read is said to be so, and the others do not suffer; what a service keeps to itself is no loop.
func TestFaultsOfOneLoop(t *testing.T) {
	h, lost := newHost(t), errors.New("unreadable")
	for _, loop := range []string{"a", "b", "c"} {
		h.create(loop)
		h.must(loop, session.Ask{})
	}
	h.journal.loops[session.OfServer] = &ledger{events: []session.Event{{Seq: 1, Kind: "key", Body: []byte("{}")}}}
	h = h.again()
	h.journal.unread["b"] = lost
	h.clock.now = h.clock.now.Add(48 * time.Hour)
	if err := h.Pass(t.Context()); !errors.Is(err, lost) || !strings.HasPrefix(err.Error(), "loop b: unreadable") || strings.Contains(err.Error(), session.OfServer) {
		t.Errorf("%v", err)
	}
	if !reflect.DeepEqual(h.told, map[string]int{"a": 2, "c": 2}) { // lapsed, with an alarm
		t.Errorf("told are %v", h.told)
	}
	for what, err := range map[string]error{
		"look":    h.Look(t.Context(), "b", func(*session.Loop) error { return nil }),
		"dismiss": h.Dismiss(t.Context(), "b", func(*session.Loop) error { return nil }),
		"dims":    func() error { _, err := h.Dims(t.Context(), "b"); return err }(),
		"ask":     func() error { _, err := h.Do(t.Context(), "b", "test", session.Ask{}); return err }(),
	} {
		if !errors.Is(err, lost) || err.Error() != "loop b: unreadable" {
			t.Errorf("%s: %v", what, err)
		}
	}
	delete(h.journal.unread, "b")
	if err := h.Pass(t.Context()); err != nil || h.told["b"] != 2 {
		t.Errorf("once it can be read: %v, %v", h.told, err)
	}
	h.clock.now = h.clock.now.Add(time.Hour)
	h.must("a", session.Ask{})
	down := errors.New("down")
	h.clock.now = h.clock.now.Add(48 * time.Hour)
	h.journal.fails = down
	if err := h.Pass(t.Context()); !errors.Is(err, down) {
		t.Errorf("what time brings cannot be written: %v", err)
	}
	h.journal.fails = session.ErrConflict
	if err := h.Pass(t.Context()); err != nil {
		t.Errorf("another host was first: %v", err)
	}
	told := h.told["a"]
	if err := h.Pass(t.Context()); err != nil || h.told["a"] != told+2 {
		t.Errorf("time does not pass again: %v", err)
	}
}

// What others have written is seen when time passes, on loops that are awake and on those that rest.
func TestTimePassesOverWhatOthersWrote(t *testing.T) {
	for _, rests := range []bool{false, true} {
		h := newHost(t)
		h.create("shop")
		if rests {
			h.Rest()
		}
		h.again().must("shop", session.Ask{})
		if err := h.Pass(t.Context()); err != nil || h.told["shop"] != 1 {
			t.Errorf("resting %v: %d events, %v", rests, h.told["shop"], err)
		}
		h.clock.now = h.clock.now.Add(24 * time.Hour)
		if err := h.Pass(t.Context()); err != nil || h.told["shop"] != 3 {
			t.Errorf("resting %v: %d events, %v", rests, h.told["shop"], err)
		}
	}
}

// A word under which something was sent once gets the first reply for good, and nothing else is taken under it; what was refused may be sent again.
func TestOnce(t *testing.T) {
	h := newHost(t)
	h.create("shop")
	once := func(word string, request byte, c session.Command) (any, error) {
		return h.Do(t.Context(), "shop", "test", session.Once{Word: word, Request: session.Hash{request}, Of: c})
	}
	if _, err := once("w", 1, session.Close{K: 1}); !missing(err) {
		t.Errorf("refused: %v", err)
	}
	first, err := once("w", 2, session.Ask{})
	if err != nil || first.(session.Offer).K != 1 {
		t.Fatalf("%+v, %v", first, err)
	}
	h.must("shop", session.Abandon{K: 1})
	h = h.again()
	got, err := once("w", 2, session.Ask{})
	if again, is := got.(session.Replayed); err != nil || !is || string(again.Reply) != text(first) {
		t.Errorf("the same again: %s, %v, want %s", text(got), err, text(first))
	}
	if _, err := once("w", 3, session.Ask{}); !session.IsRefusal(err, session.KeyReused) {
		t.Errorf("something else: %v", err)
	}
	if other, err := once("v", 3, session.Ask{}); err != nil || other.(session.Offer).K != 2 {
		t.Errorf("under another word: %+v, %v", other, err)
	}
	bad := session.Event{Kind: session.Answered, Body: []byte("{")}
	if _, err := session.Repeated(&bad, "w", session.Hash{}); err == nil {
		t.Error("what is no reply is repeated")
	}
}

// What is tried comes to what it would come to, and changes nothing.
func TestTries(t *testing.T) {
	h := newHost(t)
	h.create("shop")
	h.turn("shop")
	before, seq := h.seen("shop")
	got, err := h.Try(t.Context(), "shop", "test", session.Ask{})
	if err != nil {
		t.Fatal(err)
	}
	if after, at := h.seen("shop"); at != seq || !reflect.DeepEqual(after, before) || h.told["shop"] != seq {
		t.Errorf("trying has changed %+v to %+v", before, after)
	}
	if want := h.must("shop", session.Ask{}); !reflect.DeepEqual(got, want) {
		t.Errorf("tried %+v, then %+v", got, want)
	}
	if _, err := h.Try(t.Context(), "shop", "test", session.Close{K: 9}); !missing(err) {
		t.Errorf("what is refused: %v", err)
	}
	if _, err := h.Try(t.Context(), "none", "test", session.Ask{}); !missing(err) {
		t.Errorf("of no loop: %v", err)
	}
	h.clock.now = h.clock.now.Add(-time.Hour) // nothing happens before the newest event
	if got, err := h.Try(t.Context(), "shop", "test", session.Deploy{K: 2, U: before.Live.U}); err != nil || got.(session.Reached).At.Before(before.Live.Since) {
		t.Errorf("%+v, %v", got, err)
	}
}

// A round of which a part is refused has not happened at all, and the loop goes on as if it had not been sent.
func TestExchangesAreWhole(t *testing.T) {
	h := newHost(t)
	h.create("shop")
	a := h.must("shop", session.Ask{}).(session.Offer)
	before, seq := h.seen("shop")
	round := session.Exchange{K: 1, Deploy: &session.Deploy{U: a.U}, Tell: &session.Tell{ID: "am", Batch: people(1, 10, a.U)}, Close: &session.Close{Expect: expect(11)}}
	if _, err := h.Do(t.Context(), "shop", "test", round); !session.IsRefusal(err, session.Incomplete) {
		t.Errorf("%v", err)
	}
	if after, at := h.seen("shop"); at != seq || !reflect.DeepEqual(after, before) || h.told["shop"] != seq {
		t.Errorf("a part has happened: %+v, want %+v", after, before)
	}
	round.Close.Expect.Rows = 10
	if r := h.must("shop", round).(session.Exchanged); r.Closed.Outcome.Outcome != session.Stepped {
		t.Errorf("%+v", r)
	}
	reads := h.journal.reads
	if _, err := h.Do(t.Context(), "shop", "test", session.Exchange{K: 9, Close: &session.Close{}}); !missing(err) {
		t.Errorf("%v", err)
	}
	if h.seen("shop"); h.journal.reads != reads {
		t.Error("a loop of which nothing happened is read again")
	}
}

// Who is refused half a round, for what is still being written, is not refused for what is never written in the end.
func TestRefusalsOfRoundsWaitForWhatTheySay(t *testing.T) {
	h, down, ended := newHost(t), errors.New("down"), make(chan error, 1)
	h.create("shop")
	a := h.must("shop", session.Ask{}).(session.Offer)
	round := session.Exchange{K: 1, Deploy: &session.Deploy{U: a.U}, Tell: &session.Tell{ID: "am", Batch: people(1, 10, a.U)}, Close: &session.Close{}}
	h.journal.fails, h.journal.wait = down, func() {
		h.decides(func() { _, err := h.Do(h.Context(), "shop", "test", round); ended <- err })
	}
	if _, err := h.Do(t.Context(), "shop", "test", session.Abandon{K: 1}); !errors.Is(err, down) {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, down) {
		t.Errorf("refused for an end that was not written: %v", err)
	}
	if r := h.must("shop", round).(session.Exchanged); r.Closed.Outcome.Outcome != session.Stepped {
		t.Errorf("%+v", r)
	}
}
