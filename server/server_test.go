package server_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
)

var nan = math.NaN()

const shop = `
iterations: 100
model:
  decision: q[2]
  state: p[2]
  trait: d[2]
  next: 0.5*p + 0.5*(d - q)
  maximize: dot(p, q)
  subject to: 0 <= q <= 20
population: {size: 10, law: normal, mean: [10, 8], deviation: [1, 1]}
start: {law: values, values: [3, 3]}
algorithms:
  - {name: composite, kind: composite, step: 0.05, batch: 10}
live: {samples: {least: 2, weights: optional, ids: optional, traits: optional}, cap: {norm: 0.5}, safe: [4, 4]}
`

type site struct {
	*testing.T
	url  string
	name string // that requests call it by
	stop func()
	web  *http.Client // nil: the one that judges replies
}

func newSite(t *testing.T) *site {
	j, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits(), Build: "test"})
	web := httptest.NewServer(s)
	t.Cleanup(func() { s.Stop(); web.Close(); j.Close() })
	return &site{T: t, url: web.URL, stop: s.Stop}
}

// call sends a request and returns the status and the reply.
func (s *site) call(method, path, body string, headers ...string) (int, map[string]any) {
	s.Helper()
	r, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if s.name != "" {
		r.Host = s.name
	}
	reply, err := cmp.Or(s.web, http.DefaultClient).Do(r)
	if err != nil {
		s.Fatal(err)
	}
	return reply.StatusCode, s.decode(reply)
}

// decode reads a reply, nothing of one that is no object.
func (s *site) decode(reply *http.Response) (v map[string]any) {
	s.Helper()
	defer reply.Body.Close()
	text, _ := io.ReadAll(reply.Body)
	if err := json.Unmarshal(text, &v); err != nil && len(text) > 0 && text[0] == '{' {
		s.Fatalf("%s: %v: %s", reply.Request.URL, err, text)
	}
	return v
}

// want sends a request that must have a status.
func (s *site) want(status int, method, path, body string, headers ...string) map[string]any {
	s.Helper()
	got, v := s.call(method, path, body, headers...)
	if got != status {
		s.Fatalf("%s %s: %d %v, want %d", method, path, got, v, status)
	}
	return v
}

func quoted(spec string) string { b, _ := json.Marshal(spec); return string(b) }

func (s *site) create(name, mode string) { s.Helper(); s.createOf(name, mode, shop) }

func (s *site) createOf(name, mode, spec string) {
	s.Helper()
	s.want(201, "POST", "/v1/loops", fmt.Sprintf(`{"name":%q,"spec":%s,"mode":%q}`, name, quoted(spec), mode))
}

func TestARoundOverHTTP(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	s.want(200, "POST", "/v1/loops", fmt.Sprintf(`{"name":"shop","spec":%s,"mode":"live"}`, quoted(shop)))
	s.want(409, "POST", "/v1/loops", fmt.Sprintf(`{"name":"shop","spec":%s,"mode":"live"}`, quoted(shop+"\nseed: 9\n")))
	var asks sync.WaitGroup
	for range 100 { // one decision, whoever asks
		asks.Go(func() {
			if a := s.want(200, "POST", "/v1/loops/shop/ask", ""); a["k"] != 1.0 || fmt.Sprint(a["u"]) != "[3 3]" {
				t.Errorf("asked: %v", a)
			}
		})
	}
	asks.Wait()
	d := "/v1/loops/shop/decisions/1"
	s.want(409, "POST", d+"/close", "")
	for _, status := range []int{201, 200, 200} {
		s.want(status, "PUT", d+"/deployment", `{"u":[3,3]}`)
	}
	if p := s.want(409, "PUT", d+"/deployment", `{"u":[4,3]}`); p["type"] != "/problems/deployment-conflict" || p["state"] != "deployed" {
		t.Errorf("another deployment: %v", p)
	}
	at := `"observed_at":"2099-01-01T00:00:00Z",`
	for _, status := range []int{201, 200, 200} {
		s.want(status, "PUT", d+"/batches/am", `{`+at+`"p":[[7,5],[6.5,5.25]],"d":[[10,8],null],"w":[1,2],"id":["a","b"]}`)
	}
	s.want(409, "PUT", d+"/batches/am", `{`+at+`"p":[[7,5]],"d":[[10,8]],"w":[1]}`)
	r := s.want(201, "PUT", d+"/batches/pm?observed_at=2099-01-01T00:00:00Z", "{\"p\":[7,4.5],\"d\":[10,8],\"w\":1,\"id\":\"c\"}\n\n{\"p\":[7,4],\"d\":[9,8],\"w\":1,\"id\":\"d\"}\n", "Content-Type", "application/x-ndjson")
	if r["rows"] != 2.0 || r["have"] != 4.0 {
		t.Errorf("received %v", r)
	}
	s.want(409, "POST", d+"/close", `{"expect":{"rows":5}}`)
	c := s.want(200, "POST", d+"/close", "")
	if again := s.want(200, "POST", d+"/close", ""); fmt.Sprint(again) != fmt.Sprint(c) || c["outcome"] != "step" {
		t.Errorf("closed %v, and again %v", c, again)
	}
	if got := c["sample"].(map[string]any); got["rows"] != 3.0 || got["without_trait"] != 1.0 {
		t.Errorf("sample %v", got)
	}
	if a := s.want(200, "POST", "/v1/loops/shop/ask", ""); a["k"] != 2.0 {
		t.Errorf("the next decision is %v", a)
	}
	if got := s.want(200, "GET", d, ""); got["state"] != "closed" {
		t.Errorf("decision 1 is %v", got)
	}
	if list := s.want(200, "GET", "/v1/loops/shop/decisions?page_size=1", ""); list["next_after_k"] != 1.0 {
		t.Errorf("a page of decisions: %v", list)
	}
}

