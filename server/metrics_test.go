package server_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

// The numbers of a round are those that were told.
func TestMetrics(t *testing.T) {
	s := newSite(t)
	s.create("shop", "live")
	s.create("other", "shadow")
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	d := "/v1/loops/shop/decisions/1"
	s.want(201, "PUT", d+"/deployment", `{"u":[3,3]}`)
	s.want(201, "PUT", d+"/batches/a", `{"observed_at":"2099-01-01T00:00:00Z","p":[[7,5],[7,6],[6,6]],"d":[[10,8],null,[10,9]]}`)
	s.want(200, "POST", d+"/close", "")
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	s.want(200, "POST", "/v1/loops/shop/decisions/2/abandon", `{"reason":"test"}`)
	s.want(404, "POST", "/v1/loops/none/ask", "")
	reply, err := http.Get(s.url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	text, _ := io.ReadAll(reply.Body)
	for _, line := range []string{
		`kedge_loops{mode="live"} 1`, `kedge_loops{mode="shadow"} 1`,
		`kedge_decisions_total{end="closed",loop="shop"} 1`, `kedge_decisions_total{end="abandoned",loop="shop"} 1`,
		`kedge_turns_total{loop="shop"} 1`, `kedge_batch_rows_total{fate="stored",loop="shop"} 3`,
		`kedge_batch_rows_total{fate="without-trait",loop="shop"} 1`, `kedge_batch_rows_total{fate="counted",loop="shop"} 2`,
		`kedge_alarms{loop="shop"} 0`, `kedge_events_total{kind="created"} 2`, `kedge_events_total{kind="opened"} 2`,
		`kedge_request_seconds_count{code="404",route="POST /v1/loops/{loop}/ask"} 1`, `kedge_request_seconds_count{code="200",route="POST /v1/loops/{loop}/ask"} 2`,
		`kedge_watchers 0`, `kedge_build_info{version="test"} 1`, `kedge_value{loop="shop"} `, `kedge_step_norm{loop="shop"} `, `kedge_live_age_seconds{loop="shop"} `,
		`kedge_commit_seconds_count `, `kedge_commit_events_sum `,
	} {
		if !strings.Contains(string(text), "\n"+line) {
			t.Errorf("there is no %s", line)
		}
	}
	if t.Failed() {
		t.Logf("%s", text)
	}
}
