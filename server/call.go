package server

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/server/keyring"
	"github.com/kedge-opt/kedge/session"
)

// call is a request on its way through a route.
type call struct {
	*Server
	w http.ResponseWriter
	*http.Request
	row  route
	loop string
	k    int
	dry  bool  // it is only to be tried
	held int64 // bytes of its body

	keys *Keys
	who  keyring.Grant   // whose request it is, who acts by its prefix
	gone <-chan struct{} // closed when the key is revoked; nil: without a key
}

// status is how a loop stands.
func (s *Server) status(ctx context.Context, loop string) (status session.Status, err error) {
	if err := s.kills.Read(ctx); err != nil {
		return status, err
	}
	err = s.host.Look(ctx, loop, func(l *session.Loop) error { status = l.Status(); return nil })
	if s.kills.Is(loop) {
		status.Mode = session.Killed
	}
	return status, err
}

// look answers what somebody sees who looks at the loop.
func look[T any](c *call, see func(l *session.Loop) (T, error)) (_ int, reply any, err error) {
	err = c.host.Look(c.Context(), c.loop, func(l *session.Loop) (err error) {
		reply, err = see(l)
		return err
	})
	return 200, reply, err
}

// isThere refuses a loop that is not.
func (c *call) isThere() error {
	return c.host.Look(c.Context(), c.loop, func(*session.Loop) error { return nil })
}

// decision finds one decision.
func (c *call) decision(k int) (*session.Decision, error) {
	status, err := c.status(c.Context(), c.loop)
	if err != nil {
		return nil, err
	}
	if k > status.K {
		return nil, problem(session.NotFound, "the newest decision is "+strconv.Itoa(status.K))
	}
	return c.past(c.loop, k)
}

// past is a decision of a loop, from its events.
func (s *Server) past(loop string, k int) (*session.Decision, error) {
	events, err := s.journal.Decision(loop, k)
	if err != nil {
		return nil, err
	}
	return session.DecisionOf(events)
}

// eventsOf are so many events of a loop after one, if there are as many.
func eventsOf(ctx context.Context, j session.Journal, loop string, after, most int) (list []session.Event, err error) {
	err = j.Read(ctx, loop, after, func(e session.Event) error {
		if list = append(list, e); len(list) == most {
			return errEnough
		}
		return nil
	})
	if err == errEnough {
		err = nil
	}
	return list, err
}

// sees tells whether a loop is one that the sender may know of.
func (c *call) sees(loop string) bool { return !session.IsOwn(loop) && c.who.Sees(loop) }

// reach says what a key is for.
func (c *call) reach() string {
	return "the key " + c.who.Prefix + " is for loops " + strings.Join(c.who.Loops, ", ")
}

// known refuses a query with names that a call does not have, or has twice: whoever misspells one must not take the reply for what was meant.
func (c *call) known(r route) error {
	query, err := url.ParseQuery(c.URL.RawQuery)
	if err != nil {
		return problem(session.Malformed, "the query: "+err.Error())
	}
	names := strings.Fields(r.asks)
	for _, name := range slices.Sorted(maps.Keys(query)) {
		switch {
		case len(query[name]) > 1:
			return problem(session.Malformed, fmt.Sprintf("the query has %s %d times", name, len(query[name])))
		case name == "dry_run", slices.Contains(names, name):
		case len(names) == 0:
			return problem(session.Malformed, fmt.Sprintf("%.40q is nothing that this call asks for; it has no query", name))
		default:
			return problem(session.Malformed, fmt.Sprintf("%.40q is nothing that this call asks for; its query has %s", name, strings.Join(names, ", ")))
		}
	}
	c.dry, err = c.isDry(r)
	return err
}

// isDry tells whether a request to a route is only to be tried. Where nothing can be, that is refused: who sends it expects that nothing happens.
func (c *call) isDry(r route) (bool, error) {
	text := c.URL.Query().Get("dry_run")
	dry, err := strconv.ParseBool(text)
	switch {
	case text == "":
		return false, nil
	case err != nil:
		return false, problem(session.Malformed, "dry_run is true or false, not "+strconv.Quote(text))
	case dry && !r.dry:
		return false, problem(session.Malformed, "this call knows no dry_run; nothing was done")
	}
	return dry, nil
}

// query reads what a request asks for. Its first mistake stays.
type query struct {
	url.Values
	err error
}

func (c *call) query() *query { return &query{Values: c.URL.Query()} }

func (q *query) wrong(kind, detail string) {
	if q.err == nil {
		q.err = problem(kind, detail)
	}
}

// number reads a whole number.
func (q *query) number(name string, absent, most int) int {
	text := q.Get(name)
	if text == "" {
		return absent
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		q.wrong(session.Malformed, name+" is a whole number from 0 to "+strconv.Itoa(most))
		return absent
	}
	return n
}

// vector reads so many numbers; nil: there are none.
func (q *query) vector(name string, entries int) (list []float64) {
	text := q.Get(name)
	if text == "" {
		return nil
	}
	for one := range strings.SplitSeq(text, ",") {
		v, err := strconv.ParseFloat(one, 64)
		if err != nil || !phrase.Finite(v) {
			q.wrong(session.Malformed, fmt.Sprintf("%s is numbers with commas between them, and %.40q is none", name, one))
			return nil
		}
		list = append(list, v)
	}
	if len(list) != entries {
		q.wrong(session.DimensionMismatch, fmt.Sprintf("%s has %d numbers, want %d", name, len(list), entries))
		return nil
	}
	return list
}

// span reads a time; 0: there is none.
func (q *query) span(name string, most time.Duration) time.Duration {
	text := q.Get(name)
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d < 10*time.Millisecond || d > most {
		q.wrong(session.Malformed, name+" is a time from 10ms to "+most.String()+", not "+strconv.Quote(text))
	}
	return d
}

// put is the status of something that was put: new, new but too late to count, or the same again.
func put(again, late bool) int {
	switch {
	case again:
		return 200
	case late:
		return 202
	}
	return 201
}
