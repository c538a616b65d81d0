// Package server is the decision service over HTTP: ask for a decision, say what was deployed, tell what people did.
//
// Its routes are rows of one table, from which come the addresses, the description in OpenAPI and the checks of who may do what.
package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/server/hub"
	"github.com/kedge-opt/kedge/server/tally"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/chronicle"
	"github.com/kedge-opt/kedge/session/kills"
	"go.opentelemetry.io/otel/trace"
)

// Server serves the loops of a journal.
type Server struct {
	setup   Setup
	host    *session.Fleet
	journal session.Journal
	limits  Allowance
	log     *slog.Logger
	names   []string // that it goes by
	hub     *hub.Hub
	table   []route
	turns   *turns
	quotas  quotas
	held    atomic.Int64 // bytes of bodies of requests at work
	handler http.Handler
	tally   *tally.Tally
	links   links
	clock   session.Clock

	stopping atomic.Bool
	openKeys func() (*Keys, error)
	kills    *kills.Pending
	kept     time.Time // when the server last saw to what it keeps; known to Pass alone
}

// Setup is what a server is made of.
type Setup struct {
	Journal  session.Journal
	Clock    session.Clock
	Plan     session.Planner // of specs; nil: the standard kinds
	Limits   Allowance
	Log      *slog.Logger
	Free     func() float64 // bytes on the disk of the journal; nil: unknown
	Hosts    []string       // names it may be called by besides those of the loopback
	Build    string
	Ready    func() error    // nil: always
	Proxies  []netip.Prefix  // networks whose X-Forwarded-* is believed; from elsewhere nothing comes in the open but from this machine
	ProxyTLS bool            // those who call the proxies must do so by TLS
	Vault    Vault           // nil: no copies
	Kinds    *kind.Catalogue // nil: the standard ones
	Tracer   trace.Tracer    // nil: nothing is traced
	Marks    kills.Marker    // of kills that cannot be written down; nil: the journal's own, if it has any
	Owner    string          // who sends requests that need no key, because the program that serves sends them itself; empty: nobody
}

// New makes a server.
func New(c Setup) *Server {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	c.Log = slog.New(discreet{c.Log.Handler()}) // nobody can come by the other
	if c.Plan == nil {
		c.Plan = session.Standard
	}
	if c.Kinds == nil {
		c.Kinds = kind.Standard()
	}
	s := &Server{setup: c, journal: c.Journal, limits: c.Limits, log: c.Log, names: namesOf(c.Hosts), hub: hub.New(), turns: newTurns(c.Limits.AtWork, c.Limits.Waiting), quotas: quotas{keys: map[string]*quota{}}, clock: c.Clock}
	s.tally = tally.New(tally.Service{Journal: c.Journal, Clock: c.Clock, Kinds: c.Kinds, Watching: s.hub.Watching, Free: c.Free, Build: c.Build})
	s.host = session.NewFleet(c.Journal, c.Clock, c.Plan, func(loop string, events []session.Event) {
		s.hub.Tell(loop, events)
		s.tally.Tell(loop, events)
		for _, e := range events {
			if e.Kind == session.Raised {
				s.log.Warn("alarm", "loop", loop, "seq", e.Seq, "k", e.K, "says", string(e.Body))
			}
		}
	})
	if c.Tracer != nil {
		s.host.Span = s.span
	}
	s.openKeys = sync.OnceValues(func() (*Keys, error) { return OpenKeys(context.Background(), c.Journal, c.Clock) })
	mux := http.NewServeMux()
	s.table = routes()
	for _, r := range s.table {
		mux.HandleFunc(r.Method+" "+r.Path, found(s.serve(r)))
	}
	cross := http.NewCrossOriginProtection()
	cross.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		problem(forbidden, "the request comes from a page of another site").send(w, r)
	}))
	s.handler = named(s.guard(cross.Handler(missing(mux))))
	var err error
	if s.kills, err = kills.Recall(context.Background(), s.host, s.journal, c.Marks); err != nil {
		s.log.Error("no loop is asked until the marks of kills can be read", "why", err)
	}
	return s
}

