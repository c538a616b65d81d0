package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// A program that serves for itself sends requests that need no key, also once there are keys; they are its own.
func TestAnOwnerNeedsNoKey(t *testing.T) {
	j := store.NewMemory()
	s := siteBy(t, server.Setup{Journal: j, Owner: "desk"})
	s.key(nil, allRights, "*")
	s.create("shop", "live")
	if who := s.want(200, "GET", "/v1/login", ""); who["needed"] != false || who["key"] != "desk" || len(who["rights"].([]any)) != 5 {
		t.Errorf("it is %v", who)
	}
	if events, err := j.Newest(t.Context(), "shop", []session.Kind{session.Created}, 1); err != nil || len(events) != 1 || events[0].Actor != "desk" {
		t.Errorf("made by %+v, %v", events, err)
	}
}

// While a kill cannot be written down the loop is shown as killed, wherever it is shown; one that is archived is not killed.
func TestKillsThatWaitAreShown(t *testing.T) {
	s, _ := killedWithoutRoom(t)
	if list, _ := s.want(200, "GET", "/v1/loops/shop/health", "")["cards"].([]any); len(list) == 0 || list[0].(map[string]any)["words"] != "The loop was killed: it answers the safe decision, 4 4." {
		t.Errorf("cards: %v", list)
	}
	if g := s.want(200, "GET", "/v1/overview", "")["loops"].([]any)[0].(map[string]any); g["mode"] != "killed" || g["level"] != "alarm" {
		t.Errorf("in a line: %v", g)
	}
	if now := s.want(200, "GET", "/v1/loops/shop", ""); now["mode"] != "killed" {
		t.Errorf("it is %v", now)
	}
	other := siteBy(t, server.Setup{})
	other.create("bank", "live")
	other.want(200, "DELETE", "/v1/loops/bank", "")
	other.want(410, "POST", "/v1/loops/bank/kill", `{"reason":"late"}`)
	if now := other.want(200, "GET", "/v1/loops/bank", ""); now["mode"] != "archived" {
		t.Errorf("it is %v", now)
	}
}

// As many watch and wait as may, and no more; the others are told to come again.
func TestSoManyWatchersAndNoMore(t *testing.T) {
	limits := server.DefaultLimits()
	limits.Watchers = 1
	s := siteBy(t, server.Setup{Limits: limits})
	s.create("shop", "live")
	s.want(200, "POST", "/v1/loops/shop/ask", `{"after_k":1,"wait":"10ms"}`)
	first := s.listen("/v1/loops/shop/events", "")
	defer first.Close()
	for path, words := range map[string]string{"/v1/loops/shop/events": "too many watch already", "/v1/events": "too many watch already", "/v1/loops/shop/events?every=1s": "too many watch already"} {
		if p := s.want(503, "GET", path, ""); p["detail"] != words || p["type"] != "/problems/overloaded" {
			t.Errorf("%s: %v", path, p)
		}
	}
	if p := s.want(503, "POST", "/v1/loops/shop/ask", `{"after_k":1,"wait":"10s"}`); p["detail"] != "too many are watching or waiting" {
		t.Errorf("who waits: %v", p)
	}
}

// A stream on which nothing happens says every fifteen seconds that it is there.
func TestStreamsSayThatTheyAreAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own := server.New(server.Setup{Journal: store.NewMemory(), Clock: server.Wall(), Limits: server.DefaultLimits()})
		defer own.Stop()
		ctx, leave := context.WithCancel(t.Context())
		to, ended := httptest.NewRecorder(), make(chan struct{})
		go func() {
			defer close(ended)
			own.ServeHTTP(to, httptest.NewRequestWithContext(ctx, "GET", "http://localhost/v1/events", nil))
		}()
		time.Sleep(46 * time.Second)
		synctest.Wait()
		leave()
		<-ended
		if text := to.Body.String(); text != "retry: 2000\n\n"+strings.Repeat(": alive\n\n", 3) {
			t.Errorf("in 46 s it says %q", text)
		}
	})
}

