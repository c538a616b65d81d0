package server

import (
	"context"
	"slices"
	"sync"
	"time"
)

// turns says whose request is at work next. Every key has a line of its own, and lines take turns: whoever floods the server waits for himself.
type turns struct {
	mu      sync.Mutex
	free    int // places at work; below 0 while some have come back from a rest
	room    int // for those who wait
	waiting int
	lines   map[string][]chan error // of requests that wait; each is told when it is called
	order   []string                // keys whose requests wait, the next one first
}

func newTurns(atWork, room int) *turns {
	return &turns{free: atWork, room: room, lines: map[string][]chan error{}}
}

// enter waits until a request of a key may be at work; leave must follow.
func (t *turns) enter(ctx context.Context, key string) error {
	own, err := t.queue(key)
	if own == nil {
		return err
	}
	select {
	case err := <-own:
		return err
	case <-ctx.Done():
	}
	t.mu.Lock()
	waits := t.drop(key, own)
	t.mu.Unlock()
	if !waits && <-own == nil { // it was called at that moment
		t.leave()
	}
	return problem(overloaded, "the request was given up while it waited")
}

// queue takes a place at work, or one in the line of the key. If the room is full, the newest of the longest line must go.
func (t *turns) queue(key string) (chan error, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.free > 0 {
		t.free--
		return nil, nil
	}
	if t.waiting >= t.room {
		longest := key
		for _, other := range t.order {
			if len(t.lines[other]) > max(len(t.lines[longest]), len(t.lines[key])+1) {
				longest = other
			}
		}
		full := problem(overloaded, "too many requests are waiting")
		if longest == key {
			return nil, full
		}
		line := t.lines[longest]
		last := line[len(line)-1]
		t.drop(longest, last)
		last <- full
	}
	own := make(chan error, 1)
	if len(t.lines[key]) == 0 {
		t.order = append(t.order, key)
	}
	t.lines[key] = append(t.lines[key], own)
	t.waiting++
	return own, nil
}

// drop takes a request out of its line, and tells whether it was there.
func (t *turns) drop(key string, own chan error) bool {
	i := slices.Index(t.lines[key], own)
	if i < 0 {
		return false
	}
	t.waiting--
	if t.lines[key] = slices.Delete(t.lines[key], i, i+1); len(t.lines[key]) == 0 {
		delete(t.lines, key)
		t.order = slices.DeleteFunc(t.order, func(k string) bool { return k == key })
	}
	return true
}

// leave gives the place of a request to the first of the next line.
func (t *turns) leave() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.order) == 0 || t.free < 0 {
		t.free++
		return
	}
	key := t.order[0]
	next := t.lines[key][0]
	t.order = append(t.order[1:], key)
	t.drop(key, next)
	next <- nil
}

// rest gives the place of a request away until back is called: then it goes on without waiting in a line once more.
func (t *turns) rest() (back func()) {
	t.leave()
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.free--
	}
}

// quotas are how much every key has sent of late.
type quotas struct {
	mu   sync.Mutex
	keys map[string]*quota
}

// quota is what a key may still send: it fills at a rate, up to what a key may send at once. Bytes are known only once they were sent, so that
// they may go below 0.
type quota struct {
	requests, bytes float64
	at              time.Time
}

// burst is how many seconds' worth a key may send at once.
const burst = 2

// spend takes a request from the quota of a key, and says how long to wait if there is none.
func (q *quotas) spend(key string, now time.Time, limits *Allowance) (wait time.Duration) {
	q.mu.Lock()
	defer q.mu.Unlock()
	own := q.keys[key]
	if own == nil {
		own = &quota{requests: burst * limits.KeyRate, bytes: burst * limits.KeyBytes, at: now}
		q.keys[key] = own
	}
	if passed := now.Sub(own.at).Seconds(); passed > 0 {
		own.requests = min(burst*limits.KeyRate, own.requests+float64(passed*limits.KeyRate))
		own.bytes = min(burst*limits.KeyBytes, own.bytes+float64(passed*limits.KeyBytes))
		own.at = now
	}
	switch {
	case own.requests < 1:
		return time.Duration((1 - own.requests) / limits.KeyRate * float64(time.Second))
	case own.bytes <= 0:
		return time.Duration((1 - own.bytes) / limits.KeyBytes * float64(time.Second))
	}
	own.requests--
	return 0
}

// sent takes bytes from the quota of a key.
func (q *quotas) sent(key string, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if own := q.keys[key]; own != nil {
		own.bytes -= float64(n)
	}
}
