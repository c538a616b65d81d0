package service

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	sentspans "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// sink is a collector that keeps the spans it gets.
func sink(t *testing.T) (url string, spans func() []*sentspans.Span) {
	var mu sync.Mutex
	var got []*sentspans.Span
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var m collector.ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &m)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, one := range m.ResourceSpans {
			for _, scope := range one.ScopeSpans {
				got = append(got, scope.Spans...)
			}
		}
	}))
	t.Cleanup(web.Close)
	return web.URL, func() []*sentspans.Span {
		mu.Lock()
		defer mu.Unlock()
		return got
	}
}

// A collector gets a span of every request and of its parts, under the trace that the sender named, and nothing that anybody wrote.
func TestSpansReachACollector(t *testing.T) {
	url, spans := sink(t)
	dir := t.TempDir()
	journal, err := store.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer journal.Close()
	sent, err := openTraces(t.Context(), url, "test", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	setup := setupOf(journal, &source{data: dir}, kind.Standard())
	setup.Tracer = sent.Tracer("kedge")
	web := httptest.NewServer(server.New(setup))
	defer web.Close()
	const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
	call := func(method, path, body string) {
		t.Helper()
		r, _ := http.NewRequestWithContext(t.Context(), method, web.URL+path, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Traceparent", "00-"+trace+"-00f067aa0ba902b7-01")
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(reply.Body)
		reply.Body.Close()
		if reply.StatusCode >= 300 {
			t.Fatalf("%s %s: %s", method, path, text)
		}
	}
	call("POST", "/v1/loops", `{"name":"shop","mode":"live","spec":`+quoted(tinyShop)+`}`)
	call("POST", "/v1/loops/shop/ask", "")
	call("PUT", "/v1/loops/shop/decisions/1/deployment", `{"u":[3,3]}`)
	call("PUT", "/v1/loops/shop/decisions/1/batches/am", `{"p":[[7.25,5]],"d":[[10,8]]}`)
	call("POST", "/v1/loops/shop/decisions/1/close", "{}")
	if err := sent.close(context.Background()); err != nil {
		t.Fatal(err)
	}
	count, says := map[string]int{}, map[string]string{}
	for _, s := range spans() {
		count[s.Name]++
		says[s.Name] = attributesOf(s)
		if id := hex.EncodeToString(s.TraceId); id != trace {
			t.Errorf("span %s is of trace %s", s.Name, id)
		}
		if text := s.String(); strings.Contains(text, "7.25") || strings.Contains(text, "decision: q") {
			t.Errorf("a span holds what somebody wrote: %s", text)
		}
	}
	for name, want := range map[string]struct {
		n    int
		says string
	}{
		"POST /v1/loops":            {1, "http.request.method=POST http.response.status_code=201 http.route=/v1/loops"}, // of which no address names the loop
		"POST /v1/loops/{loop}/ask": {1, "http.request.method=POST http.response.status_code=200 http.route=/v1/loops/{loop}/ask kedge.loop=shop"},
		"PUT /v1/loops/{loop}/decisions/{k}/batches/{batch}": {1, "http.request.method=PUT http.response.status_code=201 http.route=/v1/loops/{loop}/decisions/{k}/batches/{batch} kedge.loop=shop"},
		"decide": {5, ""}, "append": {5, ""}, "step": {1, ""},
	} {
		if count[name] != want.n || says[name] != want.says {
			t.Errorf("%d spans %s that say %q, want %d that say %q (all: %v)", count[name], name, says[name], want.n, want.says, count)
		}
	}
}

// attributesOf are what a span says, by name.
func attributesOf(s *sentspans.Span) string {
	var list []string
	for _, a := range s.Attributes {
		list = append(list, fmt.Sprint(a.Key, "=", cmp.Or(a.Value.GetStringValue(), fmt.Sprint(a.Value.GetIntValue()))))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

// A collector that is not there costs a line in the log and nobody's time.
func TestACollectorThatIsGone(t *testing.T) {
	var log strings.Builder
	var mu sync.Mutex
	sent, err := openTraces(t.Context(), "http://127.0.0.1:1", "test", slog.New(slog.NewTextHandler(locked{&mu, &log}, nil)))
	if err != nil {
		t.Fatal(err)
	}
	_, span := sent.Tracer("kedge").Start(t.Context(), "ask")
	span.End()
	sent.close(t.Context())
	mu.Lock()
	defer mu.Unlock()
	if !strings.Contains(log.String(), "spans were not taken") {
		t.Errorf("the log says %q", log.String())
	}
	if _, err := openTraces(t.Context(), "collector:4318", "test", nil); err == nil {
		t.Error("an address without http was taken")
	}
}

type locked struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l locked) Write(b []byte) (int, error) { l.mu.Lock(); defer l.mu.Unlock(); return l.w.Write(b) }

const tinyShop = `
iterations: 1
model:
  decision: q[2]
  state: p[2]
  trait: d[2]
  next: 0.5*p + 0.5*(d - q)
  maximize: dot(p, q)
  subject to: 0 <= q <= 20
population: {size: 10, law: normal, mean: [10, 8], deviation: [1, 1]}
algorithms: [{name: composite, kind: composite, step: 0.05, batch: 10}]
live: {samples: {least: 1}, cap: {norm: .inf}, safe: [4, 4]}
`

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}
