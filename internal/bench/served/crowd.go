package served

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/internal/bench"
	"github.com/kedge-opt/kedge/internal/crew"
	"github.com/kedge-opt/kedge/internal/heap"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// manyHands is how many at once fill a journal, so that commits are shared.
const manyHands = 64

// fleet is the loops of a database in a folder that is removed afterwards.
func fleet(do func(dir string, j *store.SQLite, h *session.Fleet) error) error {
	dir, err := os.MkdirTemp("", "kedge-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	j, err := store.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(do(dir, j, session.NewFleet(j, server.Wall(), session.Standard, nil)), j.Close())
}

// crowd is what memory many loops take, of twenty numbers each.
func (b Trial) crowd(ctx context.Context) ([]Rated, error) {
	n := b.tenth(10_000)
	var awake, asleep float64
	err := fleet(func(_ string, _ *store.SQLite, h *session.Fleet) error {
		empty, spec := float64(heap.Live()), shop(20)
		err := crew.Share(manyHands, n, func(_, i int) error {
			r := &hosted{ctx: ctx, host: h, name: fmt.Sprintf("shop-%d", i)}
			if err := r.begin(strings.Clone(spec)); err != nil {
				return err
			}
			return r.do(session.Ask{})
		})
		if err != nil {
			return err
		}
		awake = (float64(heap.Live()) - empty) / float64(n) / 1e3
		h.Rest()
		asleep = (float64(heap.Live()) - empty) / float64(n) / 1e3
		_, err = h.Do(ctx, "shop-0", "bench", session.Ask{})
		return err
	})
	name := fmt.Sprintf("%d loops, composite, 20 numbers: heap a loop, ", n)
	return []Rated{below(name+"awake", "kB", awake, 16), below(name+"asleep", "kB", asleep, 0.5)}, err
}

// cold is how long a service with a long past takes to begin.
func (b Trial) cold(ctx context.Context) ([]Rated, error) {
	loops, decisions, batches := b.tenth(1000), 10, 97 // with ask, deployment and close: 100 events a decision
	var ready, first, whole []float64
	err := fleet(func(dir string, j *store.SQLite, h *session.Fleet) error {
		one := session.Batch{P: make([]float64, 3), D: []float64{9, 9, 9}}
		err := crew.Share(manyHands, loops, func(_, i int) error {
			return (&hosted{ctx: ctx, host: h, name: fmt.Sprintf("shop-%d", i)}).past(decisions, batches, one)
		})
		if err != nil {
			return err
		}
		if err := j.Close(); err != nil {
			return err
		}
		for round := range b.Rounds {
			begun := time.Now()
			s, err := open(dir, nil)
			if err != nil {
				return err
			}
			if reply, err := http.Get(s.address + "/readyz"); err != nil || reply.Body.Close() != nil || reply.StatusCode != http.StatusOK {
				return errors.Join(fmt.Errorf("the service is not ready: %v, %w", reply, err), s.close())
			}
			ready = append(ready, time.Since(begun).Seconds())
			begun = time.Now()
			if _, err = client.Open(s.address).Loop(fmt.Sprintf("shop-%d", round)).Ask(ctx); err == nil {
				first = append(first, float64(time.Since(begun))/1e6)
				begun = time.Now()
				_, err = store.Check(ctx, s.journal)
				whole = append(whole, time.Since(begun).Seconds())
			}
			if err := errors.Join(err, s.close()); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("cold start, %.0g events, %d loops: ", float64(loops*decisions*100), loops)
	return []Rated{
		below(name+"ready", "s", bench.Median(ready), 0.5), below(name+"first ask of a loop", "ms", bench.Median(first), 20), below(name+"whole chain", "s", bench.Median(whole), 10),
	}, nil
}

// past gives a loop a past.
func (r *hosted) past(decisions, batches int, one session.Batch) error {
	if err := r.begin(shop(3)); err != nil {
		return err
	}
	for range decisions {
		if err := r.ask(); err != nil {
			return err
		}
		commands := []session.Command{session.Deploy{K: r.now.K, U: r.now.U}}
		for n := range batches {
			own := one
			own.P = []float64{float64(n), 5, 5}
			commands = append(commands, session.Tell{K: r.now.K, ID: fmt.Sprint("b", n), Batch: own})
		}
		if err := r.do(append(commands, session.Close{K: r.now.K})...); err != nil {
			return err
		}
	}
	return nil
}

// series is how long the numbers of many rounds take to be drawn.
func (b Trial) series(ctx context.Context) ([]Rated, error) {
	rounds := b.tenth(100_000)
	var times []float64
	err := fleet(func(_ string, j *store.SQLite, h *session.Fleet) error {
		r := &hosted{ctx: ctx, host: h, name: "shop"}
		if err := r.begin(shop(3)); err != nil {
			return err
		}
		if err := r.ask(); err != nil {
			return err
		}
		for range rounds {
			told := session.Tell{ID: "all", Batch: session.Batch{P: []float64{5, 5, 5, 6, 5, 4}, D: []float64{9, 9, 9, 9, 9, 8}}} // one alone has no interval, and so no value
			reply, err := h.Do(ctx, "shop", "bench", session.Exchange{K: r.now.K, Deploy: &session.Deploy{U: r.now.U}, Tell: &told, Close: &session.Close{}, Ask: true})
			if err != nil {
				return err
			}
			r.now = *reply.(session.Exchanged).Next
		}
		for range b.Rounds + 1 { // the first has blocks to make, once
			begun := time.Now()
			page, err := j.Series(ctx, "shop", []string{"value"}, 1, 2000)
			if err != nil {
				return err
			}
			if len(page.K) < 1000 {
				return fmt.Errorf("%d points of %d rounds", len(page.K), rounds)
			}
			times = append(times, float64(time.Since(begun))/1e6)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("a series of %d rounds to 2,000 points", rounds)
	return []Rated{below(name, "ms", bench.Median(times[1:]), 50), below(name+", the first time", "ms", times[0], 50)}, nil
}
