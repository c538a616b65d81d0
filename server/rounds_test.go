package server_test

import (
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
)

// hand is a clock that somebody moves.
type hand struct {
	mu  sync.Mutex
	now time.Time
}

func (h *hand) Now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.now
}

func (h *hand) move(by time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = h.now.Add(by)
}

// script is a loop whose every message is sent again and again.
type script struct {
	*site
	clock *hand
	loop  string
}

func newScript(t *testing.T, live string) *script {
	t.Helper()
	return newScriptOf(t, strings.Replace(shop, "safe: [4, 4]", "safe: [4, 4]"+live, 1))
}

func newScriptOf(t *testing.T, spec string) *script {
	t.Helper()
	j, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	clock := &hand{now: time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}
	own := server.New(server.Setup{Journal: j, Clock: clock, Limits: server.DefaultLimits()})
	web := httptest.NewServer(own)
	t.Cleanup(func() { own.Stop(); web.Close(); j.Close() })
	s := &script{&site{T: t, url: web.URL}, clock, "/v1/loops/shop"}
	s.want(201, "POST", "/v1/loops", fmt.Sprintf(`{"name":"shop","spec":%s,"mode":"live"}`, quoted(spec)))
	return s
}

// do sends a message, and again several times: one reply, and no more events than the first brought. What was put is there: 200.
func (s *script) do(status int, method, path, body string, headers ...string) map[string]any {
	s.Helper()
	first := s.want(status, method, s.loop+path, body, headers...)
	delete(first, "request") // which every problem has of its own
	head := s.head("shop")
	if method == "PUT" && status < 300 {
		status = 200
	}
	for range 3 {
		got, again := s.call(method, s.loop+path, body, headers...)
		if delete(again, "request"); got != status || fmt.Sprint(again) != fmt.Sprint(first) {
			s.Errorf("%s %s again: %d %v, want %d %v", method, path, got, again, status, first)
		}
	}
	if after := s.head("shop"); after != head {
		s.Errorf("%s %s again: %d events more", method, path, after-head)
	}
	return first
}

// is checks fields of a reply.
func (s *script) is(reply map[string]any, want ...any) {
	s.Helper()
	for i := 0; i < len(want); i += 2 {
		if got := fmt.Sprint(reply[want[i].(string)]); got != fmt.Sprint(want[i+1]) {
			s.Errorf("%s is %s, want %v: %v", want[i], got, want[i+1], reply)
		}
	}
}

const (
	twoPeople = `{"observed_at":"2099-01-01T00:00:00Z","p":[[7,5],[6.5,5.25]],"d":[[10,8],[10,8]]}`
	onePerson = `{"observed_at":"2099-01-01T00:00:00Z","p":[[7,5]],"d":[[10,8]]}`
)

// The ways of a decision, each message with its repeats: what comes of open ones.
func TestWaysOfADecision(t *testing.T) {
	s := newScript(t, "")
	s.is(s.do(200, "POST", "/ask", ""), "k", 1, "state", "open", "u", "[3 3]") // 1
	s.is(s.do(409, "POST", "/decisions/1/close", `{}`), "type", "/problems/not-deployed", "state", "open")
	s.is(s.do(201, "PUT", "/decisions/1/deployment", `{"u":[3.01,3]}`), "state", "deployed") // 5
	s.is(s.do(409, "PUT", "/decisions/1/deployment", `{"u":[3,3]}`), "type", "/problems/deployment-conflict")
	s.is(s.do(201, "PUT", "/decisions/1/deployment", `{"u":[3,3],"correct":true}`), "u", "[3 3]")
	s.is(s.do(201, "PUT", "/decisions/1/batches/am", twoPeople), "rows", 2, "used", true) // 6
	s.is(s.do(409, "PUT", "/decisions/1/batches/am", onePerson), "type", "/problems/batch-conflict")
	s.is(s.do(200, "POST", "/decisions/1/close", `{}`), "outcome", "step") // 7, and 14 where it is closed
	s.is(s.do(409, "PUT", "/decisions/1/deployment", `{"u":[5,5]}`), "type", "/problems/deployment-conflict")
	s.is(s.do(202, "PUT", "/decisions/1/batches/late", onePerson), "used", false) // 13
	stepped := s.do(200, "POST", "/ask", "")
	s.is(stepped, "k", 2, "basis", "step")
	s.is(s.do(200, "POST", "/decisions/2/abandon", `{"reason":"closed"}`), "state", "abandoned") // 8
	s.is(s.do(409, "POST", "/decisions/2/close", `{}`), "state", "abandoned")                    // 14
	s.is(s.do(200, "POST", "/ask", ""), "k", 3, "basis", "again", "u", stepped["u"])
	s.clock.move(25 * time.Hour) // 9
	s.is(s.do(200, "POST", "/ask", ""), "k", 4, "basis", "again", "u", stepped["u"])
	s.is(s.do(200, "GET", "/decisions/3", ""), "state", "lapsed")
	s.is(s.do(202, "PUT", "/decisions/3/deployment", `{"u":[3.25,3]}`), "late", true) // 12, and 11
	s.is(s.do(200, "GET", "/decisions/4", ""), "state", "superseded")
	s.is(s.do(200, "POST", "/ask", ""), "k", 5)
	s.is(s.do(200, "POST", "/pause", `{}`), "mode", "paused", "answers", "[3.25 3]") // 11
	s.is(s.do(200, "GET", "/decisions/5", ""), "state", "superseded")
	s.is(s.do(200, "POST", "/ask", ""), "k", 6, "basis", "hold", "u", "[3.25 3]")
	s.is(s.do(200, "POST", "/kill", `{"reason":"x"}`), "mode", "killed") // 10
	s.is(s.do(200, "POST", "/ask", ""), "k", 7, "basis", "safe", "u", "[4 4]")
	s.do(200, "POST", "/resume", `{"reason":"x"}`)
	s.is(s.do(200, "PUT", "/pin", `{"u":[3.5,3],"reason":"x"}`), "mode", "live", "pin", "map[reason:x u:[3.5 3]]") // 10
	s.is(s.do(200, "POST", "/ask", ""), "basis", "pinned", "u", "[3.5 3]")
	s.is(s.do(200, "DELETE", "/pin", ""), "pin", nil)
	s.do(200, "PUT", "/spec", fmt.Sprintf(`{"spec":%s,"reason":"x"}`, quoted(strings.Replace(shop, "norm: 0.5", "norm: 0.75", 1))), "If-Match", `"1"`) // 10
	s.is(s.do(412, "PUT", "/spec", fmt.Sprintf(`{"spec":%s,"reason":"x"}`, quoted(shop)), "If-Match", `"1"`), "type", "/problems/stale-revision")
	s.is(s.do(404, "POST", "/decisions/99/close", `{}`), "type", "/problems/not-found")
	s.is(s.do(409, "POST", "/decisions/1/close", `{"epoch":"other"}`), "type", "/problems/stale-epoch")
	s.is(s.do(200, "DELETE", "", ""), "mode", "archived")
	s.is(s.do(410, "POST", "/ask", ""), "type", "/problems/archived")
}

