package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/kedge-opt/kedge/session"
)

var errEnough = errors.New("enough")

// hub wakes those who watch loops. They keep a position, not a queue: what they miss they read from the journal.
type hub struct {
	mu      sync.Mutex
	changed map[string]chan struct{} // closed when a loop has more events
	stopped chan struct{}
	once    sync.Once
}

func newHub() *hub { return &hub{changed: map[string]chan struct{}{}, stopped: make(chan struct{})} }

func (h *hub) stop() { h.once.Do(func() { close(h.stopped) }) }

// tell wakes the watchers of a loop.
func (h *hub) tell(loop string, _ []session.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if c := h.changed[loop]; c != nil {
		close(c)
		delete(h.changed, loop)
	}
}

// next is closed at the next event of a loop.
func (h *hub) next(loop string) <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.changed[loop]
	if c == nil {
		c = make(chan struct{})
		h.changed[loop] = c
	}
	return c
}

// stream sends events as they happen, from the one after Last-Event-ID or after, without gap or repeat.
func stream(c *call) (int, any, error) {
	after, err := c.number("after", 0, 1<<53)
	if err != nil {
		return 0, nil, err
	}
	if id := c.Header.Get("Last-Event-ID"); id != "" {
		if after, err = strconv.Atoi(id); err != nil || after < 0 {
			return 0, nil, problem(session.Malformed, "Last-Event-ID is the number of an event, not "+id)
		}
	}
	if err := c.host.Look(c.Context(), c.loop, func(*session.Loop) error { return nil }); err != nil {
		return 0, nil, err
	}
	out := http.NewResponseController(c.w)
	c.w.Header().Set("Content-Type", "text/event-stream")
	c.w.Header().Set("Cache-Control", "no-store")
	fmt.Fprint(c.w, "retry: 2000\n\n")
	alive := time.NewTicker(often)
	defer alive.Stop()
	for {
		changed := c.hub.next(c.loop)
		err := c.journal.Read(c.Context(), c.loop, after, func(e session.Event) error {
			text, err := json.Marshal(e)
			if err != nil {
				return err
			}
			var b bytes.Buffer
			fmt.Fprintf(&b, "id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Kind, text)
			out.SetWriteDeadline(time.Now().Add(2 * often))
			_, err = c.w.Write(b.Bytes())
			after = e.Seq
			return err
		})
		if err == nil {
			err = out.Flush()
		}
		if err != nil { // whoever watched has gone, or comes again
			return 0, nil, nil
		}
		select {
		case <-changed:
		case <-alive.C:
			fmt.Fprint(c.w, ": alive\n\n")
		case <-c.hub.stopped:
			fmt.Fprint(c.w, "event: bye\ndata: {}\n\n")
			out.Flush()
			return 0, nil, nil
		case <-c.Context().Done():
			return 0, nil, nil
		}
	}
}
