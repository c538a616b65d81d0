package session

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"
)

// When loops rest.
const (
	patience  = 10 * time.Minute // without a call
	mostAwake = 16384            // the rest of them rest sooner, those first that were not used for longest
)

// Pass lets time do its work: deadlines pass although nobody asks, and loops rest that nobody has asked for a while. Of a fault with one loop
// the others do not suffer.
func (h *Fleet) Pass(ctx context.Context) error {
	tips, err := h.journal.Loops(ctx)
	if err != nil {
		return err
	}
	var faults []error
	for _, tip := range tips {
		if IsOwn(tip.Loop) {
			continue
		}
		if err := h.pass(ctx, tip); err != nil {
			faults = append(faults, err)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	h.thin(mostAwake, time.Time{})
	return errors.Join(faults...)
}

// napping is a loop that rests: when time does something to it, and its newest event then.
type napping struct {
	due time.Time
	seq int
}

// pass lets time do its work on one loop.
func (h *Fleet) pass(ctx context.Context, tip Tip) error {
	name, now := tip.Loop, h.clock.Now()
	h.mu.Lock()
	nap, resting := h.resting[name]
	apart := h.apart[name] > 0
	h.mu.Unlock()
	if apart || resting && now.Before(nap.due) && nap.seq == tip.Seq {
		return nil
	}
	e := h.enter(name)
	e.behind = e.behind || e.loop != nil && e.loop.seq < tip.Seq
	if err := h.load(ctx, e); err != nil {
		h.drop(e)
		e.mu.Unlock()
		return err
	}
	if due, ever := e.loop.Due(); ever && !now.Before(due) {
		if _, err := h.carry(ctx, e, "time", Pass{}); err != nil && !errors.Is(err, ErrConflict) { // another host was first, and time passes again soon
			return err
		}
		e = h.enter(name)
	}
	if e.loop != nil && now.Sub(time.Unix(0, e.used.Load())) >= patience {
		h.rest(e)
	}
	e.mu.Unlock()
	return nil
}

// rest saves what a loop is that is entered, and lets go of it. Whether it can be saved does not matter: its events are there.
func (h *Fleet) rest(e *entry) {
	if e.gone || e.pending() != nil {
		h.drop(e)
		return
	}
	due, ever := e.loop.Due()
	if !ever {
		due = time.Unix(1<<40, 0) // later than any deadline
	}
	seq, _ := e.loop.Head()
	if e.grown > 0 {
		if state := e.saved(); state != nil {
			h.journal.Append(e.name, seq, nil, state)
		}
	}
	e.gone = true
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.loops, e.name)
	h.resting[e.name] = napping{due, seq}
}

// thin lets all but so many loops rest, and those that nobody has used since.
func (h *Fleet) thin(most int, since time.Time) {
	h.mu.Lock()
	awake := slices.Collect(maps.Values(h.loops))
	h.mu.Unlock()
	slices.SortFunc(awake, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(a.used.Load(), b.used.Load()), strings.Compare(a.name, b.name))
	})
	for i, a := range awake {
		if i >= len(awake)-most && !time.Unix(0, a.used.Load()).Before(since) {
			break
		}
		a.mu.Lock()
		if a.loop != nil {
			h.rest(a)
		}
		a.mu.Unlock()
	}
}

// Rest saves all loops and lets go of them, before a service ends.
func (h *Fleet) Rest() { h.thin(0, time.Time{}) }

// Doze lets loops rest that nobody has asked for a while, where another host looks after their deadlines.
func (h *Fleet) Doze() { h.thin(mostAwake, h.clock.Now().Add(-patience)) }
