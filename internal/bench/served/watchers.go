package served

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kedge-opt/kedge/client"
	"github.com/kedge-opt/kedge/session"
)

// watchers is how long a turn takes, ten a second, with and without many who watch the loop, and how many events those missed.
func (b Trial) watchers(ctx context.Context) ([]Rated, error) {
	n := b.tenth(1000)
	var watched, alone []float64
	var gaps, seen int64
	for range max(1, b.Rounds/2) {
		err := in(nil, func(s *site) error {
			c := client.Open(s.address)
			if _, err := c.Create(ctx, "shop", shop(tellDim), session.Live); err != nil {
				return err
			}
			l := c.Loop("shop")
			times, err := b.steadily(ctx, l)
			if err != nil {
				return err
			}
			alone = append(alone, quantile(times, 0.99))
			status, err := l.Status(ctx)
			if err != nil {
				return err
			}
			w := &watch{address: s.address}
			if err := w.begin(ctx, n, int64(status.Seq)); err != nil {
				return err
			}
			times, err = b.steadily(ctx, l)
			if err != nil {
				return err
			}
			watched = append(watched, quantile(times, 0.99))
			if status, err = l.Status(ctx); err != nil {
				return err
			}
			w.until.Store(int64(status.Seq) + 1)
			if err := fourCalls(ctx, l, answers(tellPeople, tellDim, 0)); err != nil {
				return err
			}
			w.end()
			gaps, seen = gaps+w.gaps.Load(), seen+w.seen.Load()
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	name := fmt.Sprintf("%d watchers on one loop, 10 turns/s: ", n)
	missed := below(name+"events missed or seen twice", fmt.Sprintf("of %d", seen), float64(gaps), 0)
	return []Rated{atMost(name+"turn p99", "ms", watched, "turn p99 without them", alone, 8), missed}, nil
}

// steadily takes ten turns a second, and returns how long after their times they ended.
func (b Trial) steadily(ctx context.Context, l *client.Remote) (times []time.Duration, err error) {
	begun := time.Now()
	for n := range int(10 * b.Span.Seconds()) {
		due := begun.Add(time.Duration(n) * time.Second / 10)
		time.Sleep(time.Until(due))
		if err := fourCalls(ctx, l, answers(tellPeople, tellDim, n)); err != nil {
			return nil, err
		}
		times = append(times, time.Since(due))
	}
	return times, nil
}

// watch is many who watch a loop.
type watch struct {
	address    string
	all        sync.WaitGroup
	seen, gaps atomic.Int64
	until      atomic.Int64 // the event after which they end; 0: not yet
}

var errEarly = errors.New("a stream ended before its past")

// begin waits until all of them have seen the past, which ends with the event past.
func (w *watch) begin(ctx context.Context, n int, past int64) error {
	web := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 0}}
	begun := make(chan error, 2*n)
	for range n {
		w.all.Go(func() {
			r, err := http.NewRequestWithContext(ctx, "GET", w.address+"/v1/loops/shop/events", nil)
			if err != nil {
				begun <- err
				return
			}
			reply, err := web.Do(r)
			if err != nil {
				begun <- err
				return
			}
			defer reply.Body.Close()
			w.follow(bufio.NewScanner(reply.Body), func(seq int64) {
				if seq == past {
					begun <- nil
				}
			})
			begun <- errEarly
		})
	}
	for range n {
		if err := <-begun; err != nil {
			return err
		}
	}
	return nil
}

// follow counts events that do not follow each other.
func (w *watch) follow(lines *bufio.Scanner, saw func(seq int64)) {
	lines.Buffer(make([]byte, 4<<10), 1<<20)
	last := int64(0)
	for lines.Scan() {
		id, is := strings.CutPrefix(lines.Text(), "id: ")
		if !is {
			continue
		}
		seq, err := strconv.ParseInt(id, 10, 64)
		if err != nil || seq != last+1 {
			w.gaps.Add(1)
		}
		last = seq
		w.seen.Add(1)
		saw(seq)
		if until := w.until.Load(); until > 0 && seq >= until {
			return
		}
	}
	w.gaps.Add(1) // it ended before its time
}

// end waits for the watchers to see the event after which they end; one that never does is counted as missed.
func (w *watch) end() {
	done := make(chan struct{})
	go func() { w.all.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		w.gaps.Add(1)
	}
}
