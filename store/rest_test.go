package store

import (
	"fmt"
	"reflect"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/replay"
)

// hands is a clock that is set by hand.
type hands struct {
	mu sync.Mutex
	at time.Time
}

func (c *hands) Now() time.Time { c.mu.Lock(); defer c.mu.Unlock(); return c.at }

func (c *hands) wind(d time.Duration) { c.mu.Lock(); defer c.mu.Unlock(); c.at = c.at.Add(d) }

// Loops that rest go on as if they had not, deadlines pass for them, and who calls them meanwhile never meets two of them.
func TestLoopsRest(t *testing.T) {
	journals(t, loopsRest)
}

func loopsRest(t *testing.T, journal session.Journal) {
	clock := &hands{at: time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}
	tired, lively := session.NewFleet(journal, clock, session.Standard, nil), session.NewFleet(NewMemory(), clock, session.Standard, nil)
	do := func(h *session.Fleet, name string, c session.Command) any {
		t.Helper()
		reply, err := h.Do(t.Context(), name, "test", c)
		if err != nil {
			t.Fatalf("%T: %v", c, err)
		}
		return reply
	}
	for _, h := range []*session.Fleet{tired, lively} {
		do(h, "shop", session.Create{Spec: shop, Mode: session.Live, Epoch: "4q7c"})
		do(h, "idle", session.Create{Spec: shop, Mode: session.Live, Epoch: "4q7c"})
		do(h, "idle", session.Ask{})
	}
	for k := 1; k <= 5; k++ {
		var next [2]any
		for i, h := range []*session.Fleet{tired, lively} {
			offer := do(h, "shop", session.Ask{}).(session.Offer)
			do(h, "shop", session.Deploy{K: k, U: offer.U})
			if i == 0 {
				h.Rest()
			}
			b := session.Batch{ObservedAt: clock.Now(), P: []float64{float64(k), 1, 2, 3}, D: []float64{9, 9, 8, 10}}
			do(h, "shop", session.Tell{K: k, ID: "am", Batch: b})
			if i == 0 {
				h.Rest()
			}
			next[i] = do(h, "shop", session.Close{K: k})
		}
		if !reflect.DeepEqual(next[0], next[1]) {
			t.Fatalf("decision %d after a rest: %v, want %v", k, next[0], next[1])
		}
		clock.wind(20 * time.Minute)
		if err := tired.Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	tired.Rest()
	clock.wind(48 * time.Hour)
	if err := tired.Pass(t.Context()); err != nil {
		t.Fatal(err)
	}
	if list, _ := journal.Decision("idle", 1); len(list) == 0 || list[len(list)-1].Kind != session.Lapsed {
		t.Errorf("decision 1 of a loop that rests did not lapse: %v", list)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 30 {
				if i == 0 {
					tired.Rest()
				} else if _, err := tired.Do(t.Context(), "idle", "test", session.Switch{To: []session.Mode{session.Paused, session.Shadow}[(i+n)%2], Reason: "test"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if n, err := replay.Loop(t.Context(), journal, "idle", session.Standard); err != nil || n.Events < 30 {
		t.Errorf("%d events replayed: %v", n.Events, err)
	}
}

// A name that nobody gave to a loop costs nothing, however many are tried; a loop that rests costs little more.
func TestRestingLoopsTakeNoMemory(t *testing.T) {
	clock := &hands{at: time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}
	journal := NewMemory()
	h := session.NewFleet(journal, clock, session.Standard, nil)
	const n = 200
	for i := range n {
		if _, err := h.Do(t.Context(), fmt.Sprintf("shop-%03d", i), "test", session.Create{Spec: shop, Mode: session.Live, Epoch: "4q7c"}); err != nil {
			t.Fatal(err)
		}
		h.Do(t.Context(), fmt.Sprintf("shop-%03d", i), "test", session.Ask{})
	}
	awake := heap.Live()
	h.Rest()
	asleep := heap.Live()
	for i := range 50 * n {
		if err := h.Look(t.Context(), fmt.Sprintf("none-%d", i), func(*session.Loop) error { return nil }); err == nil {
			t.Fatal("there is a loop that nobody made")
		}
	}
	strangers := heap.Live()
	runtime.KeepAlive(journal)
	runtime.KeepAlive(h)
	t.Logf("a loop that is awake takes %d bytes more than one that rests; %d strangers took %d", (awake-asleep)/n, 50*n, strangers-asleep)
	if strangers-asleep > 50*n*16 {
		t.Errorf("names of no loop took %d bytes", strangers-asleep)
	}
	if awake-asleep < n*4<<10 {
		t.Errorf("rest gave back %d bytes of %d loops only", awake-asleep, n)
	}
}
