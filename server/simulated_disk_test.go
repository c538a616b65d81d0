package server_test

import (
	"math/rand/v2"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// platter is a simulated disk: writes that were made, in their order, and those that wait for it.
type platter struct {
	mu     sync.Mutex
	chance *rand.Rand
	made   []*writing
	queued []*writing
	full   bool
	busy   bool
	bug    string // what is wrong with it
}

// writing is one append on its way.
type writing struct {
	loop   string
	after  int
	events []session.Event
	state  []byte
}

// platterJournal is the journal of one start of the service. What waits is not read yet, as of a database that commits later.
type platterJournal struct {
	*store.InMemory
	on   *platter
	tips map[string]int // what waits included
	dead bool           // the service has fallen over
}

// mount reads what is on the disk.
func (p *platter) mount() *platterJournal {
	p.mu.Lock()
	defer p.mu.Unlock()
	j := &platterJournal{InMemory: store.NewMemory(), on: p, tips: map[string]int{}}
	for _, w := range p.made {
		j.put(w)
	}
	return j
}

// put shows a write that is on the disk to those who read. What does not follow is seen when all is checked.
func (j *platterJournal) put(w *writing) {
	events := w.events
	if j.on.bug == "people are lost" && len(events) > 0 && events[0].Blob != nil && events[0].Seq%3 == 0 {
		events = append([]session.Event(nil), events...)
		events[0].Blob = []byte("nobody")
	}
	if j.InMemory.Append(w.loop, w.after, events, w.state)() == nil {
		j.tips[w.loop] = max(j.tips[w.loop], w.after+len(w.events))
	}
}

// Append queues a write.
func (j *platterJournal) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	p := j.on
	p.mu.Lock()
	defer p.mu.Unlock()
	fails := func(err error) func() error { return func() error { return err } }
	switch {
	case j.dead:
		return fails(session.ErrReadOnly)
	case p.full && p.bug == "a full disk says that it has written":
		return fails(nil)
	case p.full:
		return fails(session.ErrFull)
	case p.busy:
		return fails(session.ErrBusy)
	case after != j.tips[loop]:
		return fails(session.ErrConflict)
	}
	w := &writing{loop, after, events, state}
	p.queued = append(p.queued, w)
	j.tips[loop] = after + len(events)
	takes := time.Duration(1+p.chance.IntN(20_000_000)) * time.Nanosecond
	return func() error {
		if p.bug == "writes are acknowledged before they are made" {
			return nil
		}
		time.Sleep(takes)
		p.mu.Lock()
		defer p.mu.Unlock()
		if j.dead {
			return session.ErrReadOnly
		}
		j.flush(w)
		return nil
	}
}

// flush makes all writes up to one, which may be made already.
func (j *platterJournal) flush(last *writing) {
	p := j.on
	for i, w := range p.queued {
		if w == last {
			for n, w := range p.queued[:i+1] {
				if n < i && p.bug == "of writes that wait together one is made" {
					continue
				}
				if len(w.events) > 1 && p.bug == "of several events in a write one is made" {
					w.events = w.events[:1]
				}
				p.made = append(p.made, w)
				j.put(w)
			}
			p.queued = p.queued[i+1:]
			return
		}
	}
}

// cut ends a journal: of what waits some has reached the disk, in its order.
func (j *platterJournal) cut() {
	p := j.on
	p.mu.Lock()
	defer p.mu.Unlock()
	j.dead = true
	queued := p.queued
	p.queued = nil
	reached := p.chance.IntN(len(queued) + 1)
	p.made = append(p.made, queued[:reached]...)
	switch n := len(p.made); {
	case n < 4:
	case p.bug == "a crash makes events earlier":
		for i := range p.made[n-1].events {
			p.made[n-1].events[i].At = p.made[n-1].events[i].At.Add(-time.Minute)
		}
	case p.bug == "a crash takes the newest write along":
		p.made = p.made[:n-1]
	case p.bug == "a crash takes an old write along":
		p.made = append(p.made[:n-3:n-3], p.made[n-2:]...)
	case p.bug == "a crash turns a bit":
		if w := p.made[n-1]; len(w.events) > 0 {
			changed := append([]session.Event(nil), w.events...)
			changed[0].Body = append([]byte(nil), changed[0].Body...)
			changed[0].Body[len(changed[0].Body)/2] ^= 1
			p.made[n-1] = &writing{w.loop, w.after, changed, w.state}
		}
	}
}

// Decision returns the events of a decision.
func (j *platterJournal) Decision(loop string, k int) ([]session.Event, error) {
	all, err := j.InMemory.Decision(loop, k)
	if j.on.bug == "events of a decision are left out" && len(all) > 2 {
		all = all[:len(all)-1]
	}
	return all, err
}