// What is wrong gets its documented status, and the log stays as it was.
func TestProblems(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	d := "/v1/loops/shop/decisions/1"
	s.want(201, "PUT", d+"/deployment", `{"u":[3,3]}`)
	before := s.want(200, "GET", "/v1/heads", "")
	deep := strings.Repeat("[", 100_000)
	for _, c := range []struct {
		status             int
		kind, pointer      string
		method, path, body string
		headers            []string
	}{
		{422, "not-finite", "/p/1/1", "PUT", d + "/batches/a", `{"p":[[1,2],[1,1e999]]}`, nil},
		{422, "not-finite", "/p/0/1", "PUT", d + "/batches/a", `{"p":[[1,NaN]]}`, nil},
		{422, "dimension-mismatch", "/p/1", "PUT", d + "/batches/a", `{"p":[[1,2],[1]]}`, nil},
		{422, "dimension-mismatch", "/p", "PUT", d + "/batches/a", `{}`, nil},
		{422, "dimension-mismatch", "/d", "PUT", d + "/batches/a", `{"p":[[1,2]],"d":[]}`, nil},
		{422, "bad-weights", "/w/0", "PUT", d + "/batches/a", `{"p":[[1,2]],"d":[[1,2]],"w":[-1]}`, nil},
		{400, "malformed", "", "PUT", d + "/batches/a", `{"p":[[1,2]],"x":1}`, nil},
		{400, "malformed", "", "PUT", d + "/batches/a", `{"p":[[1,2]]} {}`, nil},
		{400, "malformed", "", "PUT", d + "/batches/a", `{"p":` + deep, nil},
		{413, "too-large", "", "PUT", d + "/batches/a", `{"p":` + strings.Repeat(" ", 33<<20) + `[]}`, nil},
		{415, "unsupported-type", "", "PUT", d + "/batches/a", `x`, []string{"Content-Type", "text/csv"}},
		{400, "malformed", "", "PUT", d + "/batches/a%2Fb", `{"p":[[1,2]],"d":[[1,2]]}`, nil},
		{400, "malformed", "", "PUT", d + "/batches/a", `{"p":[1,2]}` + "\n" + `{"q":1}`, []string{"Content-Type", "application/x-ndjson"}},
		{404, "not-found", "", "PUT", "/v1/loops/shop/decisions/7/batches/a", `{"p":[[1,2]],"d":[[1,2]]}`, nil},
		{404, "not-found", "", "POST", "/v1/loops/other/ask", ``, nil},
		{404, "not-found", "", "POST", "/v1/loops/SHOP/ask", ``, nil},
		{404, "not-found", "", "GET", "/v1/nothing", ``, nil},
		{405, "method-not-allowed", "", "GET", "/v1/loops/shop/ask", ``, nil},
		{422, "bad-spec", "/spec", "POST", "/v1/loops", `{"name":"x","spec":"iterations: 0\nalgorithms: 3\n"}`, nil},
		{422, "no-safe-decision", "", "POST", "/v1/loops", fmt.Sprintf(`{"name":"x","mode":"live","spec":%s}`, quoted(strings.Replace(shop, ", safe: [4, 4]", "", 1))), nil},
		{422, "infeasible", "", "POST", "/v1/loops", fmt.Sprintf(`{"name":"x","spec":%s}`, quoted(strings.Replace(shop, "[4, 4]", "[4, 40]", 1))), nil},
		{428, "revision-needed", "", "PUT", "/v1/loops/shop/spec", fmt.Sprintf(`{"spec":%s}`, quoted(shop)), nil},
		{412, "stale-revision", "", "PUT", "/v1/loops/shop/spec", fmt.Sprintf(`{"spec":%s}`, quoted(shop)), []string{"If-Match", `"7"`}},
		{403, "forbidden", "", "POST", "/v1/loops/shop/kill", `{}`, []string{"Sec-Fetch-Site", "cross-site"}},
	} {
		got, v := s.call(c.method, c.path, c.body, c.headers...)
		if got != c.status || v["type"] != "/problems/"+c.kind {
			t.Errorf("%s %s %.60s: %d %v, want %d %s", c.method, c.path, c.body, got, v, c.status, c.kind)
			continue
		}
		if c.pointer != "" {
			if list, _ := v["errors"].([]any); len(list) == 0 || list[0].(map[string]any)["pointer"] != c.pointer {
				t.Errorf("%s: errors %v, want a pointer to %s", c.body, v["errors"], c.pointer)
			}
		}
		if status, _ := s.call("GET", v["type"].(string), ""); status != 200 {
			t.Errorf("%s has no page", c.kind)
		}
	}
	if p := s.want(400, "PUT", d+"/deployment", `{"u":[[[[[[[[1]]]]]]]]}`); !strings.Contains(fmt.Sprint(p["detail"]), "8 deep") {
		t.Errorf("nine levels: %v", p)
	}
	s.name = "evil.example"
	s.want(421, "GET", "/v1/loops", "")
	s.name = ""
	if after := s.want(200, "GET", "/v1/heads", ""); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("heads were %v and are %v", before, after)
	}
}

// Every route is described, and only those.
func TestOpenAPI(t *testing.T) {
	s := newSite(t)
	v := s.want(200, "GET", "/openapi.json", "")
	paths := v["paths"].(map[string]any)
	if len(paths) < 20 || paths["/v1/loops/{loop}/ask"].(map[string]any)["post"] == nil {
		t.Errorf("%d paths", len(paths))
	}
}
