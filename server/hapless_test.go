package server_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// hapless is a journal of which one call fails, by its number; 0: none does.
type hapless struct {
	*store.InMemory
	mu        sync.Mutex
	calls, at int
	struck    string // the call that failed
}

var errHapless = errors.New("the disk is gone")

// strike counts a call, and fails if its turn has come.
func (h *hapless) strike(call string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.calls++; h.calls != h.at {
		return nil
	}
	h.struck = call
	return errHapless
}

// arm has a call fail, and tells which one did since it was last armed; empty: none.
func (h *hapless) arm(at int) (struck string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	struck = h.struck
	h.calls, h.at, h.struck = 0, at, ""
	return struck
}

func (h *hapless) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	if err := h.strike("append"); err != nil {
		return func() error { return err }
	}
	return h.InMemory.Append(loop, after, events, state)
}

func (h *hapless) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	if err := h.strike("read"); err != nil {
		return err
	}
	return h.InMemory.Read(ctx, loop, after, visit)
}

func (h *hapless) Decision(loop string, k int) ([]session.Event, error) {
	if err := h.strike("decision"); err != nil {
		return nil, err
	}
	return h.InMemory.Decision(loop, k)
}

func (h *hapless) Find(loop string, k int, ref string) (*session.Event, error) {
	if err := h.strike("find"); err != nil {
		return nil, err
	}
	return h.InMemory.Find(loop, k, ref)
}

func (h *hapless) Blob(loop string, sum session.Hash) ([]byte, error) {
	if err := h.strike("blob"); err != nil {
		return nil, err
	}
	return h.InMemory.Blob(loop, sum)
}

func (h *hapless) State(loop string) ([]byte, error) {
	if err := h.strike("state"); err != nil {
		return nil, err
	}
	return h.InMemory.State(loop)
}

func (h *hapless) Loops(ctx context.Context) ([]session.Tip, error) {
	if err := h.strike("loops"); err != nil {
		return nil, err
	}
	return h.InMemory.Loops(ctx)
}

func (h *hapless) Series(ctx context.Context, loop string, names []string, from, points int) (*session.SeriesPage, error) {
	if err := h.strike("series"); err != nil {
		return nil, err
	}
	return h.InMemory.Series(ctx, loop, names, from, points)
}

func (h *hapless) Newest(ctx context.Context, loop string, kinds []session.Kind, most int) ([]session.Event, error) {
	if err := h.strike("newest"); err != nil {
		return nil, err
	}
	return h.InMemory.Newest(ctx, loop, kinds, most)
}

func (h *hapless) DecisionAt(loop string, seq int) (int, error) {
	if err := h.strike("decision at"); err != nil {
		return 0, err
	}
	return h.InMemory.DecisionAt(loop, seq)
}

// wish is a request that is sent until no call of the journal fails; @ in its body is how often.
type wish struct {
	method, path, body string
	word               string // under which it is carried out once
}

// life is a loop from its making to its removal, and all that can be looked at on the way.
func life() (list []wish) {
	at := "/v1/loops/shop"
	add := func(method string, wishes ...string) {
		for _, w := range wishes {
			path, body, _ := strings.Cut(w, " ")
			path, word, _ := strings.Cut(path, "#")
			list = append(list, wish{method, strings.Replace(path, "~", at, 1), body, word})
		}
	}
	looks := []string{"~", "~/decisions", "~/decisions/1", "~/decisions/1/batches", "~/decisions/2/explain", "~/decisions/2/guess", "~/sensitivity", "~/distribution", "~/distribution?of=d", "~/quantiles", "~/health", "~/terms", "~/log", "~/export",
		"~/series?name=value,u.0&times=true", "/v1/overview", "/v1/overview?loops=shop", "/v1/loops", "/v1/heads", "/v1/keys", "/readyz"}
	add("POST", `/v1/loops {"name":"shop","mode":"live","spec":`+quoted(guarded)+`}`, "~/ask")
	add("PUT", `~/decisions/1/deployment {"u":[3,3]}`, `~/decisions/1/batches/am `+twoOfAll, `~/decisions/1/metrics/complaints {"value":1}`)
	add("POST", "~/decisions/1/close", `~/ask {"after_k":1,"wait":"1s"}`)
	add("GET", looks...)
	add("POST", `~/exchange {"k":2,"deployment":{"u":[3,3]},"batch_id":"am","batch":`+strings.Replace(twoOfAll, "10", "11", 1)+`,"close":{},"ask":true}`)
	add("GET", looks...)
	add("POST", `~/decisions/3/abandon {"reason":"x"}`, `~/guardrails/test {"guardrails":[{"name":"r","of":"mean(p[0])","most":6.6}]}`, `~/fork {"name":"twin-@","at_k":2,"simulate":true}`)
	add("POST", `~/rollback#back {"k":1}`, `~/pause#pause {"reason":"x"}`, `~/resume#resume {"reason":"x"}`, `~/erase {"who":"7"}`)
	add("PUT", `~/pin {"u":[3,3],"reason":"x"}`)
	add("DELETE", "~/pin")
	add("POST", `~/ask`, `~/kill#kill {"reason":"x"}`, `/v1/kill#all {"reason":"x"}`)
	add("GET", looks...)
	add("DELETE", "~", `~/log {"reason":"x"}`)
	return list
}

// says sends a wish as somebody on the machine.
func says(own http.Handler, w wish) *httptest.ResponseRecorder {
	r := httptest.NewRequest(w.method, "http://localhost"+w.path, strings.NewReader(w.body))
	if r.RemoteAddr = "127.0.0.1:9"; w.word != "" {
		r.Header.Set("Idempotency-Key", w.word)
	}
	to := httptest.NewRecorder()
	own.ServeHTTP(to, r)
	return to
}

// Whatever call of its journal fails, the reply says so, unless a loop is killed all the same; the same again is carried out once no call does.
func TestFailedCallsOfTheJournalAreTold(t *testing.T) {
	j := &hapless{InMemory: store.NewMemory()}
	own := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits(), Vault: copies{}})
	defer own.Stop()
	says(own, wish{method: "GET", path: "/v1/login"}) // the keys are read once
	for n, w := range life() {
		name := fmt.Sprintf("%d: %s %s", n, w.method, w.path)
		for at := 1; ; at++ {
			j.arm(at)
			again := w
			again.body = strings.ReplaceAll(w.body, "@", fmt.Sprint(at))
			reply := says(own, again)
			struck := j.arm(0)
			if struck == "" {
				if reply.Code >= 300 {
					t.Fatalf("%s: %d %s", name, reply.Code, reply.Body)
				}
				break
			}
			isKilled := reply.Code == 200 && strings.HasSuffix(w.path, "/kill") // and what was looked at for that is not needed, or it is told who lives on
			if !isKilled && (reply.Code < 500 || !strings.Contains(reply.Body.String(), errHapless.Error())) {
				t.Errorf("%s, when call %d fails, %s: %d %.200s", name, at, struck, reply.Code, reply.Body)
			}
		}
	}
}
