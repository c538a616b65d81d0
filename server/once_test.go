package server_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/session/replay"
	"github.com/kedge-opt/kedge/store"
)

// head is the number of the newest event of a loop.
func (s *site) head(loop string) int {
	s.Helper()
	return int(s.want(200, "GET", "/v1/loops/"+loop, "")["seq"].(float64))
}

// replays sends a request and tells whether the reply was given before.
func (s *site) replays(path, body, word string) (status int, reply string, replayed bool) {
	s.Helper()
	r, _ := http.NewRequest("POST", s.url+path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", word)
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer w.Body.Close()
	var b strings.Builder
	fmt.Fprint(&b, w.Status)
	buf := make([]byte, 1<<16)
	for {
		n, err := w.Body.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			break
		}
	}
	return w.StatusCode, b.String(), w.Header.Get("Idempotency-Replayed") == "true"
}

// sent is what an operator sent under a word, and the first reply.
type sent struct{ path, body, word, first string }

// repeat sends it all again, and something else under the same words.
func (s *site) repeat(all []sent, head int) {
	s.Helper()
	for _, one := range all {
		for range 2 {
			if _, again, replayed := s.replays(one.path, one.body, one.word); again != one.first || !replayed {
				s.Errorf("%s again: %s, replayed %t, want %s", one.path, again, replayed, one.first)
			}
		}
		if status, text, replayed := s.replays(one.path, `{"reason":"another"}`, one.word); status != 409 || replayed || !strings.Contains(text, "key-reused") {
			s.Errorf("%s with other content: %s", one.path, text)
		}
	}
	if status, text, _ := s.replays("/v1/loops/shop/kill", `{}`, "word-8"); status != 409 {
		s.Errorf("the word of another call: %s", text)
	}
	if after := s.head("shop"); after != head {
		s.Errorf("%d events after the repeats, want %d", after, head)
	}
	if now := s.want(200, "GET", "/v1/loops/shop", ""); now["mode"] != "live" {
		s.Errorf("the loop is %v", now["mode"])
	}
}

// What an operator sends under a word is done once, for ever: also when something else happened meanwhile, and after a restart.
func TestOperatorsAreHeardOnce(t *testing.T) {
	dir := t.TempDir()
	var s *site
	start := func() (stop func()) {
		j, err := store.Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		own := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits()})
		web := httptest.NewServer(own)
		s = &site{T: t, url: web.URL}
		return func() { own.Stop(); web.Close(); j.Close() }
	}
	stop := start()
	approved := strings.Replace(shop, "safe:", "approval: always, safe:", 1)
	s.want(201, "POST", "/v1/loops", fmt.Sprintf(`{"name":"shop","spec":%s,"mode":"live"}`, quoted(approved)))
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	var all []sent
	do := func(path, body string) {
		t.Helper()
		one := sent{"/v1/loops/shop" + path, body, fmt.Sprint("word-", len(all)), ""}
		before := s.head("shop")
		status, first, replayed := s.replays(one.path, one.body, one.word)
		if status != 200 || replayed || s.head("shop") == before {
			t.Fatalf("%s: %s, replayed %t", path, first, replayed)
		}
		one.first = first
		all = append(all, one)
	}
	do("/decisions/1/reject", `{"reason":"no"}`)
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	do("/decisions/2/approve", `{"reason":"yes"}`)
	do("/pause", `{"reason":"stock-take"}`)
	do("/resume", `{"reason":"done"}`)
	do("/rollback", `{"to":"safe","reason":"worse"}`)
	do("/kill", `{"reason":"stop"}`)
	do("/kill", `{"reason":"stop"}`) // which changes nothing, and is written down all the same
	do("/shadow", `{}`)
	do("/promote", `{}`)
	before := s.head("shop")
	s.repeat(all, before)
	stop()
	stop = start()
	defer func() { stop() }()
	s.repeat(all, before)
	var together sync.WaitGroup
	for range 20 {
		together.Go(func() {
			if status, text, _ := s.replays("/v1/loops/shop/pause", `{}`, "at once"[:2]); status != 200 {
				t.Errorf("at once: %s", text)
			}
		})
	}
	together.Wait()
	if after := s.head("shop"); after != before+2 { // mode and answered
		t.Errorf("20 at once: %d events more, want 2", after-before)
	}
	s.want(400, "POST", "/v1/loops/shop/pause", "{}", "Idempotency-Key", "two words")
	s.want(400, "POST", "/v1/loops/shop/pause", "{}", "Idempotency-Key", strings.Repeat("x", 256))
	s.want(400, "POST", "/v1/keys", `{"rights":["read"],"loops":["*"]}`, "Idempotency-Key", "x")
	stop()
	stop = func() {}
	j, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if again, err := replay.Loop(t.Context(), j, "shop", session.Standard); err != nil || again.Events != before+2 {
		t.Errorf("replayed %+v, %v", again, err)
	}
}

