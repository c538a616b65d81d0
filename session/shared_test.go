package session_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
)

// library is a bookshelf that several hosts write, and that can be lost.
type library struct {
	*bookshelf
	down  error  // why nothing can be written or read
	asked int    // how often somebody asked for a tip
	tip   func() // called when the next tip is waited for
	stale *session.Tip
	torn  error // why the next tip is not told
}

func (l *library) Health() error                                                   { return l.down }
func (l *library) Keeper(context.Context) bool                                     { return true }
func (l *library) Follow(context.Context, func() []string, func(session.Tip) bool) {}

func (l *library) Tip(loop string) (wait func() (session.Tip, error)) {
	l.asked++
	before, stale, torn := l.tip, l.stale, l.torn
	l.tip, l.stale, l.torn = nil, nil, nil
	return func() (session.Tip, error) {
		if before != nil {
			before()
		}
		if err := cmp.Or(l.down, torn); err != nil {
			return session.Tip{}, err
		}
		if stale != nil {
			return *stale, nil
		}
		return l.newest(loop), nil
	}
}

func (l *library) newest(loop string) session.Tip {
	tip := session.Tip{Loop: loop}
	if events := l.of(loop).events; len(events) > 0 {
		tip.Seq, tip.Hash = events[len(events)-1].Seq, events[len(events)-1].Hash
	}
	return tip
}

func (l *library) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	if l.down != nil {
		return func() error { return l.down }
	}
	return l.bookshelf.Append(loop, after, events, state)
}

func (l *library) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	if l.down != nil {
		return l.down
	}
	return l.bookshelf.Read(ctx, loop, after, visit)
}

// hosts are two of one library, with a loop whose first decision is open.
func hosts(t *testing.T) (a, b *host, l *library, first session.Offer) {
	a = newHost(t)
	l = &library{bookshelf: a.journal}
	a.Fleet = session.NewFleet(l, a.clock, session.Standard, a.watched)
	b = a.again()
	b.Fleet = session.NewFleet(l, a.clock, session.Standard, nil)
	a.create("shop")
	return a, b, l, a.must("shop", session.Ask{}).(session.Offer)
}

// A host that asks is answered what all hosts have written at some moment since: what others write meanwhile it sees, and what it has written itself does not bother it.
func TestAsksOfSharedLoops(t *testing.T) {
	a, b, l, first := hosts(t)
	if again := b.must("shop", session.Ask{}); !reflect.DeepEqual(again, first) {
		t.Errorf("the other host offers %+v, want %+v", again, first)
	}
	woken := l.woken
	state := func() session.Stage { return a.must("shop", session.Ask{}).(session.Offer).State }
	l.tip = func() { b.must("shop", session.Deploy{K: 1, U: first.U}) }
	if got := state(); got != session.IsDeployed {
		t.Errorf("another host has deployed it meanwhile, and it is %s", got)
	}
	a.must("shop", session.Abandon{K: 1})
	next := a.must("shop", session.Ask{}).(session.Offer)
	l.asked, l.tip = 0, func() { a.must("shop", session.Deploy{K: 2, U: next.U}) }
	if got := state(); got != session.IsOpen || l.asked != 1 {
		t.Errorf("the same host has deployed it meanwhile, and it is %s after %d tips", got, l.asked)
	}
	a.must("shop", session.Abandon{K: 2})
	a.must("shop", session.Ask{})
	l.tip = func() { // both of them, the one once it has seen what the other wrote
		b.must("shop", session.Deploy{K: 3, U: next.U})
		a.must("shop", session.Ask{})
		a.must("shop", session.Tell{K: 3, ID: "am", Batch: people(1, 10, next.U)})
	}
	if got := state(); got != session.IsDeployed {
		t.Errorf("another host has deployed it meanwhile, and it is %s", got)
	}
	stale := l.newest("shop")
	stale.Seq--
	l.asked, l.stale = 0, &stale
	if got := state(); got != session.IsDeployed || l.asked != 2 {
		t.Errorf("a tip of before its newest event: it is %s after %d tips", got, l.asked)
	}
	l.asked = 0
	if got := state(); got != session.IsDeployed || l.asked != 1 {
		t.Errorf("it is %s after %d tips", got, l.asked)
	}
	foreign := l.newest("shop")
	foreign.Hash[0] ^= 1
	l.asked, l.stale = 0, &foreign
	if got := state(); got != session.IsDeployed || l.asked != 2 {
		t.Errorf("a tip of another history: it is %s after %d tips", got, l.asked)
	}
	if l.woken != woken { // what was written since is enough
		t.Errorf("the loop was read anew %d times", l.woken-woken)
	}
	l.tip = func() { // the loop rests meanwhile
		b.must("shop", session.Abandon{K: 3})
		a.Rest()
	}
	got := a.must("shop", session.Ask{}).(session.Offer)
	if got.K != 4 || got.State != session.IsOpen {
		t.Errorf("after a rest: %+v", got)
	}
	l.tip = func() {
		a.must("shop", session.Deploy{K: 4, U: got.U})
		a.Rest()
	}
	if got := state(); got != session.IsDeployed {
		t.Errorf("after a rest of what was deployed: %s", got)
	}
}

