package server_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// siteBy is a site of a setup, whose limits are those by default where it has none.
func siteBy(t *testing.T, c server.Setup) *site {
	if c.Journal == nil {
		c.Journal = store.NewMemory()
	}
	if c.Clock == nil {
		c.Clock = server.Wall()
	}
	if c.Limits == (server.Allowance{}) {
		c.Limits = server.DefaultLimits()
	}
	own := server.New(c)
	web := httptest.NewServer(own)
	t.Cleanup(func() { own.Stop(); web.Close() })
	return &site{T: t, url: web.URL}
}

// waits is how many seconds a request is told to wait before it is sent again; empty: nothing is said of it.
func (s *site) waits(method, path, body string, headers ...string) string {
	s.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer reply.Body.Close()
	return reply.Header.Get("Retry-After")
}

// A server is ready once what it stands on is, and says why it is not.
func TestReadyWhenTheSetupIs(t *testing.T) {
	var why error
	s := siteBy(t, server.Setup{Ready: func() error { return why }})
	s.want(200, "GET", "/readyz", "")
	why = errors.New("the disk is not there yet")
	if p := s.want(503, "GET", "/readyz", ""); p["type"] != "/problems/read-only" || p["detail"] != why.Error() {
		t.Errorf("not ready: %v", p)
	}
	if wait := s.waits("GET", "/readyz", ""); wait != "2" {
		t.Errorf("not ready for %q s", wait)
	}
	why = nil
	s.want(200, "GET", "/readyz", "")
}

// unlisted is a journal that cannot say which loops it has, nor their numbers, once there is a reason.
type unlisted struct {
	*store.InMemory
	why error
}

func (u *unlisted) Loops(ctx context.Context) ([]session.Tip, error) {
	if u.why != nil {
		return nil, u.why
	}
	return u.InMemory.Loops(ctx)
}

func (u *unlisted) Series(ctx context.Context, loop string, names []string, from, points int) (*session.SeriesPage, error) {
	if u.why != nil {
		return nil, u.why
	}
	return u.InMemory.Series(ctx, loop, names, from, points)
}

// Where a journal is lost that is said of numbers, and a stream of all loops ends, so that who watches comes again.
func TestWhatIsLostIsNotEmpty(t *testing.T) {
	j := &unlisted{InMemory: store.NewMemory()}
	s := siteBy(t, server.Setup{Journal: j})
	s.create("shop", "live")
	j.why = session.ErrLost
	if p := s.want(503, "GET", "/v1/loops/shop/series", ""); p["type"] != "/problems/journal-lost" {
		t.Errorf("numbers: %v", p)
	}
	reply, err := (&http.Client{Timeout: 5 * time.Second}).Get(s.url + "/v1/events")
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	if text, err := io.ReadAll(reply.Body); err != nil || string(text) != "retry: 2000\n\n" {
		t.Errorf("all loops: %q, %v", text, err)
	}
}

// sealed is a journal that does not give back what the server has written down of itself.
type sealed struct{ *store.InMemory }

func (s sealed) Read(ctx context.Context, loop string, after int, visit func(session.Event) error) error {
	if loop == session.OfServer {
		return errors.New("the disk is gone")
	}
	return s.InMemory.Read(ctx, loop, after, visit)
}

// Where the keys cannot be read nobody is let in, nor told that he needs none.
func TestKeysThatCannotBeRead(t *testing.T) {
	s := siteBy(t, server.Setup{Journal: sealed{store.NewMemory()}})
	for path, body := range map[string]string{"GET /v1/login": "", "POST /v1/login": `{"key":"kedge_x"}`, "GET /v1/loops": "", "POST /v1/kill": "{}"} {
		method, path, _ := strings.Cut(path, " ")
		if p := s.want(503, method, path, body); p["type"] != "/problems/read-only" || p["detail"] != "the keys cannot be read: the disk is gone" {
			t.Errorf("%s %s: %v", method, path, p)
		}
	}
}

// Where the keys cannot be read nobody knows when they were last used, which a server tells that ends.
func TestUsesOfKeysThatCannotBeReadAreMissed(t *testing.T) {
	s := server.New(server.Setup{Journal: sealed{store.NewMemory()}, Clock: server.Wall(), Limits: server.DefaultLimits()})
	s.Stop()
	if err := s.Finish(t.Context()); err == nil || err.Error() != "the disk is gone" {
		t.Error(err)
	}
}

