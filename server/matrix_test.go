package server_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// rightsOf are the rights that calls want, written down apart from the table of routes: one that is not here is a call nobody has thought about.
// Without {loop} a call keeps to the loops of its key (own), or is for keys of all loops alone (whole).
var rightsOf = map[string]string{
	"POST /v1/loops": "admin own", "GET /v1/loops": "read own", "GET /v1/heads": "read own", "GET /v1/events": "read own", "POST /v1/loops/import": "admin own",
	"GET /v1/loops/{loop}": "read", "PUT /v1/loops/{loop}/spec": "admin", "DELETE /v1/loops/{loop}": "admin", "DELETE /v1/loops/{loop}/log": "admin", "POST /v1/loops/{loop}/fork": "admin", "POST /v1/loops/{loop}/erase": "admin",
	"POST /v1/loops/{loop}/ask": "ask", "POST /v1/loops/{loop}/exchange": "ask tell",
	"PUT /v1/loops/{loop}/decisions/{k}/deployment": "tell", "PUT /v1/loops/{loop}/decisions/{k}/batches/{batch}": "tell", "PUT /v1/loops/{loop}/decisions/{k}/metrics/{name}": "tell",
	"POST /v1/loops/{loop}/decisions/{k}/close": "tell", "POST /v1/loops/{loop}/decisions/{k}/abandon": "tell",
	"POST /v1/loops/{loop}/decisions/{k}/approve": "operate", "POST /v1/loops/{loop}/decisions/{k}/reject": "operate",
	"GET /v1/loops/{loop}/decisions/{k}/batches": "read", "GET /v1/loops/{loop}/decisions/{k}": "read", "GET /v1/loops/{loop}/decisions/{k}/explain": "read", "GET /v1/loops/{loop}/decisions": "read",
	"POST /v1/loops/{loop}/rollback": "operate", "PUT /v1/loops/{loop}/pin": "operate", "DELETE /v1/loops/{loop}/pin": "operate",
	"POST /v1/loops/{loop}/pause": "operate", "POST /v1/loops/{loop}/resume": "operate", "POST /v1/loops/{loop}/kill": "operate", "POST /v1/loops/{loop}/shadow": "operate", "POST /v1/loops/{loop}/promote": "operate",
	"POST /v1/loops/{loop}/guardrails/test": "operate", "POST /v1/kill": "operate own",
	"GET /v1/loops/{loop}/series": "read", "GET /v1/loops/{loop}/distribution": "read", "GET /v1/loops/{loop}/health": "read", "GET /v1/loops/{loop}/log": "read", "GET /v1/loops/{loop}/events": "read", "GET /v1/loops/{loop}/export": "read",
	"POST /v1/keys": "admin own", "GET /v1/keys": "admin own", "DELETE /v1/keys/{prefix}": "admin own", "POST /v1/backup": "admin whole",
	"GET /metrics": "read whole", "GET /healthz": "", "GET /readyz": "", "GET /version": "", "GET /openapi.json": "", "GET /problems/{type}": "",
	"GET /v1/overview": "read own", "GET /v1/loops/{loop}/terms": "read", "GET /v1/loops/{loop}/quantiles": "read", "GET /v1/loops/{loop}/sensitivity": "read", "GET /v1/loops/{loop}/decisions/{k}/guess": "read", "GET /v1/login": "", "POST /v1/login": "", "DELETE /v1/login": "", "GET /": "", "GET /assets/{file}": "",
}

// cell is one request of the matrix.
type cell struct {
	method, path, key string
}

// try sends the request of a cell, with a body that nothing can be made of, and returns the status and the reply, or how a stream begins.
func (s *site) try(c cell) (int, string) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
	defer cancel()
	r, _ := http.NewRequestWithContext(ctx, c.method, s.url+c.path, strings.NewReader(`{"nothing":`))
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatalf("%s %s: %v", c.method, c.path, err)
	}
	defer reply.Body.Close()
	if strings.HasPrefix(reply.Header.Get("Content-Type"), "text/event-stream") {
		return reply.StatusCode, ""
	}
	text, _ := io.ReadAll(reply.Body)
	return reply.StatusCode, requestID.ReplaceAllString(string(text), "")
}

// requestID is what every problem has of its own.
var requestID = regexp.MustCompile(`"request":"[^"]*"`)

// keysOfMatrix are keys in all states.
type keysOfMatrix struct {
	none    map[string]string // those that open nothing
	single  map[string]string // of one right each, on the own loops
	foreign string            // of all rights, on other loops
	all     string
}

const (
	ownLoop    = "mine-a"
	othersLoop = "canary-theirs"
)

