package server_test

import (
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// The dashboard is there, whole and small, and says nothing that its policy forbids.
func TestDashboardIsServed(t *testing.T) {
	s := newSite(t)
	packed := 0
	for path, kind := range map[string]string{"/": "text/html", "/assets/app.js": "text/javascript", "/assets/app.css": "text/css"} {
		r, _ := http.NewRequest("GET", s.url+path, nil)
		r.Header.Set("Accept-Encoding", "gzip") // else the client unpacks by itself
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		data, _ := io.ReadAll(reply.Body)
		reply.Body.Close()
		packed += len(data)
		z, err := gzip.NewReader(strings.NewReader(string(data)))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		text, err := io.ReadAll(z)
		if err != nil || reply.StatusCode != 200 || !strings.HasPrefix(reply.Header.Get("Content-Type"), kind) || len(text) < 500 {
			t.Errorf("%s: %d, %s, %d bytes, %v", path, reply.StatusCode, reply.Header.Get("Content-Type"), len(text), err)
		}
		if path == "/" && (strings.Contains(string(text), "<style") || strings.Contains(string(text), "style=")) {
			t.Error("the page has styles of its own, which its policy forbids")
		}
		r.Header.Set("If-None-Match", reply.Header.Get("ETag"))
		if again, err := http.DefaultClient.Do(r); err != nil || again.StatusCode != 304 {
			t.Errorf("%s again: %v, %v; want 304", path, again, err)
		}
	}
	if packed > 60_000 {
		t.Errorf("the dashboard has %d bytes as it is sent, at most 60,000", packed)
	}
	s.want(404, "GET", "/assets/web.go", "")
	s.want(404, "GET", "/assets/..%2fapp.js", "")
}

// A key becomes a cookie that no script reads and no other site sends; it opens what the key opens, and no longer.
func TestKeyBecomesACookie(t *testing.T) {
	s := newSite(t)
	s.create("mine-a", "live")
	s.create("theirs", "live")
	if who := s.want(200, "GET", "/v1/login", ""); who["needed"] != false || len(who["rights"].([]any)) != 5 {
		t.Errorf("without keys: %v", who)
	}
	all, _ := s.key(nil, allRights, "*")
	looks, prefix := s.key(with(all), "read", "mine-*")
	if who := s.want(200, "GET", "/v1/login", ""); who["needed"] != true || who["key"] != nil {
		t.Errorf("with keys, without one: %v", who)
	}
	s.want(401, "POST", "/v1/login", `{"key":"kedge_nothing"}`)
	r, _ := http.NewRequest("POST", s.url+"/v1/login", strings.NewReader(fmt.Sprintf(`{"key":%q}`, looks)))
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	cookies := reply.Cookies()
	if who := s.decode(reply); who["key"] != prefix || len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode || cookies[0].MaxAge != 0 {
		t.Fatalf("the login answered %v with cookies %v", who, cookies)
	}
	cookie := []string{"Cookie", cookies[0].Name + "=" + cookies[0].Value}
	if page := s.want(200, "GET", "/v1/overview", "", cookie...); len(page["loops"].([]any)) != 1 {
		t.Errorf("loops of the key: %v", page)
	}
	s.want(404, "GET", "/v1/loops/theirs", "", cookie...)
	s.want(403, "POST", "/v1/loops/mine-a/kill", "{}", cookie...)
	s.want(403, "POST", "/v1/loops/mine-a/kill", "{}", append([]string{"Sec-Fetch-Site", "cross-site"}, cookie...)...)
	s.want(403, "POST", "/v1/login", fmt.Sprintf(`{"key":%q}`, looks), "Sec-Fetch-Site", "cross-site")
	s.want(200, "DELETE", "/v1/keys/"+prefix, "", with(all)...)
	s.want(401, "GET", "/v1/overview", "", cookie...)
}

// A loop in a line says what its cards and its series say.
func TestOverview(t *testing.T) {
	s := newSite(t)
	for _, name := range []string{"a", "b", "c"} {
		s.create(name, "live")
	}
	s.want(200, "POST", "/v1/loops/b/ask", "")
	s.want(201, "PUT", "/v1/loops/b/decisions/1/deployment", `{"u":[3,3]}`)
	s.want(201, "PUT", "/v1/loops/b/decisions/1/batches/am", `{"p":[[7,5],[7,5.5]],"d":[[10,8],[10,8.5]]}`)
	s.want(200, "POST", "/v1/loops/b/decisions/1/close", "")
	s.want(200, "POST", "/v1/loops/c/kill", `{"reason":"try"}`)
	first := s.want(200, "GET", "/v1/overview?page_size=2", "")
	rest := s.want(200, "GET", "/v1/overview?page_token="+first["next_page_token"].(string), "")
	rows := append(first["loops"].([]any), rest["loops"].([]any)...)
	if len(rows) != 3 || rest["next_page_token"] != nil {
		t.Fatalf("pages: %v and %v", first, rest)
	}
	b, c := rows[1].(map[string]any), rows[2].(map[string]any)
	if fmt.Sprint(b["values"]) != "[36.75]" || b["live_k"] != 1.0 || b["maximize"] != true { // the mean of (7+5)·3 and (7+5.5)·3
		t.Errorf("b: %v", b)
	}
	if since, err := time.Parse(time.RFC3339, b["live_since"].(string)); err != nil || time.Since(since) > time.Minute {
		t.Errorf("b is live since %v", b["live_since"])
	}
	if c["mode"] != "killed" || c["level"] != "alarm" || !strings.Contains(c["words"].(string), "killed") {
		t.Errorf("c: %v", c)
	}
	if only := s.want(200, "GET", "/v1/overview?loops=c,a", ""); len(only["loops"].([]any)) != 2 {
		t.Errorf("two that were asked for: %v", only)
	}
	terms := s.want(200, "GET", "/v1/loops/b/terms", "")
	if fmt.Sprint(terms["lower"], terms["upper"], terms["safe"], terms["cap"]) != "[0 0] [20 20] [4 4] map[lead:0.5 norm:0.5]" {
		t.Errorf("terms: %v", terms)
	}
	moved := s.want(200, "GET", "/v1/loops/b/quantiles?entry=1", "") // of 5 and 5.5
	if fmt.Sprint(moved["k"], moved["quantiles"]) != "[1] [[5.025 5.125 5.25 5.375 5.475]]" {
		t.Errorf("quantiles: %v", moved)
	}
	if times := s.want(200, "GET", "/v1/loops/b/series?times=true", ""); len(times["at"].([]any)) != 1 {
		t.Errorf("series with times: %v", times)
	}
}
