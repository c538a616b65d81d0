package store

import (
	"sync/atomic"
	"time"
)

// Tempo is how long commits take. The zero value has seen none.
type Tempo struct {
	observe atomic.Pointer[func(events int, took time.Duration)]
	under   atomic.Int64 // since when a commit is, of several the one that began last
}

// Observe has somebody told of every commit: how many events it wrote and how long it took.
func (p *Tempo) Observe(tell func(events int, took time.Duration)) { p.observe.Store(&tell) }

// Stuck is how long the newest commit has been under way, 0 if none is.
func (p *Tempo) Stuck() time.Duration {
	if began := p.under.Load(); began != 0 {
		return time.Since(time.Unix(0, began))
	}
	return 0
}

// Timed carries a commit of some events out.
func (p *Tempo) Timed(events int, commit func()) {
	began := time.Now()
	p.under.Store(began.UnixNano())
	commit()
	p.under.Store(0)
	if observe := p.observe.Load(); observe != nil {
		(*observe)(events, time.Since(began))
	}
}
