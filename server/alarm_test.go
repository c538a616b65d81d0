package server_test

import (
	"bytes"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
)

// An alarm of a loop is in the log of the service, where whoever watches machines sees it.
func TestAlarmsAreLogged(t *testing.T) {
	var log bytes.Buffer
	own := server.New(server.Setup{Journal: store.NewMemory(), Clock: server.Wall(), Limits: server.DefaultLimits(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	web := httptest.NewServer(own)
	defer web.Close()
	s := &site{T: t, url: web.URL}
	s.create("shop", "live")
	s.want(200, "POST", "/v1/loops/shop/ask", "")
	s.want(201, "PUT", "/v1/loops/shop/decisions/1/deployment", `{"u":[3,3]}`)
	if log.Len() > 0 {
		t.Errorf("without an alarm: %s", log.String())
	}
	s.want(201, "PUT", "/v1/loops/shop/decisions/1/deployment", `{"u":[-1,3],"correct":true}`)
	if text := log.String(); strings.Count(text, "level=WARN msg=alarm loop=shop") != 1 || !strings.Contains(text, "infeasible") {
		t.Errorf("the log says %q", text)
	}
}
