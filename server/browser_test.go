package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/session"
	"github.com/kedge-opt/kedge/store"
)

// Pages of other sites can do nothing, whatever a browser lets them send, and looking changes nothing.
func TestPagesOfOtherSites(t *testing.T) {
	w := evidence.For(t, evidence.Promise{Name: "service-browsers", Text: "every call that changes something, sent as a page of another site would have a browser send it, by other names of the server, and as forms: accepted; every GET: events written; replies that let other sites read them"})
	j, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	own := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits()})
	web := httptest.NewServer(own)
	t.Cleanup(func() { own.Stop(); web.Close(); j.Close() })
	s := &site{T: t, url: web.URL}
	s.create("mine-a", "live")
	s.want(200, "POST", "/v1/loops/mine-a/ask", "")
	key, _ := s.key(nil, allRights, "*")
	paths := s.want(200, "GET", "/openapi.json", "")["paths"].(map[string]any)
	here, _ := url.Parse(s.url)
	before := headsOf(t, j)
	for path, operations := range paths {
		for method := range operations.(map[string]any) {
			method = strings.ToUpper(method)
			if method == "GET" {
				s.looks(w, path, key)
				continue
			}
			for _, from := range [][]string{
				{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "cross-site", "Origin", s.url},
				{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", "http://127.0.0.1:1"}, {"Origin", "https://evil.example", "X-Forwarded-Host", "evil.example"},
				{"Origin", "https://evil.example", "Content-Type", "text/plain"}, {"Origin", "https://evil.example", "Content-Type", "application/x-www-form-urlencoded"}, {"Sec-Fetch-Site", "cross-site", "Content-Type", "multipart/form-data; boundary=x"},
			} {
				status := s.send(method, fill(path, "mine-a"), here.Host, key, from)
				w.Case(status == 403, "%s %s with %v: %d", method, path, from, status)
			}
			for _, name := range []string{"evil.example", "evil.example:" + here.Port(), "127.0.0.1.evil.example", "0.0.0.0"} {
				status := s.send(method, fill(path, "mine-a"), name, key, nil)
				w.Case(status == 421, "%s %s to a server called %s: %d", method, path, name, status)
			}
		}
	}
	w.Case(slices.Equal(headsOf(t, j), before), "heads were %v and are %v", before, headsOf(t, j))
	status := s.send("POST", "/v1/loops/mine-a/pause", here.Host, key, []string{"Content-Type", "text/plain"})
	w.Case(status == 415, "a form of plain text from no page at all: %d", status)
	for _, from := range [][]string{nil, {"Sec-Fetch-Site", "same-origin", "Origin", s.url}, {"Sec-Fetch-Site", "none"}, {"Origin", s.url}} {
		status := s.send("POST", "/v1/loops/mine-a/pause", here.Host, key, from)
		w.Case(status == 200, "its own page, with %v: %d", from, status)
	}
}

// headsOf are the newest events of all chains, those of the server itself, too.
func headsOf(t *testing.T, j session.Journal) (list []string) {
	t.Helper()
	tips, err := j.Loops(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, tip := range tips {
		list = append(list, fmt.Sprint(tip.Loop, tip.Seq, tip.Hash))
	}
	return list
}

// looks reads a page as another site would.
func (s *site) looks(w *evidence.Witness, path, key string) {
	s.Helper()
	if strings.HasSuffix(path, "/events") {
		return // which does not end
	}
	r, _ := http.NewRequest("GET", s.url+fill(path, "mine-a"), nil)
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Origin", "https://evil.example")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	io.Copy(io.Discard, reply.Body)
	reply.Body.Close()
	for name := range reply.Header {
		w.Case(!strings.HasPrefix(name, "Access-Control-"), "%s: %s", path, name)
	}
	w.Case(strings.Contains(reply.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") && !strings.Contains(reply.Header.Get("Content-Security-Policy"), "unsafe-inline"), "%s: the policy is %s", path, reply.Header.Get("Content-Security-Policy"))
}

// send sends a request by a name and with headers, and returns the status.
func (s *site) send(method, path, name, key string, headers []string) int {
	s.Helper()
	r, _ := http.NewRequest(method, s.url+path, strings.NewReader(`{"reason":"evil"}`))
	r.Host = name
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	io.Copy(io.Discard, reply.Body)
	reply.Body.Close()
	return reply.StatusCode
}
