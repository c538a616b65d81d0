package farm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// deliverAll delivers what cells came to as it comes, bundled with what else waits, until nothing more can come.
func (a *assignment) deliverAll(ctx context.Context) {
	var next *outcome
	for {
		one, ok := next, true
		if next = nil; one == nil {
			if one, ok = <-a.done; !ok {
				return
			}
		}
		bundle, size := []*outcome{one}, len(one.body)
		for len(bundle) < mostBundled && next == nil && len(a.done) > 0 {
			more := <-a.done // nobody else takes from it
			if size += len(more.body); size > partSize {
				next = more
			} else {
				bundle = append(bundle, more)
			}
		}
		err := a.deliver(ctx, bundle)
		if err != nil && ctx.Err() == nil {
			a.Told(fmt.Sprintf("results of %d cells: %v", len(bundle), err))
		}
		for _, o := range bundle {
			o.end(err == nil)
		}
	}
}

// deliver sends results until they are there and then acknowledges their cells. While the queue is away they are kept.
func (a *assignment) deliver(ctx context.Context, bundle []*outcome) error {
	name, until := nuid.Next(), time.Now().Add(a.Hold)
	for {
		if a.isDead() {
			return errGone
		}
		err := a.hand(ctx, name, bundle)
		if err == nil {
			break
		}
		if ctx.Err() != nil {
			for _, o := range bundle {
				o.giveBack(0)
			}
			return ctx.Err()
		}
		if time.Now().After(until) || a.isOver(ctx) {
			return fmt.Errorf("they could not be delivered: %w", err)
		}
		pause(ctx, 250*time.Millisecond)
	}
	a.pass(bundle)
	for _, o := range bundle {
		o.acknowledge()
	}
	return nil
}

// pass lets a test know that results are on their way.
func (a *assignment) pass(bundle []*outcome) {
	for _, o := range bundle {
		if a.midway != nil {
			a.midway(o.cell())
		}
	}
}

// isOver tells whether the queue of the sweep is gone while its server is there.
func (a *assignment) isOver(ctx context.Context) bool {
	for range 20 {
		err := within(ctx, a.wait, func(ctx context.Context) error { _, err := a.js.Stream(ctx, a.results()); return err })
		if !errors.Is(err, jetstream.ErrStreamNotFound) {
			return false
		}
		pause(ctx, 500*time.Millisecond) // whoever begins it again fills it anew
	}
	return true
}

// hand sends results once.
func (a *assignment) hand(ctx context.Context, name string, bundle []*outcome) error {
	var list []result
	var ids []string
	var body []byte
	for _, o := range bundle {
		r := result{Cell: o.cell(), Kind: o.kind, Bytes: len(o.body)}
		if len(o.body) > partSize { // then it is the only one
			r.Bytes, r.Under = 0, a.subject("part", o.cell(), name)
			head, err := a.sendParts(ctx, r.Under, o.body)
			if err != nil {
				return err
			}
			r.Parcel = &head
		} else {
			body = append(body, o.body...)
		}
		list, ids = append(list, r), append(ids, r.Cell)
	}
	text, _ := json.Marshal(list)
	m := &nats.Msg{Subject: a.subject("done", strings.Join(ids, cellMark)), Header: nats.Header{headWorker: {a.worker}, headResults: {string(text)}}, Data: body}
	return a.send(ctx, m, name)
}
