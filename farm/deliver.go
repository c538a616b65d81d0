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

// Results travel in bundles: those of several cells in one message, whose subject names the cells and whose head says what of its bytes belongs to which.
const (
	headWorker  = "Kedge-Worker"
	headResults = "Kedge-Results" // a list of result

	mostBundled = 32 // cells of a bundle
	cellMark    = "-"

	kindCell  = "cell"  // the files of the cell
	kindError = "error" // what it died of, the same wherever it is computed
	kindLost  = "lost"  // it was given up
)

// result is what a bundle says of a cell.
type result struct {
	Cell   string      `json:"cell"`
	Kind   string      `json:"kind"`
	Bytes  int         `json:"bytes"`            // of the message that are its own
	Under  string      `json:"under,omitempty"`  // where its bytes are if not in the message
	Parcel *parcelHead `json:"parcel,omitempty"` // what they are then
}

// outcome is a cell that was computed, and what came out.
type outcome struct {
	*shift
	kind string
	body []byte
	end  func(isDelivered bool) // called once, when it is delivered or lost
}

func newOutcome(c *shift, kind string, body []byte) *outcome {
	c.delivering.Store(true)
	return &outcome{shift: c, kind: kind, body: body}
}

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
			if more, ok := <-a.done; !ok {
				break
			} else if size += len(more.body); size > partSize {
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
	if a.isDead() {
		return errGone
	}
	name, until := nuid.Next(), time.Now().Add(a.Hold)
	for {
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
	for _, o := range bundle {
		o.acknowledge()
	}
	return nil
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
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	m := &nats.Msg{Subject: a.subject("done", strings.Join(ids, cellMark)), Header: nats.Header{headWorker: {a.worker}, headResults: {string(text)}}, Data: body}
	return a.send(ctx, m, name)
}

// acknowledge tells the queue that the cell is done. Where that is lost the cell comes again, which does no harm.
func (c *shift) acknowledge() {
	if !c.deaf {
		c.nc.Publish(c.msg.Reply, []byte("+ACK"))
	}
}

// unbundle takes the results of a message apart. Nothing in it is believed: every cell must be one that the subject names, and every byte belong to one.
func unbundle(subject, head string, body []byte) (list []result, bodies [][]byte, err error) {
	if err := json.Unmarshal([]byte(head), &list); err != nil {
		return nil, nil, fmt.Errorf("its head cannot be read: %w", err)
	}
	ids := cellsOf(subject)
	if len(list) == 0 || len(list) != len(ids) || len(list) > mostBundled {
		return nil, nil, fmt.Errorf("it has results of %d cells and names %d", len(list), len(ids))
	}
	for i, r := range list {
		if r.Cell != ids[i] || r.Bytes < 0 || r.Bytes > len(body) || r.Parcel != nil && r.Bytes > 0 {
			return nil, nil, fmt.Errorf("its head has %d bytes of cell %.20q", r.Bytes, r.Cell)
		}
		bodies, body = append(bodies, body[:r.Bytes]), body[r.Bytes:]
	}
	if len(body) > 0 {
		return nil, nil, fmt.Errorf("it has %d bytes of no cell", len(body))
	}
	return list, bodies, nil
}

// cellsOf are the cells that the subject of a message names.
func cellsOf(subject string) []string {
	return strings.Split(subject[strings.LastIndexByte(subject, '.')+1:], cellMark)
}
