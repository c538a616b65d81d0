package store

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/kedge-opt/kedge/session"
)

// common is a journal in memory that several hosts write, and that can be lost.
type common struct {
	*InMemory
	lost atomic.Bool
}

func (c *common) Health() error {
	if c.lost.Load() {
		return session.ErrLost
	}
	return nil
}

func (c *common) Keeper(context.Context) bool { return true }

func (c *common) Follow(context.Context, func() []string, func(session.Tip) bool) {}

func (c *common) Tip(loop string) (wait func() (session.Tip, error)) {
	return func() (session.Tip, error) {
		tip := session.Tip{Loop: loop}
		if events := c.of(loop).events; len(events) > 0 {
			tip.Seq, tip.Hash = events[len(events)-1].Seq, events[len(events)-1].Hash
		}
		return tip, c.Health()
	}
}

func (c *common) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	if err := c.Health(); err != nil {
		return func() error { return err }
	}
	return c.InMemory.Append(loop, after, events, state)
}

func (c *common) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	if err := c.Health(); err != nil {
		return err
	}
	return c.InMemory.Read(ctx, loop, after, visit)
}

// replicas are two hosts of one journal, with a loop.
func replicas(t *testing.T) (j *common, hosts [2]*session.Fleet, do func(host int, c session.Command) any) {
	j = &common{InMemory: NewMemory()}
	for i := range hosts {
		hosts[i] = session.NewFleet(j, wall{}, session.Standard, nil)
	}
	do = func(host int, c session.Command) any {
		t.Helper()
		reply, err := hosts[host].Do(t.Context(), "shop", "test", c)
		if err != nil {
			t.Fatalf("host %d, %T: %v", host, c, err)
		}
		return reply
	}
	do(0, session.Create{Spec: shop, Mode: session.Live, Epoch: "e"})
	return j, hosts, do
}

// Whatever is done on one host is seen on the other at once, and decided as if there were one.
func TestHostsShareALoop(t *testing.T) {
	_, hosts, do := replicas(t)
	for k := 1; k <= 6; k++ {
		a, b := do(k%2, session.Ask{}).(session.Offer), do(1-k%2, session.Ask{}).(session.Offer)
		if a.K != k || !reflect.DeepEqual(a, b) {
			t.Fatalf("round %d: one host says %+v, the other %+v", k, a, b)
		}
		do(1-k%2, session.Deploy{K: k, U: a.U})
		var all sync.WaitGroup
		for n := range 20 {
			all.Go(func() {
				for repeat := range 2 {
					batch := session.Batch{P: []float64{float64(n), 1}, D: []float64{9, 9}}
					if _, err := hosts[(n+repeat)%2].Do(t.Context(), "shop", "test", session.Tell{K: k, ID: fmt.Sprint("b", n), Batch: batch}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		c := do(k%2, session.Close{K: k}).(session.Closing)
		if again := do(1-k%2, session.Close{K: k}).(session.Closing); c.Sample.Rows != 20 || !reflect.DeepEqual(c.Outcome, again.Outcome) {
			t.Errorf("decision %d closed on %+v, and on the other host on %+v", k, c.Outcome, again.Outcome)
		}
		seen := 0
		if err := hosts[1-k%2].Look(t.Context(), "shop", func(l *session.Loop) error { seen = l.Status().Turns; return nil }); err != nil || seen != k {
			t.Errorf("the other host sees %d turns, %v, want %d", seen, err, k)
		}
	}
	known := do(1, session.Ask{}).(session.Offer).K
	do(0, session.Abandon{K: known, Reason: "test"})
	do(0, session.Ask{})
	if got := do(1, session.Ask{}).(session.Offer); got.K != known+1 {
		t.Errorf("a host that wrote nothing answers decision %d, which was abandoned elsewhere; want %d", got.K, known+1)
	}
}

// While the journal is lost the current decision is answered from memory, where it was written, and nothing else is taken.
func TestAsksWhileTheJournalIsLost(t *testing.T) {
	j, hosts, do := replicas(t)
	first := do(0, session.Ask{}).(session.Offer)
	j.lost.Store(true)
	for range 2 {
		got := do(0, session.Ask{}).(session.Offer)
		if got.Durable == nil || *got.Durable {
			t.Errorf("from memory: durable is %v", got.Durable)
		}
		got.Durable = nil
		if !reflect.DeepEqual(got, first) {
			t.Errorf("from memory %+v, want %+v", got, first)
		}
		for host, c := range []session.Command{session.Deploy{K: 1, U: first.U}, session.Ask{}} { // the other host has never seen it
			if _, err := hosts[host].Do(t.Context(), "shop", "test", c); !errors.Is(err, session.ErrLost) {
				t.Errorf("%T on host %d while the journal is lost: %v", c, host, err)
			}
		}
	}
	j.lost.Store(false)
	do(1, session.Deploy{K: 1, U: first.U})
	do(0, session.Abandon{K: 1, Reason: "test"})
	j.lost.Store(true)
	if _, err := hosts[0].Do(t.Context(), "shop", "test", session.Ask{}); !errors.Is(err, session.ErrLost) {
		t.Errorf("an ask without a current decision: %v", err)
	}
	j.lost.Store(false)
	if again := do(0, session.Ask{}).(session.Offer); again.K != 2 || again.Durable != nil {
		t.Errorf("once it is back: %+v", again)
	}
}
