package server_test

import (
	"net/http/httptest"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/server"
	"github.com/kedge-opt/kedge/store"
)

// slowly is a journal whose newest commit has been under way for a while.
type slowly struct {
	*store.SQLite
	since time.Duration
}

func (s *slowly) Stuck() time.Duration { return s.since }

// A server is alive as long as no commit takes more than ten seconds; then it says for how long that has been so, in whole seconds.
func TestStuckServersAreNotAlive(t *testing.T) {
	inner, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	j := &slowly{SQLite: inner}
	s := server.New(server.Setup{Journal: j, Clock: server.Wall(), Limits: server.DefaultLimits(), Build: "test"})
	web := httptest.NewServer(s)
	t.Cleanup(func() { s.Stop(); web.Close(); inner.Close() })
	at := &site{T: t, url: web.URL}
	for since, want := range map[time.Duration]string{0: "", 10 * time.Second: "", 10*time.Second + time.Millisecond: "10s", 83*time.Second + 600*time.Millisecond: "1m24s"} {
		j.since = since
		code, reply := at.call("GET", "/healthz", "")
		if want == "" && code != 200 || want != "" && (code != 503 || reply["type"] != "/problems/read-only" || reply["detail"] != "a commit has been under way for "+want) {
			t.Errorf("stuck for %v: %d, %v", since, code, reply)
		}
	}
}