// What is only tried answers as if it were done, and does nothing.
func TestTryingDoesNothing(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	d := "/v1/loops/shop/decisions/1"
	s.want(201, "PUT", d+"/deployment", `{"u":[3,3]}`)
	s.want(201, "PUT", d+"/batches/am", `{"observed_at":"2099-01-01T00:00:00Z","p":[[7,5],[6.5,5.25]],"d":[[10,8],[10,8]]}`)
	revised := fmt.Sprintf(`{"spec":%s,"reason":"wider"}`, quoted(strings.Replace(shop, "norm: 0.5", "norm: 0.75", 1)))
	for _, c := range []struct {
		method, path, body string
		headers            []string
		only               string // what the reply has; the rest tells of events that are written at another time
	}{
		{"POST", d + "/close", `{}`, nil, "outcome"},
		{"PUT", "/v1/loops/shop/pin", `{"u":[3.25,3],"reason":"test"}`, nil, "mode"},
		{"DELETE", "/v1/loops/shop/pin", ``, nil, ""},
		{"POST", "/v1/loops/shop/rollback", `{"to":"safe","reason":"test"}`, nil, "to"},
		{"PUT", "/v1/loops/shop/spec", revised, []string{"If-Match", `"1"`}, "revision"},
		{"POST", "/v1/loops/shop/kill", `{"reason":"test"}`, nil, ""},
		{"POST", "/v1/loops/shop/resume", `{"reason":"test"}`, nil, "mode"},
	} {
		before := s.head("shop")
		path := c.path + "?dry_run=true"
		if c.only == "" {
			if p := s.want(400, c.method, path, c.body, c.headers...); !strings.Contains(fmt.Sprint(p["detail"]), "dry_run") {
				t.Errorf("%s: %v", path, p)
			}
		} else {
			tried := s.want(200, c.method, path, c.body, c.headers...)
			for range 2 {
				if again := s.want(200, c.method, path, c.body, c.headers...); fmt.Sprint(again[c.only]) != fmt.Sprint(tried[c.only]) {
					t.Errorf("%s: tried %v, and again %v", path, tried, again)
				}
			}
			if after := s.head("shop"); after != before {
				t.Errorf("%s: %d events", path, after-before)
			}
			done := s.want(200, c.method, c.path, c.body, c.headers...)
			if tried[c.only] == nil || fmt.Sprint(done[c.only]) != fmt.Sprint(tried[c.only]) || len(done) != len(tried) || fmt.Sprint(done["terms"], done["value"], done["keeps"]) != fmt.Sprint(tried["terms"], tried["value"], tried["keeps"]) {
				t.Errorf("%s: tried %v, done %v", path, tried, done)
			}
			continue
		}
		s.want(200, c.method, c.path, c.body, c.headers...)
	}
	s.want(400, "POST", "/v1/loops/shop/resume?dry_run=perhaps", `{}`)
	s.want(400, "POST", "/v1/kill?dry_run=1", `{}`)
	s.want(404, "POST", "/v1/loops/none/resume?dry_run=true", `{}`)
}

// One call stops every loop of a key, whatever the others of them are.
func TestKillOfAll(t *testing.T) {
	s := newSite(t)
	for n := range 12 {
		s.create(fmt.Sprint("shop-", n), "live")
	}
	s.create("bank", "live")
	s.want(201, "POST", "/v1/loops", fmt.Sprintf(`{"name":"shop-unsafe","spec":%s}`, quoted(strings.Replace(shop, ", safe: [4, 4]", "", 1))))
	s.want(200, "DELETE", "/v1/loops/shop-0", "")
	root, _ := s.key(nil, allRights, "*")
	some, _ := s.key(with(root), "operate", "shop-*")
	body := `{"reason":"the shop burns"}`
	begun := time.Now()
	v := s.want(200, "POST", "/v1/kill", body, append(with(some), "Idempotency-Key", "fire")...)
	if v["killed"] != 11.0 || !strings.Contains(fmt.Sprint(v["failed"]), "shop-unsafe") || len(v["failed"].([]any)) != 1 {
		t.Errorf("killed %v in %v", v, time.Since(begun))
	}
	for n, want := range map[string]string{"shop-1": "killed", "shop-11": "killed", "bank": "live", "shop-unsafe": "shadow"} {
		if got := s.want(200, "GET", "/v1/loops/"+n, "", with(root)...); got["mode"] != want {
			t.Errorf("%s is %v, want %s", n, got["mode"], want)
		}
	}
	s.want(200, "POST", "/v1/loops/shop-1/resume", `{"reason":"put out"}`, with(root)...)
	if again := s.want(200, "POST", "/v1/kill", body, append(with(some), "Idempotency-Key", "fire")...); fmt.Sprint(again) != fmt.Sprint(v) {
		t.Errorf("again: %v", again)
	}
	if got := s.want(200, "GET", "/v1/loops/shop-1", "", with(root)...); got["mode"] != "live" {
		t.Errorf("the repeat has killed what was resumed: %v", got["mode"])
	}
	s.want(409, "POST", "/v1/kill", `{"reason":"flood"}`, append(with(some), "Idempotency-Key", "fire")...)
	s.want(403, "POST", "/v1/kill", body, with(s.second(root, "ask,tell,read,admin"))...)
}

// second is another key.
func (s *site) second(by, rights string) string { key, _ := s.key(with(by), rights, "*"); return key }