// A server that was ready is so no longer once its journal cannot be read.
func TestNotReadyWithoutTheJournal(t *testing.T) {
	j := &unlisted{InMemory: store.NewMemory()}
	s := siteBy(t, server.Setup{Journal: j})
	s.want(200, "GET", "/readyz", "")
	j.why = errors.New("the disk is gone")
	if p := s.want(503, "GET", "/readyz", ""); p["type"] != "/problems/read-only" || p["detail"] != j.why.Error() {
		t.Errorf("not ready: %v", p)
	}
}

// As many loops are made as may be, and not one more; those there are go on.
func TestSoManyLoopsAndNoMore(t *testing.T) {
	limits := server.DefaultLimits()
	limits.Loops = 2
	s := siteBy(t, server.Setup{Limits: limits})
	s.create("one", "live")
	s.create("two", "live")
	made := func(name string) string {
		return fmt.Sprintf(`{"name":%q,"mode":"live","spec":%s}`, name, quoted(shop))
	}
	if p := s.want(413, "POST", "/v1/loops", made("three")); p["detail"] != "there are 2 loops already" {
		t.Errorf("the third: %v", p)
	}
	s.want(200, "POST", "/v1/loops", made("one"))
}

// What a key sends counts against its bytes: who has sent more than two seconds' worth waits until the rate has made up for it.
func TestBytesOfAKeyRunOut(t *testing.T) {
	clock := &hand{now: time.Date(2026, 11, 16, 6, 0, 0, 0, time.UTC)}
	limits := server.DefaultLimits()
	limits.KeyBytes = 1000
	s := siteBy(t, server.Setup{Clock: clock, Limits: limits})
	key, _ := s.key(nil, allRights, "*")
	for range 9 { // which sends nothing
		s.want(200, "GET", "/v1/loops", "", with(key)...)
	}
	s.want(404, "POST", "/v1/loops/none/kill", `{"reason":"`+strings.Repeat("x", 4987)+`"}`, with(key)...) // 5,000 bytes of 2,000
	if p := s.want(429, "GET", "/v1/loops", "", with(key)...); !strings.Contains(fmt.Sprint(p["detail"]), "1000 bytes a second") {
		t.Errorf("beyond its bytes: %v", p)
	}
	if wait := s.waits("GET", "/v1/loops", "", with(key)...); wait != "4" { // until one byte is left: 3.001 s, in whole seconds
		t.Errorf("beyond its bytes for %q s", wait)
	}
	clock.move(3 * time.Second)
	s.want(429, "GET", "/v1/loops", "", with(key)...)
	clock.move(time.Second)
	s.want(200, "GET", "/v1/loops", "", with(key)...)
}

// forgetful is a journal that has nothing to say of decisions, and writes nothing of the server's own, or nothing at all, once it is told so.
type forgetful struct {
	*store.InMemory
	empty, full, stuffed bool
}

func (f *forgetful) Decision(loop string, k int) ([]session.Event, error) {
	if f.empty {
		return nil, nil
	}
	return f.InMemory.Decision(loop, k)
}

func (f *forgetful) Append(loop string, after int, events []session.Event, state []byte) (wait func() error) {
	if f.stuffed || f.full && loop == session.OfServer {
		return func() error { return session.ErrFull }
	}
	return f.InMemory.Append(loop, after, events, state)
}

// A loop that is removed while somebody looks at its series has no times any more, which is no fault of the server.
func TestTimesOfDecisionsThatAreGone(t *testing.T) {
	j := &forgetful{InMemory: store.NewMemory()}
	s := siteBy(t, server.Setup{Journal: j})
	s.create("shop", "live")
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	s.want(200, "POST", "/v1/loops/shop/decisions/1/abandon", "")
	if v := s.want(200, "GET", "/v1/loops/shop/series?times=true", ""); fmt.Sprint(v["k"]) != "[1]" || fmt.Sprint(v["at"]) == "[0001-01-01T00:00:00Z]" {
		t.Fatalf("before: %v", v)
	}
	j.empty = true
	if v := s.want(200, "GET", "/v1/loops/shop/series?times=true", ""); fmt.Sprint(v["at"]) != "[0001-01-01T00:00:00Z]" {
		t.Errorf("once they are gone: %v", v)
	}
}

