package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/conform/journal"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/kills"
	"github.com/kedge-opt/kedge/store"
)

// Whatever goes wrong is told as the problem that it is: what is the server's own, or the disk's, may be sent again.
func TestWhatErrorsAreToldAs(t *testing.T) {
	odd := errors.New("odd")
	for _, x := range []struct {
		err    error
		status int
		detail string
		again  bool
	}{
		{problem(tooSlow, "7 bytes"), 408, "7 bytes", false},
		{fmt.Errorf("so: %w", &session.Refusal{Type: session.NotOpen, Detail: "it is closed"}), 409, "it is closed", false},
		{fmt.Errorf("so: %w", &http.MaxBytesError{Limit: 7}), 413, "the body has more than 7 bytes", false},
		{fmt.Errorf("%w: %w", kills.ErrUnread, odd), 503, kills.ErrUnread.Error(), true},
		{fmt.Errorf("loop shop: %w", session.ErrFull), 507, "nothing was stored", true},
		{fmt.Errorf("loop shop: %w", session.ErrBusy), 503, "loop shop: " + session.ErrBusy.Error(), true},
		{session.ErrConflict, 503, session.ErrConflict.Error(), true},
		{context.Canceled, 503, "context canceled", true},
		{fmt.Errorf("%w at 10.0.0.7", session.ErrLost), 503, session.ErrLost.Error(), true},
		{errors.New("the journal is closed"), 503, "the journal is closed", true},
		{session.ErrReadOnly, 503, session.ErrReadOnly.Error(), true},
		{odd, 500, "odd", true},
	} {
		if p := problemOf(x.err); p.Status != x.status || p.Detail != x.detail || p.Retryable != x.again {
			t.Errorf("%v is told as %+v", x.err, p)
		}
	}
	p := problemOf(&session.Refusal{Type: session.NotOpen, State: "closed", Errors: []session.Fault{{Pointer: "/u", Detail: "so"}}})
	if p.Type != "/problems/decision-not-open" || p.State != "closed" || len(p.Errors) != 1 || p.Error() != "/problems/decision-not-open: " {
		t.Errorf("%+v", p)
	}
}

// Who is to come again is told when, in whole seconds and after two at least; nobody else is.
func TestWhenToComeAgain(t *testing.T) {
	for _, x := range []struct {
		name string
		wait time.Duration
		want string
	}{
		{tooMany, 0, "2"}, {tooMany, time.Second, "2"}, {tooMany, 2*time.Second + time.Nanosecond, "2"}, {tooMany, 2*time.Second + 10*time.Millisecond, "3"}, {tooMany, 3 * time.Second, "3"}, {overloaded, 9 * time.Second, "9"}, {diskFull, 9 * time.Second, "9"},
		{fault, 9 * time.Second, ""}, {session.NotFound, 9 * time.Second, ""},
	} {
		p, to := problem(x.name, "the key kedge_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH"), httptest.NewRecorder()
		p.wait, p.Errors = x.wait, []session.Fault{{Detail: "kedge_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH"}}
		p.send(to, httptest.NewRequest("GET", "/v1/kedge_0123456789abcdefghijklmnopqrstuvwxyzABCDEFGH", nil))
		if got := to.Header().Get("Retry-After"); got != x.want || to.Code != p.Status || to.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s after %v: %d, %q", x.name, x.wait, to.Code, got)
		}
		if text := to.Body.String(); strings.Contains(text, "efghijklm") || strings.Count(text, "kedge_") != 3 {
			t.Errorf("it says %s", text)
		}
	}
}

// moving is a journal whose list of loops is another one every time, or cannot be had.
type moving struct {
	*store.InMemory
	tips []session.Tip
	err  error
}

func (m *moving) Loops(context.Context) ([]session.Tip, error) { return m.tips, m.err }

// The newest event of a chain must follow from the one before it, and be the one that is said to be the newest, unless more has happened meanwhile.
func TestNewestLinks(t *testing.T) {
	j, c := &moving{InMemory: store.NewMemory()}, &journal.Chain{Loop: "shop"}
	var events []session.Event
	for range 4 {
		events = append(events, c.Next(0, "", nil))
	}
	rotten := events[3]
	rotten.Actor = "else"
	at := func(n int, hash session.Hash) session.Tip { return session.Tip{Loop: "shop", Seq: n, Hash: hash} }
	for n, x := range []struct {
		events []session.Event
		tip    session.Tip
		words  string
	}{
		{events, at(4, events[3].Hash), ""}, {events[:1], at(1, events[0].Hash), ""}, {events[:2], at(2, events[1].Hash), ""},
		{events, at(3, events[2].Hash), ""}, // more was written since
		{events, at(4, events[2].Hash), "event 4 of loop shop: it should be the newest, and is not there"},
		{events, at(5, events[3].Hash), "event 5 of loop shop: it should be the newest, and is not there"},
		{nil, at(1, events[0].Hash), "event 1 of loop shop: it should be the newest, and is not there"},
		{append(events[:3:3], rotten), at(4, events[3].Hash), "event 4 of loop shop: its hash is not that of its content after the events before it"},
	} {
		j.InMemory = store.NewMemory()
		if len(x.events) > 0 {
			if err := j.Append("shop", 0, x.events, nil)(); err != nil {
				t.Fatal(err)
			}
		}
		said := func(err error) string {
			if err == nil {
				return ""
			}
			return err.Error()
		}
		j.tips, j.err = []session.Tip{at(9, x.tip.Hash), x.tip}, nil
		if got := said(newestLink(t.Context(), j, x.tip)); got != x.words {
			t.Errorf("%d: %q, want %q", n, got, x.words)
		}
		if j.tips = j.tips[:1]; newestLink(t.Context(), j, x.tip) != nil {
			t.Errorf("%d: what is no longer the newest is taken for broken", n)
		}
		if j.err = errUnread; (newestLink(t.Context(), j, x.tip) == errUnread) != (x.words != "") {
			t.Errorf("%d: nobody can say which are the newest", n)
		}
	}
}

// Times are told of up to a thousand decisions.
func TestTimesOfSoManyDecisions(t *testing.T) {
	c := &call{Server: &Server{journal: store.NewMemory()}, loop: "shop"}
	if list, err := c.times(make([]int, 1000)); err != nil || len(list) != 1000 {
		t.Errorf("%d times, %v", len(list), err)
	}
	if _, err := c.times(make([]int, 1001)); err == nil || problemOf(err).Status != 413 || problemOf(err).Detail != "times are there for up to 1000 points" {
		t.Errorf("of more: %v", err)
	}
}
