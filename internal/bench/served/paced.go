package served

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/session"
)

const (
	pace      = 500 // a second, of tells and of asks
	paceLoops = 8
)

// paced is how long tells and asks take when they come at fixed times, whether those before have been answered or not.
func (b Trial) paced(ctx context.Context) ([]Rated, error) {
	var tell, ask, sync, bareTell, bareAsk []float64
	for range b.Rounds {
		err := in(nil, func(s *site) error {
			synced, err := syncTimes(s.dir, b.Span/2)
			if err != nil {
				return err
			}
			sent, err := b.script(ctx, s)
			if err != nil {
				return err
			}
			tells, asks, err := sent.play(ctx, s.address)
			if err != nil {
				return err
			}
			plainTells, plainAsks, err := sent.playBare(ctx, s.dir)
			if err != nil {
				return err
			}
			after, err := syncTimes(s.dir, b.Span/2)
			if err != nil {
				return err
			}
			tell, ask, sync = append(tell, quantile(tells, 0.99)), append(ask, quantile(asks, 0.99)), append(sync, quantile(append(synced, after...), 0.99))
			bareTell, bareAsk = append(bareTell, quantile(plainTells, 0.99)), append(bareAsk, quantile(plainAsks, 0.99))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return []Rated{
		atMost("tell p99 at 500 tells/s + 500 asks/s, from the due time", "ms", tell, "fdatasync p99", sync, 6),
		against("the same", "ms", tell, "a bare handler that syncs 4 kB, same messages and times", bareTell),
		atMost("ask p99 of an open decision under that load", "ms", ask, "fdatasync p99", sync, 3),
		against("the same", "ms", ask, "a bare handler that answers", bareAsk),
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

// script is messages of two kinds, each kind at its pace.
type script struct{ tells, asks [][]byte }

// script opens loops with a decision each, and writes what is sent to them.
func (b Trial) script(ctx context.Context, s *site) (sent script, err error) {
	n := int(b.Span.Seconds() * pace)
	if n/paceLoops+1 > session.MostBatches {
		return sent, fmt.Errorf("a round of %s has more tells than a decision takes", b.Span)
	}
	all, err := voices(ctx, s, paceLoops)
	if err != nil {
		return sent, err
	}
	var ks [paceLoops]int
	for i, v := range all {
		if ks[i], err = v.begin(ctx); err != nil {
			return sent, err
		}
	}
	for m := range n {
		i := m % paceLoops
		sent.tells = append(sent.tells, all[i].tell(ks[i], m/paceLoops))
		sent.asks = append(sent.asks, message("POST", fmt.Sprintf("/v1/loops/shop-%d/ask", i), nil))
	}
	return sent, nil
}

// play sends the messages at their times, and returns how long after those they were answered.
func (sent script) play(ctx context.Context, address string) (tells, asks []time.Duration, err error) {
	var all sync.WaitGroup
	var faults [2]error
	begin := time.Now().Add(10 * time.Millisecond)
	all.Go(func() { tells, faults[0] = flow(ctx, address, sent.tells, begin) })
	all.Go(func() { asks, faults[1] = flow(ctx, address, sent.asks, begin.Add(time.Second/pace/2)) })
	all.Wait()
	return tells, asks, errors.Join(faults[:]...)
}

// flowLines is how many messages of a kind can be under way at a time.
const flowLines = 32

// flow sends messages, one at every beat.
func flow(ctx context.Context, address string, messages [][]byte, begin time.Time) (took []time.Duration, err error) {
	took = make([]time.Duration, len(messages))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	due := make(chan int, len(messages))
	var all sync.WaitGroup
	for range flowLines {
		l, err := dial(ctx, address)
		if err != nil {
			close(due)
			return nil, err
		}
		all.Go(func() {
			defer l.conn.Close()
			for n := range due {
				if err := l.send(messages[n]); err != nil {
					cancel(err)
				}
				took[n] = time.Since(begin.Add(time.Duration(n) * time.Second / pace))
			}
		})
	}
	next, stop, err := metronome(begin, time.Second/pace)
	for n := 0; n < len(messages) && err == nil && ctx.Err() == nil; n++ {
		if err = next(); err == nil {
			due <- n
		}
	}
	close(due)
	all.Wait()
	if stop != nil {
		err = errors.Join(err, stop())
	}
	return took, errors.Join(err, context.Cause(ctx))
}

// playBare sends the messages to a server that does for a tell what any must who says that it is kept: it reads it, writes a page and syncs.
func (sent script) playBare(ctx context.Context, dir string) (tells, asks []time.Duration, err error) {
	f, err := os.Create(filepath.Join(dir, "bare"))
	if err != nil {
		return nil, nil, err
	}
	defer os.Remove(f.Name())
	defer f.Close()
	ear, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	var mu sync.Mutex
	page, reply := make([]byte, 4096), []byte(strings.Repeat("x", 300))
	web := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		if r.Method == http.MethodPut && err == nil {
			mu.Lock()
			if _, err = f.Write(page); err == nil {
				err = f.Sync()
			}
			mu.Unlock()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Write(reply)
	})}
	go web.Serve(ear)
	defer web.Close()
	return sent.play(ctx, ear.Addr().String())
}
