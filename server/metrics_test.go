package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

func (s *site) scrape() string {
	s.Helper()
	reply, err := http.Get(s.url + "/metrics")
	if err != nil {
		s.Fatal(err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		s.Fatal(err)
	}
	return string(text)
}

// shows wants lines of a page of numbers, or their beginnings.
func (s *site) shows(page string, lines ...string) {
	s.Helper()
	for _, line := range lines {
		if !strings.Contains(page, "\n"+line) {
			s.Errorf("there is no %s", line)
		}
	}
	if s.Failed() {
		s.Logf("%s", page)
	}
}

// shareOf is the line that says how much of the cap of 0.5 it takes from what is live to a decision.
func shareOf(u []any, live ...float64) string {
	squares := 0.0
	for i, v := range u {
		squares += (v.(float64) - live[i]) * (v.(float64) - live[i])
	}
	return fmt.Sprintf(`kedge_cap_share{loop="shop"} %v`, math.Sqrt(squares)/0.5)
}

// The numbers of a round are those that were told.
func TestMetrics(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	s.create("other", "shadow")
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	d := "/v1/loops/shop/decisions/1"
	s.want(201, "PUT", d+"/deployment", `{"u":[3,3]}`)
	s.want(201, "PUT", d+"/batches/a", `{"observed_at":"2099-01-01T00:00:00Z","p":[[7,5],[7,6],[6,6]],"d":[[10,8],null,[10,9]]}`)
	s.want(200, "POST", d+"/close", "")
	share := shareOf(s.want(200, "POST", "/v1/loops/shop/ask", "")["u"].([]any), 3, 3)
	s.want(200, "POST", "/v1/loops/shop/decisions/2/abandon", `{"reason":"test"}`)
	s.want(404, "POST", "/v1/loops/none/ask", "")
	s.shows(s.scrape(),
		`kedge_loops{mode="live"} 1`, `kedge_loops{mode="shadow"} 1`,
		`kedge_decisions_total{end="closed",loop="shop"} 1`, `kedge_decisions_total{end="abandoned",loop="shop"} 1`,
		`kedge_turns_total{loop="shop"} 1`, `kedge_batch_rows_total{fate="stored",loop="shop"} 3`,
		`kedge_batch_rows_total{fate="without-trait",loop="shop"} 1`, `kedge_batch_rows_total{fate="counted",loop="shop"} 2`,
		`kedge_alarms{loop="shop"} 0`, `kedge_events_total{kind="created"} 2`, `kedge_events_total{kind="opened"} 2`,
		`kedge_request_seconds_count{code="404",route="POST /v1/loops/{loop}/ask"} 1`, `kedge_request_seconds_count{code="200",route="POST /v1/loops/{loop}/ask"} 2`,
		`kedge_watchers 0`, `kedge_build_info{version="test"} 1`, `kedge_value{loop="shop"} `, `kedge_step_norm{loop="shop"} `, `kedge_live_age_seconds{loop="shop"} `,
		`kedge_commit_seconds_count `, `kedge_commit_events_sum `, `kedge_chain_checked_seq{loop="shop"} 7`, share,
	)
}

// opened is a journal that several servers of a test have, one after the other or at once.
func opened(t *testing.T) session.Journal {
	j, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// siteOf is a server of a journal.
func siteOf(t *testing.T, j session.Journal, plan session.Planner) *site {
	s := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits(), Build: "test", Plan: plan})
	web := httptest.NewServer(s)
	t.Cleanup(func() { s.Stop(); web.Close() })
	return &site{T: t, url: web.URL, stop: s.Stop}
}