func newKeysOfMatrix(s *site) *keysOfMatrix {
	s.Helper()
	m := &keysOfMatrix{none: map[string]string{"none": "", "malformed": "kedge_short", "unknown": "kedge_" + strings.Repeat("A", 43)}, single: map[string]string{}}
	m.all, _ = s.key(nil, allRights, "*")
	revoked, prefix := s.key(with(m.all), allRights, "*")
	s.want(200, "DELETE", "/v1/keys/"+prefix, "", with(m.all)...)
	brief := s.want(201, "POST", "/v1/keys", fmt.Sprintf(`{"rights":["read","ask","tell","operate","admin"],"loops":["*"],"expires":%q}`, time.Now().Add(200*time.Millisecond).Format(time.RFC3339Nano)), with(m.all)...)
	time.Sleep(250 * time.Millisecond)
	m.none["revoked"], m.none["expired"] = revoked, brief["key"].(string)
	for _, right := range strings.Split(allRights, ",") {
		m.single[right], _ = s.key(with(m.all), right, "mine-*")
	}
	m.foreign, _ = s.key(with(m.all), allRights, "canary-*")
	return m
}

// Every call, by every method, with keys in all states: who may not is refused and changes nothing, who may is let in, and nobody sees what is
// another's.
func TestMatrixOfRights(t *testing.T) {
	w := evidence.For(t, evidence.Promise{Name: "service-rights", Text: "every route of the service by every method with no key, one that is malformed, unknown, revoked, expired, of each right alone, of other loops and of all: wrong statuses, changes by who was refused, other loops seen, routes whose right nobody wrote down"})
	s := newSite(t)
	s.create(ownLoop, "live")
	s.create(othersLoop, "live")
	m := newKeysOfMatrix(s)
	paths := s.want(200, "GET", "/openapi.json", "")["paths"].(map[string]any)
	before := s.wantText("/v1/heads", m.all)
	let := map[cell]string{}
	for path, operations := range paths {
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} {
			as := strings.Replace(method, "HEAD", "GET", 1)
			if operations.(map[string]any)[strings.ToLower(as)] == nil {
				status, _ := s.try(cell{method, fill(path, ownLoop), m.all})
				w.Case(status == 405 || status == 404, "%s %s, which is no call: %d", method, path, status)
				continue
			}
			want, known := rightsOf[as+" "+path]
			w.Case(known, "%s %s: nobody wrote down which right it wants", method, path)
			refusals(s, w, m, method, path, strings.Fields(want), let)
		}
	}
	after := s.wantText("/v1/heads", m.all)
	w.Case(after == before, "heads were %s and are %s after requests that were refused", before, after)
	for c, what := range let {
		status, text := s.try(c)
		w.Case(status != 401 && status != 403, "%s: %d %s, want to be let in", what, status, text)
		if c.key != m.all && c.key != m.foreign && c.key != "" {
			w.Case(!strings.Contains(text, "canary"), "%s shows other loops: %s", what, text)
		}
	}
}

// fill is the address of a route, of things that are there or, but for the loop, could be.
func fill(path, loop string) string {
	return strings.NewReplacer("{loop}", loop, "{k}", "1", "{batch}", "am", "{name}", "x", "{prefix}", "kedge_00", "{type}", "forbidden", "{file}", "app.js").Replace(path)
}

// refusals tries who must be refused, and notes who must be let in.
func refusals(s *site, w *evidence.Witness, m *keysOfMatrix, method, path string, want []string, let map[cell]string) {
	s.Helper()
	ofLoop, own := strings.Contains(path, "{loop}"), slices.Contains(want, "own")
	rights := slices.DeleteFunc(slices.Clone(want), func(r string) bool { return r == "own" || r == "whole" })
	here := fill(path, ownLoop)
	if len(rights) == 0 {
		for state, key := range m.none {
			let[cell{method, here, key}] = fmt.Sprintf("%s %s with a key that is %s", method, path, state)
		}
		return
	}
	for state, key := range m.none {
		status, text := s.try(cell{method, here, key})
		w.Case(status == 401 && !strings.Contains(text, "canary"), "%s %s with a key that is %s: %d %s", method, path, state, status, text)
	}
	for right, key := range m.single {
		if enough := slices.Equal(rights, []string{right}); enough && (ofLoop || own) {
			let[cell{method, here, key}] = fmt.Sprintf("%s %s with %s", method, path, right)
			continue
		}
		status, text := s.try(cell{method, here, key})
		w.Case(status == 403, "%s %s with %s alone: %d %s", method, path, right, status, text)
	}
	if ofLoop {
		status, text := s.try(cell{method, here, m.foreign})
		_, missing := s.try(cell{method, fill(path, "canary-missing"), m.foreign})
		w.Case(status == 404, "%s %s of another's loop: %d %s", method, path, status, text)
		if !strings.Contains(path, "{k}") && method != "HEAD" {
			same := bytes.Equal(bytes.ReplaceAll([]byte(text), []byte(ownLoop), []byte("canary-missing")), []byte(missing))
			w.Case(same || !strings.Contains(missing, "not-found"), "%s %s: another's loop is %s, a missing one %s", method, path, text, missing)
		}
		for right, key := range m.single {
			status, text := s.try(cell{method, fill(path, othersLoop), key})
			w.Case(status == 404, "%s %s of another's loop with %s: %d %s", method, path, right, status, text)
		}
	}
	let[cell{method, here, m.all}] = fmt.Sprintf("%s %s with all rights", method, path)
}