// ServeHTTP answers a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// guard refuses foreign names and too many requests, and lets no panic out.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		secure(w.Header())
		if s.stopping.Load() {
			w.Header().Set("Connection", "close")
		}
		if err := s.passage(r); err != nil {
			problemOf(err).send(w, r)
			return
		}
		if r.Method != http.MethodHead && !accepts(r) {
			problem(noFormat, "Accept is "+strconv.Quote(r.Header.Get("Accept"))).send(w, r)
			return
		}
		defer func() {
			if fell := recover(); fell != nil {
				s.log.Error("a request fell over", "path", r.URL.Path, "request", requestOf(r), "why", fmt.Sprint(fell))
				problem(fault, "").send(w, r)
			}
		}()
		next.ServeHTTP(w, r)
	})
}

// accepts tells whether a client takes what the server answers in.
func accepts(r *http.Request) bool {
	header := r.Header.Values("Accept")
	return len(header) == 0 || slices.ContainsFunc(strings.Split(strings.Join(header, ","), ","), func(one string) bool {
		kind, _, _ := strings.Cut(strings.TrimSpace(one), ";")
		return slices.Contains([]string{"*/*", "application/*", "application/json", "application/problem+json", "text/*", "text/event-stream", "text/html", "text/plain"}, kind)
	})
}

// missing turns the plain texts of a mux, of addresses and methods that are not there, into problems. Its routes are found.
func missing(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		probe := &header{ResponseWriter: w}
		mux.ServeHTTP(probe, r)
		switch probe.status {
		case 0: // a route has answered
		case http.StatusMethodNotAllowed:
			problem(noMethod, r.Method+" is not among them").send(w, r)
		case http.StatusNotFound:
			problem(session.NotFound, "there is no "+r.URL.Path).send(w, r)
		default: // the same address written otherwise
			w.WriteHeader(probe.status)
		}
	})
}

// found gives a route the reply itself, of which a mux has the headers alone.
func found(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { serve(w.(*header).ResponseWriter, r) }
}

// header keeps the headers of a reply and drops the rest.
type header struct {
	http.ResponseWriter
	status int
}

func (h *header) WriteHeader(status int)      { h.status = status }
func (h *header) Write(b []byte) (int, error) { return len(b), nil }

var loopName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// serve answers a route.
func (s *Server) serve(r route) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		req, end := s.traced(req, r)
		c := &call{Server: s, w: w, Request: req, row: r, loop: req.PathValue("loop")}
		defer func() { s.held.Add(-c.held) }()
		began := time.Now()
		status, reply, err := c.enter(r)
		if req.Method == http.MethodGet && errors.Is(err, session.ErrDropped) {
			err = problem(session.NotFound, "people who answered were dropped or erased since: "+err.Error())
		}
		if err != nil {
			status = problemOf(err).Status
		}
		end(status)
		if !r.streams {
			s.tally.Took(r.Method+" "+r.Path, status, began)
		}
		switch {
		case err != nil:
			p := problemOf(err)
			if p.Status >= 500 && !errors.Is(err, context.Canceled) {
				s.log.Error("request failed", "method", req.Method, "path", req.URL.Path, "problem", p.Type, "detail", p.Detail, "request", requestOf(req))
			}
			p.send(w, req)
		case reply != nil:
			w.Header().Set("Content-Type", "application/json")
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(s.limits.Reply))
			w.WriteHeader(status)
			json.NewEncoder(w).Encode(reply)
		}
	}
}

