package store

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/replay"
)

// Who looks at a loop waits until what is seen is on the disk, and keeps nobody else from it meanwhile. What never gets there was not seen.
func TestLooksLetCommandsGoOn(t *testing.T) {
	for _, fails := range []error{nil, errors.New("the disk is gone")} {
		s := &slow{InMemory: NewMemory(), kind: session.Deployed, let: make(chan error)}
		h := session.NewFleet(s, wall{}, session.Standard, nil)
		for _, c := range []session.Command{session.Create{Spec: shop, Mode: session.Live, Epoch: "first"}, session.Ask{}} {
			if _, err := h.Do(t.Context(), "shop", "test", c); err != nil {
				t.Fatal(err)
			}
		}
		deployed, looked, seen := make(chan error, 1), make(chan error, 1), make(chan session.Status, 1)
		go func() {
			_, err := h.Do(t.Context(), "shop", "test", session.Deploy{K: 1, U: []float64{1, 2}})
			deployed <- err
		}()
		for tips, _ := s.Loops(t.Context()); tips[0].Seq < 3; tips, _ = s.Loops(t.Context()) { // until it is queued
			time.Sleep(time.Millisecond)
		}
		go func() {
			looked <- h.Look(t.Context(), "shop", func(l *session.Loop) error { seen <- l.Status(); return nil })
		}()
		if status := <-seen; status.State != session.IsDeployed {
			t.Errorf("the decision is %s", status.State)
		}
		others := make(chan error, 1)
		go func() { _, err := h.Dims(t.Context(), "shop"); others <- err }()
		select {
		case err := <-others:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(30 * time.Second):
			t.Fatal("who looks keeps others waiting")
		}
		select {
		case err := <-looked:
			close(s.let)
			t.Fatalf("what may not be there was shown, %v", err)
		case <-time.After(20 * time.Millisecond):
		}
		s.let <- fails
		if err := <-deployed; !errors.Is(err, fails) {
			t.Errorf("deployed: %v, want %v", err, fails)
		}
		if err := <-looked; !errors.Is(err, fails) {
			t.Errorf("looked: %v, want %v", err, fails)
		}
	}
}

// A spec is made into a plan once when a loop begins with it.
func TestACreateParsesItsSpecOnce(t *testing.T) {
	plans := 0
	h := session.NewFleet(NewMemory(), wall{}, func(spec string) (*session.Brief, error) { plans++; return session.Standard(spec) }, nil)
	if _, err := h.Do(t.Context(), "shop", "test", session.Create{Spec: shop, Mode: session.Live, Epoch: "first"}); err != nil || plans != 1 {
		t.Errorf("%d plans, %v", plans, err)
	}
}

// A pin that no decision is left for is refused, but one of an older log happens again as it did.
func TestPinsOfOlderLogs(t *testing.T) {
	m := NewMemory()
	h := session.NewFleet(m, wall{}, session.Standard, nil)
	for _, c := range []session.Command{session.Create{Spec: shop, Mode: session.Live, Epoch: "first"}, session.Ask{}, session.Abandon{K: 1}} {
		if _, err := h.Do(t.Context(), "shop", "test", c); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Do(t.Context(), "shop", "test", session.SetPin{U: []float64{3, 3}, UntilK: 1, Reason: "x"}); !session.IsRefusal(err, session.OutsideRange) {
		t.Errorf("a pin until decision 1: %v", err)
	}
	last := m.of("shop").events[2]
	old := session.Event{Seq: 4, At: last.At.Add(time.Second), Kind: session.Pinned, Actor: "test", Body: json.RawMessage(`{"u":[3,3],"until_k":1,"reason":"x"}`)}
	old.Hash = old.Chained("shop", last.Hash)
	if err := m.Append("shop", 3, []session.Event{old}, nil)(); err != nil {
		t.Fatal(err)
	}
	if r, err := replay.Loop(t.Context(), m, "shop", session.Standard); err != nil || r.Decided != 4 {
		t.Errorf("%+v, %v", r, err)
	}
}
