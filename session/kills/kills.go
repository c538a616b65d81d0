// Package kills keeps kills of loops whose event cannot be written down yet, because a disk is full: in memory, and by a mark in the journal that
// needs no room.
package kills

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kedge-opt/kedge/session"
)

// Marker can note a kill where nothing else can be written any more.
type Marker interface {
	Mark(ctx context.Context, on bool, loops ...string) bool
	Marked(ctx context.Context) (loops []string, err error)
}

// Pending are kills whose events are not there to stay yet. It is safe for concurrent use.
type Pending struct {
	host  *session.Fleet
	marks Marker // nil: there is none

	mu     sync.Mutex
	unread bool // the marks, so that any loop may be killed
	loops  map[string]wish
	known  map[string]offered // where a journal may be lost that has it
}

// ErrUnread is of marks that cannot be read: until they can be, nobody knows which loops were killed.
var ErrUnread = errors.New("the marks of kills cannot be read, so that nobody knows whether the loop was killed")

// offered is the decision after a kill, and where the rule was when that was known.
type offered struct{ safe, iterate []float64 }

// wish is a kill whose event is not written down.
type wish struct{ actor, reason string }

// Recall begins with the loops that are marked as killed though no event says so. Without marks of their own they are the journal's, if it has any. With
// an error, ErrUnread, the marks are read once they can be.
func Recall(ctx context.Context, h *session.Fleet, j session.Journal, marks Marker) (*Pending, error) {
	p := &Pending{host: h, marks: marks, loops: map[string]wish{}, known: map[string]offered{}}
	if own, has := j.(Marker); has && marks == nil {
		p.marks = own
	}
	p.unread = p.marks != nil
	return p, p.Read(ctx)
}

// Read reads the marks, unless that was done. Until it is, no loop may answer its rule.
func (p *Pending) Read(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.unread {
		return nil
	}
	loops, err := p.marks.Marked(ctx)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnread, err)
	}
	p.unread = false
	for _, loop := range loops {
		if _, is := p.loops[loop]; !is {
			p.loops[loop] = wish{"server", "it was killed when that could not be written down"}
		}
	}
	return nil
}

func (p *Pending) set(w wish, loops []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, loop := range loops {
		p.loops[loop] = w
	}
}

// Mark notes kills that somebody wants: in memory first, then in the journal, of which it tells whether that can.
func (p *Pending) Mark(ctx context.Context, actor, reason string, loops ...string) bool {
	p.set(wish{actor, reason}, loops)
	return p.marks != nil && p.marks.Mark(ctx, true, loops...)
}

// Know notes the decision after a kill and where the rule is, for when the journal that has them cannot be reached.
func (p *Pending) Know(loop string, safe, iterate []float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known[loop] = offered{safe, iterate}
}

// Safe is the decision after a kill that was noted; nil: none was.
func (p *Pending) Safe(loop string) []float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known[loop].safe
}

// Iterate is where the rule was when the decision after a kill was noted.
func (p *Pending) Iterate(loop string) []float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.known[loop].iterate
}

// Is tells whether a loop is killed, or about to be, though no event says so yet.
func (p *Pending) Is(loop string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, is := p.loops[loop]
	return is
}

// Unmark forgets notes of kills that events have, or that came to nothing.
func (p *Pending) Unmark(ctx context.Context, loops ...string) {
	if len(loops) == 0 {
		return
	}
	if p.marks != nil {
		p.marks.Mark(context.WithoutCancel(ctx), false, loops...) // whoever asked may have left
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, loop := range loops {
		delete(p.loops, loop)
	}
}

// Settle writes the kill of a loop down that could not be before, and tells whether it still is not.
func (p *Pending) Settle(ctx context.Context, loop string) (pending bool) {
	return p.Write(ctx, loop) != nil
}

// Write writes the kill of a loop down that could not be before. The error is why it waits on; only a loop that refuses it takes it back.
func (p *Pending) Write(ctx context.Context, loop string) error {
	if err := p.Read(ctx); err != nil {
		return err
	}
	p.mu.Lock()
	w, is := p.loops[loop]
	p.mu.Unlock()
	if !is {
		return nil
	}
	_, err := p.host.Do(ctx, loop, w.actor, session.Switch{To: session.Killed, Reason: w.reason})
	if _, refused := errors.AsType[*session.Refusal](err); err != nil && !refused { // also where whoever asked has left
		return err
	}
	p.Unmark(ctx, loop)
	return nil
}

// SettleAll does so for all loops.
func (p *Pending) SettleAll(ctx context.Context) {
	p.Read(ctx)
	p.mu.Lock()
	loops := slices.Sorted(maps.Keys(p.loops))
	p.mu.Unlock()
	for _, loop := range loops {
		p.Settle(ctx, loop)
	}
}

// Killed is what came of killing several loops.
type Killed struct {
	Killed int        `json:"killed"`
	Failed []Survivor `json:"failed"`
}

// Survivor is a loop that could not be killed, and why.
type Survivor struct {
	Loop   string `json:"loop"`
	Detail string `json:"detail"`
}

// atOnce is how many loops are killed at a time: their events are committed together.
const atOnce = 64

// KillAll kills loops, several at a time; all are marked first. One that cannot be killed keeps none of the others from it.
func (p *Pending) KillAll(ctx context.Context, actor, reason string, all []string) Killed {
	marked := p.Mark(ctx, actor, reason, all...)
	reply := Killed{Failed: []Survivor{}}
	var settled []string
	var mu sync.Mutex
	var busy sync.WaitGroup
	places := make(chan struct{}, atOnce)
	for _, loop := range all {
		places <- struct{}{}
		busy.Go(func() {
			defer func() { <-places }()
			_, err := p.host.Do(ctx, loop, actor, session.Switch{To: session.Killed, Reason: reason})
			mu.Lock()
			defer mu.Unlock()
			if marked && IsUnwritten(err) {
				reply.Killed++
				return
			}
			settled = append(settled, loop)
			switch {
			case err == nil:
				reply.Killed++
			case !session.IsRefusal(err, session.IsArchived):
				reply.Failed = append(reply.Failed, Survivor{loop, err.Error()})
			}
		})
	}
	busy.Wait()
	p.Unmark(ctx, settled...)
	slices.SortFunc(reply.Failed, func(a, b Survivor) int { return strings.Compare(a.Loop, b.Loop) })
	return reply
}

// IsUnwritten tells whether an error says that nothing can be written down.
func IsUnwritten(err error) bool {
	return errors.Is(err, session.ErrLost) || errors.Is(err, session.ErrFull) || errors.Is(err, session.ErrBusy) || errors.Is(err, session.ErrReadOnly)
}