// Loops of an earlier start have their numbers, whether they were saved or not, and none of them is woken for that. What other servers of the journal
// write is in the numbers, too.
func TestMetricsWakeNobody(t *testing.T) {
	j, plans := opened(t), 0
	first := siteOf(t, j, nil)
	first.create("shop", "live")
	first.create("other", "shadow")
	first.want(200, "POST", "/v1/loops/shop/ask", "")
	first.want(201, "PUT", "/v1/loops/shop/decisions/1/deployment", `{"u":[3,3]}`)
	first.want(201, "PUT", "/v1/loops/shop/decisions/1/batches/a", `{"observed_at":"2099-01-01T00:00:00Z","p":[[7,5],[6,6]],"d":[[10,8],[10,9]]}`)
	first.want(200, "POST", "/v1/loops/shop/decisions/1/close", "")
	share := shareOf(first.want(200, "POST", "/v1/loops/shop/ask", "")["u"].([]any), 3, 3)
	want := []string{`kedge_loops{mode="live"} 1`, `kedge_loops{mode="shadow"} 1`, `kedge_alarms{loop="shop"} 0`, `kedge_live_age_seconds{loop="shop"} `, `kedge_chain_checked_seq{loop="shop"} 6`, share}
	for line := range strings.Lines(first.scrape()) {
		if strings.HasPrefix(line, "kedge_value{") || strings.HasPrefix(line, "kedge_step_norm{") {
			want = append(want, strings.TrimSpace(line))
		}
	}
	if len(want) != 8 {
		t.Fatalf("the numbers are %q", want)
	}
	counted := func(spec string) (*session.Brief, error) { plans++; return session.Standard(spec) }
	other := siteOf(t, j, counted)
	other.shows(other.scrape(), want...)
	h := session.NewFleet(j, server.Wall(), session.Standard, nil)
	if err := h.Look(t.Context(), "shop", func(*session.Loop) error { return nil }); err != nil {
		t.Fatal(err)
	}
	h.Rest()
	for state, err := j.State("shop"); state == nil; state, err = j.State("shop") { // it is written behind
		if err != nil || t.Context().Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	saved := siteOf(t, j, counted)
	saved.shows(saved.scrape(), want...)
	first.want(201, "PUT", "/v1/loops/shop/decisions/2/deployment", `{"u":[-1,3]}`)
	first.want(200, "POST", "/v1/loops/other/pause", `{"reason":"test"}`)
	for _, s := range []*site{other, saved} {
		s.shows(s.scrape(), `kedge_alarms{loop="shop"} 1`, `kedge_chain_checked_seq{loop="shop"} 8`, `kedge_loops{mode="paused"} 1`)
	}
	if plans != 0 {
		t.Errorf("%d loops were built for numbers", plans)
	}
}

// watched is a journal that counts what is read of it, can keep who reads waiting, and can have another byte in an event of a loop.
type watched struct {
	session.Journal
	read   atomic.Int64
	opened chan struct{} // nil: nobody waits
	rotten int           // its number; 0: none
}

func (w *watched) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	if w.opened != nil {
		<-w.opened
	}
	return w.Journal.Read(ctx, loop, after, func(e session.Event) error {
		if w.read.Add(1); e.Seq == w.rotten {
			e.Actor += "?"
		}
		return visit(e)
	})
}

// A server is not ready whose newest events do not follow. It looks at two events of a loop, however many there are, and lets nobody wait for long.
func TestReadyLooksAtTheNewestLinks(t *testing.T) {
	j := opened(t)
	s := siteOf(t, j, nil)
	s.want(200, "GET", "/readyz", "")
	s.create("shop", "live")
	for range 20 {
		s.want(200, "POST", "/v1/loops/shop/pause", `{"reason":"test"}`)
		s.want(200, "POST", "/v1/loops/shop/resume", `{"reason":"test"}`)
	}
	s.create("other", "live")
	const newest = 41
	sound := &watched{Journal: j}
	siteOf(t, sound, nil).want(200, "GET", "/readyz", "")
	if n := sound.read.Load(); n != 3 { // two of shop, and the one there is of other
		t.Errorf("%d events were read", n)
	}
	for seq, ready := range map[int]bool{newest: false, newest - 1: true} { // of the one before, the hash alone counts
		status, reply := siteOf(t, &watched{Journal: j, rotten: seq}, nil).call("GET", "/readyz", "")
		if (status == 200) != ready || !ready && !strings.Contains(fmt.Sprint(reply["detail"]), "event 41 of loop shop") {
			t.Errorf("with event %d rotten: %d %v", seq, status, reply)
		}
	}
	slow := &watched{Journal: j, rotten: newest, opened: make(chan struct{})}
	s = siteOf(t, slow, nil)
	began := time.Now()
	if s.want(200, "GET", "/readyz", ""); time.Since(began) > 5*time.Second { // 0.2 s, on a machine that has time
		t.Errorf("the answer took %v", time.Since(began))
	}
	close(slow.opened)
	for range 500 {
		if status, _ := s.call("GET", "/readyz", ""); status == 503 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("what was found later does not count")
}

// Links that could not be looked at are looked at again by who asks next: a server whose journal comes back is ready.
func TestReadyOnceLinksCanBeLookedAt(t *testing.T) {
	j := &unlisted{InMemory: store.NewMemory(), why: errors.New("the disk is not there yet")}
	s := siteOf(t, j, nil)
	if p := s.want(503, "GET", "/readyz", ""); p["detail"] != j.why.Error() {
		t.Errorf("not ready: %v", p)
	}
	j.why = nil
	for range 50 { // once, unless the machine is slow
		if status, _ := s.call("GET", "/readyz", ""); status == 200 {
			return
		}
	}
	t.Error("it is never ready")
}
