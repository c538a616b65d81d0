package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/kedge-opt/kedge/server/hub"
	"github.com/kedge-opt/kedge/session"
)

var errEnough = errors.New("enough")

// often is how often a stream without events says that it is alive.
const often = 15 * time.Second

// feed is a stream of server-sent events to one watcher.
type feed struct {
	*call
	out     *http.ResponseController
	alive   *time.Ticker
	removed <-chan struct{} // closed when the loop is
}

// open enters a watcher of a loop, or of all, and begins its stream.
func (c *call) open(loop string) (*feed, func(), error) {
	leave, ok := c.hub.Watch(loop, c.limits.Watchers)
	if !ok {
		return nil, nil, problem(overloaded, "too many watch already")
	}
	f := &feed{c, http.NewResponseController(c.w), time.NewTicker(often), c.hub.Gone(loop)}
	c.w.Header().Set("Content-Type", "text/event-stream")
	return f, func() { f.alive.Stop(); leave() }, f.send([]byte("retry: 2000\n\n"))
}

// send writes to a watcher, who is cut off if nothing of it is taken for too long.
func (f *feed) send(text []byte) error {
	f.out.SetWriteDeadline(time.Now().Add(f.limits.Reply))
	if _, err := f.w.Write(text); err != nil {
		return err
	}
	return f.out.Flush()
}

var errGone = errors.New("the stream has ended")

// rest waits for one of two causes to go on.
func (f *feed) rest(changed <-chan struct{}, tick <-chan time.Time) error {
	for {
		select {
		case <-changed:
			return nil
		case <-tick:
			return nil
		case <-f.alive.C:
			if err := f.send([]byte(": alive\n\n")); err != nil {
				return err
			}
		case <-f.hub.Stopped:
			return f.bye()
		case <-f.removed:
			return f.bye()
		case <-f.Context().Done():
			return errGone
		}
	}
}

// bye ends a stream.
func (f *feed) bye() error {
	f.send([]byte("event: bye\ndata: {}\n\n"))
	return errGone
}

// position is the event after which a stream begins.
func (c *call) position(q *query) int {
	after := q.number("after", 0, 1<<53)
	if id := c.Header.Get("Last-Event-ID"); id != "" {
		var err error
		if after, err = strconv.Atoi(id); err != nil || after < 0 {
			q.wrong(session.Malformed, "Last-Event-ID is the number of an event, not "+strconv.Quote(id))
		}
	}
	return after
}

// stream sends events as they happen, from the one after Last-Event-ID or after, without gap or repeat.
func stream(c *call) (int, any, error) {
	q := c.query()
	after, every := c.position(q), q.span("every", time.Hour)
	if q.err != nil {
		return 0, nil, q.err
	}
	if err := c.isThere(); err != nil {
		return 0, nil, err
	}
	f, leave, err := c.open(c.loop)
	if f == nil {
		return 0, nil, err
	}
	defer leave()
	if every > 0 {
		f.thinned(after, every)
	} else {
		f.all(after)
	}
	return 0, nil, nil // whoever watched has gone, or comes again
}

// all sends every event.
func (f *feed) all(after int) {
	for {
		events, changed, behind := f.hub.After(f.loop, after)
		if behind {
			var err error
			if events, err = f.page(after); err != nil {
				return
			}
		}
		var text []byte
		for _, e := range events {
			text, after = append(text, e.Text...), e.Seq
		}
		if len(text) > 0 {
			if f.send(text) != nil {
				return
			}
			continue
		}
		if f.rest(changed, nil) != nil {
			return
		}
	}
}

// thinned sends the newest close of every interval.
func (f *feed) thinned(after int, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		var newest []byte
		for {
			events, _, behind := f.hub.After(f.loop, after)
			if behind {
				var err error
				if events, err = f.page(after); err != nil {
					return
				}
			}
			if len(events) == 0 {
				break
			}
			for _, e := range events {
				if after = e.Seq; e.Kind == session.Closed {
					newest = e.Text
				}
			}
		}
		if newest != nil && f.send(newest) != nil || f.rest(nil, tick.C) != nil {
			return
		}
	}
}

// page reads some events from the journal. It is let go before any of them is sent: a slow watcher holds no reader of the journal.
func (f *feed) page(after int) (events []hub.Encoded, err error) {
	size := 0
	err = f.journal.Read(f.Context(), f.loop, after, func(e session.Event) error {
		one, err := hub.Encode(e)
		if err != nil {
			return err
		}
		events, size = append(events, one), size+len(one.Text)
		if len(events) == hub.RingEvents || size > hub.RingBytes/4 {
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return events, err
}

// fleet says of every loop where it is, and then of every one that moves. It begins with all of them whenever it is taken up again.
func fleet(c *call) (int, any, error) {
	f, leave, err := c.open("")
	if f == nil {
		return 0, nil, err
	}
	defer leave()
	since := -1
	for {
		heads, now, changed, behind := f.hub.Moved(since)
		if behind || since < 0 {
			list, err := c.journal.Loops(c.Context())
			if err != nil {
				return 0, nil, nil
			}
			heads = map[string]session.Tip{}
			for _, tip := range list {
				heads[tip.Loop] = tip
			}
		}
		since = now
		if err := f.heads(heads); err != nil {
			return 0, nil, nil
		}
		if f.rest(changed, nil) != nil {
			return 0, nil, nil
		}
	}
}

// heads sends where loops are, by name.
func (f *feed) heads(all map[string]session.Tip) error {
	var text []byte
	for _, loop := range slices.Sorted(maps.Keys(all)) {
		if !f.sees(loop) {
			continue
		}
		data, err := json.Marshal(all[loop])
		if err != nil {
			return err
		}
		text = fmt.Appendf(text, "event: head\ndata: %s\n\n", data)
	}
	if len(text) == 0 {
		return nil
	}
	return f.send(text)
}