// Who looks sees what others had written before.
func TestLooksAtSharedLoops(t *testing.T) {
	a, b, l, first := hosts(t)
	a.seen("shop")
	b.must("shop", session.Deploy{K: 1, U: first.U})
	if now, _ := a.seen("shop"); now.State != session.IsDeployed {
		t.Errorf("what another host has written is not seen: %+v", now)
	}
	reads := l.reads
	if now, _ := a.seen("shop"); now.State != session.IsDeployed || l.reads != reads {
		t.Errorf("it is read %d times more: %+v", l.reads-reads, now)
	}
	l.down = fmt.Errorf("%w: no answer", session.ErrLost)
	if err := a.Look(t.Context(), "shop", func(*session.Loop) error { return nil }); !errors.Is(err, session.ErrLost) {
		t.Errorf("of a lost journal: %v", err)
	}
	l.down = nil
	a.clock.now = a.clock.now.Add(time.Hour)
	b.must("shop", session.Abandon{K: 1})
	if dim, err := a.Dims(t.Context(), "shop"); err != nil || dim.Decision != 2 {
		t.Errorf("%+v, %v", dim, err)
	}
	a.clock.now = a.clock.now.Add(time.Hour)
	b.must("shop", session.Ask{})
	a.clock.now = a.clock.now.Add(24 * time.Hour)
	if err := a.Pass(t.Context()); err != nil || a.told["shop"] != 4 { // it was made and asked by this host, and has lapsed by it
		t.Errorf("time passes over what others wrote: %v, %v", a.told, err)
	}
}

// While the journal is lost, who asks is answered the current decision, if it was written and can still be deployed; nothing else is taken, and the loop does not run ahead.
func TestLostJournals(t *testing.T) {
	a, b, l, first := hosts(t)
	lost := fmt.Errorf("%w: no answer", session.ErrLost)
	refused := func(h *host, c session.Command, want error) {
		t.Helper()
		if reply, err := h.Do(t.Context(), "shop", "test", c); !errors.Is(err, want) || reply != nil {
			t.Errorf("%T of a lost journal: %v, %v", c, reply, err)
		}
	}
	answered := func(want session.Offer) {
		t.Helper()
		got := a.must("shop", session.Ask{}).(session.Offer)
		if got.Durable == nil || *got.Durable {
			t.Errorf("it is said to be written: %+v", got)
		}
		if got.Durable = nil; !reflect.DeepEqual(got, want) {
			t.Errorf("answered %+v, want %+v", got, want)
		}
	}
	l.down = lost
	answered(first)
	answered(first)
	refused(b, session.Ask{}, session.ErrLost) // which never offered it
	refused(a, session.Deploy{K: 1, U: first.U}, session.ErrLost)
	other := errors.New("read-only")
	l.down = other
	refused(a, session.Ask{}, other)
	l.down = nil
	a.must("shop", session.Deploy{K: 1, U: first.U})
	deployed := a.must("shop", session.Ask{}).(session.Offer)
	a.must("shop", session.Tell{K: 1, ID: "am", Batch: people(1, 10, first.U)})
	l.down = lost
	answered(deployed) // people are nothing that it tells of
	l.down = nil
	a.must("shop", session.Close{K: 1})
	l.down = lost
	refused(a, session.Ask{}, session.ErrLost) // no decision is current
	l.down = nil
	next := a.must("shop", session.Ask{}).(session.Offer)
	a.Rest()
	l.down = lost
	answered(next)
	a.clock.now = next.DeployBy.Add(-time.Microsecond)
	a.Rest()
	answered(next)
	a.clock.now = *next.DeployBy
	refused(a, session.Ask{}, session.ErrLost) // it has lapsed, though nobody could write that down
	l.down = nil
	if got := a.must("shop", session.Ask{}).(session.Offer); got.K != 3 || got.Durable != nil {
		t.Errorf("once it is back: %+v", got)
	}
}