// What is sent twice in a round, asked for in no number, or about no loop is told as that.
func TestRoundsAndPagesThatSayNothing(t *testing.T) {
	s := siteBy(t, server.Setup{})
	s.create("shop", "live")
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	for last, status := range map[int]int{1: 200, 0: 400, 1000: 200, 1001: 400, -1: 400} {
		s.want(status, "POST", "/v1/loops/shop/guardrails/test", fmt.Sprintf(`{"guardrails":[{"name":"r","of":"mean(p[0])","most":6.6}],"last":%d}`, last))
	}
	s.want(400, "GET", "/v1/overview?page_size=many", "")
	s.want(400, "GET", "/v1/overview?page_size=1001", "")
	if p := s.want(400, "POST", "/v1/loops/shop/exchange", `{"k":1,"batch_id":"am","batch":{"p":[[7,5]],"d":[[9,9]]},"batch":[]}`); !strings.Contains(fmt.Sprint(p["detail"]), "twice") {
		t.Errorf("two batches: %v", p)
	}
	if p := s.want(422, "POST", "/v1/loops/shop/exchange", `{"k":1,"batch_id":"am","batch":{"p":[[7,5],[7]],"d":[[9,9],[9,9]]}}`); !strings.Contains(fmt.Sprint(p["errors"]), "/batch/p/1") {
		t.Errorf("a row that is too short: %v", p)
	}
}

// Where copies cannot lie on the disk for a moment that is told before anything is sent.
func TestCopiesThatCannotBeMade(t *testing.T) {
	s := siteBy(t, server.Setup{Vault: copies{}})
	s.create("shop", "live")
	s.want(200, "GET", "/v1/loops/shop/export", "")
	t.Setenv("TMPDIR", t.TempDir()+"/none")
	if p := s.want(500, "GET", "/v1/loops/shop/export", ""); !strings.Contains(fmt.Sprint(p["detail"]), "no such file") {
		t.Errorf("%v", p)
	}
}

// heeded is a journal that others write as well, of which another host looks after deadlines, and that tells what it is told to.
type heeded struct {
	*fickle
	keeps bool
	tips  []session.Tip
	taken []bool
	rots  atomic.Bool // events cannot be read
}

func (h *heeded) Keeper(context.Context) bool { return h.keeps }

func (h *heeded) Follow(_ context.Context, _ func() []string, heard func(session.Tip) bool) {
	for _, tip := range h.tips {
		h.taken = append(h.taken, heard(tip))
	}
}

func (h *heeded) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	if h.rots.Load() {
		return errors.New("input/output error")
	}
	return h.fickle.Read(ctx, loop, after, visit)
}

// Of several servers one looks after deadlines; what others wrote is taken once it could be read, and the log says where it could not.
func TestServersOfOneJournal(t *testing.T) {
	j := &heeded{fickle: &fickle{InMemory: store.NewMemory()}, keeps: true}
	var log bytes.Buffer
	clock := &hand{now: time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}
	own := server.New(server.Setup{Journal: j, Clock: clock, Limits: server.DefaultLimits(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	web := httptest.NewServer(own)
	t.Cleanup(func() { own.Stop(); web.Close() })
	s := &site{T: t, url: web.URL}
	s.create("shop", "live")
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	clock.move(25 * time.Hour) // when the decision has lapsed
	state := func() string { return fmt.Sprint(s.want(200, "GET", "/v1/loops/shop", "")["state"]) }
	j.keeps = false
	if err := own.Pass(t.Context()); err != nil || state() != "open" {
		t.Errorf("another host looks after it, and it is %s, %v", state(), err)
	}
	j.lost.Store(true)
	if err := own.Pass(t.Context()); !errors.Is(err, session.ErrLost) {
		t.Errorf("the journal is lost: %v", err)
	}
	j.lost.Store(false)
	j.keeps = true
	if err := own.Pass(t.Context()); err != nil || state() != "<nil>" {
		t.Errorf("this host looks after it, and it is %s, %v", state(), err)
	}
	stream := s.listen("/v1/loops/shop/events", "")
	defer stream.Close()
	all, err := j.Loops(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	j.tips = []session.Tip{{Loop: session.OfServer, Seq: 1}, {Loop: "other", Seq: 3}, {Loop: "shop", Seq: all[len(all)-1].Seq + 1}}
	if own.Follow(t.Context()); !slices.Equal(j.taken, []bool{true, true, true}) || log.Len() > 0 && strings.Contains(log.String(), "could not be read") {
		t.Errorf("taken: %v, the log says %s", j.taken, &log)
	}
	j.taken = nil
	j.rots.Store(true)
	own.Follow(t.Context())
	if text := log.String(); j.taken[1] != true || j.taken[2] != false || !strings.Contains(text, `level=WARN msg="what another server wrote could not be read" loop=shop why="input/output error"`) || strings.Contains(text, "loop=other") {
		t.Errorf("taken: %v, the log says %s", j.taken, text)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	log.Reset()
	if own.Follow(ended); strings.Contains(log.String(), "could not be read") {
		t.Errorf("after the end it says %s", &log)
	}
}