// The ways of a proposal that wants to be approved.
func TestWaysOfAProposal(t *testing.T) {
	s := newScript(t, ", approval: always, deadlines: {approve: 2h, give-up: 48h}")
	s.is(s.do(200, "POST", "/ask", ""), "pending", 1, "basis", "hold", "state", "proposed") // 2
	s.is(s.do(202, "PUT", "/decisions/1/batches/am", onePerson), "used", false)             // 13
	s.is(s.do(409, "POST", "/decisions/1/close", `{}`), "state", "proposed")                // 14
	s.is(s.do(200, "POST", "/decisions/1/approve", `{"reason":"x"}`), "state", "open")      // 3
	s.is(s.do(409, "POST", "/decisions/1/reject", `{}`), "state", "open")                   //
	s.is(s.do(201, "PUT", "/decisions/1/deployment", `{"u":[3,3]}`), "state", "deployed")   // 5
	s.is(s.do(200, "POST", "/decisions/1/abandon", `{"reason":"x"}`), "state", "abandoned") // 8
	s.is(s.do(200, "POST", "/ask", ""), "pending", 2)                                       //
	s.is(s.do(200, "POST", "/decisions/2/reject", `{"reason":"x"}`), "state", "rejected")   // 4
	s.is(s.do(200, "POST", "/ask", ""), "pending", 3)                                       //
	s.clock.move(3 * time.Hour)                                                             // 4, by time
	s.is(s.do(200, "POST", "/ask", ""), "pending", 4)                                       //
	s.is(s.do(200, "GET", "/decisions/3", ""), "state", "rejected")                         //
	s.is(s.do(202, "PUT", "/decisions/4/deployment", `{"u":[3.25,3]}`), "late", true)       // 12, without approval
	s.is(s.do(200, "GET", "/decisions/4", ""), "state", "superseded")                       // 11
	if alarms := s.do(200, "GET", "", "")["alarms"]; !strings.Contains(fmt.Sprint(alarms), "without approval") {
		t.Errorf("alarms %v", alarms)
	}
	s.is(s.do(200, "POST", "/ask", ""), "pending", 5)
	s.do(200, "POST", "/decisions/5/approve", `{}`)
	s.do(201, "PUT", "/decisions/5/deployment", `{"u":[3.25,3]}`)
	s.clock.move(49 * time.Hour) // 8, by time
	s.do(200, "POST", "/ask", "")
	s.is(s.do(200, "GET", "/decisions/5", ""), "state", "abandoned")
}

// What a hundred send at once happens once.
func TestAHundredAtOnce(t *testing.T) {
	s := newScript(t, "")
	revised := fmt.Sprintf(`{"spec":%s,"reason":"x"}`, quoted(strings.Replace(shop, "norm: 0.5", "norm: 0.75", 1)))
	for _, c := range []struct {
		status             int
		method, path, body string
		events             int
	}{
		{200, "POST", "/ask", "", 1},
		{201, "PUT", "/decisions/1/deployment", `{"u":[3,3]}`, 1},
		{201, "PUT", "/decisions/1/batches/am", twoPeople, 1},
		{200, "POST", "/decisions/1/close", `{}`, 1},
		{200, "PUT", "/pin", `{"u":[3.5,3],"reason":"x"}`, 1},
		{200, "PUT", "/spec", revised, 1},
	} {
		before := s.head("shop")
		var mu sync.Mutex
		replies, first := map[string]bool{}, 0
		var all sync.WaitGroup
		for range 100 {
			all.Go(func() {
				status, v := s.call(c.method, s.loop+c.path, c.body, "If-Match", `"1"`)
				mu.Lock()
				defer mu.Unlock()
				replies[fmt.Sprint(v)] = true
				if status == c.status {
					first++
				} else if status != 200 {
					t.Errorf("%s %s: %d %v, want %d", c.method, c.path, status, v, c.status)
				}
			})
		}
		all.Wait()
		if got := s.head("shop") - before; got != c.events || len(replies) != 1 {
			t.Errorf("%s %s a hundred times: %d events, want %d, and %d replies", c.method, c.path, got, c.events, len(replies))
		}
		if c.status == 201 && first != 1 {
			t.Errorf("%s %s: %d of a hundred were the first", c.method, c.path, first)
		}
	}
}