// A kill of all loops that cannot be written down as one is told as a full disk, although the loops are killed: who sends it again is not told that it was
// carried out before.
func TestAKillOfAllThatIsNotWrittenDown(t *testing.T) {
	j := &forgetful{InMemory: store.NewMemory()}
	s := siteBy(t, server.Setup{Journal: j})
	s.create("shop", "live")
	j.full = true
	if p := s.want(507, "POST", "/v1/kill", `{"reason":"rain"}`, "Idempotency-Key", "all"); p["type"] != "/problems/disk-full" {
		t.Errorf("on a full disk: %v", p)
	}
	if wait := s.waits("POST", "/v1/kill", `{}`); wait != "2" {
		t.Errorf("a full disk for %q s", wait)
	}
	if v := s.want(200, "GET", "/v1/loops/shop", ""); v["mode"] != "killed" {
		t.Errorf("the loop: %v", v)
	}
	j.full = false
	first := s.want(200, "POST", "/v1/kill", `{"reason":"rain"}`, "Idempotency-Key", "all")
	if again := s.want(200, "POST", "/v1/kill", `{"reason":"rain"}`, "Idempotency-Key", "all"); fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("killed %v, and again %v", first, again)
	}
}

// A loop that was killed answers its safe decision while nothing can be written down; one that was not says that the disk is full.
func TestAKilledLoopOnAFullDisk(t *testing.T) {
	j := &forgetful{InMemory: store.NewMemory()}
	s := siteBy(t, server.Setup{Journal: j})
	for _, loop := range []string{"shop", "bank"} {
		s.create(loop, "live")
	}
	s.want(200, "POST", "/v1/loops/shop/kill", `{"reason":"rain"}`)
	j.stuffed = true
	if p := s.want(507, "POST", "/v1/loops/bank/ask", ""); p["type"] != "/problems/disk-full" {
		t.Errorf("nobody killed it: %v", p)
	}
	a := s.want(200, "POST", "/v1/loops/shop/ask", "")
	if a["basis"] != "safe" || a["loop"] != "shop" || fmt.Sprint(a["u"], a["safe"]) != "[4 4] [4 4]" || fmt.Sprint(a["reasons"]) != "[the loop was killed the disk is full: nothing is written down until there is room]" {
		t.Errorf("it answers %v", a)
	}
	j.stuffed = false
	rule := fmt.Sprint(a["iterate"]) // where it is, whatever is answered
	if a := s.want(200, "POST", "/v1/loops/shop/ask", ""); a["basis"] != "safe" || fmt.Sprint(a["u"]) != "[4 4]" || fmt.Sprint(a["iterate"]) != rule || rule == "[4 4]" || fmt.Sprint(a["reasons"]) != "[the loop was killed]" {
		t.Errorf("with room it answers %v", a)
	}
}

// What came too late to count hides nobody who answered in time: the model, the answers and the distribution look at the newest who did.
func TestLatePeopleHideNobody(t *testing.T) {
	s := newScript(t, "")
	s.steps(1)
	s.want(200, "POST", s.loop+"/ask", "")
	s.want(200, "POST", s.loop+"/decisions/2/abandon", "")
	s.want(202, "PUT", s.loop+"/decisions/2/deployment", `{"u":[3,3]}`)
	s.want(202, "PUT", s.loop+"/decisions/2/batches/am", `{"p":[[7,5]],"d":[[10,8]]}`)
	for _, path := range []string{"/decisions/2/guess", "/sensitivity", "/distribution"} {
		if v := s.want(200, "GET", s.loop+path, ""); v["k"] != 1.0 || v["people"] != 40.0 {
			t.Errorf("%s: decision %v with %v people, want 40 of decision 1", path, v["k"], v["people"])
		}
	}
}

// A page of no loops is empty, and the next begins where it was to begin.
func TestAPageOfNoLoops(t *testing.T) {
	s := siteBy(t, server.Setup{})
	for _, name := range []string{"a", "b", "c"} {
		s.create(name, "live")
	}
	var names []string
	token := ""
	for range 4 {
		v := s.want(200, "GET", "/v1/overview?page_size=1&page_token="+token, "")
		if none := s.want(200, "GET", "/v1/overview?page_size=0&page_token="+token, ""); len(none["loops"].([]any)) != 0 || token != "" && none["next_page_token"] != token && token != "c" {
			t.Errorf("after %q: %v", token, none)
		}
		for _, one := range v["loops"].([]any) {
			names = append(names, one.(map[string]any)["loop"].(string))
		}
		if v["next_page_token"] == nil {
			break
		}
		token = v["next_page_token"].(string)
	}
	if !slices.Equal(names, []string{"a", "b", "c"}) {
		t.Errorf("page by page: %v", names)
	}
}

