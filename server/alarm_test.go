package server_test

import (
	"bytes"
	"context"
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

// A browser that leaves while a page is made is nobody's fault: it is told to come again, and no error stands in the log.
func TestWhoLeavesIsNoFault(t *testing.T) {
	j, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	var log bytes.Buffer
	own := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	defer own.Stop()
	ctx, leave := context.WithCancel(t.Context())
	leave()
	for _, path := range []string{"/v1/overview", "/v1/loops", "/v1/heads"} {
		w := httptest.NewRecorder()
		own.ServeHTTP(w, httptest.NewRequestWithContext(ctx, "GET", "http://127.0.0.1"+path, nil))
		if w.Code != 503 || !strings.Contains(w.Body.String(), `"retryable":true`) {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
	if strings.Contains(log.String(), "ERROR") {
		t.Errorf("it says\n%s", &log)
	}
	j.Close()
	own.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "http://127.0.0.1/v1/loops", nil))
	if text := log.String(); strings.Count(text, `level=ERROR msg="request failed" method=GET path=/v1/loops problem=/problems/`) != 1 {
		t.Errorf("of a journal that is gone it says %q", text)
	}
}
