package server

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/server/hub"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// listed is a journal that has events without end.
type listed struct {
	*store.InMemory
	body string
}

func (l listed) Read(_ context.Context, _ string, after int, visit func(session.Event) error) error {
	for seq := after + 1; ; seq++ {
		if err := visit(session.Event{Seq: seq, Body: []byte(l.body)}); err != nil {
			return err
		}
	}
}

// A page of a stream ends with as many events as a ring has, or with the one that brings it beyond a quarter of its bytes: a watcher who is far behind
// takes no more memory than that.
func TestPagesOfAStreamEnd(t *testing.T) {
	for _, c := range []struct {
		body string
		most int
	}{{`{}`, hub.RingEvents}, {`"` + strings.Repeat("x", hub.RingBytes/16) + `"`, 4}, {`"` + strings.Repeat("x", hub.RingBytes) + `"`, 1}} {
		f := &feed{call: &call{Server: &Server{journal: listed{store.NewMemory(), c.body}}, Request: &http.Request{}, loop: "shop"}}
		page, err := f.page(7)
		if err != nil || len(page) != c.most || page[0].Seq != 8 {
			t.Errorf("events of %d bytes: %d of them, %v; want %d", len(c.body), len(page), err, c.most)
		}
	}
}