// What a request's body takes is given back when the request ends, however it ends.
func TestBodiesAreLetGo(t *testing.T) {
	limits := server.DefaultLimits()
	limits.Held = 3000
	s := siteBy(t, server.Setup{Limits: limits})
	for range 6 {
		if p := s.want(400, "POST", "/v1/loops", `{"nothing":"`+strings.Repeat("x", 1000)+`"}`); p["type"] != "/problems/malformed" {
			t.Fatalf("%v", p)
		}
	}
	if status, p := s.call("POST", "/v1/loops", `{"nothing":"`+strings.Repeat("x", 4000)+`"}`); status != 503 {
		t.Errorf("a body that is larger than all may be: %d %v", status, p)
	}
}

// As many guardrails are tried at once as a spec may have, and not one more.
func TestSoManyGuardrails(t *testing.T) {
	s := siteBy(t, server.Setup{})
	s.create("shop", "live")
	for n, status := range map[int]int{0: 400, 1: 200, 32: 200, 33: 400} {
		var rails []string
		for i := range n {
			rails = append(rails, fmt.Sprintf(`{"name":"r%d","of":"mean(p[0])","most":6.6}`, i))
		}
		if got, p := s.call("POST", "/v1/loops/shop/guardrails/test", `{"guardrails":[`+strings.Join(rails, ",")+`]}`); got != status || status == 400 && !strings.Contains(fmt.Sprint(p["detail"]), "guardrails are 1 to 32") {
			t.Errorf("%d guardrails: %d %v", n, got, p)
		}
	}
}

// Whoever waits for a decision is not too slow once all of the message has come, however long that takes.
func TestWhoWaitsIsNotSlow(t *testing.T) {
	limits := server.DefaultLimits()
	limits.Header = 100 * time.Millisecond
	s := siteBy(t, server.Setup{Limits: limits})
	s.create("shop", "live")
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	if a := s.want(200, "POST", "/v1/loops/shop/ask", `{"after_k":1,"wait":"300ms"}`); a["k"] != 1.0 {
		t.Errorf("%v", a)
	}
}

// A server that is about to end is not ready, and has clients use their connections no more.
func TestConnectionsEndWithTheServer(t *testing.T) {
	own := server.New(server.Setup{Journal: store.NewMemory(), Clock: server.Wall(), Limits: server.DefaultLimits()})
	web := httptest.NewServer(own)
	t.Cleanup(func() { own.Stop(); web.Close() })
	for i, status := range []int{200, 503} {
		closes := i == 1
		if closes {
			own.Leave()
		}
		reply, err := http.Get(web.URL + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		if reply.Body.Close(); reply.StatusCode != status || reply.Close != closes {
			t.Errorf("%s, the connection is closed: %t", reply.Status, reply.Close)
		}
	}
}

// torn is a journal that cannot read one decision, once it is told which.
type torn struct {
	*store.InMemory
	k int
}

func (j *torn) Decision(loop string, k int) ([]session.Event, error) {
	if k == j.k {
		return nil, errors.New("the disk is gone")
	}
	return j.InMemory.Decision(loop, k)
}

// Where a decision before the one that is asked about cannot be read, that is said.
func TestDecisionsBeforeThatCannotBeRead(t *testing.T) {
	j := &torn{InMemory: store.NewMemory()}
	s := siteBy(t, server.Setup{Journal: j})
	s.create("shop", "live")
	at := "/v1/loops/shop"
	s.want(200, "POST", at+"/exchange", `{"k":0,"ask":true}`)
	s.want(200, "POST", at+"/exchange", `{"k":1,"deployment":{"u":[3,3]},"batch_id":"am","batch":`+twoOfAll+`,"close":{},"ask":true}`)
	for _, path := range []string{"/decisions/2/explain", "/decisions/2/guess", "/sensitivity"} {
		j.k = 0
		s.want(200, "GET", at+path, "")
		j.k = 1
		if p := s.want(500, "GET", at+path, ""); p["detail"] != "the disk is gone" {
			t.Errorf("%s: %v", path, p)
		}
	}
}