func (c *call) enter(r route) (int, any, error) {
	if strings.Contains(r.Path, "{loop}") && !loopName.MatchString(c.loop) {
		return 0, nil, problem(session.NotFound, fmt.Sprintf("no loop can be called %q", c.loop))
	}
	if err := c.authorize(r); err != nil {
		return 0, nil, err
	}
	if err := c.spend(); err != nil {
		return 0, nil, err
	}
	if strings.HasPrefix(r.Path, "/v1/") {
		if err := c.known(r); err != nil {
			return 0, nil, err
		}
	}
	if r.streams && c.Method == http.MethodHead { // whose client would wait on the same connection for a stream that never ends
		c.w.WriteHeader(http.StatusOK)
		return 0, nil, nil
	}
	if r.streams {
		defer c.whileValid()()
	} else {
		if err := c.turns.enter(c.Context(), c.who.Prefix); err != nil {
			return 0, nil, err
		}
		defer c.turns.leave()
	}
	if text := c.PathValue("k"); text != "" {
		k, err := strconv.Atoi(text)
		if err != nil || k < 1 {
			return 0, nil, problem(session.NotFound, fmt.Sprintf("no decision has the number %q", text))
		}
		c.k = k
	}
	return r.do(c)
}

// Leave says that the server is about to end: it is no longer ready, and replies tell clients to use their connections no more.
func (s *Server) Leave() { s.stopping.Store(true) }

// Stop tells those who watch that the server ends.
func (s *Server) Stop() { s.Leave(); s.hub.Stop() }

// Pass lets time do its work on all loops: deadlines pass although nobody asks, and loops rest that nobody asks for. Of several servers of one
// journal one alone looks after deadlines.
func (s *Server) Pass(ctx context.Context) error {
	s.kills.SettleAll(ctx) // which nobody else knows of
	if j, shared := s.journal.(session.Shared); shared && !j.Keeper(ctx) {
		s.host.Doze()
		return j.Health()
	}
	return errors.Join(s.host.Pass(ctx), s.keep(ctx))
}

// Follow keeps up with what other servers of the journal write, until ctx ends: streams show it, and a key that was revoked opens nothing any more.
func (s *Server) Follow(ctx context.Context) {
	if j, shared := s.journal.(session.Shared); shared {
		j.Follow(ctx, s.hub.Watched, func(t session.Tip) (taken bool) {
			err := s.heard(ctx, t)
			if err != nil && ctx.Err() == nil {
				s.log.Warn("what another server wrote could not be read", "loop", t.Loop, "why", err)
			}
			return err == nil
		})
	}
}

// heard takes notice of an event of another server, and of those before it.
func (s *Server) heard(ctx context.Context, t session.Tip) error {
	if t.Loop == session.OfServer {
		keys, err := s.openKeys()
		if err != nil {
			return err
		}
		return keys.chronicle.CatchUp(ctx)
	}
	after, wanted := s.hub.Heard(t)
	if !wanted {
		return nil
	}
	events, err := eventsOf(ctx, s.journal, t.Loop, after, hub.RingEvents) // who is farther behind reads for himself
	if len(events) == 0 {
		return err
	}
	s.hub.Tell(t.Loop, events)
	return nil
}

// everyKeeping is how often the server sees to what it keeps.
const everyKeeping = 24 * time.Hour

// keep drops people who were kept long enough, and writes down the heads of all loops. Of a fault with one loop the others do not suffer.
func (s *Server) keep(ctx context.Context) error {
	now := s.clock.Now()
	if now.Sub(s.kept) < everyKeeping {
		return nil
	}
	loops, err := s.journal.Loops(ctx)
	if err != nil {
		return err
	}
	s.kept = now
	var faults []error
	for _, h := range loops {
		if !session.IsOwn(h.Loop) {
			_, err := s.host.Do(ctx, h.Loop, "time", session.Compact{})
			faults = append(faults, err)
		}
	}
	return errors.Join(append(faults, chronicle.Anchor(ctx, s.journal, s.clock, everyKeeping))...)
}

// wall is the clock of the machine: its time at the start, and what has passed since.
type wall struct{ start time.Time }

// Wall is a clock that never goes back.
func Wall() session.Clock { return wall{time.Now()} }

func (w wall) Now() time.Time { return w.start.Add(time.Since(w.start)) }
