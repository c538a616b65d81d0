package server_test

import (
	"bufio"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// key makes a key, with the key of somebody or with none.
func (s *site) key(by []string, rights, loops string) (key, prefix string) {
	s.Helper()
	list := func(text string) string { return `["` + strings.ReplaceAll(text, ",", `","`) + `"]` }
	v := s.want(201, "POST", "/v1/keys", fmt.Sprintf(`{"rights":%s,"loops":%s}`, list(rights), list(loops)), by...)
	key = v["key"].(string)
	if prefix = v["prefix"].(string); prefix != key[:8] {
		s.Fatalf("prefix %s", prefix)
	}
	return key, prefix
}

const allRights = "read,ask,tell,operate,admin"

// with is the header of a key.
func with(key string) []string { return []string{"Authorization", "Bearer " + key} }

func TestKeys(t *testing.T) {
	s := newSite(t)
	s.create("shop-a", "live") // without a key, while there is none
	s.create("bank", "live")
	root, _ := s.key(nil, allRights, "*")
	p := s.want(401, "GET", "/v1/loops", "")
	if p["type"] != "/problems/unauthenticated" {
		t.Errorf("without a key: %v", p)
	}
	asks, prefix := s.key(with(root), "ask,tell", "shop-*")
	a := s.want(200, "POST", "/v1/loops/shop-a/ask", "", with(asks)...)
	s.want(201, "PUT", "/v1/loops/shop-a/decisions/1/deployment", `{"u":[3,3]}`, with(asks)...)
	if p := s.want(403, "POST", "/v1/loops/shop-a/kill", "{}", with(asks)...); p["type"] != "/problems/forbidden" {
		t.Errorf("without the right: %v", p)
	}
	foreign, missing := s.want(404, "POST", "/v1/loops/bank/ask", "", with(asks)...), s.want(404, "POST", "/v1/loops/none/ask", "", with(asks)...)
	delete(foreign, "request")
	delete(missing, "request")
	if strings.ReplaceAll(fmt.Sprint(foreign), "bank", "none") != fmt.Sprint(missing) {
		t.Errorf("a foreign loop %v, a missing one %v", foreign, missing)
	}
	own := s.want(404, "POST", "/v1/loops/nothing/ask", "", with(root)...)
	if delete(own, "request"); strings.ReplaceAll(fmt.Sprint(own), "nothing", "none") != fmt.Sprint(missing) {
		t.Errorf("a missing loop is %v to who may see all", own)
	}
	log := s.wantText("/v1/loops/shop-a/log", root)
	if !strings.Contains(log, `"actor":"`+prefix+`"`) || strings.Contains(log, asks) || a["k"] != 1.0 {
		t.Errorf("the log names %s: %s", prefix, log)
	}
	s.want(404, "GET", "/v1/loops/_server/log", "", with(root)...)
	s.want(400, "POST", "/v1/loops", fmt.Sprintf(`{"name":"_server","spec":%s}`, quoted(shop)), with(root)...)
	if text := s.wantText("/v1/heads", root); strings.Contains(text, "_server") || !strings.Contains(text, "bank") {
		t.Errorf("heads: %s", text)
	}
	s.want(200, "DELETE", "/v1/keys/"+prefix, `{"reason":"test"}`, with(root)...)
	s.want(200, "DELETE", "/v1/keys/"+prefix, `{"reason":"test"}`, with(root)...)
	s.want(404, "DELETE", "/v1/keys/kedge_%7E%7E", "", with(root)...)
	if p := s.want(401, "POST", "/v1/loops/shop-a/ask", "", with(asks)...); !strings.Contains(fmt.Sprint(p["detail"]), "revoked") {
		t.Errorf("a revoked key: %v", p)
	}
}

// wantText is a reply as it came.
func (s *site) wantText(path, key string) string {
	s.Helper()
	r, _ := http.NewRequest("GET", s.url+path, nil)
	r.Header.Set("Authorization", "Bearer "+key)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer reply.Body.Close()
	var b strings.Builder
	if _, err := bufio.NewReader(reply.Body).WriteTo(&b); err != nil || reply.StatusCode != 200 {
		s.Fatalf("%s: %d %v", path, reply.StatusCode, err)
	}
	return b.String()
}

// A key for some loops sees, makes and gives no more than those.
func TestKeysOfSomeLoops(t *testing.T) {
	s := newSite(t)
	s.create("shop-a", "live")
	s.create("bank", "live")
	root, first := s.key(nil, allRights, "*")
	some, _ := s.key(with(root), allRights, "shop-*")
	for _, path := range []string{"/v1/loops", "/v1/heads", "/v1/keys"} {
		if text := s.wantText(path, some); strings.Contains(text, "bank") || strings.Contains(text, `"prefix":"`+first) {
			t.Errorf("%s: %s", path, text)
		}
	}
	make := func(name string) string { return fmt.Sprintf(`{"name":%q,"spec":%s}`, name, quoted(shop)) }
	s.want(201, "POST", "/v1/loops", make("shop-b"), with(some)...)
	s.want(403, "POST", "/v1/loops", make("other"), with(some)...)
	s.want(403, "POST", "/v1/loops", make("bank"), with(some)...)
	s.want(201, "POST", "/v1/keys", `{"rights":["ask"],"loops":["shop-b"]}`, with(some)...)
	for _, loops := range []string{`["*"]`, `["shop*"]`, `["shop-b","bank"]`} {
		s.want(403, "POST", "/v1/keys", `{"rights":["ask"],"loops":`+loops+`}`, with(some)...)
	}
	s.want(404, "DELETE", "/v1/keys/"+first, "", with(some)...)
	s.want(200, "GET", "/v1/loops", "", with(root)...)
	for _, body := range []string{`{}`, `{"rights":["root"],"loops":["*"]}`, `{"rights":["ask"],"loops":["_server"]}`, `{"rights":["ask"],"loops":["*"],"expires":"2020-01-01T00:00:00Z"}`} {
		s.want(400, "POST", "/v1/keys", body, with(root)...)
	}
}

// An ask that waits ends when its key does, and is answered as any call with that key from then on.
func TestRevokedKeysWaitNoMore(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	root, _ := s.key(nil, allRights, "*")
	asks, prefix := s.key(with(root), "ask", "*")
	s.want(200, "POST", "/v1/loops/shop/ask", "", with(asks)...)
	type answer struct {
		status int
		body   map[string]any
	}
	answered := make(chan answer, 1)
	go func() {
		status, body := s.call("POST", "/v1/loops/shop/ask", `{"after_k":1,"wait":"30s"}`, with(asks)...)
		answered <- answer{status, body}
	}()
	select {
	case a := <-answered:
		t.Fatalf("it did not wait: %v", a)
	case <-time.After(50 * time.Millisecond):
	}
	s.want(200, "DELETE", "/v1/keys/"+prefix, "", with(root)...)
	select {
	case a := <-answered:
		if a.status != 401 || !strings.Contains(fmt.Sprint(a.body["detail"]), "revoked") {
			t.Errorf("answered %v", a)
		}
	case <-time.After(20 * time.Second):
		t.Error("it waits on after its key was revoked")
	}
}

// What a key streams ends when the key does.
func TestRevokedKeysStreamNoMore(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	root, _ := s.key(nil, allRights, "*")
	reads, prefix := s.key(with(root), "read", "*")
	r, _ := http.NewRequest("GET", s.url+"/v1/loops/shop/events", nil)
	r.Header.Set("Authorization", "Bearer "+reads)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	ended := make(chan time.Time, 1)
	go func() {
		for lines := bufio.NewScanner(reply.Body); lines.Scan(); {
		}
		ended <- time.Now()
	}()
	select {
	case <-ended:
		t.Fatal("the stream ended by itself")
	case <-time.After(50 * time.Millisecond):
	}
	s.want(200, "DELETE", "/v1/keys/"+prefix, "", with(root)...)
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		t.Error("the stream goes on after its key was revoked")
	}
}
