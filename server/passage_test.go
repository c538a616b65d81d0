package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
)

// A request is let in by the names that the server goes by, and in the open from this machine or the proxy alone.
func TestWaysIn(t *testing.T) {
	s := server.New(server.Setup{
		Journal: store.NewMemory(), Clock: server.Wall(), Limits: server.DefaultLimits(), Hosts: []string{"Kedge.Example", "10.0.0.5"},
		Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}, ProxyTLS: true,
	})
	for _, c := range []struct {
		name, peer, host string
		headers          []string
		want             int
	}{
		{"loopback", "127.0.0.1:5", "127.0.0.1:7070", nil, 200},
		{"loopback of IPv6", "[::1]:5", "[::1]:7070", nil, 200},
		{"a socket", "@", "localhost", nil, 200},
		{"rebinding", "127.0.0.1:5", "evil.example", nil, 421},
		{"no name", "127.0.0.1:5", "", nil, 421},
		{"a longer name", "127.0.0.1:5", "localhost.evil.example", nil, 421},
		{"capitals, port and dot", "127.0.0.1:5", "KEDGE.example.:443", nil, 200},
		{"from the proxy", "10.0.0.9:5", "10.0.0.5:7070", []string{"X-Forwarded-Host", "kedge.example", "X-Forwarded-Proto", "https"}, 200},
		{"from the proxy, as an IPv4 within IPv6", "[::ffff:10.0.0.9]:5", "10.0.0.5:7070", []string{"X-Forwarded-Host", "kedge.example"}, 200},
		{"from the proxy for another name", "10.0.0.9:5", "10.0.0.5:7070", []string{"X-Forwarded-Host", "evil.example"}, 421},
		{"to the proxy in the open", "10.0.0.9:5", "10.0.0.5:7070", []string{"X-Forwarded-Host", "kedge.example", "X-Forwarded-Proto", "http"}, 403},
		{"from elsewhere", "10.0.1.9:5", "10.0.0.5:7070", nil, 403},
		{"from elsewhere, as if by the proxy", "10.0.1.9:5", "evil.example", []string{"X-Forwarded-Host", "kedge.example", "X-Forwarded-Proto", "https", "X-Forwarded-For", "10.0.0.9"}, 403},
		{"believed from the proxy alone", "127.0.0.1:5", "evil.example", []string{"X-Forwarded-Host", "kedge.example"}, 421},
	} {
		r := httptest.NewRequest("GET", "/healthz", nil)
		r.RemoteAddr, r.Host = c.peer, c.host
		for i := 0; i < len(c.headers); i += 2 {
			r.Header.Set(c.headers[i], c.headers[i+1])
		}
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("%s: %d %s, want %d", c.name, w.Code, w.Body, c.want)
		}
	}
}

// While there is no key, what came through a proxy is not let in: the proxy would let in everybody it reaches.
func TestNoKeyIsNoneForProxies(t *testing.T) {
	s := newSite(t)
	s.want(200, "GET", "/v1/loops", "")
	for _, name := range []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via"} {
		s.want(401, "GET", "/v1/loops", "", name, "192.0.2.7")
	}
}

// Every reply forbids what pages must not do with it.
func TestHeadersOfReplies(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/", "/healthz", "/v1/loops", "/v1/loops/none", "/problems/forbidden"} {
		reply, err := http.Get(s.url + path)
		if err != nil {
			t.Fatal(err)
		}
		reply.Body.Close()
		for name, want := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Frame-Options": "DENY", "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin"} {
			if got := reply.Header.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		if csp := reply.Header.Get("Content-Security-Policy"); len(csp) < 50 {
			t.Errorf("%s: the policy is %q", path, csp)
		}
		for name := range reply.Header {
			if len(name) > 15 && name[:15] == "Access-Control-" {
				t.Errorf("%s: %s is there", path, name)
			}
		}
	}
}