// What was never written is not offered while the journal is lost: who asks while a deployment is on its way is answered the decision as it was before.
func TestAsksWhileTheJournalGetsLost(t *testing.T) {
	a, _, l, first := hosts(t)
	type answer struct {
		reply any
		err   error
	}
	ended := make(chan answer, 1)
	l.fails, l.wait = session.ErrLost, func() {
		a.decides(func() { reply, err := a.Do(a.Context(), "shop", "test", session.Ask{}); ended <- answer{reply, err} })
	}
	if _, err := a.Do(t.Context(), "shop", "test", session.Deploy{K: 1, U: first.U}); !errors.Is(err, session.ErrLost) {
		t.Errorf("%v", err)
	}
	got := <-ended
	if offer, is := got.reply.(session.Offer); got.err != nil || !is || offer.State != session.IsOpen || offer.Durable == nil || *offer.Durable {
		t.Errorf("%+v, %v", got.reply, got.err)
	}
}

// A round that ends with the next ask is an offer as well.
func TestExchangesOfferWhatIsNext(t *testing.T) {
	a, _, l, first := hosts(t)
	r := a.must("shop", session.Exchange{K: 1, Deploy: &session.Deploy{U: first.U}, Tell: &session.Tell{ID: "am", Batch: people(1, 10, first.U)}, Close: &session.Close{}, Ask: true}).(session.Exchanged)
	l.down = session.ErrLost
	a.Rest()
	got := a.must("shop", session.Ask{}).(session.Offer)
	if got.Durable = nil; !reflect.DeepEqual(got, *r.Next) {
		t.Errorf("answered %+v, want %+v", got, *r.Next)
	}
	l.down = nil
	a.must("shop", session.Exchange{K: 2, Deploy: &session.Deploy{U: got.U}})
	l.down = session.ErrLost
	a.Rest()
	if _, err := a.Do(t.Context(), "shop", "test", session.Ask{}); !errors.Is(err, session.ErrLost) {
		t.Errorf("what was deployed is offered: %v", err)
	}
}

// A loop is killed between the answer to an ask and what the host remembers of it. Once the journal is lost, nobody is answered the decision of before the kill.
func TestWhatEndedIsNotOfferedWhileTheJournalIsLost(t *testing.T) {
	a, _, l, first := hosts(t)
	kills := true
	a.Span = func(_ context.Context, name string) (end func()) {
		return func() {
			if name == "append" && kills {
				kills = false
				a.must("shop", session.Switch{To: session.Killed, Reason: "fire"})
			}
		}
	}
	if got := a.must("shop", session.Ask{}).(session.Offer); got.K != first.K || kills {
		t.Fatalf("%+v", got)
	}
	l.down = session.ErrLost
	if reply, err := a.Do(t.Context(), "shop", "test", session.Ask{}); !errors.Is(err, session.ErrLost) {
		t.Errorf("%+v is offered of a loop that was killed, %v", reply, err)
	}
}

// What another loop of the name offers takes the place of what the one before it had offered, which was longer.
func TestOffersAreOfTheLoopThatIsThere(t *testing.T) {
	a, b, l, _ := hosts(t)
	a.must("shop", session.Switch{To: session.Paused, Reason: "look"})
	a.must("shop", session.Ask{})
	b.must("shop", session.Ask{})
	delete(l.loops, "shop") // somebody removed it
	delete(l.saved, "shop")
	b.must("shop", session.Create{Spec: shop, Mode: session.Live, Epoch: "another"})
	b.must("shop", session.Ask{})
	want := a.must("shop", session.Ask{}).(session.Offer)
	a.Rest()
	l.down = session.ErrLost
	if got := a.must("shop", session.Ask{}).(session.Offer); want.Epoch != "another" || got.Epoch != want.Epoch || got.Durable == nil {
		t.Errorf("answered %+v, want %+v", got, want)
	}
}

// Who looks is told where nobody says what others have written, at first or once more: what is known may be of long ago.
func TestTipsThatAreNotTold(t *testing.T) {
	a, _, l, _ := hosts(t)
	untold := errors.New("untold")
	look := func() error { return a.Look(t.Context(), "shop", func(*session.Loop) error { return nil }) }
	dims := func() error { _, err := a.LatestDims(t.Context(), "shop"); return err }
	for name, ask := range map[string]func() error{"look": look, "dims": dims} {
		if err := ask(); err != nil {
			t.Fatal(err)
		}
		l.torn = untold
		if err := ask(); !errors.Is(err, untold) || err.Error() != "loop shop: untold" {
			t.Errorf("%s: %v", name, err)
		}
		stale := l.newest("shop") // of before its newest event, so that it is asked for again
		stale.Seq--
		l.stale, l.tip = &stale, func() { l.torn = untold }
		if err := ask(); !errors.Is(err, untold) || err.Error() != "loop shop: untold" {
			t.Errorf("%s, asked again: %v", name, err)
		}
	}
}
