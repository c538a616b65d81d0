package served

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/session"
)

const (
	pace      = 500 // a second, of tells and of asks
	paceLoops = 8
)

// paced is how long tells and asks take when they come at fixed times, whether those before have been answered or not.
func (b Trial) paced(ctx context.Context) ([]Rated, error) {
	var tell, ask, sync []float64
	for range b.Rounds {
		err := in(nil, func(s *site) error {
			synced, err := syncTimes(s.dir, b.Span/2)
			if err != nil {
				return err
			}
			tells, asks, err := b.load(ctx, s)
			if err != nil {
				return err
			}
			after, err := syncTimes(s.dir, b.Span/2)
			if err != nil {
				return err
			}
			tell, ask, sync = append(tell, quantile(tells, 0.99)), append(ask, quantile(asks, 0.99)), append(sync, quantile(append(synced, after...), 0.99))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return []Rated{
		atMost("tell p99 at 500 tells/s + 500 asks/s, from the due time", "ms", tell, "fdatasync p99", sync, 6),
		atMost("ask p99 of an open decision under that load", "ms", ask, "fdatasync p99", sync, 3),
	}, nil
}

// syncTimes are how long the disk takes to keep four kilobytes more of a file.
func syncTimes(dir string, span time.Duration) (times []time.Duration, err error) {
	f, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	page := make([]byte, 4096)
	for end := time.Now().Add(span); time.Now().Before(end); {
		if _, err := f.Write(page); err != nil {
			return nil, err
		}
		begun := time.Now()
		if err := f.Sync(); err != nil {
			return nil, err
		}
		times = append(times, time.Since(begun))
	}
	return times, nil
}

// load sends tells and asks at their times, and returns how long after those they were answered.
func (b Trial) load(ctx context.Context, s *site) (tells, asks []time.Duration, err error) {
	loops, offers := make([]*client.Remote, paceLoops), make([]session.Offer, paceLoops)
	for i := range loops {
		c := client.Open(s.address)
		name := fmt.Sprintf("shop-%d", i)
		if _, err = c.Create(ctx, name, shop(tellDim), session.Live); err != nil {
			return nil, nil, err
		}
		loops[i] = c.Loop(name)
	}
	per := int(b.Span.Seconds()*pace)/paceLoops + 1
	if per > session.MostBatches {
		return nil, nil, fmt.Errorf("a round of %s has more tells than a decision takes", b.Span)
	}
	for i, l := range loops {
		if offers[i], err = l.Ask(ctx); err != nil {
			return nil, nil, err
		}
		if _, err = l.Deploy(ctx, offers[i].K, offers[i].U); err != nil {
			return nil, nil, err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var all sync.WaitGroup
	var mu sync.Mutex
	send := func(into *[]time.Duration, offset time.Duration, call func(n int) error) {
		begun := time.Now().Add(offset)
		for n := range int(b.Span.Seconds() * pace) {
			due := begun.Add(time.Duration(n) * time.Second / pace)
			time.Sleep(time.Until(due))
			all.Go(func() {
				if err := call(n); err != nil {
					cancel(err)
				}
				took := time.Since(due)
				mu.Lock()
				*into = append(*into, took)
				mu.Unlock()
			})
		}
	}
	all.Go(func() {
		send(&tells, 0, func(n int) error {
			i := n % paceLoops
			_, err := loops[i].Tell(ctx, offers[i].K, fmt.Sprint("b", n/paceLoops), answers(tellPeople, tellDim, n))
			return err
		})
	})
	all.Go(func() {
		send(&asks, time.Second/pace/2, func(n int) error {
			_, err := loops[n%paceLoops].Ask(ctx)
			return err
		})
	})
	all.Wait()
	return tells, asks, context.Cause(ctx)
}
