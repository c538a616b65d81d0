package session

import (
	"errors"
	"slices"
)

// offered is what a loop last offered that is written, as it was after an event.
type offered struct {
	seq   int
	epoch string
	offer *Offer // nil: that decision has ended, or is no longer what was offered
}

// remember keeps what was offered last. Who asks while the journal is lost gets what is known to have been written.
func (h *Fleet) remember(e *entry, c Command, reply any, events []Event, seq int, err error) (any, error) {
	e.mu.Lock()
	offer, known := reply.(Offer)
	known = known && len(events) == 0 && !e.gone
	e.mu.Unlock()
	h.mu.Lock()
	defer h.mu.Unlock()
	if err == nil {
		h.note(e.name, reply, events, seq)
		return reply, nil
	}
	if last := h.offers[e.name].offer; !known && last != nil {
		offer, known = *last, last.DeployBy == nil || h.clock.Now().Before(*last.DeployBy)
	}
	if _, asks := c.(Ask); !asks || !known || !errors.Is(err, ErrLost) {
		return nil, err
	}
	offer.Durable = new(bool)
	return offer, nil
}

// note keeps the offer of the current decision of a loop, unless more of the loop is known than who was answered has seen. Another loop of its name has another epoch.
func (h *Fleet) note(name string, reply any, events []Event, seq int) {
	var next *Offer
	switch r := reply.(type) {
	case Offer:
		next = &r
	case Exchanged:
		next = r.Next
	}
	was := h.offers[name]
	switch {
	case seq < was.seq && (next == nil || next.Epoch == was.epoch):
	case next != nil:
		h.offers[name] = offered{seq, next.Epoch, next}
	case slices.ContainsFunc(events, func(one Event) bool { return one.Kind != Told }):
		h.offers[name] = offered{seq, was.epoch, nil}
	}
}
