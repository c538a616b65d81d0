package server_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
)

// Whatever is sent to any call, the service answers within 2 s, and never that something fell over; what it refuses changes no head. The loop is that of a first decision each time.
func FuzzMessages(f *testing.F) {
	d := "/v1/loops/shop/decisions/1"
	calls := []struct{ method, path string }{
		{"POST", "/v1/loops"}, {"POST", "/v1/loops/shop/ask"}, {"PUT", d + "/deployment"}, {"PUT", d + "/batches/a"}, {"POST", d + "/close"}, {"POST", d + "/abandon"},
		{"POST", "/v1/loops/shop/exchange"}, {"PUT", "/v1/loops/shop/spec"}, {"POST", "/v1/loops/shop/pause"}, {"POST", "/v1/keys"},
	}
	for n, text := range []string{
		fmt.Sprintf(`{"name":"x","spec":%s,"mode":"live"}`, quoted(shop)), `{"after_k":1,"wait":"10ms"}`, `{"u":[3,3]}`, `{"p":[[7,5],[6.5,5.25]],"d":[[10,8],null],"w":[1,2],"id":["a","b"]}`,
		`{"expect":{"rows":5}}`, `{"reason":"x"}`, `{"k":1,"batch":{"p":[[1,2]]},"batch_id":"a","ask":true}`, fmt.Sprintf(`{"spec":%s}`, quoted(shop)), `{"reason":""}`, `{"rights":["read"],"loops":["*"]}`,
	} {
		f.Add(byte(n), text)
	}
	f.Fuzz(func(t *testing.T, n byte, text string) {
		own := server.New(server.Setup{Journal: store.NewMemory(), Clock: server.Wall(), Plan: readOnce(), Limits: server.DefaultLimits()})
		defer own.Stop()
		s := served{t, own}
		s.want(201, "POST", "/v1/loops", fmt.Sprintf(`{"name":"shop","spec":%s,"mode":"live"}`, quoted(shop)))
		s.want(200, "POST", "/v1/loops/shop/ask", "")
		c, before, begun := calls[int(n)%len(calls)], s.want(200, "GET", "/v1/heads", ""), time.Now()
		w := s.call(c.method, c.path, text)
		if took := time.Since(begun); w.Code >= 500 && w.Code != 503 && w.Code != 507 || took > 10*time.Second && !testing.Short() {
			t.Errorf("%s %s %q: %d %s in %v", c.method, c.path, text, w.Code, w.Body, took)
		}
		if w.Code >= 400 && c.path != "/v1/keys" && s.want(200, "GET", "/v1/heads", "") != before {
			t.Errorf("%s %s %q: %d, and heads have changed", c.method, c.path, text, w.Code)
		}
	})
}
